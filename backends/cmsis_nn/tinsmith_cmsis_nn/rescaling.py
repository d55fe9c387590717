"""Requantize and the rectifiers of integers by kernels of Tinsmith's own library (`tinsmith_nn_rescaling.h`)."""

from tinsmith_c import FieldValue, call, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Clamp, Relu, Relu0To1, Relu6, ReluN1To1, Requantize
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.parameters import RequantizeParameters, relu_parameters, requantize_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature, elementwise_walk
from tinsmith_target import Target

from tinsmith_cmsis_nn.common import BACKEND, PACKED_CHECKS, activation, engine
from tinsmith_cmsis_nn.nearest import rounded, widened_scale, with_sisters

HEADER = "tinsmith_nn_rescaling.h"
LARGEST_SHIFT = 14
"""To the left, so that an int16 less its zero point, doubled, stays within 32 bits, and one less where it is rounded
once and shifted by a bit more; to the right, so that a zero point of int16 does.
"""

_SUFFIX = {DType.INT8: "s8", DType.UINT8: "u8", DType.INT16: "s16"}
_CONVERSIONS = (
    (DType.INT8, DType.INT8),
    (DType.INT8, DType.UINT8),
    (DType.INT8, DType.INT16),
    (DType.UINT8, DType.INT8),
    (DType.INT16, DType.INT8),
    (DType.INT16, DType.INT16),
)


def parameters(layer: Layer) -> RequantizeParameters:
    """Of a Requantize or a rectifier."""
    operator = layer.operator
    if isinstance(operator, Clamp):
        return relu_parameters(operator, layer.inputs, layer.output)
    return requantize_parameters(layer.operator_as(Requantize), layer.inputs, layer.output)


def shift_is_small(layer: Layer) -> str | None:
    """The ratio of the scales is from 2**-15 to 2**14; rounded once, to 2**13."""
    p = parameters(layer)
    return None if shift_fits(p) else f"the shift is {scale_of(p)[1]}"


def shift_fits(p: RequantizeParameters) -> bool:
    """Whether the numbers of a tinsmith_rescale_params fit 32 bits."""
    _, shift = scale_of(p)
    return -LARGEST_SHIFT <= shift <= LARGEST_SHIFT - (p.rounding is Rounding.NEAREST)


def scale_of(p: RequantizeParameters) -> tuple[int, int]:
    """Multiplier of 31 bits, and shift."""
    if p.rounding is Rounding.TFLITE:
        return p.multiplier, p.shift
    return widened_scale(p.multiplier, p.shift)


def is_rescaled(layer: Layer) -> str | None:
    """More than the sign bit changes."""
    p = parameters(layer)
    lowest, highest = (type_.dtype.integer_range[0] for type_ in (layer.input(0), layer.output))
    is_one = scale_of(p) == (1 << 30, 1)
    is_moved = is_one and p.output_offset + p.input_offset == highest - lowest
    if not is_moved or (p.clamp_min, p.clamp_max) != layer.output.dtype.integer_range:
        return None
    return f"the zero points are {abs(highest - lowest)} apart, the scales equal"


def only_signs_change(layer: Layer) -> str | None:
    """The scales are equal, the zero points 128 apart, and nothing is clamped."""
    return "numbers change, too" if is_rescaled(layer) is None else None


def emit_flip(layer: Layer, scope: Scope) -> Emission:
    """One call of tinsmith_flip_signs."""
    arguments = [str(layer.output.elements), scope.input(0), scope.output]
    return Emission((call("tinsmith_flip_signs", arguments),))


def definition(p: RequantizeParameters, name: str = "kParameters") -> str:
    """Definition of a tinsmith_rescale_params. Rounded once, something is always shifted to the right."""
    multiplier, shift = scale_of(p)
    right = max(-shift, int(p.rounding is Rounding.NEAREST))
    left = shift + right
    unit = 2 << left
    fields: dict[str, FieldValue] = {
        "unit": unit,
        "start": p.input_offset * unit,
        "multiplier": multiplier,
        "right": right,
        "half": (p.output_offset << right) + (1 << right >> 1),
        "activation": activation(p.clamp_min, p.clamp_max),
    }
    return initializer("tinsmith_rescale_params", name, fields)


def emit_rescale(layer: Layer, scope: Scope) -> Emission:
    """One call."""
    name = rounded(_name(layer.input(0).dtype, layer.output.dtype), layer)
    arguments = ["&kParameters", str(layer.output.elements), scope.input(0), scope.output]
    return Emission((definition(parameters(layer)), call(name, arguments)))


def _name(source: DType, result: DType) -> str:
    return f"tinsmith_rescale_{_SUFFIX[source]}_{_SUFFIX[result]}"


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Integers of 8 and 16 bits to such, and rectifiers of int8 and int16."""
    requantize = (_kernel(target, Requantize, source, result) for source, result in _CONVERSIONS)
    rectifiers = (
        _kernel(target, operator, dtype, dtype)
        for operator in (Relu, Relu6, ReluN1To1, Relu0To1)
        for dtype in (DType.INT8, DType.INT16)
    )
    flips = (
        Kernel(
            name="tinsmith_flip_signs",
            backend=BACKEND,
            operator=Requantize,
            signature=Signature((source,), result),
            headers=(HEADER,),
            emit=emit_flip,
            rules=(only_signs_change,),
            roundings=(Rounding.TFLITE, Rounding.NEAREST),
            walk=elementwise_walk,
            engine=engine(target),
            checks=PACKED_CHECKS,
        )
        for source, result in ((DType.UINT8, DType.INT8), (DType.INT8, DType.UINT8))
    )
    return (*flips, *with_sisters((*requantize, *rectifiers)))


def _kernel(target: Target, operator: type[Operator], source: DType, result: DType) -> Kernel:
    may_only_flip = source is not result and DType.UINT8 in (source, result)
    return Kernel(
        name=_name(source, result),
        backend=BACKEND,
        operator=operator,
        signature=Signature((source,), result),
        headers=(HEADER,),
        emit=emit_rescale,
        rules=(shift_is_small, *((is_rescaled,) if may_only_flip else ())),
        walk=elementwise_walk,
        engine=engine(target),
        checks=PACKED_CHECKS,
    )
