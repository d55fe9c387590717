"""A back end of two kernels, for every target; their C is in the folder kernels."""

from dataclasses import dataclass
from pathlib import Path

from tinsmith_c import call, initializer
from tinsmith_ir import DType
from tinsmith_ir.operators import Activation, MaxPool2D
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature
from tinsmith_plugins import KernelFiles
from tinsmith_target import Target

from .operator import ThresholdedRelu, zero_point

NAME = "thresholds"
FOLDER = Path(__file__).with_name("kernels")
FILES = KernelFiles(FOLDER, (FOLDER,))


def _emit(layer: Layer, scope: Scope) -> Emission:
    operator = layer.operator_as(ThresholdedRelu)
    least, zero = operator.least_kept(layer.output), zero_point(layer.output)
    arguments = [str(layer.output.elements), str(least), str(zero), scope.input(0), scope.output]
    return Emission((call("thresholds_relu_s8", arguments),))


def _emit_pooled(layer: Layer, scope: Scope) -> Emission:
    """The same behind a max pool, of which no tensor is kept."""
    pooled, kept = layer.steps
    pool = pooled.operator_as(MaxPool2D)
    images, *input_size, channels = pooled.input(0).shape
    record = initializer(
        "thresholds_pool",
        "kPool",
        {
            "images": images,
            "input": input_size,
            "output": pooled.output.shape[1:3],
            "channels": channels,
            "window": pool.window,
            "stride": pool.stride,
            "padding": pool.padding[::2],
        },
    )
    least = kept.operator_as(ThresholdedRelu).least_kept(kept.output)
    arguments = ["&kPool", str(least), str(zero_point(kept.output)), scope.input(0), scope.output]
    return Emission((record, call("thresholds_max_pool_relu_s8", arguments)))


def is_in_int32(layer: Layer) -> str | None:
    """The least integer that is kept is an int32."""
    kept = layer.steps[-1]
    least = kept.operator_as(ThresholdedRelu).least_kept(kept.output)
    return None if -(1 << 31) <= least < 1 << 31 else f"it is {least}"


def is_plain_pool(layer: Layer) -> str | None:
    """The max pool keeps the quantization, and does not clamp."""
    pooled = layer.steps[0]
    if pooled.operator_as(MaxPool2D).activation is not Activation.NONE:
        return "it clamps"
    same = pooled.input(0).quantization == pooled.output.quantization
    return None if same else "it changes the quantization"


_KERNELS = (
    # Two operators in a row, where nobody else reads what lies between.
    Kernel(
        name="thresholds_max_pool_relu_s8",
        backend=NAME,
        operator=MaxPool2D,
        then=(ThresholdedRelu,),
        signature=Signature((DType.INT8,), DType.INT8),
        headers=("thresholds.h",),
        emit=_emit_pooled,
        rules=(is_in_int32, is_plain_pool),
    ),
    Kernel(
        name="thresholds_relu_s8",
        backend=NAME,
        operator=ThresholdedRelu,
        signature=Signature((DType.INT8,), DType.INT8),
        headers=("thresholds.h",),
        emit=_emit,
        rules=(is_in_int32,),
    ),
)


@dataclass(frozen=True)
class ThresholdsBackend:
    """The same kernel for every target."""

    name: str = NAME

    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        """Both."""
        del target
        return _KERNELS
