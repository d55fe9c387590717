"""How often kernels load their constants, against what was counted on emulated boards, load by load."""

import numpy as np
import pytest
from tinsmith_cmsis_nn import backend
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D, FullyConnected
from tinsmith_ir.operators.weighted import Weighted
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Kernel, Layer, Loads
from tinsmith_target import target

_CONVOLUTION, _DEPTHWISE = "tinsmith_convolve_packed_s8", "tinsmith_depthwise_packed_s8"
_PUBLIC, _PUBLIC_DEPTHWISE = "arm_convolve_wrapper_s8", "arm_depthwise_conv_wrapper_s8"


def _layer(
    name: str,
    operator: Weighted,
    given: tuple[int, int, int],
    made: tuple[int, int, int],
    weights: tuple[int, int],
) -> Layer:
    """given, made: height, width and channels. weights: height and width."""
    one = Quantization.per_tensor(0.1, 0)
    is_depthwise = isinstance(operator, DepthwiseConv2D)
    shape = (1, *weights, made[2]) if is_depthwise else (made[2], *weights, given[2])
    data: Array = np.ones(shape, np.int8)
    bias: Array = np.zeros(made[2], np.int32)
    return Layer(
        "layer",
        operator,
        (
            TensorType((1, *given), DType.INT8, one),
            TensorType(shape, DType.INT8, Quantization.per_tensor(0.01, 0)),
            TensorType(bias.shape, DType.INT32),
        ),
        (TensorType((1, *made), DType.INT8, one),),
        (None, data, bias),
        target(name),
    )


def _loads(layer: Layer, name: str) -> Loads:
    packed = not name.startswith("arm_")
    kernel: Kernel = next(
        one
        for one in backend(packed=packed).kernels(layer.target)
        if one.name == name and one.takes(layer.kind)
    )
    return kernel.loads(kernel.with_options(layer))


_POINTWISE = (25, 5, 64), (25, 5, 64), (1, 1)
_FIRST = (49, 10, 1), (25, 5, 64), (10, 4)


@pytest.mark.parametrize(
    ("name", "kernel", "shapes", "expected"),
    [
        ("cortex-m4", _CONVOLUTION, _POINTWISE, Loads(63, 63)),
        ("cortex-m4", _PUBLIC, _POINTWISE, Loads(63, 63)),
        ("cortex-m55", _CONVOLUTION, _POINTWISE, Loads(42, 6)),
        ("cortex-m55", _CONVOLUTION, _FIRST, Loads(6, 6)),
        # In plain C counted as loads of bytes: 4 * 43 and 4 * 125.
        ("riscv32", _CONVOLUTION, _POINTWISE, Loads(43, 43)),
        ("cortex-m0", _PUBLIC, _POINTWISE, Loads(125, 125)),
    ],
)
def test_convolutions(
    name: str, kernel: str, shapes: tuple[tuple[int, ...], ...], expected: Loads
) -> None:
    given, made, weights = shapes
    stride = (2, 2) if shapes is _FIRST else (1, 1)
    padding = (4, 5, 1, 1) if shapes is _FIRST else (0, 0, 0, 0)
    layer = _layer(name, Conv2D(stride, padding=padding), given, made, weights)  # type: ignore[arg-type]
    assert _loads(layer, kernel) == expected


@pytest.mark.parametrize(
    ("name", "kernel", "expected"),
    [
        # As loads of bytes 4 * 1; the public function skips taps outside of the image, and loads the others 105 times.
        ("cortex-m4", _DEPTHWISE, Loads(1, 1)),
        ("cortex-m4", _PUBLIC_DEPTHWISE, Loads(125, 125)),
        ("cortex-m55", _DEPTHWISE, Loads(1, 1)),
        ("riscv32", _DEPTHWISE, Loads(1, 1)),
    ],
)
def test_depthwise_convolutions(name: str, kernel: str, expected: Loads) -> None:
    operator = DepthwiseConv2D(padding=(1, 1, 1, 1))
    layer = _layer(name, operator, (25, 5, 64), (25, 5, 64), (3, 3))
    assert _loads(layer, kernel) == expected


def test_depthwise_convolutions_by_strips_load_once_for_each() -> None:
    operator = DepthwiseConv2D(padding=(1, 1, 1, 1))
    layer = _layer("cortex-m4", operator, (48, 48, 8), (48, 48, 8), (3, 3))
    assert _loads(layer, _DEPTHWISE).weights == 4


@pytest.mark.parametrize(
    ("name", "pixels", "expected"),
    [
        ("cortex-m4", 10, 10),
        ("cortex-m55", 10, 4),
        ("cortex-m55", 5, 2),
        ("cortex-m55", 40, 10),
        ("cortex-m3", 5, 5),
    ],
)
def test_convolutions_of_int16(name: str, pixels: int, expected: int) -> None:
    one = Quantization.per_tensor(0.1, 0)
    data: Array = np.ones((4, 1, 1, 64), np.int8)
    layer = Layer(
        "layer",
        Conv2D(),
        (
            TensorType((1, 1, pixels, 64), DType.INT16, one),
            TensorType(data.shape, DType.INT8, Quantization.per_tensor(0.01, 0)),
            None,
        ),
        (TensorType((1, 1, pixels, 4), DType.INT16, one),),
        (None, data, None),
        target(name),
    )
    assert _loads(layer, "arm_convolve_wrapper_s16") == Loads(expected, expected)


@pytest.mark.parametrize(
    ("name", "kernel", "expected"),
    [
        ("cortex-m4", "tinsmith_fully_connected_packed_s8", Loads(30, 30)),
        ("cortex-m55", "tinsmith_fully_connected_packed_s8", Loads(30, 30)),
        ("cortex-m4", "arm_fully_connected_s8", Loads(30, 30)),
        ("cortex-m55", "arm_fully_connected_s8", Loads(10, 2)),
    ],
)
def test_fully_connected_layers_of_several_rows(name: str, kernel: str, expected: Loads) -> None:
    one = Quantization.per_tensor(0.1, 0)
    data: Array = np.ones((8, 64), np.int8)
    layer = Layer(
        "layer",
        FullyConnected(),
        (
            TensorType((30, 64), DType.INT8, one),
            TensorType(data.shape, DType.INT8, Quantization.per_tensor(0.01, 0)),
            None,
        ),
        (TensorType((30, 8), DType.INT8, one),),
        (None, data, None),
        target(name),
    )
    assert _loads(layer, kernel) == expected
