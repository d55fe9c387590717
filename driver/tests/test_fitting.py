"""Plans that are tried with and without less scratch, each with what comes of placing it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pytest
from tinsmith_driver.fitting import fitted
from tinsmith_ir import Program, parse_graph
from tinsmith_ir.errors import ConstantsDoNotFitError, DoesNotFitError, TinsmithError
from tinsmith_ir.passes import BIT_EXACT, PassRecord
from tinsmith_ir.pipeline import PipelineResult
from tinsmith_lowering import lower
from tinsmith_reference import backend
from tinsmith_target import target

_RAM = 50


@dataclass(frozen=True)
class Plan:
    """Facts of a plan. error: of placing it."""

    live_bytes: int
    extra: float
    error: TinsmithError | None = None


@dataclass(frozen=True)
class Shrinking:
    """A pass that is told what to do. choose: its plan for a budget, with less scratch or not."""

    choose: Callable[[int, bool], Plan]
    ram_bytes: int | None = None
    aim_bytes: int | None = None
    less_scratch: bool = True

    @property
    def plan(self) -> Plan:
        """What it makes."""
        return _WHOLE if self.ram_bytes is None else self.choose(self.ram_bytes, self.less_scratch)

    def foreseen(self, program: Program) -> Plan | None:
        """The same, where it makes anything."""
        del program
        return None if self.ram_bytes is None else self.plan


_WHOLE = Plan(100, 0.0, DoesNotFitError("whole", needed_bytes=100, available_bytes=_RAM))
_TOO_LARGE = Plan(45, 1.0, DoesNotFitError("large", needed_bytes=60, available_bytes=_RAM))
_CONSTANTS = Plan(40, 5.0, ConstantsDoNotFitError("constants"))


def taken(
    choose: Callable[[int, bool], Plan],
    placed: list[Plan] | None = None,
    *,
    is_thorough: bool = True,
) -> Plan:
    """What is taken of the plans of a pass. placed: is told of each that is made."""

    def run(passes: Sequence[object], program: Program) -> PipelineResult:
        (shrinking,) = passes
        assert isinstance(shrinking, Shrinking)
        plan = shrinking.plan
        if placed is not None:
            placed.append(plan)
        if plan.error is not None:
            raise plan.error
        record = PassRecord("shrinking", 0.0, BIT_EXACT, verified=False, facts=plan)
        return PipelineResult(program, (record,))

    passes = cast("Any", (Shrinking(choose),))
    found = fitted(passes, _program(), _RAM, run, is_thorough=is_thorough)
    facts = found.records[0].facts
    assert isinstance(facts, Plan)
    return facts


def extra(usual: Plan, slim: Plan) -> float:
    """Of what is taken, where one plan has usual scratch and one has less."""
    return taken(lambda _, less: slim if less else usual, is_thorough=False).extra


def _program() -> Program:
    host = target("host")
    text = 'graph 2 "g" { input %x: i8[4]<0.5, 0> %y: i8[4]<0.5, 0> = relu(%x) output %y }'
    return lower(parse_graph(text), host, backend().kernels(host))


def test_the_cheaper_of_both_is_taken() -> None:
    dear, cheap = Plan(40, 9.0), Plan(44, 3.0)
    assert extra(dear, cheap) == extra(cheap, dear) == 3.0


@pytest.mark.parametrize("other", [_TOO_LARGE, _CONSTANTS])
def test_a_plan_that_fits_is_taken_whatever_the_other_lacks(other: Plan) -> None:
    fits = Plan(40, 9.0)
    assert extra(fits, other) == extra(other, fits) == 9.0


def test_the_refusal_is_that_of_the_smallest_plan() -> None:
    with pytest.raises(DoesNotFitError, match="large"):
        extra(_CONSTANTS, _TOO_LARGE)


def test_what_lies_highest_needs_no_padding() -> None:
    """Live bytes are counted rounded up, so a plan may fit that seems to have a few more."""
    fits = Plan(64, 2.0)
    (alignment,) = {memory.alignment for memory in _program().memories}
    assert fits.live_bytes - _RAM < alignment
    assert taken(lambda budget, _: _TOO_LARGE if budget < fits.live_bytes else fits) == fits


def test_a_refusal_names_what_is_refused_with_a_byte_less() -> None:
    """The plan that needs least has usual scratch, and more bytes are live than who asks for 50 would try."""

    def choose(budget: int, less_scratch: bool) -> Plan:
        needs = {75: 76, 60: 90} if less_scratch else {70: 72, 60: 90}
        live = max((live for live in needs if live <= budget), default=60)
        error = DoesNotFitError(str(live), needed_bytes=needs[live], available_bytes=_RAM)
        return Plan(live, 100.0 - live, error)

    placed: list[Plan] = []
    with pytest.raises(DoesNotFitError) as refused:
        taken(choose, placed)
    assert refused.value.needed_bytes == 72
    # Whole, and each of the others once, the smallest with scratch of either kind.
    assert sorted(plan.live_bytes for plan in placed) == [60, 60, 70, 75, 100]
