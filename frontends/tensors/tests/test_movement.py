"""Functions that move elements, where a graph is asked for what it does not have by itself."""

import numpy as np
import pytest
from composed import result
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.movement import concat
from tinsmith_tensors.quantization import dequantize_linear, integer_kind, quantize_linear

STATE = np.array([5, -7], np.int8)


def test_quantized_integers_are_joined_with_known_ones() -> None:
    def function(c: Composer, x: Tensor, state: Tensor) -> Tensor:
        scale = c.known(np.array(0.5, np.float32))
        integers = quantize_linear(c, x, scale, None, integer_kind(np.dtype("i1")))
        return dequantize_linear(c, concat(c, [integers, state], 0), scale, None)

    found = result(function, np.array([1.0, -3.0]), STATE, known=[1])
    assert found.tolist() == [1.0, -3.0, 2.5, -3.5]


def test_the_integers_of_another_scale_stay_what_they_are() -> None:
    def function(c: Composer, x: Tensor) -> Tensor:
        scales = [c.known(np.array(number, np.float32)) for number in (0.5, 0.25)]
        kind = integer_kind(np.dtype("i1"))
        parts = [quantize_linear(c, x, scale, None, kind) for scale in scales]
        return dequantize_linear(c, concat(c, parts, 0), scales[0], None)

    assert result(function, np.array([1.0, -3.0])).tolist() == [1.0, -3.0, 2.0, -6.0]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_plain_bytes_are_joined(dtype: type[np.int8] | type[np.uint8]) -> None:
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    x, y = np.array([low, 1], dtype), np.array([high], dtype)
    found = result(lambda c, x, y: concat(c, [x, y], 0), x, y, known=[1])
    assert found.tolist() == [low, 1, high]
