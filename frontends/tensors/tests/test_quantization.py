"""Quantizing, dequantizing, and products of plain integers, against numbers by hand and NumPy."""

from collections.abc import Sequence

import numpy as np
import pytest
from composed import Function, composed, result, results
from tinsmith_ir import Array, DType, Graph, UnsupportedError, evaluate_graph
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.elementwise import add
from tinsmith_tensors.integer_products import integer_convolution, integer_matmul
from tinsmith_tensors.movement import pad, reshape, transpose
from tinsmith_tensors.quantization import (
    dequantize_linear,
    dynamic_quantization,
    integer_kind,
    of_real,
    quantize_linear,
    with_quantized_inputs,
)

HALVES = np.array([0.25, -0.25, 0.75, -0.75, 100.0, -100.0], np.float32)


def mnemonics(graph: Graph) -> list[str]:
    return [node.operator.mnemonic for node in graph.nodes]


def scalar(number: float, dtype: str = "f4") -> Array:
    return np.array(number, dtype)


def quantized_by(kind: str, bits: int = 0, axis: int = 0, block: int = 0):
    chosen = integer_kind(np.dtype(kind), bits)

    def function(c: Composer, x: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
        return quantize_linear(c, x, scale, zero_point, chosen, axis=axis, block=block)

    return function


def dequantized_by(axis: int = 0, block: int = 0) -> Function:
    def function(c: Composer, x: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
        return dequantize_linear(c, x, scale, zero_point, axis=axis, block=block)

    return function


@pytest.mark.parametrize("known", [(), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize(
    ("kind", "zero_point", "expected"),
    [
        ("i1", 3, [3, 3, 5, 1, 127, -128]),
        ("u1", 100, [100, 100, 102, 98, 255, 0]),
        ("<i2", 0, [0, 0, 2, -2, 200, -200]),
        ("<i2", 7, [7, 7, 9, 5, 207, -193]),
    ],
)
def test_halves_become_even_before_the_zero_point_is_added(
    known: Sequence[int], kind: str, zero_point: int, expected: list[int]
) -> None:
    found = result(quantized_by(kind), HALVES, scalar(0.5), scalar(zero_point, kind), known=known)
    assert found.tolist() == expected


def test_one_known_scale_is_an_operator_of_the_graph() -> None:
    graph = composed(quantized_by("i1"), HALVES, scalar(0.5), scalar(3, "i1"), known=(1, 2))
    assert mnemonics(graph) == ["quantize"]
    assert graph.outputs[0].type.quantization == Quantization.per_tensor(0.5, 3)
    graph = composed(quantized_by("u1"), HALVES, scalar(0.5), scalar(131, "u1"), known=(1, 2))
    assert mnemonics(graph) == ["quantize", "requantize"]
    assert graph.nodes[0].outputs[0].type.quantization == Quantization.per_tensor(0.5, 3)
    assert graph.outputs[0].type.dtype is DType.UINT8


@pytest.mark.parametrize("known", [(1, 2), (0, 1, 2)])
def test_fewer_bits_have_a_range_of_their_own(known: Sequence[int]) -> None:
    found = result(quantized_by("i1", 4), HALVES, scalar(0.5), scalar(1, "i1"), known=known)
    assert found.tolist() == [1, 1, 3, -1, 7, -8]


def test_uint16_is_int32() -> None:
    x = np.array([-5.0, 70000.0, 3.4], np.float32)
    found = result(quantized_by("<u2"), x, scalar(1.0), scalar(2, "<u2"), known=(1, 2))
    assert found.tolist() == [0, 65535, 5]


@pytest.mark.parametrize("known", [(), (1, 2), (0, 1, 2)])
def test_scales_of_an_axis_and_of_blocks(known: Sequence[int]) -> None:
    x = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)
    scales, zeros = np.array([0.5, 1.0, 4.0], np.float32), np.array([1, 2, 3], np.int8)
    wanted = np.clip(np.rint(x / scales[:, None]) + zeros[:, None], -128, 127)
    assert result(quantized_by("i1"), x, scales, zeros, known=known).tolist() == wanted.tolist()
    blocks = np.array([[0.5, 1.0], [2.0, 4.0], [0.25, 1.0]], np.float32)
    offsets = np.zeros((3, 2), np.int8)
    spread = np.repeat(blocks, 3, axis=1)[:, :4]
    found = result(quantized_by("i1", axis=1, block=3), x, blocks, offsets, known=known)
    assert found.tolist() == np.rint(x / spread).tolist()
    integers = found.astype(np.int8)
    real = result(dequantized_by(axis=1, block=3), integers, blocks, offsets, known=known)
    assert real.tolist() == (integers * spread).tolist()


@pytest.mark.parametrize("known", [(), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize(("kind", "zero"), [("i1", -3), ("u1", 200), ("<i2", 5), ("<i4", 7)])
def test_dequantizing_is_exact(known: Sequence[int], kind: str, zero: int) -> None:
    x = np.array([0, 1, 100, 127], kind)
    found = result(dequantized_by(), x, scalar(0.25), scalar(zero, kind), known=known)
    assert found.tolist() == ((x.astype(np.int64) - zero) * 0.25).tolist()


def test_what_does_not_fit_is_refused() -> None:
    x, zeros = np.zeros((3, 4), np.float32), np.zeros(2, np.int8)
    with pytest.raises(UnsupportedError, match="expected 3 scales and zero points, got 2"):
        result(quantized_by("i1"), x, np.ones(2, np.float32), zeros)
    blocks = np.ones((3, 1), np.float32)
    by_blocks = quantized_by("i1", axis=1, block=2)
    with pytest.raises(UnsupportedError, match="expected blocks of 2 for 4 elements, got 1 of"):
        result(by_blocks, x, blocks, np.zeros((3, 1), np.int8))


def known_integers(array: Array, scale: Array, zero_point: Array, axis: int = 0) -> Tensor:
    c = Composer("g")
    return dequantize_linear(c, *map(c.known, (array, scale, zero_point)), axis=axis)


@pytest.mark.parametrize(
    ("array", "zero_point", "integers", "zero"),
    [
        (np.array([1, -2], np.int8), np.int8(0), [1, -2], 0),
        (np.array([1, 255], np.uint8), np.uint8(128), [-127, 127], 0),
        (np.array([0, 255], np.uint8), np.uint8(100), [-128, 127], -28),
        (np.array([-100, 100], np.int8), np.int8(20), [-120, 80], 0),
        (np.array([-128, 100], np.int8), np.int8(20), [-128, 100], 20),
    ],
)
def test_known_integers_stay_beside_what_they_stand_for(
    array: Array, zero_point: Array, integers: list[int], zero: int
) -> None:
    found = known_integers(array, scalar(0.5), np.asarray(zero_point))
    assert found.array is not None
    assert found.integers is not None
    assert found.integers.array.tolist() == integers
    assert found.integers.zero_point == zero
    centred = (found.integers.array.astype(np.float32) - zero) * found.integers.scales
    assert found.array.tolist() == centred.tolist()


def test_what_moves_known_elements_moves_their_integers() -> None:
    c = Composer("g")
    array = np.arange(-12, 12, dtype=np.int8).reshape(2, 3, 4)
    scales = np.array([1.0, 0.5, 0.25], np.float32)
    x = dequantize_linear(c, c.known(array), c.known(scales), None, axis=1)
    moved = pad(
        c, reshape(c, transpose(c, x, (1, 0, 2)), (3, 8, 1)), [(0, 1), (0, 0), (2, 0)], None
    )
    assert moved.array is not None
    assert moved.integers is not None
    assert moved.integers.scales.shape == (4, 1, 1)
    product = moved.integers.array.astype(np.float32) * moved.integers.scales
    assert moved.array.tolist() == product.tolist()


def test_a_known_tensor_is_dequantized_in_the_graph() -> None:
    def product(c: Composer, x: Tensor, w: Tensor, scale: Tensor, zero: Tensor) -> Tensor:
        real = dequantize_linear(c, w, scale, zero)
        return reshape(c, real, (2, 1)) if x.is_known else add(c, x, real)

    weights = np.array([3, -4], np.int8)
    x = np.zeros(2, np.float32)
    graph = composed(product, x, weights, scalar(0.5), scalar(0, "i1"), known=(1, 2, 3))
    assert mnemonics(graph) == ["dequantize", "add"]
    scales = np.array([0.5, 0.25], np.float32)
    graph = composed(product, x, weights, scales, np.zeros(2, np.int8), known=(1, 2, 3))
    assert mnemonics(graph) == ["dequantize", "mul", "add"]
    assert evaluate_graph(graph, [x])["y0"].tolist() == [1.5, -1.0]


def test_inputs_say_what_they_stand_for_where_all_readers_agree() -> None:
    def twice(c: Composer, x: Tensor, scale: Tensor, zero: Tensor) -> list[Tensor]:
        real = dequantize_linear(c, x, scale, zero)
        return [real, add(c, real, dequantize_linear(c, x, scale, zero))]

    x = np.array([1, 2], np.int8)
    graph = composed(twice, x, scalar(0.5), scalar(1, "i1"), known=(1, 2))
    quantized = with_quantized_inputs(graph)
    assert "cast" in mnemonics(graph)
    assert "cast" not in mnemonics(quantized)
    assert quantized.inputs[0].type.quantization == Quantization.per_tensor(0.5, 1)
    before, after = (list(evaluate_graph(each, [x]).values()) for each in (graph, quantized))
    assert [each.tolist() for each in after] == [each.tolist() for each in before]

    def apart(c: Composer, x: Tensor, scale: Tensor, zero: Tensor) -> list[Tensor]:
        return [*twice(c, x, scale, zero), dequantize_linear(c, x, c.known(scalar(2.0)), zero)]

    graph = composed(apart, x, scalar(0.5), scalar(1, "i1"), known=(1, 2))
    assert with_quantized_inputs(graph) is graph


@pytest.mark.parametrize("x", [[-1.0, 2.5, 4.1], [1.0, 2.0, 3.0], [-5.0, -1.0, -2.0], [0.0] * 3])
def test_a_scale_that_is_computed(x: list[float]) -> None:
    numbers = np.array(x, np.float32)
    integers, scale, zero = results(dynamic_quantization, numbers)
    low, high = min(0.0, *x), max(0.0, *x)
    step = np.float32((high - low) / 255) or np.float32(1.0)
    assert float(scale) == pytest.approx(step)
    assert float(zero) == np.clip(np.rint(-low / step), 0, 255)
    assert integers.tolist() == np.clip(np.rint(numbers / step) + zero, 0, 255).tolist()


@pytest.mark.parametrize("quantization", [None, Quantization.per_tensor(0.5, 100)])
def test_a_choice_among_integers_is_one_among_real_numbers(
    quantization: Quantization | None,
) -> None:
    c = Composer("g")
    x = c.input("x", TensorType((4,), DType.UINT8, quantization))
    reserved = c.reserve("y")
    graph = c.build({reserved: of_real(c, x, lambda real: add(c, real, c.number(0.0, real)))})
    assert graph.outputs[0].type == x.type
    integers = np.array([0, 1, 128, 255], np.uint8)
    assert evaluate_graph(graph, [integers])["y"].tolist() == integers.tolist()


@pytest.mark.parametrize("known", [(), (1, 3), (1, 2, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize(("left", "right"), [("i1", "i1"), ("u1", "i1"), ("u1", "u1")])
@pytest.mark.parametrize("is_batch", [False, True])
def test_products_of_integers(known: Sequence[int], left: str, right: str, is_batch: bool) -> None:
    random = np.random.default_rng(5)
    batch = (2,) if is_batch else ()
    x = random.integers(*limits(left), (*batch, 3, 600)).astype(left)
    w = random.integers(*limits(right), (600, 4)).astype(right)
    x_zero, w_zero = np.array(7, left), np.array([1, 0, 3, 2], right)
    found = result(integer_matmul, x, w, x_zero, w_zero, known=known)
    wanted = (x.astype(np.int64) - 7) @ (w.astype(np.int64) - w_zero.astype(np.int64))
    assert found.tolist() == wanted.tolist()


def limits(kind: str) -> tuple[int, int]:
    return (-128, 128) if kind == "i1" else (0, 256)


@pytest.mark.parametrize("known", [(), (1, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize("groups", [1, 2])
def test_convolutions_of_integers(known: Sequence[int], groups: int) -> None:
    random = np.random.default_rng(6)
    x = random.integers(0, 256, (1, 40, 4, 4)).astype(np.uint8)
    w = random.integers(-128, 128, (6, 40 // groups, 3, 3)).astype(np.int8)
    x_zero, w_zero = np.array(100, np.uint8), np.arange(6, dtype=np.int8)

    def function(c: Composer, *tensors: Tensor) -> Tensor:
        return integer_convolution(
            c, *tensors, stride=[1, 1], dilation=[1, 1], pads=[(0, 0), (0, 0)], groups=groups
        )

    found = result(function, x, w, x_zero, w_zero, known=known)
    wide = x.astype(np.int64)[0] - 100
    kernel = w.astype(np.int64) - w_zero.astype(np.int64)[:, None, None, None]
    wanted = np.zeros((1, 6, 2, 2), np.int64)
    size = 40 // groups
    for o in range(6):
        group = o // (6 // groups)
        part = wide[group * size : (group + 1) * size]
        for row in range(2):
            for column in range(2):
                window = part[:, row : row + 3, column : column + 3]
                wanted[0, o, row, column] = (window * kernel[o]).sum()
    assert found.tolist() == wanted.tolist()


def test_sums_of_groups_that_float32_has_not_exactly_are_refused() -> None:
    def function(c: Composer, x: Tensor, weights: Tensor) -> Tensor:
        return integer_convolution(
            c, x, weights, None, None, stride=[1], dilation=[1], pads=[(0, 0)], groups=2
        )

    x, weights = np.zeros((1, 600, 3), np.int8), np.zeros((2, 300, 1), np.int8)
    with pytest.raises(UnsupportedError, match=r"expected sums below 2\*\*24, got one of 300"):
        result(function, x, weights)
