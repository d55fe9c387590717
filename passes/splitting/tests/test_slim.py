"""Calls that stream and take less scratch than usual, where their kernels leave open how much."""

from collections.abc import Mapping

import numpy as np
import pytest
from images import Network
from tinsmith_cmsis_nn import backend as cmsis_nn
from tinsmith_ir import Call, Program, evaluate_program, verify_program
from tinsmith_ir.graph import Array
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import StreamPlan, lower
from tinsmith_reference import backend as reference
from tinsmith_splitting import SplitCalls
from tinsmith_target import target

M4 = target("cortex-m4")
KERNELS = (*cmsis_nn().kernels(M4), *reference().kernels(M4))


def block() -> tuple[Program, Mapping[str, Array]]:
    """Two convolutions around a tensor of 16 channels, the first on 8 channels, and their sum with a third."""
    network = Network(1, 16, 16, 8)
    inner = network.conv(network.x, 16)
    graph = network.build(network.add(network.conv(inner, 16), network.conv(network.x, 16, 1)))
    return lower(graph, M4, KERNELS), random_inputs(graph, 1)


def split(program: Program, ram_bytes: int, *, less_scratch: bool) -> tuple[Program, StreamPlan]:
    pass_ = SplitCalls(M4, KERNELS, ram_bytes, less_scratch=less_scratch)
    outcome = pass_.run_in_detail(program)
    assert isinstance(outcome.facts, StreamPlan)
    return outcome.ir, outcome.facts


def single(program: Program) -> set[str]:
    """The layers some of whose parts hold windows of one pixel."""
    calls = [step for step in program.steps if isinstance(step, Call)]
    return {
        call.name.split(".")[0]
        for call in calls
        if ("columns", 1) in {(option.name, option.value) for option in call.options}
    }


def test_less_memory_is_enough_and_costs_more() -> None:
    program, inputs = block()
    usual, before = split(program, 0, less_scratch=False)
    slim, after = split(program, 0, less_scratch=True)
    assert not single(usual)
    # Windows of two pixels of int16 as they are multiplied, or of one.
    assert before.live_bytes - after.live_bytes >= 2 * 9 * 16
    assert after.extra > before.extra
    verify_program(slim)
    wanted = evaluate_program(program, inputs)
    for name, array in evaluate_program(slim, inputs).items():
        assert np.array_equal(array, wanted[name])


def test_no_more_calls_than_it_takes_have_less() -> None:
    program, _ = block()
    _, before = split(program, 0, less_scratch=False)
    made, facts = split(program, before.live_bytes - 16, less_scratch=True)
    assert facts.live_bytes <= before.live_bytes - 16
    assert single(made) == {"y_1"}  # of three convolutions the one with most


@pytest.mark.parametrize("fast_bytes", [3000, 2000, 1500])
def test_rows_of_tensors_in_slow_memory_are_read_where_they_lie(fast_bytes: int) -> None:
    program, inputs = block()
    outcome = SplitCalls(M4, KERNELS, fast_bytes=fast_bytes).run_in_detail(program)
    facts = outcome.facts
    assert isinstance(facts, StreamPlan)
    assert facts.segments
    assert facts.live_bytes <= fast_bytes
    verify_program(outcome.ir)
    wanted = evaluate_program(program, inputs)
    for name, array in evaluate_program(outcome.ir, inputs).items():
        assert np.array_equal(array, wanted[name])
