"""Quantized networks: integers and real numbers, operators of integers, against the definitions."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx
import pytest
from models import assert_close, computed, expected, model, one, value
from numeric import Reals, numbers, reals
from onnx import helper, numpy_helper
from tinsmith_ir import Array, UnsupportedError
from tinsmith_onnx import import_onnx

_MICROSOFT = "com.microsoft"
_One = Callable[[Reals], Reals]
_Two = Callable[[Reals, Reals], Reals]


def scalar(number: float, dtype: str = "f4") -> Array:
    return np.array(number, dtype)


def only(made: onnx.ModelProto, inputs: Mapping[str, Array]) -> Array:
    """The only result."""
    (found,) = computed(made, inputs)
    return found


def integers(seed: int, dtype: str, *shape: int) -> Array:
    low, high = (0, 256) if dtype == "u1" else (-128, 128)
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def quantized(real: Array, scale: float, zero_point: int, dtype: str) -> Array:
    limits = np.iinfo(dtype)
    steps = np.rint(reals(real) / float(np.float32(scale))) + zero_point
    return np.clip(steps, limits.min, limits.max).astype(dtype)


@pytest.mark.parametrize("opset", [10, 13, 19, 21, 23, 25])
@pytest.mark.parametrize("dtype", ["i1", "u1"])
def test_quantize_and_dequantize_in_all_versions(opset: int, dtype: str) -> None:
    x, zero = numbers(1, 3, 4), scalar(5, dtype)
    made = one("QuantizeLinear", [x, scalar(0.02), zero], known=(1, 2), opset=opset)
    (found,) = computed(made, {"x0": x})
    assert found.tolist() == quantized(x, 0.02, 5, dtype).tolist()
    made = one("DequantizeLinear", [found, scalar(0.02), zero], known=(1, 2), opset=opset)
    assert_close(only(made, {"x0": found}), (reals(found) - 5) * float(np.float32(0.02)))


def test_without_a_zero_point_the_result_is_uint8_or_as_the_attribute_says() -> None:
    x = numbers(2, 3, 4)
    (found,) = computed(one("QuantizeLinear", [x, scalar(0.02)], known=(1,)), {"x0": x})
    assert found.dtype == np.uint8
    attribute = {"output_dtype": onnx.TensorProto.INT16}
    made = one("QuantizeLinear", [x, scalar(0.0001)], attribute, known=(1,))
    (found,) = computed(made, {"x0": x})
    assert found.tolist() == quantized(x, 0.0001, 0, "i2").tolist()


@pytest.mark.parametrize(
    ("dtype", "zero_point", "is_told"), [("i2", 3, True), ("i2", 0, False), ("u2", 5, True)]
)
def test_integers_of_16_bits_that_no_operator_takes_are_told(
    dtype: str, zero_point: int, is_told: bool
) -> None:
    x, zero = numbers(2, 3, 4), scalar(zero_point, dtype)
    made = one("QuantizeLinear", [x, scalar(0.0001), zero], known=(1, 2))
    told: list[str] = []
    import_onnx(made.SerializeToString(), on_warning=told.append)
    assert (
        any("computed as float32: operators take int16 with zero point 0" in each for each in told)
        is is_told
    )


@pytest.mark.parametrize("known", [(), (1, 2)])
def test_an_axis_and_blocks(known: Sequence[int]) -> None:
    x, scales = numbers(3, 2, 6, 3), np.array([0.02, 0.01, 0.03], np.float32)
    zeros = np.array([1, 2, 3], np.int8)
    made = one("QuantizeLinear", [x, scales, zeros], {"axis": -1}, known=known)
    given = {f"x{at}": each for at, each in enumerate((x, scales, zeros)) if at not in known}
    assert computed(made, given)[0].tolist() == expected(made, given)[0].tolist()
    blocks, offsets = np.abs(numbers(4, 2, 2, 3)) / 20 + np.float32(0.01), np.zeros((2, 2, 3), "i1")
    choice = {"axis": 1, "block_size": 3}
    made = one("QuantizeLinear", [x, blocks, offsets], choice, known=known)
    given = {f"x{at}": each for at, each in enumerate((x, blocks, offsets)) if at not in known}
    assert computed(made, given)[0].tolist() == expected(made, given)[0].tolist()


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (onnx.TensorProto.INT4, [-8, 7, 3]),
        (onnx.TensorProto.UINT4, [0, 15, 3]),
        (onnx.TensorProto.INT2, [-2, 1, 1]),
        (onnx.TensorProto.UINT2, [0, 3, 3]),
    ],
)
def test_few_bits(kind: int, wanted: list[int]) -> None:
    x = np.array([-100.0, 100.0, 3.0], np.float32)
    node = helper.make_node("QuantizeLinear", ["x", "scale"], ["y"], output_dtype=kind)
    made = model(
        [node],
        [value("x", x)],
        [onnx.ValueInfoProto(name="y")],
        {"scale": scalar(1.0)},
        opset=25,
    )
    assert computed(made, {"x": x})[0].tolist() == wanted


def test_known_weights_of_four_bits() -> None:
    stored = helper.make_tensor("w", onnx.TensorProto.INT4, [2, 3], [1, -8, 7, 2, 0, -1])
    scale = numpy_helper.from_array(np.array([0.5, 0.25], np.float32), "scale")
    x = numbers(5, 1, 3)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "scale"], ["v"], axis=0),
        helper.make_node("Gemm", ["x", "v"], ["y"], transB=1),
    ]
    made = model(nodes, [value("x", x)], [onnx.ValueInfoProto(name="y")])
    made.graph.initializer.extend([stored, scale])
    weights = np.array([[0.5, -4.0, 3.5], [0.5, 0.0, -0.25]], np.float32)
    assert_close(only(made, {"x": x}), x @ weights.T)


def test_floats_of_8_bits_are_no_integers() -> None:
    x = numbers(6, 3)
    attribute = {"output_dtype": onnx.TensorProto.FLOAT8E4M3FN}
    made = one("QuantizeLinear", [x, scalar(0.5)], attribute, known=(1,))
    with pytest.raises(UnsupportedError, match="expected a result of integers, got float8e4m3fn"):
        import_onnx(made.SerializeToString())


@pytest.mark.parametrize("known", [(), (1, 3)])
def test_products_of_plain_integers(known: Sequence[int]) -> None:
    operands = [integers(7, "u1", 2, 5), integers(8, "i1", 5, 3), scalar(9, "u1"), scalar(2, "i1")]
    made = one("MatMulInteger", operands, known=known)
    given = {f"x{at}": each for at, each in enumerate(operands) if at not in known}
    assert computed(made, given)[0].tolist() == expected(made, given)[0].tolist()
    x, w = integers(9, "u1", 1, 2, 5, 5), integers(10, "u1", 3, 2, 3, 3)
    operands = [x, w, scalar(9, "u1"), scalar(2, "u1")]
    made = one("ConvInteger", operands, {"pads": [1, 1, 1, 1]}, known=known)
    given = {f"x{at}": each for at, each in enumerate(operands) if at not in known}
    assert computed(made, given)[0].tolist() == expected(made, given)[0].tolist()


def test_the_scale_of_a_dynamic_quantization() -> None:
    x = numbers(11, 2, 5)
    made = one("DynamicQuantizeLinear", [x], outputs=3)
    for found, wanted in zip(computed(made, {"x0": x}), expected(made, {"x0": x}), strict=True):
        assert_close(found, wanted)


def operands_of(*tensors: tuple[Array, float, float]) -> list[Array]:
    """Integers, scale and zero point of each."""
    found: list[Array] = []
    for array, scale, zero in tensors:
        found += [array, scalar(scale), scalar(zero, array.dtype.str)]
    return found


def test_a_convolution_of_integers() -> None:
    x, w = integers(12, "u1", 1, 2, 5, 5), integers(13, "i1", 4, 2, 3, 3)
    scales = np.array([0.01, 0.02, 0.005, 0.01], np.float32)
    operands = [*operands_of((x, 0.05, 120)), w, scales, np.zeros(4, "i1")]
    operands += [scalar(0.3), scalar(100, "u1"), np.array([100, -200, 3, 0], np.int32)]
    made = one("QLinearConv", operands, {"strides": [2, 2]}, known=range(1, 9))
    (found,) = computed(made, {"x0": x})
    real = (reals(x) - 120) * 0.05
    kernel = reals(w) * reals(scales)[:, None, None, None]
    views = np.lib.stride_tricks.sliding_window_view(real, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    sums: Reals = np.einsum("nchwij,ocij->nohw", views, kernel)
    sums = sums + (reals(operands[8]) * 0.05 * reals(scales))[None, :, None, None]
    wanted = np.clip(np.rint(sums / 0.3) + 100, 0, 255)
    assert int(np.abs(found - wanted).max()) <= 1
    assert float((found == wanted).mean()) > 0.9


_FUNCTIONS: Sequence[tuple[str, Mapping[str, object], _One]] = [
    ("QLinearSigmoid", {}, lambda x: 1 / (1 + np.exp(-x))),
    ("QLinearLeakyRelu", {"alpha": 0.2}, lambda x: np.where(x > 0, x, x * 0.2)),
    (
        "QLinearSoftmax",
        {"axis": 1, "opset": 13},
        lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True),
    ),
    (
        "QLinearSoftmax",
        {"axis": 2, "opset": 11},
        lambda x: np.exp(x) / np.exp(x).sum((2, 3), keepdims=True),
    ),
    (
        "QLinearGlobalAveragePool",
        {"channels_last": 0},
        lambda x: x.mean((2, 3), keepdims=True),
    ),
    (
        "QLinearGlobalAveragePool",
        {"channels_last": 1},
        lambda x: x.mean((1, 2), keepdims=True),
    ),
    (
        "QLinearAveragePool",
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        lambda x: x.reshape(1, 3, 2, 2, 2, 2).mean((3, 5)),
    ),
    ("QLinearReduceMean", {"axes": [2], "keepdims": 0}, lambda x: x.mean(2)),
]


@pytest.mark.parametrize(("kind", "attributes", "function"), _FUNCTIONS)
def test_functions_of_integers(kind: str, attributes: Mapping[str, object], function: _One) -> None:
    x = integers(14, "u1", 1, 3, 4, 4)
    operands = [*operands_of((x, 0.03, 110)), scalar(0.01), scalar(7, "u1")]
    made = one(kind, operands, attributes, known=range(1, 5), domain=_MICROSOFT)
    (found,) = computed(made, {"x0": x})
    real = function((reals(x) - 110) * np.float64(np.float32(0.03)))
    wanted = np.clip(np.rint(real / np.float64(np.float32(0.01))) + 7, 0, 255)
    assert found.shape == wanted.shape
    assert int(np.abs(found - wanted).max()) <= 1
    assert float((found == wanted).mean()) > 0.9


@pytest.mark.parametrize(
    ("kind", "domain", "function"),
    [
        ("QLinearAdd", _MICROSOFT, np.add),
        ("QLinearMul", _MICROSOFT, np.multiply),
        ("QLinearMatMul", "", np.matmul),
    ],
)
def test_functions_of_two_tensors_of_integers(kind: str, domain: str, function: _Two) -> None:
    x, y = integers(15, "i1", 4, 4), integers(16, "i1", 4, 4)
    operands = [*operands_of((x, 0.03, 10), (y, 0.02, -20)), scalar(0.097), scalar(7, "i1")]
    made = one(kind, operands, known=(1, 2, 4, 5, 6, 7), domain=domain)
    (found,) = computed(made, {"x0": x, "x3": y})
    real = function((reals(x) - 10) * 0.03, (reals(y) + 20) * 0.02)
    wanted = np.clip(np.rint(real / 0.097) + 7, -128, 127)
    assert int(np.abs(found - wanted).max()) <= 1
    assert float((found == wanted).mean()) > 0.9


@pytest.mark.parametrize("is_float", [False, True])
def test_a_gemm_of_integers(is_float: bool) -> None:
    x, w = integers(17, "u1", 3, 6), integers(18, "i1", 4, 6)
    bias = np.array([100, -200, 3, 0], np.int32)
    operands: list[Array | None] = [*operands_of((x, 0.03, 110), (w, 0.02, 0)), bias]
    operands += [] if is_float else [scalar(0.1), scalar(7, "u1")]
    made = one("QGemm", operands, {"transB": 1}, known=range(1, len(operands)), domain=_MICROSOFT)
    (found,) = computed(made, {"x0": x})
    real = ((reals(x) - 110) @ reals(w).T + bias) * 0.03 * 0.02
    if is_float:
        assert_close(found, real.astype(np.float32), rtol=1e-4)
    else:
        assert int(np.abs(found - np.clip(np.rint(real / 0.1) + 7, 0, 255)).max()) <= 1


def test_parts_of_other_scales_are_concatenated_and_chosen() -> None:
    x, y = integers(19, "u1", 2, 3), integers(20, "u1", 2, 3)
    parts = operands_of((x, 0.1, 100), (y, 0.2, 90))
    operands = [scalar(0.2), scalar(90, "u1"), *parts]
    made = one("QLinearConcat", operands, {"axis": 1}, known=(0, 1, 3, 4, 6, 7), domain=_MICROSOFT)
    (found,) = computed(made, {"x2": x, "x5": y})
    first = quantized((reals(x) - 100) * float(np.float32(0.1)), 0.2, 90, "u1")
    assert found.tolist() == np.concatenate([first, y], 1).tolist()
    condition = np.array([[True], [False]])
    operands = [condition, *parts, scalar(0.2), scalar(90, "u1")]
    made = one("QLinearWhere", operands, known=(2, 3, 5, 6, 7, 8), domain=_MICROSOFT)
    (found,) = computed(made, {"x0": condition, "x1": x, "x4": y})
    assert found.tolist() == np.where(condition, first, y).tolist()


def test_products_that_are_scaled_to_floats() -> None:
    x, w, bias = integers(21, "u1", 3, 6), integers(22, "i1", 6, 4), numbers(23, 4)
    operands = [x, w, scalar(0.03), scalar(0.02), scalar(110, "u1"), scalar(0, "i1"), bias]
    made = one("MatMulIntegerToFloat", operands, known=range(1, 7), domain=_MICROSOFT)
    wanted = ((reals(x) - 110) @ reals(w)) * 0.03 * 0.02 + bias
    assert_close(only(made, {"x0": x}), wanted.astype(np.float32), rtol=1e-4, atol=1e-4)
    real = numbers(24, 3, 6)
    operands = [real, w, scalar(0.02), scalar(0, "i1"), bias]
    made = one("DynamicQuantizeMatMul", operands, known=range(1, 5), domain=_MICROSOFT)
    (found,) = computed(made, {"x0": real})
    assert_close(found, reals(real) @ (reals(w) * 0.02) + bias, atol=0.2)


@pytest.mark.parametrize("zeros", ["none", "packed", "float"])
@pytest.mark.parametrize(("bits", "depth"), [(4, 40), (8, 16), (2, 16)])
def test_weights_of_few_bits_in_blocks(bits: int, depth: int, zeros: str) -> None:
    x, random, blocks = numbers(27, 2, depth), np.random.default_rng(28), -(-depth // 16)
    levels = random.integers(0, 1 << bits, (3, blocks * 16)).astype(np.uint8)
    scales, count = random.uniform(0.1, 0.2, (3, blocks)).astype("f4"), 8 // bits
    offsets = random.integers(0, 1 << bits, (3, blocks)).astype(np.uint8)
    operands: list[Array] = [x, packed(levels, bits).reshape(3, blocks, -1), scales.reshape(-1)]
    if zeros == "none":
        offsets[:] = 1 << (bits - 1)
    elif zeros == "packed":
        filled = np.pad(offsets, ((0, 0), (0, -blocks % count)))
        operands.append(packed(filled, bits).reshape(-1))
    else:
        operands.append(offsets.astype(np.float32).reshape(-1))
    attributes = {"K": depth, "N": 3, "bits": bits, "block_size": 16}
    known = range(1, len(operands))
    made = one("MatMulNBits", operands, attributes, known=known, domain=_MICROSOFT)
    spread = np.repeat(reals(scales), 16, 1), np.repeat(reals(offsets), 16, 1)
    weights = ((reals(levels) - spread[1]) * spread[0])[:, :depth]
    assert_close(only(made, {"x0": x}), reals(x) @ weights.T, rtol=1e-4, atol=1e-4)


def packed(levels: Array, bits: int) -> Array:
    """Several in each byte, the first lowest."""
    groups = levels.astype(np.uint8).reshape(-1, 8 // bits)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return (groups << shifts).sum(axis=1).astype(np.uint8)


def test_the_largest_of_quantized_uint8_stays_quantized() -> None:
    x = numbers(25, 1, 2, 4, 4)
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"]),
        helper.make_node("MaxPool", ["q"], ["m"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("DequantizeLinear", ["m", "scale", "zero"], ["y"]),
    ]
    constants = {"scale": scalar(0.02), "zero": scalar(120, "u1")}
    made = model(nodes, [value("x", x)], [onnx.ValueInfoProto(name="y")], constants)
    assert_close(only(made, {"x": x}), expected(made, {"x": x})[0])


def test_an_input_of_integers_has_its_quantization() -> None:
    x = integers(26, "u1", 2, 3)
    made = one("DequantizeLinear", [x, scalar(0.5), scalar(3, "u1")], known=(1, 2))
    graph = import_onnx(made.SerializeToString())
    (source,) = graph.inputs
    assert source.type.quantization is not None
    assert (source.type.quantization.scale, source.type.quantization.zero_point) == (0.5, 3)
