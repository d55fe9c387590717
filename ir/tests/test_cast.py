"""Cast, by hand."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import DType, TensorType
from tinsmith_ir.operators import Cast

Run = Callable[..., list[object]]


def cast(numbers: list[object], source: DType, result: DType) -> list[object]:
    array = np.array(numbers, source.numpy)
    types = TensorType(array.shape, source), TensorType(array.shape, result)
    (made,) = Cast(result).evaluate([array], types[:1], types[1:])
    assert made.dtype == result.numpy
    return made.tolist()


def test_scales_do_not_count(run: Run) -> None:
    body = """
      input %x: i8[3]<0.5, 3>
      %y: f32[3] = cast(%x)
      %z: u8[3]<0.25, 9> = cast(%y) {{dtype=u8}}
      output %{}"""
    assert run(body.format("y"), [-128, 3, 127]) == [-128.0, 3.0, 127.0]
    assert run(body.format("z"), [0, 3, 127]) == [0, 3, 127]


def test_integers_keep_their_low_bits() -> None:
    assert cast([-1, 128, 1000], DType.INT32, DType.INT8) == [-1, -128, -24]
    assert cast([-1, -128], DType.INT8, DType.UINT8) == [255, 128]
    assert cast([2**40 + 5], DType.INT64, DType.INT32) == [5]


def test_floats_are_cut_off_towards_zero_and_saturate() -> None:
    numbers = [1.9, -1.9, 126.99, 127.5, -128.9, 1e30, -np.inf, np.nan]
    assert cast([*numbers], DType.FLOAT32, DType.INT8) == [1, -1, 126, 127, -128, 127, -128, 0]
    assert cast([-0.9, -1.0, 255.9], DType.FLOAT32, DType.UINT8) == [0, 0, 255]
    ends = [2**31 - 1, -(2**31)]
    assert cast([1e10, -1e10], DType.FLOAT32, DType.INT32) == ends
    assert cast([1e19, -1e19], DType.FLOAT32, DType.INT64) == [2**63 - 1, -(2**63)]


def test_large_integers_become_the_nearest_float() -> None:
    assert cast([2**24 + 1, 2**24 + 3], DType.INT32, DType.FLOAT32) == [2.0**24, 2.0**24 + 4]
    assert cast([2**62 + 2**38 + 1], DType.INT64, DType.FLOAT32) == [2.0**62 + 2.0**39]


@pytest.mark.parametrize("source", [DType.INT8, DType.UINT8, DType.INT64, DType.FLOAT32])
def test_bools_are_whether_a_number_differs_from_zero(source: DType) -> None:
    assert cast([0, 1, 2], source, DType.BOOL) == [False, True, True]


def test_the_smallest_float_and_nan_differ_from_zero() -> None:
    assert cast([1e-45, -0.0, np.nan], DType.FLOAT32, DType.BOOL) == [True, False, True]


def test_bools_as_numbers() -> None:
    assert cast([False, True], DType.BOOL, DType.FLOAT32) == [0.0, 1.0]
    assert cast([False, True], DType.BOOL, DType.INT64) == [0, 1]
