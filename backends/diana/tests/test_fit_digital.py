"""Operators written as what the digital array computes: which, and that no bit changes."""

from pathlib import Path

import pytest
from diana_networks import layer_calls
from tinsmith_c.testing import HostModel, KernelObjects
from tinsmith_diana.fit_digital import LARGEST_SIDE, FitDigital
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import Kernel, lower
from tinsmith_target import Target

_JOB = ("tinsmith_diana_digital", "diana_digital/")


def summed(
    operator: str = "add", attributes: str = "activation=relu, rounding=nearest", **types: str
) -> Graph:
    """Two images of 7 channels. types: of a, b and y where they differ."""
    a, b, y = (types.get(name, "i8[1,5,4,7]<0.5, 0>") for name in "aby")
    return parse_graph(f"""graph 2 "g" {{
      input %a: {a}
      input %b: {b}
      %y: {y} = {operator}(%a, %b) {{{attributes}}}
      output %y
    }}""")


def convolved(
    window: tuple[int, int] = (10, 4),
    padding: tuple[int, int, int, int] = (4, 5, 1, 1),
    *,
    image: tuple[int, int] = (49, 10),
    channels: int = 1,
    stride: int = 2,
    dilation: int = 1,
) -> Graph:
    """Of 3 outputs, by weights that differ from one another."""
    height, width = window
    count = 3 * height * width * channels
    weights = str([(each * 37) % 11 - 5 for each in range(count)])
    ends = (padding[0] + padding[1], padding[2] + padding[3])
    rows, columns = (
        (size + more - dilation * (side - 1) - 1) // stride + 1
        for size, more, side in zip(image, ends, window, strict=True)
    )
    options = (
        f"stride=[{stride},{stride}], dilation=[{dilation},{dilation}], padding={list(padding)}"
    )
    return parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,{image[0]},{image[1]},{channels}]<0.5, 0>
      const %w: i8[3,{height},{width},{channels}]<0.25, 0> = {weights}
      const %b: i32[3]<0.125, 0> = [5, -9, 100]
      %y: i8[1,{rows},{columns},3]<2.0, 0> = conv2d(%x, %w, %b) {{{options}, rounding=nearest}}
      output %y
    }}""")


def same(one: Graph, other: Graph) -> bool:
    """Of random inputs, those at the ends of int8 among them."""
    for seed in range(4):
        inputs = random_inputs(one, seed)
        (wanted,) = evaluate_graph(one, inputs).values()
        (got,) = evaluate_graph(other, inputs).values()
        if wanted.tobytes() != got.tobytes():
            return False
    return True


def test_the_relu_of_a_sum_is_a_convolutions() -> None:
    graph = summed()
    made = FitDigital().run(graph)
    assert [node.operator.mnemonic for node in made.nodes] == ["add", "conv2d"]
    assert same(graph, made)


def test_a_sum_that_rounds_down_may_shift() -> None:
    attributes = "activation=relu, rounding=floor"
    graph = summed(attributes=attributes, y="i8[1,5,4,7]<1.0, 0>")
    made = FitDigital().run(graph)
    assert len(made.nodes) == 2
    assert same(graph, made)


@pytest.mark.parametrize(
    "graph",
    [
        summed(attributes="rounding=nearest"),
        summed(attributes="activation=relu6, rounding=nearest"),
        summed(attributes="activation=relu"),
        summed(y="i8[1,5,4,7]<1.0, 0>"),
        summed(b="i8[1,5,4,7]<0.25, 0>"),
        summed(a="i8[1,5,4,7]<0.5, 3>"),
        summed(y="i8[1,5,4,7]<0.5, -128>"),
        summed(b="i8[1,1,1,7]<0.5, 0>"),
        summed(a="i8[2,5,4,7]<0.5, 0>", b="i8[2,5,4,7]<0.5, 0>", y="i8[2,5,4,7]<0.5, 0>"),
        summed("sub"),
    ],
)
def test_other_sums_stay(graph: Graph) -> None:
    assert FitDigital().run(graph) is graph


@pytest.mark.parametrize(
    "graph",
    [
        convolved(),
        convolved((9, 3), (3, 4, 1, 0), image=(20, 9), channels=2),
        convolved((8, 5), (0, 0, 0, 0), image=(20, 11), channels=3),
        convolved((3, 11), (1, 1, 5, 5), image=(9, 21), channels=4),
    ],
)
def test_a_large_window_is_one_of_squares(graph: Graph) -> None:
    made = FitDigital().run(graph)
    names = [node.operator.mnemonic for node in made.nodes]
    assert names == ["pad", "reshape", "transpose", "reshape", "conv2d"]
    assert max(made.nodes[-1].present_inputs[1].type.shape[1:3]) <= LARGEST_SIDE
    assert same(graph, made)


@pytest.mark.parametrize(
    "graph",
    [
        convolved((7, 4), (2, 3, 1, 1)),
        convolved(stride=1),
        convolved((15, 4), (6, 8, 1, 1)),
        convolved((9, 1), (8, 8, 0, 0), dilation=2),
        # The last row is not reached: squares would have one row more.
        convolved((8, 4), (0, 0, 1, 1), image=(11, 10)),
    ],
)
def test_other_convolutions_stay(graph: Graph) -> None:
    assert FitDigital().run(graph) is graph


@pytest.mark.parametrize("graph", [summed(), convolved()])
def test_what_it_makes_is_the_arrays(
    graph: Graph,
    host: Target,
    kernels: tuple[Kernel, ...],
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    made = FitDigital().run(graph)
    heavy = [
        call
        for call in layer_calls(lower(made, host, kernels))
        if call.operator.mnemonic in ("add", "conv2d")
    ]
    assert heavy
    assert all(call.kernel.startswith(_JOB) for call in heavy)
    model = HostModel.of_graph(made, host, kernels, kernel_objects, tmp_path)
    for seed in range(3):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []
