"""Blocks of analog layers whose results are added and averaged: in pixels, as they lie."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, place
from tinsmith_diana.analog.border_layers import analog_border_inputs
from tinsmith_diana.layouts import DianaPixels
from tinsmith_diana.rules import IN_PIXELS
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.operators import Reshape
from tinsmith_ir.program import Copy, Program
from tinsmith_lowering import Kernel, check_calls, lower, prepare
from tinsmith_target import Target


def block(
    channels: int,
    *,
    size: str = "5,7",
    rounding: str = "{rounding=floor}",
    second: str = "analog_conv2d(%x, %v, %m, %a) {gain=16, chunk_channels=12, bits=7}",
) -> Graph:
    """Two layers of 7 bits, half their sum, and a layer that reads it."""
    random = np.random.default_rng(channels)
    ternary = {
        name: random.integers(-1, 2, (channels, side, side, depth)).reshape(-1).tolist()
        for name, side, depth in (("u", 3, 12), ("v", 1, 12), ("w", 3, channels))
    }
    return parse_graph(f"""graph 2 "block" {{
      input %x: i8[1,{size},12]<0.5, 0>
      const %u: i8[{channels},3,3,12] = {ternary["u"]}
      const %v: i8[{channels},1,1,12] = {ternary["v"]}
      const %w: i8[{channels},3,3,{channels}] = {ternary["w"]}
      const %m: i8[{channels}] = {random.integers(-9, 10, channels).tolist()}
      const %a: i8[{channels}] = {random.integers(-20, 20, channels).tolist()}
      %r: i8[1,{size},{channels}]<0.5, 0> = analog_conv2d(%x, %u, %m, %a)
        {{gain=16, chunk_channels=12, bits=7, shift=2, padding=[1,1,1,1]}}
      %q: i8[1,{size},{channels}]<0.5, 0> = {second}
      %s: i8[1,{size},{channels}]<1.0, 0> = add(%r, %q) {rounding}
      %y: i8[1,{size},{channels}]<0.5, 0> = analog_conv2d(%s, %w, %m, %a)
        {{gain=16, chunk_channels={channels}, shift=3, padding=[1,1,1,1]}}
      output %y
    }}""")


def averaged(channels: int, size: str) -> Graph:
    """A layer, and the mean of its pixels."""
    random = np.random.default_rng(channels)
    weights = random.integers(-1, 2, channels * 12).tolist()
    return parse_graph(f"""graph 2 "averaged" {{
      input %x: i8[1,{size},12]<0.5, 0>
      const %v: i8[{channels},1,1,12] = {weights}
      const %m: i8[{channels}] = {random.integers(-9, 10, channels).tolist()}
      const %a: i8[{channels}] = {random.integers(-20, 20, channels).tolist()}
      %r: i8[1,{size},{channels}]<0.5, 0> = analog_conv2d(%x, %v, %m, %a) {{gain=16, chunk_channels=12}}
      %y: i8[1,1,1,{channels}]<0.5, 0> = average_pool2d(%r) {{window=[{size}]}}
      output %y
    }}""")


def lowered(graph: Graph, host: Target, kernels: tuple[Kernel, ...]) -> Program:
    program = prepare(lower(graph, host, kernels), host, kernels)
    check_calls(program, host, kernels)
    return program


def sum_kernel(program: Program) -> tuple[str, str]:
    """Of the addition, and why it is no other."""
    call = next(call for call in program.calls if call.operator.mnemonic == "add")
    return call.kernel, call.reason


@pytest.mark.parametrize("channels", [16, 20, 32, 64, 100])
def test_a_sum_of_analog_layers_is_a_job_in_pixels(
    channels: int,
    host: Target,
    both: tuple[Kernel, ...],
    both_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    graph = block(channels)
    program = lowered(graph, host, both)
    assert sum_kernel(program) == (IN_PIXELS, "")
    assert {program.view[name].layout for name in "rqsy"} == {DianaPixels.name}
    turned = [call.kernel for call in program.calls if isinstance(call.operator, Reshape)]
    assert turned == ["tinsmith_diana_to_pixels", "tinsmith_diana_from_pixels"]
    assert not [step for step in program.steps if isinstance(step, Copy)]
    model = HostModel.build(place(program), host, both, both_objects, tmp_path)
    for inputs in analog_border_inputs(graph, 3):
        assert model.wrong_results(inputs, graph) == []


def test_a_sum_of_what_lies_otherwise_is_one_of_rows(
    host: Target, both: tuple[Kernel, ...]
) -> None:
    """The core pools one operand, and leaves it dense."""
    second = "max_pool2d(%r) {window=[3,3], padding=[1,1,1,1]}"
    assert sum_kernel(lowered(block(16, second=second), host, both)) == (
        "tinsmith_diana_digital",
        "",
    )


@pytest.mark.parametrize("size", ["30,32", "46,32"])
def test_sums_that_do_not_fit_the_memory_in_pixels_are_of_rows(
    size: str, host: Target, both: tuple[Kernel, ...]
) -> None:
    """Of 65 channels pixels have 128, and rows are 65; those of more rows do not fit either, but go in tiles."""
    assert sum_kernel(lowered(block(65, size=size), host, both)) == ("tinsmith_diana_digital", "")


def test_sums_that_are_rounded_otherwise_are_the_cores(
    host: Target, both: tuple[Kernel, ...]
) -> None:
    program = lowered(block(16, rounding="{rounding=nearest}"), host, both)
    assert sum_kernel(program)[0] == "tinsmith_add_s8_nearest"


@pytest.mark.parametrize(
    ("channels", "size"), [(16, "8,8"), (20, "3,5"), (33, "17,16"), (64, "4,4"), (65, "2,9")]
)
def test_an_average_takes_pixels_as_they_lie(
    channels: int,
    size: str,
    host: Target,
    both: tuple[Kernel, ...],
    both_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    graph = averaged(channels, size)
    program = lowered(graph, host, both)
    assert program.calls[-1].kernel == "tinsmith_diana_average_pixels"
    model = HostModel.build(place(program), host, both, both_objects, tmp_path)
    for inputs in analog_border_inputs(graph, 3):
        assert model.wrong_results(inputs, graph) == []


def test_an_average_of_what_is_dense_is_another_back_ends(
    host: Target, both: tuple[Kernel, ...]
) -> None:
    graph = parse_graph("""graph 2 "dense" {
      input %x: i8[1,3,4,5]<0.5, 0>
      %y: i8[1,1,1,5]<0.5, 0> = average_pool2d(%x) {window=[3,4]}
      output %y
    }""")
    assert lowered(graph, host, both).calls[0].kernel.startswith("tinsmith_average_pool2d")
