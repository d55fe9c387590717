"""Calls that stream and take less scratch than they would, where their kernels leave open how much."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from tinsmith_ir.program import Call

from tinsmith_splitting.patches import PatchedCalls
from tinsmith_splitting.rows import Parts, RowCall
from tinsmith_splitting.search import Way
from tinsmith_splitting.sums import SummedCall
from tinsmith_splitting.trimmed import trimmed

_Stage = RowCall | PatchedCalls | SummedCall

Stages = Sequence[_Stage]
"""Calls that stream together, in order."""

_Of = TypeVar("_Of")


class Slim:
    """The calls of a program with least scratch."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._known: dict[str, Call] = {}
        self._known_stages: dict[_Stage, _Stage] = {}

    def of(self, call: _Stage) -> _Stage:
        """The same with least scratch; the very same where its kernels leave nothing open."""
        if call not in self._known_stages:
            self._known_stages[call] = self._of(call)
        return self._known_stages[call]

    def _of(self, call: _Stage) -> _Stage:
        match call:
            case RowCall(call=Call() as whole):
                made = self._call(whole)
                return call if made is whole else replace(call, call=made)
            case PatchedCalls():
                calls = [row.call for row in call.calls if isinstance(row.call, Call)]
                is_same = all(self._call(one) is one for one in calls)
                return call if is_same else call.changed(self._call)
            case _:
                return call

    def names(self, calls: Stages) -> frozenset[str]:
        """Of the stages that can have less."""
        return frozenset(call.stage.name for call in calls if self.of(call) is not call)

    def fewest(
        self,
        calls: Stages,
        budget: int,
        way_of: Callable[[frozenset[str]], Way[_Of] | None],
    ) -> Way[_Of] | None:
        """The way that keeps within a budget where few of the calls have less: all, but one after the other those whose
        cost falls most without. None if no way keeps within it.

        way_of: given the names of the stages that have less scratch.
        """
        slim = self.names(calls)
        found = way_of(slim) if slim else None
        if found is None or found.live_bytes > budget:
            return None
        left = slim
        while left:
            ways = [(way_of(slim - {name}), name) for name in sorted(left)]
            fitting = [
                (way.extra, name, way) for way, name in ways if way and way.live_bytes <= budget
            ]
            if not fitting:
                break
            _, name, found = min(fitting, key=lambda it: it[:2])
            slim -= {name}
            left = slim & {name for _, name, _ in fitting}
        return found

    def _call(self, call: Call) -> Call:
        if call.name not in self._known:
            least = call
            for made in trimmed(self._parts, call):
                least = replace(call, options=made.layer.options)
            self._known[call.name] = least
        return self._known[call.name]
