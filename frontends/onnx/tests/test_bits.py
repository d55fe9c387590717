"""Bits of integers, special floats, and casts to types that a graph lacks."""

import numpy as np
import pytest
from models import assert_close, computed, one
from numpy.typing import NDArray
from onnx import TensorProto, helper, parser
from tinsmith_ir import Array, ModelError, UnsupportedError
from tinsmith_ir.dtypes import DType

DTYPES = [DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.INT64]


def whole(dtype: DType, seed: int) -> Array:
    """Integers of a type, the extremes among them."""
    low, high = dtype.integer_range
    found = np.random.default_rng(seed).integers(low, high, 12, np.int64, endpoint=True)
    return np.concatenate([found, np.array([low, high, 0, 1])]).astype(dtype.numpy)


def others(operands: tuple[Array, ...], known: list[int]) -> dict[str, Array]:
    """What the model of one operator does not know."""
    return {f"x{index}": array for index, array in enumerate(operands) if index not in known}


FUNCTIONS = {
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
}


@pytest.mark.parametrize("kind", FUNCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("known", [[], [1], [0, 1]])
def test_functions_of_two_bits(kind: str, dtype: DType, known: list[int]) -> None:
    lhs, rhs = whole(dtype, 1), whole(dtype, 2)[::-1]
    (found,) = computed(one(kind, [lhs, rhs], known=known), others((lhs, rhs), known))
    np.testing.assert_array_equal(found, FUNCTIONS[kind](lhs, rhs))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mask", [0, 1, 15, 63, 100])
def test_and_with_a_known_mask(dtype: DType, mask: int) -> None:
    x, number = whole(dtype, 3), np.array(mask, dtype.numpy)
    (found,) = computed(one("BitwiseAnd", [x, number], known=[1]), {"x0": x})
    np.testing.assert_array_equal(found, np.bitwise_and(x, number))


@pytest.mark.parametrize("dtype", DTYPES)
def test_not(dtype: DType) -> None:
    x = whole(dtype, 4)
    for known in ([], [0]):
        (found,) = computed(one("BitwiseNot", [x], known=known), {} if known else {"x0": x})
        np.testing.assert_array_equal(found, np.invert(x))


@pytest.mark.parametrize("known", [[], [1], [0], [0, 1]])
@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
@pytest.mark.parametrize("dtype", [DType.UINT8, DType.INT8, DType.INT32])
def test_shifts(known: list[int], direction: str, dtype: DType) -> None:
    x = whole(dtype, 5)
    by = np.array([0, 1, dtype.bits - 2, dtype.bits - 1] * 4, dtype.numpy)
    made = one("BitShift", [x, by], {"direction": direction}, known=known)
    (found,) = computed(made, others((x, by), known))
    shift = np.left_shift if direction == "LEFT" else np.right_shift
    np.testing.assert_array_equal(found, shift(x, by))


@pytest.mark.parametrize("known", [[], [1], [0, 1]])
@pytest.mark.parametrize(("direction", "expected"), [("LEFT", [0, 0]), ("RIGHT", [0, -1])])
def test_shifts_beyond_all_bits_leave_the_sign(
    known: list[int], direction: str, expected: list[int]
) -> None:
    x = np.array([100, -100], np.int32)
    for distance in (-1, 32, 100):
        by = np.array([distance], np.int32)
        made = one("BitShift", [x, by], {"direction": direction}, known=known)
        assert computed(made, others((x, by), known))[0].tolist() == expected


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [(np.dtype(np.uint16), np.dtype(np.int32)), (np.dtype(np.uint32), np.dtype(np.int64))],
)
def test_bits_that_unsigned_integers_lack_are_left_out(
    narrow: np.dtype[np.uint16 | np.uint32], wide: np.dtype[np.int32 | np.int64]
) -> None:
    x = np.array([0, 1, 40000, 65535], np.int64)
    (found,) = computed(one("BitwiseNot", [x.astype(narrow)]), {"x0": x.astype(wide)})
    np.testing.assert_array_equal(found, np.invert(x.astype(narrow)))
    by = np.array([15, 1, 2, 0], np.int64)
    operands = [x.astype(narrow), by.astype(narrow)]
    made = one("BitShift", operands, {"direction": "LEFT"}, known=[1])
    (found,) = computed(made, {"x0": x.astype(wide)})
    np.testing.assert_array_equal(found, np.left_shift(*operands))


SPECIAL = np.array([0, np.nan, np.inf, -np.inf, -1.5], np.float32)


@pytest.mark.parametrize("known", [[], [0]])
def test_special_floats(known: list[int]) -> None:
    given = {} if known else {"x0": SPECIAL}
    (found,) = computed(one("IsNaN", [SPECIAL], known=known), given)
    np.testing.assert_array_equal(found, np.isnan(SPECIAL))
    for positive, negative in ((1, 1), (1, 0), (0, 1), (0, 0)):
        attributes = {"detect_positive": positive, "detect_negative": negative}
        (found,) = computed(one("IsInf", [SPECIAL], attributes, known=known), given)
        expected = [False, False, bool(positive), bool(negative), False]
        assert found.tolist() == expected


def test_bits_as_another_type() -> None:
    x = np.array([1.0, -2.0], np.float32)
    made = one("BitCast", [x], {"to": TensorProto.INT32}, known=[0], opset=26)
    np.testing.assert_array_equal(computed(made, {})[0], x.view(np.int32))
    narrow = np.array([-1, 5], np.int8)
    made = one("BitCast", [narrow], {"to": TensorProto.UINT8}, opset=26)
    np.testing.assert_array_equal(computed(made, {"x0": narrow})[0], narrow.view(np.uint8))
    with pytest.raises(UnsupportedError, match="got float32 as int32"):
        computed(one("BitCast", [x], {"to": TensorProto.INT32}, opset=26), {})
    with pytest.raises(ModelError, match="expected a type as wide as float32, got int8"):
        computed(one("BitCast", [x], {"to": TensorProto.INT8}, known=[0], opset=26), {})


def near_all_halves(seed: int, largest: float) -> NDArray[np.float32]:
    """Numbers of few bits and of many, of all magnitudes up to beyond a largest one, of both signs."""
    random = np.random.default_rng(seed)
    few = random.integers(-63, 64, 400) * 2.0 ** random.integers(-24, 16, 400)
    many = random.standard_normal(200) * 2.0 ** random.integers(-24, 16, 200)
    ends = np.array([largest, -largest, largest * 1.03, 0.0])
    return np.concatenate([few, many, ends]).astype(np.float32)


@pytest.mark.parametrize(
    ("kind", "largest"),
    [
        (TensorProto.FLOAT8E4M3FN, 448.0),
        (TensorProto.FLOAT8E4M3FNUZ, 240.0),
        (TensorProto.FLOAT8E5M2, 57344.0),
        (TensorProto.FLOAT8E5M2FNUZ, 57344.0),
        (TensorProto.FLOAT4E2M1, 6.0),
    ],
)
@pytest.mark.parametrize("known", [[], [0]])
def test_floats_of_few_bits_are_rounded(kind: int, largest: float, known: list[int]) -> None:
    dtype = helper.tensor_dtype_to_np_dtype(kind)
    x = near_all_halves(kind, largest)
    given = {} if known else {"x0": x}
    (saturated,) = computed(one("Cast", [x], {"to": kind}, known=known), given)
    inside = np.clip(x, -largest, largest).astype(dtype).astype(np.float32)
    np.testing.assert_array_equal(saturated, inside)
    if kind != TensorProto.FLOAT4E2M1:
        made = one("Cast", [x], {"to": kind, "saturate": 0}, known=known)
        (found,) = computed(made, given)
        np.testing.assert_array_equal(found, x.astype(dtype).astype(np.float32))


@pytest.mark.parametrize(
    ("kind", "low", "count"),
    [
        (TensorProto.INT2, -2, 4),
        (TensorProto.INT4, -8, 16),
        (TensorProto.UINT2, 0, 4),
        (TensorProto.UINT4, 0, 16),
    ],
)
def test_integers_of_few_bits_keep_the_low_ones(kind: int, low: int, count: int) -> None:
    x = np.arange(-40, 40, dtype=np.float32)
    (found,) = computed(one("Cast", [x], {"to": kind}), {"x0": x})
    np.testing.assert_array_equal(found, (x - low) % count + low)


def test_a_type_of_powers_of_two_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="got float8e8m0"):
        computed(one("Cast", [SPECIAL], {"to": TensorProto.FLOAT8E8M0}, opset=24), {})


def test_cast_like_a_computed_tensor_whose_type_the_file_declares() -> None:
    made = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
      m (float[2] x, float[1] z) => (y) <float8e5m2[1] like> {
        like = Cast <to=19> (z)
        y = CastLike (x, like)
      }""")
    given = {"x": np.array([0.3, 1e9], np.float32), "z": np.ones(1, np.float32)}
    assert_close(computed(made, given)[0], np.array([0.3125, 57344.0]))


def test_cast_like_a_known_tensor_of_few_bits() -> None:
    like = np.zeros(1, helper.tensor_dtype_to_np_dtype(TensorProto.FLOAT8E4M3FN))
    x = np.array([0.3, 500.0], np.float32)
    (found,) = computed(one("CastLike", [x, like], known=[1]), {"x0": x})
    assert_close(found, np.array([0.3125, 448.0]))
