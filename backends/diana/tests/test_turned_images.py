"""Networks with all images turned, columns for rows: when, and that no bit changes."""

from pathlib import Path

import pytest
from tinsmith_c.testing import HostModel, KernelObjects
from tinsmith_diana.fit_digital import FitDigital
from tinsmith_diana.turned_images import with_turned_images
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_ir.operators import Convolution
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import Kernel
from tinsmith_target import Target

MEAN = "%p: i8[1,1,1,16]<0.5, 0> = average_pool2d(%s) {window=[20,3]}\noutput %p"


def numbers(count: int) -> str:
    return str([(each * 37) % 11 - 5 for each in range(count)])


def network(
    rows: int = 40, columns: int = 6, end: str = MEAN, sum_attributes: str = "rounding=nearest"
) -> Graph:
    """A window of its own in each direction, a depthwise layer, a sum, a mean."""
    high, wide = rows // 2, columns // 2
    image = f"i8[1,{high},{wide},16]<0.5, 0>"
    return parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,{rows},{columns},1]<0.5, 0>
      const %w: i8[16,5,3,1]<0.125, 0> = {numbers(16 * 15)}
      const %b: i32[16]<0.0625, 0> = {numbers(16)}
      %c: {image} = conv2d(%x, %w, %b) {{stride=[2,2], padding=[2,1,0,1], rounding=nearest}}
      const %v: i8[1,3,1,16]<0.125, 0> = {numbers(48)}
      %d: {image} = depthwise_conv2d(%c, %v, %b) {{padding=[1,1,0,0], activation=relu, rounding=nearest}}
      %s: {image} = add(%c, %d) {{{sum_attributes}}}
      {end}
    }}""")


def same(one: Graph, other: Graph) -> bool:
    """Of random inputs."""
    for seed in range(4):
        inputs = random_inputs(one, seed)
        wanted, got = evaluate_graph(one, inputs), evaluate_graph(other, inputs)
        if any(wanted[name].tobytes() != got[name].tobytes() for name in wanted):
            return False
    return True


def test_high_images_are_turned() -> None:
    graph = network()
    made = with_turned_images(graph)
    names = [node.operator.mnemonic for node in made.nodes]
    assert names == ["transpose", "conv2d", "depthwise_conv2d", "add", "average_pool2d"]
    assert [node.outputs[0].type.shape[1:3] for node in made.nodes[1:-1]] == [(3, 20)] * 3
    operator = made.nodes[1].operator
    assert isinstance(operator, Convolution)
    assert operator.padding == (0, 1, 2, 1)
    assert made.inputs == graph.inputs
    assert made.outputs == graph.outputs
    assert same(graph, made)


def test_wide_images_and_squares_stay() -> None:
    end = MEAN.replace("[20,3]", "[3,20]")
    wide = network(6, 40, end)
    assert with_turned_images(wide) is wide
    square = network(32, 32, MEAN.replace("[20,3]", "[16,16]"))
    assert with_turned_images(square) is square


@pytest.mark.parametrize(
    "end",
    [
        "output %s",
        f"output %d\n{MEAN}",
        "%p: i8[1,5,1,16]<0.5, 0> = average_pool2d(%s) {window=[4,3], stride=[4,3]}\noutput %p",
        "%p: i8[1,960]<0.5, 0> = reshape(%s) {shape=[1,960]}\noutput %p",
    ],
)
def test_images_that_others_read_stay(end: str) -> None:
    graph = network(end=end)
    assert with_turned_images(graph) is graph


def test_what_another_operator_gives_is_turned_behind_it() -> None:
    graph = parse_graph(f"""graph 2 "g" {{
      input %v: i8[1,160]<0.5, 0>
      %x: i8[1,80,2,1]<0.5, 0> = reshape(%v) {{shape=[1,80,2,1]}}
      const %w: i8[32,3,1,1]<0.125, 0> = {numbers(96)}
      %c: i8[1,78,2,32]<0.5, 0> = conv2d(%x, %w) {{rounding=nearest}}
      %p: i8[1,1,1,32]<0.5, 0> = average_pool2d(%c) {{window=[78,2]}}
      output %p
    }}""")
    made = with_turned_images(graph)
    names = [node.operator.mnemonic for node in made.nodes]
    assert names == ["reshape", "transpose", "conv2d", "average_pool2d"]
    assert same(graph, made)


def test_generated_code_gives_the_same(
    host: Target, kernels: tuple[Kernel, ...], kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    graph = network(sum_attributes="activation=relu, rounding=nearest")
    made = FitDigital().run(graph)
    assert [node.operator.mnemonic for node in made.nodes].count("conv2d") == 2
    model = HostModel.of_graph(made, host, kernels, kernel_objects, tmp_path)
    for seed in range(3):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []
