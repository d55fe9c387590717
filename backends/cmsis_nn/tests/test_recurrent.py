"""Layers that keep a state, by Tinsmith's own kernels: what these take, and compiled C frame by frame."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import CASES, Case, HostModel, KernelObjects, place, tight_program
from tinsmith_cmsis_nn import backend
from tinsmith_ir import Graph, evaluate_frames, parse_graph
from tinsmith_ir.evaluate import equal_arrays, varied_frames
from tinsmith_ir.testing import random_array, random_inputs
from tinsmith_lowering import lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
KERNELS = backend().kernels(HOST)
FRAMES = 6

FILTERS = """graph 2 "filters" {
  input %x: i8[BATCHES,9]<0.5, 3>
  state %h: ELEMENT[BATCHES,35]<0.03125, ZERO> = [HELD] next %later
  const %w: i8[7,9]<0.01, 0> = [FEATURES]
  const %t: ELEMENT[7,5]<0.05, 0> = [TIME]
  const %b: i32[UNITS]<0.0015625, 0> = [BIAS]
  %later: ELEMENT[BATCHES,35]<0.03125, ZERO> = svdf_state(%h, %x, %w)
  %y: i8[BATCHES,UNITS]<SCALE, -2> = svdf(%later, %t, %b) {rank=RANK}
  output %y
}
"""


def filters(element: str, batches: int = 1, rank: int = 1) -> Graph:
    """Seven filters that remember five steps, in units of `rank`."""
    units = 7 // rank
    held = batches * 35
    numbers = {
        "HELD": (i * 29 % 251 - 125 for i in range(held)),
        "FEATURES": (i * 37 % 255 - 127 for i in range(63)),
        "TIME": (i * 53 % 255 - 127 for i in range(35)),
        "BIAS": (i * 700 - 2000 for i in range(units)),
    }
    text = FILTERS.replace("ZERO", "0" if element == "i16" else "-7").replace("ELEMENT", element)
    text = text.replace("SCALE", "0.5" if element == "i16" else "0.25").replace("RANK", str(rank))
    text = text.replace("BATCHES", str(batches)).replace("UNITS", str(units))
    for name, values in numbers.items():
        text = text.replace(name, ", ".join(map(str, values)))
    return parse_graph(text)


def check_frames(graph: Graph, objects: KernelObjects, folder: Path) -> None:
    """C and the evaluator give the same in every frame."""
    program = place(prepare(lower(graph, HOST, KERNELS), HOST, KERNELS))
    model = HostModel.build(program, HOST, KERNELS, objects, folder)
    frames = [*varied_frames(random_inputs(graph, 1), FRAMES)]
    runs = zip(evaluate_frames(graph, frames), model.run_frames(frames), strict=True)
    for number, (wanted, found) in enumerate(runs):
        for value, result in zip(graph.outputs, found, strict=True):
            assert equal_arrays(wanted[value.name], result), (number, value.name)


@pytest.mark.parametrize("element", ["i16", "i8"])
@pytest.mark.parametrize(("batches", "rank"), [(1, 1), (2, 1), (1, 7)])
def test_filters_over_time_give_what_the_evaluator_does(
    element: str, batches: int, rank: int, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = filters(element, batches, rank)
    program = lower(graph, HOST, KERNELS)
    suffix = {"i16": "s16", "i8": "s8"}[element]
    called = [call.kernel for call in program.calls]
    assert called == [f"tinsmith_svdf_features_{suffix}", f"tinsmith_svdf_time_{suffix}"]
    check_frames(graph, kernel_objects, tmp_path)


@pytest.mark.parametrize("element", ["i16", "i8"])
def test_filters_remember_in_place(element: str) -> None:
    program = lower(filters(element), HOST, KERNELS)
    assert [buffer.name for buffer in program.buffers] == ["x", "h", "y"]


SVDF_CASES = [
    case for case in CASES if case.name in ("filters_over_time_i8", "filters_over_time_i16")
]


@pytest.mark.parametrize("case", SVDF_CASES, ids=lambda case: case.name)
def test_cases_at_their_tightest_are_right(
    case: Case, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = case.build(seed=3)
    kernels = (*KERNELS, *reference().kernels(HOST))
    tight = tight_program(prepare(lower(graph, HOST, kernels), HOST, kernels))
    assert all("svdf_" in call.kernel for call in tight.calls)
    model = HostModel.build(tight, HOST, kernels, kernel_objects, tmp_path)
    for seed in range(3):
        generator = np.random.default_rng(seed)
        inputs = {name: random_array(generator, tight.type_of(name)) for name in tight.inputs}
        assert model.wrong_results(inputs) == []


def test_weights_that_are_computed_go_to_the_reference_kernels() -> None:
    text = """graph 2 "g" {
      input %x: i8[1,2]<0.5, 3>
      input %w: i8[3,2]<0.25, 0>
      input %h: i8[1,6]<0.5, 0>
      input %t: i8[3,2]<0.5, 0>
      %later: i8[1,6]<0.5, 0> = svdf_state(%h, %x, %w)
      %y: i8[1,3]<0.5, -2> = svdf(%later, %t)
      output %y
    }"""
    kernels = (*KERNELS, *reference().kernels(HOST))
    calls = lower(parse_graph(text), HOST, kernels).calls
    assert [call.kernel for call in calls] == ["tinsmith_svdf_state_s8", "tinsmith_svdf_s8"]
    assert all("computed at run time" in call.reason for call in calls)


def test_sums_that_may_leave_32_bits_are_refused() -> None:
    depth = 70000
    weights = ", ".join(["127"] * depth)
    text = f"""graph 2 "g" {{
      input %x: i8[1,{depth}]<0.5, 3>
      input %h: i8[1,2]<0.5, 0>
      const %w: i8[1,{depth}]<0.25, 0> = [{weights}]
      %y: i8[1,2]<0.5, 0> = svdf_state(%h, %x, %w)
      output %y
    }}"""
    kernels = (*KERNELS, *reference().kernels(HOST))
    (call,) = lower(parse_graph(text), HOST, kernels).calls
    assert call.kernel == "tinsmith_svdf_state_s8"
    assert "leaves 32 bits: one may be 2266950000" in call.reason
