"""value_table and is_identity."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Dequantize, Quantize, Relu, Requantize, Softmax
from tinsmith_ir.tables import is_identity, value_table
from tinsmith_ir.types import Quantization, TensorType


def quantized(scale: float, zero_point: int, dtype: DType = DType.INT8) -> TensorType:
    return TensorType((3, 4), dtype, Quantization.per_tensor(scale, zero_point))


REAL = TensorType((3, 4), DType.FLOAT32)


def test_table_of_relu_starts_at_the_zero_point() -> None:
    type_ = quantized(0.5, -3)
    table = value_table([Relu()], [type_, type_])
    assert table is not None
    assert table.dtype == np.int8
    np.testing.assert_array_equal(table, np.maximum(np.arange(-128, 128), -3))


def test_table_of_a_chain_applies_one_after_the_other() -> None:
    types = [quantized(0.5, 0), quantized(1.0, 0), quantized(0.5, 0)]
    table = value_table([Requantize(), Requantize()], types)
    assert table is not None
    assert table[128 + 1] == 2
    assert table[128 + 2] == 2
    assert not is_identity(table)


def test_dequantize_and_quantize_with_the_same_scale_are_the_identity() -> None:
    for type_ in (quantized(0.1, 17), quantized(3e-5, 0, DType.INT16)):
        quantize = Quantize(type_.dtype)
        assert is_identity(value_table([Dequantize(), quantize], [type_, REAL, type_]))


def test_a_wider_result_is_no_identity() -> None:
    wide = quantized(0.5, 0, DType.INT16)
    assert not is_identity(value_table([Requantize(DType.INT16)], [quantized(0.5, 0), wide]))


def test_there_is_no_table_of_real_operands_of_rows_or_of_scales_too_far_apart() -> None:
    type_ = quantized(0.5, 0)
    assert value_table([Quantize()], [REAL, type_]) is None
    assert value_table([Softmax()], [type_, quantized(1 / 256, -128)]) is None
    assert value_table([Requantize()], [quantized(1e6, 0), quantized(1e-6, 0)]) is None
    assert not is_identity(None)
    assert not is_identity(np.zeros(256, np.float32))
