"""Whole networks of channels-first models: how many transposes are left, and that every bit is."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from channels_first import ChannelsFirst
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Value
from tinsmith_ir.operators import Add, Concat, Reshape, Softmax, Transpose
from tinsmith_ir.testing import assert_same_bits
from tinsmith_layout import MoveTransposes

FLOAT32, INT8 = DType.FLOAT32, DType.INT8


def transposes(graph: Graph) -> int:
    return sum(isinstance(node.operator, Transpose) for node in graph.nodes)


def reshapes(graph: Graph) -> int:
    return sum(isinstance(node.operator, Reshape) for node in graph.nodes)


def residual_blocks(n: ChannelsFirst) -> Graph:
    x = n.relu(n.normalize(n.conv(n.image(2, 8, 6, 3), 4)))
    for channels in (4, 6):
        inner = n.normalize(n.conv(n.relu(n.normalize(n.conv(x, channels))), channels))
        x = n.relu(n.sum(inner, x if channels == 4 else n.conv(x, channels, 1)))
    return n.build(n.linear(n.mean(x), 5))


def squeeze_and_excite(n: ChannelsFirst) -> Graph:
    x = n.excite(n.normalize(n.conv(n.image(1, 5, 6, 3), 4)))
    return n.build(n.mean(n.relu(n.excite(n.conv(x, 4)))))


def inverted_residuals(n: ChannelsFirst) -> Graph:
    x = n.pool(n.conv(n.image(1, 8, 8, 3), 4))
    for _ in range(2):
        wide = n.relu(n.normalize(n.conv(x, 12, 1)))
        x = n.sum(x, n.normalize(n.conv(n.relu(n.normalize(n.depthwise(wide))), 4, 1)))
    return n.build(n.linear(n.mean(x), 3))


def u_net(n: ChannelsFirst) -> Graph:
    """A mask as it is stored: channels last."""
    outer = n.relu(n.conv(n.image(1, 8, 4, 2), 4))
    middle = n.relu(n.conv(n.pool(outer), 6))
    inner = n.relu(n.conv(n.average(middle), 8))
    up = n.relu(n.conv(n.concat(n.resize(inner, 4, 2), middle), 6))
    return n.build(n.last(n.conv(n.concat(outer, n.resize(up, 8, 4)), 2, 1)))


def temporal_convolutions(n: ChannelsFirst) -> Graph:
    x = n.relu(n.normalize(n.conv1d(n.first(n.given(1, 12, 3)), 4, 3)))
    for dilation in (2, 4):
        inner = n.relu(n.normalize(n.conv1d(x, 4, 3, dilation)))
        x = n.relu(n.sum(x, n.normalize(n.conv1d(inner, 4, 3, dilation))))
    return n.build(n.linear(n.mean(x), 2))


def two_inputs_of_one_layer(n: ChannelsFirst) -> Graph:
    """Both branches of a network that shares what comes first."""
    x = n.relu(n.conv(n.image(1, 6, 6, 3), 4))
    return n.build(n.mean(n.conv(x, 3)), n.mean(n.relu(n.conv(n.pool(x), 2))))


def groups(n: ChannelsFirst) -> Graph:
    """Of a convolution, which no channel leaves."""
    return n.build(n.mean(n.relu(n.conv(n.conv(n.image(1, 4, 4, 4), 8, groups=2), 4, groups=4))))


BOTH = [
    residual_blocks,
    squeeze_and_excite,
    inverted_residuals,
    u_net,
    temporal_convolutions,
    two_inputs_of_one_layer,
    groups,
]


@pytest.mark.parametrize("dtype", [FLOAT32, INT8])
@pytest.mark.parametrize("make", BOTH)
def test_networks_have_none(make: Callable[[ChannelsFirst], Graph], dtype: DType) -> None:
    graph = make(ChannelsFirst(dtype))
    result = MoveTransposes().run(graph)
    assert transposes(graph) > 4
    assert transposes(result) == 0
    assert_same_bits(graph, result)
    assert MoveTransposes().run(result) is result


def flat_layer(n: ChannelsFirst) -> Graph:
    """Of integers, whose sums have no order, weights are in another; float32 keeps its order."""
    x = n.relu(n.conv(n.image(2, 4, 6, 3), 4))
    return n.build(n.linear(n.flat(x), 5))


def unflattened_layer(n: ChannelsFirst) -> Graph:
    """What a layer makes of a vector is an image: its rows may be in another order."""
    x = n.relu(n.linear(n.given(2, 7), 4 * 3 * 2))
    return n.build(n.mean(n.relu(n.conv(n.reshape(x, 2, 4, 3, 2), 3))))


def autoencoder(n: ChannelsFirst) -> Graph:
    """From an image to one, both channels last, through a layer each side of which is flat."""
    code = n.linear(n.flat(n.conv(n.image(1, 4, 2, 3), 4)), 4 * 4 * 2)
    return n.build(n.last(n.conv(n.reshape(n.relu(code), 1, 4, 4, 2), 2)))


def shuffled_channels(n: ChannelsFirst) -> Graph:
    """In front of a convolution of one group, whose weights take it in, past one that knows no other channels."""
    x = n.conv(n.image(1, 4, 4, 4), 6, groups=2)
    return n.build(n.mean(n.conv(n.depthwise(n.relu(n.shuffle(x, 2))), 5, 1)))


def shuffled_groups(n: ChannelsFirst) -> Graph:
    """Between convolutions in groups, neither of which can take it in."""
    x = n.conv(n.image(1, 4, 4, 4), 8, groups=2)
    return n.build(n.mean(n.conv(n.relu(n.shuffle(x, 2)), 4, groups=2)))


def shuffled_halves(n: ChannelsFirst) -> Graph:
    """Of what two branches give, shuffled, each takes a half: layers may give their channels in that order at once."""
    x = n.conv(n.image(1, 4, 4, 3), 8)
    for _ in range(2):
        kept, taken = n.part(x, 1, 0, 4), n.part(x, 1, 4, 8)
        made = n.relu(n.conv(n.depthwise(n.relu(n.conv(taken, 4, 1))), 4, 1))
        x = n.shuffle(n.concat(kept, made), 2)
    return n.build(n.mean(n.conv(x, 5, 1)))


def depth_to_space(n: ChannelsFirst) -> Graph:
    """Blocks of two by two: rows and columns have to be woven."""
    x = n.relu(n.conv(n.image(1, 3, 5, 2), 12))
    apart = n.transpose(n.reshape(x, 1, 3, 2, 2, 3, 5), 0, 1, 4, 2, 5, 3)
    return n.build(n.last(n.relu(n.reshape(apart, 1, 3, 6, 10))))


def detector(n: ChannelsFirst) -> Graph:
    """Heads of two sizes, transposed and flattened to rows of a class each."""
    x = n.relu(n.conv(n.image(1, 8, 8, 3), 4))
    heads = [n.last(n.conv(feature, 6)) for feature in (x, n.pool(x))]
    rows = [n.reshape(head, 1, head.type.elements // 3, 3) for head in heads]
    return n.build(n.add(Concat(axis=1), *rows))


def mixer(n: ChannelsFirst) -> Graph:
    """A layer over places and one over channels: there and back, in each of two blocks."""
    x = n.given(1, 6, 4)
    for _ in range(2):
        x = n.sum(x, n.transpose(n.linear(n.transpose(x, 0, 2, 1), 6), 0, 2, 1))
        x = n.sum(x, n.linear(n.relu(n.linear(x, 8)), 4))
    return n.build(x)


@dataclass(frozen=True)
class Left:
    """How many transposes mathematics, or the order of sums, wants: of float32, and of integers."""

    make: Callable[[ChannelsFirst], Graph]
    of_reals: int
    of_integers: int


OTHERS = [
    Left(flat_layer, 1, 0),
    Left(unflattened_layer, 0, 0),
    Left(autoencoder, 1, 0),
    Left(shuffled_channels, 1, 0),
    Left(shuffled_groups, 1, 1),
    Left(shuffled_halves, 0, 0),
    Left(depth_to_space, 1, 1),
    Left(detector, 0, 0),
    Left(mixer, 4, 4),
]


@pytest.mark.parametrize("dtype", [FLOAT32, INT8])
@pytest.mark.parametrize("left", OTHERS, ids=[left.make.__name__ for left in OTHERS])
def test_networks_have_what_they_need(left: Left, dtype: DType) -> None:
    graph = left.make(ChannelsFirst(dtype))
    result = MoveTransposes().run(graph)
    assert transposes(result) == (left.of_reals if dtype is FLOAT32 else left.of_integers)
    assert_same_bits(graph, result)
    assert MoveTransposes().run(result) is result


def patches(n: ChannelsFirst) -> Value:
    """(N, T, C) of an image, each of whose tokens is a pixel here."""
    x = n.conv(n.image(1, 3, 4, 3), 8, 1)
    return n.transpose(n.reshape(x, 1, 8, 12), 0, 2, 1)


def test_patches_of_a_vision_transformer_are_pixels_already() -> None:
    n = ChannelsFirst()
    graph = n.build(n.add(Add(), patches(n), n.constant(1, 12, 8)))
    result = MoveTransposes().run(graph)
    assert (transposes(result), reshapes(result)) == (0, 1)
    assert_same_bits(graph, result)


def test_attention_transposes_heads_and_nothing_else() -> None:
    """Keys come as values do: the product exchanges their rows and columns."""
    n = ChannelsFirst()
    graph = n.build(n.attend(patches(n), 2))
    result = MoveTransposes().run(graph)
    assert transposes(result) == 4
    assert_same_bits(graph, result)


def test_attention_of_one_head_transposes_nothing() -> None:
    n = ChannelsFirst()
    graph = n.build(n.attend(patches(n), 1))
    result = MoveTransposes().run(graph)
    assert transposes(result) == 0
    assert_same_bits(graph, result)


def test_volumes_have_no_transposes() -> None:
    n = ChannelsFirst()
    x = n.relu(n.normalize(n.conv3d(n.first(n.given(1, 3, 4, 2, 2)), 3)))
    graph = n.build(n.mean(n.sum(x, n.conv3d(x, 3))))
    result = MoveTransposes().run(graph)
    assert transposes(result) == 0
    assert_same_bits(graph, result)


def test_classes_of_each_pixel_need_no_transpose() -> None:
    n = ChannelsFirst()
    x = n.conv(n.image(1, 4, 4, 3), 5)
    graph = n.build(n.last(n.first(n.add(Softmax(), n.last(n.relu(x))))))
    result = MoveTransposes().run(graph)
    assert transposes(result) == 0
    assert_same_bits(graph, result)


def test_an_output_in_channels_first_has_one_transpose_as_late_as_can_be() -> None:
    """Then a clamp stays behind its convolution, which takes it in."""
    n = ChannelsFirst()
    graph = n.build(n.relu(n.normalize(n.conv(n.image(1, 4, 4, 3), 5))))
    result = MoveTransposes().run(graph)
    assert [node.operator.mnemonic for node in result.nodes] == [
        "conv2d",
        "mul",
        "add",
        "relu",
        "transpose",
    ]
    assert_same_bits(graph, result)


def test_an_input_in_channels_first_has_one_transpose() -> None:
    n = ChannelsFirst()
    graph = n.build(n.mean(n.conv(n.relu(n.normalize(n.given(1, 3, 4, 4))), 2)))
    result = MoveTransposes().run(graph)
    assert transposes(result) == 1
    assert_same_bits(graph, result)
