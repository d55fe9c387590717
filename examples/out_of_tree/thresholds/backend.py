"""A back end of one kernel, for every target; its C is in the folder kernels."""

from dataclasses import dataclass
from pathlib import Path

from tinsmith_c import call
from tinsmith_ir import DType
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


def is_in_int32(layer: Layer) -> str | None:
    """The least integer that is kept is an int32."""
    least = layer.operator_as(ThresholdedRelu).least_kept(layer.output)
    return None if -(1 << 31) <= least < 1 << 31 else f"it is {least}"


_KERNELS = (
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
        """One."""
        del target
        return _KERNELS
