"""FoldConstantChannels and RemoveUnusedChannels: of networks with zeros in their weights."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UsageError
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.operators import DepthwiseConv2D, Weighted
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import assert_rewrites, assert_same_bits
from tinsmith_simplify import FoldConstantChannels, RemoveUnusedChannels

EXACT = RemoveUnusedChannels(multiple=1)


def graph(*lines: str) -> str:
    body = "\n".join(lines)
    return f'graph 2 "g" {{\ninput %x: i8[1,4,4,2]<0.5, 1>\n{body}\noutput %y\n}}'


def pointwise(name: str, of: str, rows: list[list[int]], bias: list[int]) -> str:
    """A convolution of one pixel; rows: the weights of each result."""
    made, read = len(rows), len(rows[0])
    return (
        f"const %w{name}: i8[{made},1,1,{read}]<0.5, 0> = {[it for row in rows for it in row]}\n"
        f"const %b{name}: i32[{made}] = {bias}\n"
        f"%{name}: i8[1,4,4,{made}]<2, 3> = conv2d(%{of}, %w{name}, %b{name})"
    )


def filtered(name: str, of: str, weights: list[int], bias: list[int]) -> str:
    """A depthwise convolution of three pixels; weights: of each channel, for every pixel."""
    count = len(weights)
    return (
        f"const %w{name}: i8[1,1,3,{count}]<0.5, 0> = {weights * 3}\n"
        f"const %b{name}: i32[{count}] = {bias}\n"
        f"%{name}: i8[1,4,4,{count}]<2, 3> = depthwise_conv2d(%{of}, %w{name}, %b{name}) {{padding=[0,0,1,1]}}"
    )


def test_channels_that_are_multiplied_by_zero_are_not_computed() -> None:
    """Back through a filter of each channel to the layer before it."""
    assert_rewrites(
        EXACT,
        graph(
            pointwise("a", "x", [[1, 2], [3, 4], [5, 6]], [7, 8, 9]),
            filtered("f", "a", [1, 2, 3], [4, 5, 6]),
            pointwise("y", "f", [[1, 0, 2], [3, 0, 4]], [5, 6]),
        ),
        graph(
            pointwise("a", "x", [[1, 2], [5, 6]], [7, 9]),
            filtered("f", "a", [1, 3], [4, 6]),
            pointwise("y", "f", [[1, 2], [3, 4]], [5, 6]),
        ),
    )


def test_channels_are_rounded_up() -> None:
    """The first of those that could go stay."""
    before = parse_graph(
        graph(
            pointwise("a", "x", [[1, 2], [3, 4], [5, 6], [7, 8]], [0, 1, 2, 3]),
            pointwise("y", "a", [[0, 0, 0, 1]], [5]),
        )
    )
    (_, *rest) = RemoveUnusedChannels(multiple=3).run(before).constants[:2]
    assert rest[0].data.tolist() == [0, 1, 3]
    assert RemoveUnusedChannels(multiple=4).run(before) is before
    with pytest.raises(UsageError, match="expected a multiple from 1, got 0"):
        RemoveUnusedChannels(multiple=0)


def test_a_sum_of_branches_has_what_either_needs() -> None:
    lines = (
        pointwise("a", "x", [[1, 2], [3, 4], [5, 6]], [7, 8, 9]),
        pointwise("b", "x", [[1, 2], [3, 4], [5, 6]], [7, 8, 9]),
        "%s: i8[1,4,4,3]<2, 3> = add(%a, %b)",
        pointwise("c", "b", [[0, 0, 1]], [3]),
        pointwise("d", "s", [[1, 0, 0]], [3]),
        "%y: i8[1,4,4,1]<2, 3> = add(%c, %d)",
    )
    result = EXACT.run(parse_graph(graph(*lines)))
    shapes = {node.name: node.outputs[0].type.shape[-1] for node in result.nodes}
    assert shapes == {"a": 2, "b": 2, "s": 2, "c": 1, "d": 1, "y": 1}
    assert_same_bits(parse_graph(graph(*lines)), result)


def test_inputs_and_outputs_keep_their_channels() -> None:
    before = parse_graph(graph(pointwise("y", "x", [[0, 1], [0, 0]], [1, 2])))
    assert EXACT.run(before) is before


def test_what_joined_channels_bring_is_told_apart() -> None:
    before = graph(
        pointwise("a", "x", [[1, 2], [3, 4]], [5, 6]),
        pointwise("b", "x", [[1, 2], [3, 4]], [5, 6]),
        "%j: i8[1,4,4,4]<2, 3> = concat(%a, %b) {axis=3}",
        pointwise("y", "j", [[0, 1, 2, 0]], [5]),
    )
    after = graph(
        pointwise("a", "x", [[3, 4]], [6]),
        pointwise("b", "x", [[1, 2]], [5]),
        "%j: i8[1,4,4,2]<2, 3> = concat(%a, %b) {axis=3}",
        pointwise("y", "j", [[1, 2]], [5]),
    )
    assert_rewrites(EXACT, before, after)


def test_a_constant_that_others_read_stays_for_them() -> None:
    """Both layers have one constant; only one of them may be cut."""
    text = graph(
        pointwise("a", "x", [[1, 2], [3, 4]], [5, 6]),
        "%c: i8[1,4,4,2]<2, 3> = conv2d(%x, %wa, %ba)",
        pointwise("y", "a", [[1, 0], [2, 0]], [5, 6]),
        "output %c",
    )
    result = EXACT.run(parse_graph(text))
    assert_same_bits(parse_graph(text), result)
    assert {name: data.size for name, data in result.constant_data.items()} == {
        "wa": 4,
        "wa_1": 2,
        "ba": 2,
        "ba_1": 1,
        "wy": 2,
        "by": 2,
    }


def test_what_is_always_the_same_goes_into_the_bias() -> None:
    """(40 / 8 - 3) * 7: a result of nothing but its bias, as its reader sees it."""
    assert_rewrites(
        FoldConstantChannels(),
        graph(
            pointwise("a", "x", [[1, 2], [0, 0]], [9, 16]),
            pointwise("y", "a", [[5, 7], [0, 0]], [1, 2]),
        ),
        graph(
            pointwise("a", "x", [[1, 2], [0, 0]], [9, 16]),
            pointwise("y", "a", [[5, 0], [0, 0]], [15, 2]),
        ),
    )


def test_padding_is_zero_and_no_such_constant() -> None:
    """Beside the border a filter would see fewer of what is not zero."""
    lines = (
        pointwise("a", "x", [[0, 0], [0, 0]], [16, 0]),
        filtered("y", "a", [5, 6], [7, 8]),
    )
    folded = FoldConstantChannels().run(parse_graph(graph(*lines)))
    weights = folded.constant_data["wy"].reshape(3, 2)
    assert weights[:, 0].tolist() == [5, 5, 5]
    assert weights[:, 1].tolist() == [0, 0, 0]
    assert_same_bits(parse_graph(graph(*lines)), folded)


def test_a_bias_that_would_overflow_stays() -> None:
    before = parse_graph(
        graph(
            pointwise("a", "x", [[0, 0], [1, 1]], [16, 0]),
            pointwise("y", "a", [[5, 7]], [2**31 - 1]),
        )
    )
    assert FoldConstantChannels().run(before) is before


def with_zeros(graph: Graph, seed: int) -> Graph:
    """The network with some rows and columns of its weights zero."""
    generator = np.random.default_rng(seed)
    data: dict[str, Array] = dict(graph.constant_data)
    for node in graph.nodes:
        if isinstance(node.operator, Weighted) and len(node.present_inputs) > 1:
            name = node.present_inputs[1].name
            if name in data and data[name].dtype == np.int8:
                array, axis = data[name].copy(), node.operator.weights_axis
                np.moveaxis(array, axis, 0)[generator.random(array.shape[axis]) < 0.5] = 0
                if not isinstance(node.operator, DepthwiseConv2D):
                    array[..., generator.random(array.shape[-1]) < 0.5] = 0
                data[name] = array
    constants = [replace(it, data=data[it.value.name]) for it in graph.constants]
    return graph.rebuilt(constants=constants)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
def test_random_networks_keep_every_bit(dtype: DType) -> None:
    folds, cuts = 0, 0
    for seed in range(60):
        graph = random_graph(seed, dtype=dtype, nodes=12, roundings=(Rounding.TFLITE,))
        before = with_zeros(graph, seed)
        folded = FoldConstantChannels().run(before)
        after = RemoveUnusedChannels(multiple=1 + seed % 2).run(folded)
        assert_same_bits(before, after)
        folds += folded is not before
        cuts += after is not folded
    assert folds > 0
    assert cuts > 0


def chain(seed: int) -> Graph:
    """Convolutions and what stands between them, some of it in two branches."""
    generator = np.random.default_rng(seed)
    lines, last, count = ["input %x: i8[1,4,4,2]<0.5, 1>"], "x", 2
    for at in range(8):
        name = f"v{at}"
        kind = generator.integers(7)
        if kind < 3 or at in (0, 7):
            made = int(generator.integers(2, 7))
            rows = generator.integers(-9, 10, (made, count)).tolist()
            lines.append(pointwise(name, last, rows, generator.integers(-99, 99, made).tolist()))
            count = made
        elif kind == 3:
            weights, bias = generator.integers(-9, 10, (2, count)).tolist()
            lines.append(filtered(name, last, weights, bias))
        elif kind == 4:
            window = "{window=[3,3], padding=[1,1,1,1]}"
            lines.append(f"%{name}: i8[1,4,4,{count}]<2, 3> = average_pool2d(%{last}) {window}")
        elif kind == 5:
            lines.append(f"%b{name}: i8[1,4,4,{count}]<1, -2> = requantize(%{last})")
            lines.append(f"%{name}: i8[1,4,4,{count}]<2, 3> = add(%b{name}, %{last})")
        else:
            lines.append(pointwise(f"b{name}", "x", [[1, 2], [3, 4]], [5, 6]))
            joined = f"%{name}: i8[1,4,4,{count + 2}]<2, 3> = concat(%b{name}, %{last})"
            lines.append(f"{joined} {{axis=3}}")
            count += 2
        last = name
    body = "\n".join([*lines, f"output %{last}"])
    return with_zeros(parse_graph(f'graph 2 "g" {{\n{body}\n}}'), seed)


def test_chains_keep_every_bit() -> None:
    folds, cuts = 0, 0
    for seed in range(200):
        before = chain(seed)
        folded = FoldConstantChannels().run(before)
        after = RemoveUnusedChannels(multiple=1 + seed % 3).run(folded)
        assert_same_bits(before, after)
        assert RemoveUnusedChannels(multiple=1 + seed % 3).run(after) is after
        folds += folded is not before
        cuts += after is not folded
    assert folds > 60
    assert cuts > 100
