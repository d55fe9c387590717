"""Which C function serves which call: calls that do the same share one, which is told where if they do it in several
places.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tinsmith_ir.program import Call, View

from tinsmith_c.layout import Layout, counter_name

_FUNCTION_BYTES = 60
_ARGUMENT_BYTES = 4
"""About what a function, or the record that one has, and an argument of a call are compiled to on Cortex-M."""


@dataclass(frozen=True)
class Function:
    """calls: those that it serves, in order; it is written for the first one.

    places: the operands, by where they stand in `operands`, that arguments move, and what those parameters are called.
    A function that has none is moved by the counters of loops.
    """

    layout: Layout
    calls: Sequence[Call]
    places: Mapping[int, str] = field(default_factory=dict[int, str])

    @property
    def first(self) -> Call:
        """The call that it is written for."""
        return self.calls[0]

    @property
    def name(self) -> str:
        """The C name."""
        name = self.first.name
        return f"layer_{self.layout.numbers[name]}_{self.layout.layer_identifiers[name]}"

    @property
    def moves(self) -> tuple[str, ...]:
        """Parameters besides the memories."""
        if self.places:
            return tuple(self.places.values())
        return tuple(map(counter_name, self.layout.moved_by(self.first)))

    def offset(self, index: int) -> str:
        """Where an operand is in its memory, in bytes, without what moves it: an enumerator, or 0."""
        return "0" if index in self.places else self.layout.offset_name(self._name(index))

    def motion(self, index: int) -> str:
        """What moves an operand, `16 * loop_i`; "" if nothing does."""
        if self.places:
            return self.places.get(index, "")
        return self.layout.motion(self._name(index)).removeprefix(" + ")

    def place(self, index: int) -> str:
        """Where an operand is in its memory, in bytes."""
        parts = self.offset(index), self.motion(index)
        return " + ".join(part for part in parts if part not in ("", "0"))

    def _name(self, index: int) -> str:
        name = operands(self.first)[index]
        assert name is not None
        return name

    def arguments(self, call: Call) -> list[str]:
        """For `moves`, of a call that it serves."""
        if not self.places:
            return [*map(counter_name, self.layout.moved_by(call))]
        names = operands(call)
        return [
            self.layout.place(name) for index in self.places if (name := names[index]) is not None
        ]


class Functions:
    """Those of all calls of a program. Calls on an engine have their own.

    can_move: whether what writes a call asks where its operands are.
    """

    def __init__(self, layout: Layout, can_move: Callable[[Call], bool]) -> None:
        self._layout = layout
        alike: dict[object, list[Call]] = {}
        for call in layout.program.calls:
            alike.setdefault(self._deed(call), []).append(call)
        self._of: dict[str, Function] = {}
        for calls in alike.values():
            for function in self._shared(calls, can_move):
                self._of |= {call.name: function for call in function.calls}

    def of(self, call: Call) -> Function:
        """The function that serves a call."""
        return self._of[call.name]

    def _shared(self, calls: list[Call], can_move: Callable[[Call], bool]) -> list[Function]:
        """Of calls that do the same: one, where telling it the places is less code than a function for each place."""
        apart: dict[object, list[Call]] = {}
        for call in calls:
            apart.setdefault(self._places(call), []).append(call)
        moved = self._moved(calls) if len(apart) > 1 else {}
        told = _ARGUMENT_BYTES * len(moved) * len(calls)
        if moved and told < _FUNCTION_BYTES * (len(apart) - 1) and can_move(calls[0]):
            return [Function(self._layout, calls, moved)]
        return [Function(self._layout, group) for group in apart.values()]

    def _deed(self, call: Call) -> object:
        """What a call does; equal for calls whose functions have the same body but for places."""
        if call.engine is not None:
            return call.name
        names = operands(call)
        return (
            call.kernel,
            call.operator,
            repr(call.operator),  # -0.0 equals 0.0
            len(call.inputs),
            tuple(map(self._kind, names)),
            tuple(map(names.index, names)),
            call.reads,
            call.options,
            call.reason,
            tuple((held.constant, self._place(call, held.view)) for held in call.held),
        )

    def _kind(self, name: str | None) -> object:
        if name is None or name not in self._views:
            return name
        view, buffer = self._views[name], self._layout.program.buffer_of(name)
        ring = None if view.ring is None else name
        return buffer.memory, view.type, view.strides, view.layout, ring

    def _places(self, call: Call) -> object:
        """Where a call does it."""
        names = operands(call)
        return tuple(self._place(call, name) for name in names if name and name in self._views)

    def _place(self, call: Call, name: str) -> object:
        """Where a view is; what the loops around the call are called does not matter."""
        order = {counter: str(at) for at, counter in enumerate(self._layout.moved_by(call))}
        memory = self._layout.program.buffer_of(name).memory
        return memory, self._layout.offset(name), self._views[name].start.renamed(order).terms

    def _moved(self, calls: Sequence[Call]) -> dict[int, str]:
        """The operands that are not in one place, and what the parameters that say it are called."""
        if any(self._views[held.view].start.terms for held in calls[0].held):
            return {}  # copies of constants are where the loops are
        moved: dict[int, str] = {}
        for index, title in enumerate(titles(calls[0])):
            starts = {
                (self._layout.offset(name), self._views[name].start.terms)
                for call in calls
                for name in [operands(call)[index]]
                if name is not None and name in self._views
            }
            if len(starts) > 1 or any(terms for _, terms in starts):
                moved[index] = f"{title}_at"
        return moved

    @cached_property
    def _views(self) -> Mapping[str, View]:
        return self._layout.program.view


def operands(call: Call) -> tuple[str | None, ...]:
    """Operands, results and scratch."""
    return (*call.inputs, *call.outputs, call.scratch)


def titles(call: Call) -> list[str]:
    """What each of `operands` is called."""
    return [
        *map(call.operator.operand_name, range(len(call.inputs))),
        *("output" if index == 0 else f"output_{index}" for index in range(len(call.outputs))),
        "scratch",
    ]
