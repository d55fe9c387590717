"""Constants copied to fast memory: which ones, in what room, and that kernels read the very bytes there."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_allocation import (
    AllocateBuffers,
    HeldConstants,
    HoldConstants,
    check_program,
)
from tinsmith_cmsis_nn import backend as cmsis_nn
from tinsmith_ir import (
    Call,
    Copy,
    DType,
    Graph,
    Loop,
    Program,
    evaluate_graph,
    evaluate_program,
    verify_program,
)
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.errors import UsageError
from tinsmith_ir.expressions import ZERO
from tinsmith_ir.operators import Conv2D, FullyConnected
from tinsmith_ir.program import Engine, Memory
from tinsmith_ir.testing import random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Kernel, lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import Target, target

M4, SIRACUSA = target("cortex-m4"), target("siracusa")
_SMALL, _LARGE = 16 * 16, 16 * 64
"""Bytes of the weights of both convolutions."""


def kernels(chosen: Target) -> tuple[Kernel, ...]:
    return *cmsis_nn().kernels(chosen), *reference().kernels(chosen)


def network() -> Graph:
    """Two pointwise convolutions, of 16 and of 64 channels, and a fully connected layer behind them."""
    random = np.random.default_rng(7)
    builder = GraphBuilder("g")
    one = Quantization.per_tensor(0.5, 3)
    x = builder.input("x", TensorType((1, 8, 8, 16), DType.INT8, one))
    for channels in (16, 64):
        data = random.integers(-127, 128, (channels, 1, 1, 16)).astype(np.int8)
        weights = builder.constant("w", data, Quantization.per_tensor(0.01, 0))
        bias = builder.constant("b", random.integers(-900, 900, channels).astype(np.int32))
        x = builder.add(Conv2D(), [x, weights, bias], "y", one)
    data = random.integers(-127, 128, (4, 8 * 8 * 64)).astype(np.int8)
    weights = builder.constant("w", data, Quantization.per_tensor(0.01, 0))
    return builder.build([builder.add(FullyConnected(), [x, weights, None], "z", one)])


def lowered(chosen: Target = M4) -> Program:
    return prepare(lower(network(), chosen, kernels(chosen)), chosen, kernels(chosen))


def holding(waits: float = 5.0, **options: object) -> HoldConstants:
    made = HoldConstants(M4, kernels(M4), flash_waits=waits, available_bytes=1 << 20)
    return replace(made, **options)  # type: ignore[arg-type]


def held(program: Program) -> dict[str, int]:
    """Constants that calls read elsewhere -> bytes."""
    names = [found.constant for call in program.calls for found in call.held]
    return {name: program.constant[name].type.size_bytes for name in names}


def test_weights_that_a_kernel_comes_back_to_are_copied() -> None:
    program = lowered()
    outcome = holding().run_in_detail(program)
    assert {_SMALL, _LARGE} <= {*held(outcome.ir).values()}
    facts = outcome.facts
    assert isinstance(facts, HeldConstants)
    assert facts.copied_bytes == sum(held(outcome.ir).values())
    # Two of the 64 pixels at a time: 32 loads of each word, 5 cycles less each; its copy takes 7, and each call 80.
    of_weights = sum(32 * 5 * size // 4 - 7 * size // 4 - 80 for size in (_SMALL, _LARGE))
    assert of_weights <= facts.saved_cycles <= 2 * of_weights


def test_what_a_kernel_wants_in_another_memory_stays_there() -> None:
    program = lowered()
    constants = tuple(
        replace(one, memory="mram") if one.type.size_bytes == _LARGE else one
        for one in program.constants
    )
    kept = {*held(holding().run(replace(program, constants=constants))).values()}
    assert _SMALL in kept
    assert _LARGE not in kept


def test_what_a_kernel_reads_once_stays_where_it_is() -> None:
    assert 4 * 8 * 8 * 64 not in held(holding().run(lowered())).values()


def test_the_program_means_the_same_and_places_where_it_is_checked() -> None:
    graph = network()
    program = AllocateBuffers().run(holding().run(lowered()))
    verify_program(program)
    check_program(program)
    inputs = random_inputs(graph, seed=3)
    expected = evaluate_graph(graph, inputs)
    for name, data in evaluate_program(program, inputs).items():
        np.testing.assert_array_equal(data, expected[name])


def test_copies_stand_in_front_of_their_first_reader() -> None:
    program = holding().run(lowered())
    at = {
        step.destination: index
        for index, step in enumerate(program.steps)
        if isinstance(step, Copy)
    }
    for index, step in enumerate(program.steps):
        if isinstance(step, Call):
            assert all(at[found.view] < index for found in step.held)
            assert all(
                isinstance(between, Copy)
                for found in step.held
                for between in program.steps[at[found.view] : index]
            )


def test_a_constant_of_several_readers_is_copied_once() -> None:
    program = lowered()
    first, *others = program.steps
    assert isinstance(first, Call)
    made = holding().run(replace(program, steps=(first, replace(first, name="again"), *others)))
    copies = [step.source for step in made.steps if isinstance(step, Copy)]
    assert len(copies) == len({*copies})
    readers = [call for call in made.calls if {found.constant for found in call.held} & {*copies}]
    assert {"again", first.name} <= {call.name for call in readers}


def test_a_loop_finds_copies_made_in_front_of_it() -> None:
    program = lowered()
    first, *others = program.steps
    made = holding().run(replace(program, steps=(Loop("i", 3, (first,)), *others)))
    loop = next(step for step in made.steps if isinstance(step, Loop))
    assert all(isinstance(step, Call) and step.held for step in loop.body)
    once = holding().run_in_detail(lowered()).facts
    thrice = holding().run_in_detail(replace(program, steps=(Loop("i", 3, (first,)), *others)))
    assert isinstance(once, HeldConstants)
    assert isinstance(thrice.facts, HeldConstants)
    assert thrice.facts.saved_cycles > once.saved_cycles


@pytest.mark.parametrize("waits", [0.0, 0.05])
def test_nothing_is_copied_where_flash_is_hardly_slower(waits: float) -> None:
    program = lowered()
    assert holding(waits).run(program) is program


def test_nothing_is_copied_to_memory_that_is_no_faster() -> None:
    program = lowered()
    assert holding(5.0, ram_waits=5.0).run(program) is program


def test_less_waiting_copies_less() -> None:
    found = [sum(held(holding(waits).run(lowered())).values()) for waits in (0.1, 0.5, 2, 20)]
    assert found == sorted(found)
    assert found[0] < found[-1]


@pytest.mark.parametrize("more", [0, 64, 256, 600, 1024, 1100, 2000, 4000])
def test_copies_keep_within_the_memory(more: int) -> None:
    program = lowered()
    without = AllocateBuffers().allocate(program).plans["arena"].arena_bytes
    made = holding(available_bytes=without + more).run(program)
    assert AllocateBuffers().allocate(made).plans["arena"].arena_bytes <= without + more
    if more >= _LARGE + 16:
        assert _LARGE in held(made).values()


def test_a_memory_that_states_its_size_is_no_larger() -> None:
    program = lowered()
    without = AllocateBuffers().allocate(program).plans["arena"].arena_bytes
    small = replace(program, memories=(Memory("arena", without),))
    made = holding(available_bytes=1 << 20).run(small)
    assert AllocateBuffers().allocate(made).plans["arena"].arena_bytes <= without


def test_without_leave_to_grow_only_free_room_is_taken() -> None:
    program = lowered()
    without = AllocateBuffers().allocate(program).plans["arena"].arena_bytes
    made = holding(may_grow=False).run(program)
    assert held(holding(available_bytes=None).run(program)) == held(made)
    assert AllocateBuffers().allocate(made).plans["arena"].arena_bytes == without
    # The first convolution lives beside less than the second one, so there is room for its weights.
    assert _SMALL in held(made).values()
    assert _LARGE not in held(made).values()


def test_programs_of_clusters_stay_as_they_are() -> None:
    program = lowered(SIRACUSA)
    made = HoldConstants(SIRACUSA, kernels(SIRACUSA), flash_waits=14.0)
    assert made.run(program) is program


def test_what_engines_read_is_not_copied() -> None:
    program = lowered()
    engine = Engine("npu", ("arena",))
    steps = tuple(
        replace(step, engine="npu", token=ZERO) if isinstance(step, Call) else step
        for step in program.steps
    )
    beside = replace(program, steps=steps, engines=(engine,))
    assert holding().run(beside) is beside


@pytest.mark.parametrize("waits", [-1.0, float("nan"), float("inf")])
def test_waits_that_are_none_are_refused(waits: float) -> None:
    with pytest.raises(UsageError, match="expected flash_waits from 0"):
        holding(waits)
