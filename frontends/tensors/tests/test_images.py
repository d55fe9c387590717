import numpy as np
import pytest
from tinsmith_ir import DType, Graph, evaluate_frames, evaluate_graph
from tinsmith_ir.operators import Relu
from tinsmith_ir.types import TensorType
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.elementwise import add, mul
from tinsmith_tensors.images import Turned, channels_last_ends
from tinsmith_tensors.movement import concat, part, reshape, slice_
from tinsmith_tensors.reductions import mean
from tinsmith_tensors.windows import convolution

F32 = np.float32


def conv(c: Composer, x: Tensor, results: int) -> Tensor:
    shape = (results, x.shape[1], *(3,) * (x.rank - 2))
    weights = c.known(np.random.default_rng(0).standard_normal(shape).astype(F32))
    ones, pads = [1] * (x.rank - 2), [(1, 1)] * (x.rank - 2)
    return convolution(c, x, weights, None, stride=ones, dilation=ones, pads=pads)


def network(*shape: int) -> Graph:
    c = Composer("g")
    x = c.input("x", TensorType(shape, DType.FLOAT32))
    scaled = mul(c, x, c.known(np.array(0.5, F32)))
    y = c.emit(Relu(), conv(c, scaled, 4))
    return c.build({c.reserve("y"): y})


@pytest.mark.parametrize("shape", [(1, 3, 7), (2, 3, 6, 5)])
def test_images_are_turned_at_both_ends_through_elementwise_operators(
    shape: tuple[int, ...],
) -> None:
    graph = network(*shape)
    turned, ends = channels_last_ends(graph)
    last = (shape[0], *shape[2:], shape[1])
    assert ends[0] == Turned("x", shape, last)
    assert [value.name for value in (*turned.inputs, *turned.outputs)] == ["x", "y"]
    x = np.random.default_rng(1).standard_normal(shape).astype(F32)
    before = evaluate_graph(graph, [x])["y"]
    after = evaluate_graph(turned, [np.moveaxis(x, 1, -1)])["y"]
    assert np.array_equal(np.moveaxis(before, 1, -1), after)


def test_what_is_no_image_stays() -> None:
    c = Composer("g")
    x = c.input("x", TensorType((1, 3, 4, 4), DType.FLOAT32))
    flat = reshape(c, x, (1, 48))
    graph = c.build({c.reserve("y"): mean(c, flat, [1], keep_dims=False)})
    assert channels_last_ends(graph) == (graph, ())


def test_an_input_of_which_one_reader_is_a_convolution_is_an_image() -> None:
    c = Composer("g")
    x = c.input("x", TensorType((1, 3, 4, 4), DType.FLOAT32))
    pooled = mean(c, x, [2, 3], keep_dims=True)
    graph = c.build({c.reserve("y"): add(c, conv(c, x, 3), pooled)})
    turned, ends = channels_last_ends(graph)
    assert [end.name for end in ends] == ["x", "y"]
    x_first = np.random.default_rng(1).standard_normal((1, 3, 4, 4)).astype(F32)
    before = evaluate_graph(graph, [x_first])["y"]
    after = evaluate_graph(turned, [np.moveaxis(x_first, 1, -1)])["y"]
    assert np.array_equal(np.moveaxis(before, 1, -1), after)


def test_an_image_that_is_taken_apart_before_its_convolution_is_one() -> None:
    """Every other row and column, side by side as channels, as YOLO networks begin."""
    c = Composer("g")
    x = c.input("x", TensorType((1, 3, 4, 6), DType.FLOAT32))
    parts = [
        slice_(c, x, [0, 0, row, column], [1, 3, 2, 3], [1, 1, 2, 2])
        for row in range(2)
        for column in range(2)
    ]
    graph = c.build({c.reserve("y"): conv(c, concat(c, parts, 1), 4)})
    turned, ends = channels_last_ends(graph)
    assert [end.name for end in ends] == ["x", "y"]
    x_first = np.random.default_rng(1).standard_normal((1, 3, 4, 6)).astype(F32)
    before = evaluate_graph(graph, [x_first])["y"]
    after = evaluate_graph(turned, [np.moveaxis(x_first, 1, -1)])["y"]
    assert np.array_equal(np.moveaxis(before, 1, -1), after)


def test_an_image_of_which_a_part_is_given_is_one() -> None:
    c = Composer("g")
    x = c.input("x", TensorType((1, 3, 4, 6), DType.FLOAT32))
    y = conv(c, x, 4)
    graph = c.build({c.reserve("y"): part(c, y, 2, 1, 3)})
    turned, ends = channels_last_ends(graph)
    assert [end.name for end in ends] == ["x", "y"]
    assert turned.outputs[0].type.shape == (1, 2, 6, 4)


def test_for_people_both_shapes_are_said() -> None:
    end = Turned("x", (1, 3, 4, 5), (1, 4, 5, 3))
    assert str(end) == "x is [1, 4, 5, 3], channels last (in the file [1, 3, 4, 5])"


def test_a_state_that_is_an_image_is_kept_channels_last() -> None:
    c = Composer("g")
    x = c.input("x", TensorType((1, 3, 1, 4), DType.FLOAT32))
    state = c.state("rows", np.arange(24, dtype=F32).reshape(1, 3, 2, 4))
    seen = concat(c, [state, x], 2)
    c.keep(state, part(c, seen, 2, 1, 3))
    graph = c.build({c.reserve("y"): conv(c, seen, 4)})
    turned, _ = channels_last_ends(graph)
    assert turned.states[0].value.type.shape == (1, 2, 4, 3)
    frames = [
        np.random.default_rng(seed).standard_normal((1, 3, 1, 4)).astype(F32) for seed in range(4)
    ]
    before = [run["y"] for run in evaluate_frames(graph, [[frame] for frame in frames])]
    last = [[np.ascontiguousarray(np.moveaxis(frame, 1, -1))] for frame in frames]
    after = [run["y"] for run in evaluate_frames(turned, last)]
    for first, second in zip(before, after, strict=True):
        assert np.array_equal(np.moveaxis(first, 1, -1), second)
