"""What the declarations share: which implementation is built, and the C text of CMSIS-NN's structs."""

from collections.abc import Sequence

from tinsmith_ir.dtypes import DType
from tinsmith_ir.types import TensorType
from tinsmith_lowering import AsGiven, Layer, Prepared, Scope
from tinsmith_target import Target

from tinsmith_cmsis_nn.geometry import Dims
from tinsmith_cmsis_nn.packing import Implementation, PackedLayer

BACKEND = "cmsis_nn"
SUFFIX = {DType.INT8: "s8", DType.INT16: "s16"}
"""How functions of the API end."""

PUBLIC_HEADER = "arm_nnfunctions.h"
PACKED_HEADER = "tinsmith_nn.h"
PACKED_CHECKS = ("TINSMITH_NN_VERSION == 4",)
"""The version of `tinsmith_nn.h` whose layouts and scratch formulas this package has."""


def implementation(target: Target) -> Implementation:
    """Which of the three implementations the target's compiler flags build."""
    if "mve" in target.features:
        return "mve"
    return "dsp" if "dsp" in target.features else "c"


def engine(target: Target) -> str:
    """The unit of the CPU that runs the kernels, for the report."""
    chosen = implementation(target)
    return "cpu" if chosen == "c" else chosen


def dims(scope: Scope, sizes: Sequence[int]) -> str:
    """Address of a cmsis_nn_dims {n, h, w, c}, shared by all layers that need the same."""
    name = "kDims_" + "_".join(str(size) for size in sizes)
    value = ", ".join(f".{field} = {size}" for field, size in zip("nhwc", sizes, strict=True))
    return scope.record(name, "cmsis_nn_dims", f"{{{value}}}")


def nhwc(type_: TensorType) -> Dims:
    """The four sizes of an activation; raises ValueError for another rank."""
    batches, height, width, channels = type_.shape
    return batches, height, width, channels


def tile(height: int, width: int) -> str:
    """A cmsis_nn_tile inside of another initialiser."""
    return f"{{.w = {width}, .h = {height}}}"


def activation(low: int, high: int) -> str:
    """A cmsis_nn_activation inside of another initialiser."""
    return f"{{.min = {low}, .max = {high}}}"


def packed_constants(layer: Layer, arrays: PackedLayer) -> tuple[Prepared | AsGiven, ...]:
    """What a packed kernel reads: everything arranged, and an input that is a constant as it is."""
    inputs = (AsGiven(0),) if layer.constant(0) is not None else ()
    return (
        *inputs,
        Prepared("weights", arrays.weights),
        Prepared("multipliers", arrays.multiplier),
        Prepared("shifts", arrays.shift),
        Prepared("bias", arrays.bias),
    )


def context(scope: Scope) -> str:
    """Definition of the local `context`: the layer's scratch, or nothing."""
    if scope.scratch is None:
        return "  const cmsis_nn_context context = {NULL, 0};"
    return f"  const cmsis_nn_context context = {{scratch, {scope.scratch_bytes}}};"


def input_zero_point(layer: Layer) -> int:
    """Of the first operand; raises ValueError if it is not quantized."""
    quantization = layer.input(0).quantization
    if quantization is None:
        raise ValueError(f"layer {layer.name}: the input has no quantization")
    return quantization.zero_point
