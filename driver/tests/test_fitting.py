"""Plans that are tried with and without less scratch, each with what comes of placing it."""

from collections.abc import Sequence
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
    """A pass that is told what to do."""

    ram_bytes: int | None = None
    aim_bytes: int | None = None
    less_scratch: bool = True


_WHOLE = Plan(100, 0.0, DoesNotFitError("whole", needed_bytes=100, available_bytes=_RAM))
_TOO_LARGE = Plan(45, 1.0, DoesNotFitError("large", needed_bytes=60, available_bytes=_RAM))
_CONSTANTS = Plan(40, 5.0, ConstantsDoNotFitError("constants"))


def extra(usual: Plan, slim: Plan) -> float:
    """Of what is taken, where one plan has usual scratch and one has less."""
    program = _program()
    made = _WHOLE

    def run(passes: Sequence[object], program: Program) -> PipelineResult:
        nonlocal made
        for pass_ in passes:
            assert isinstance(pass_, Shrinking)
            plans = slim if pass_.less_scratch else usual
            made = _WHOLE if pass_.ram_bytes is None else plans
            record = PassRecord("shrinking", 0.0, BIT_EXACT, verified=False, facts=made)
            return PipelineResult(program, (record,))
        if made.error is not None:
            raise made.error
        return PipelineResult(program, ())

    found = fitted(cast("Any", (Shrinking(),)), program, _RAM, run, is_thorough=False)
    facts = found.records[0].facts
    assert isinstance(facts, Plan)
    return facts.extra


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
    program, fits = _program(), Plan(64, 2.0)
    (alignment,) = {memory.alignment for memory in program.memories}
    assert fits.live_bytes - _RAM < alignment
    made = _WHOLE

    def run(passes: Sequence[object], program: Program) -> PipelineResult:
        nonlocal made
        for pass_ in passes:
            assert isinstance(pass_, Shrinking)
            budget = pass_.ram_bytes
            made = _WHOLE if budget is None else _TOO_LARGE if budget < fits.live_bytes else fits
            record = PassRecord("shrinking", 0.0, BIT_EXACT, verified=False, facts=made)
            return PipelineResult(program, (record,))
        if made.error is not None:
            raise made.error
        return PipelineResult(program, ())

    found = fitted(cast("Any", (Shrinking(),)), program, _RAM, run)
    assert found.records[0].facts == fits
