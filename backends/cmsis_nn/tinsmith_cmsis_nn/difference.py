"""Sub of int8 by kernels of Tinsmith's own library (`tinsmith_nn.h`), with operands that repeat or not."""

from collections.abc import Mapping

from tinsmith_c import FieldValue, call, initializer
from tinsmith_ir.operators import Sub
from tinsmith_ir.parameter_records import ElementwiseAddParameters
from tinsmith_ir.parameters import elementwise_add_parameters
from tinsmith_lowering import Emission, Kernel, Layer, Scope, elementwise_walk
from tinsmith_target import Target

from tinsmith_cmsis_nn.broadcast import calls_are_long, plan, repeating_call, scratch_bytes
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    PACKED_HEADER,
    activation,
    engine,
)
from tinsmith_cmsis_nn.elementwise import S8, shapes_are_equal

MOST_DIVIDED = 22
"""The largest shift to the right: a zero point times 2 to its power stays within 32 bits."""

_HALF = (1 << 30, 0)


def lhs_is_shifted(p: ElementwiseAddParameters) -> bool:
    """Whether the left operand has the larger scale, or an equal one."""
    return (p.input1_multiplier, p.input1_shift) == _HALF


def shifts_fit(layer: Layer) -> str | None:
    """The smaller scale is at least the larger divided by 2**22, the result's at least the larger divided by 2**19."""
    p = _parameters(layer)
    shift = p.input2_shift if lhs_is_shifted(p) else p.input1_shift
    if shift < -MOST_DIVIDED:
        return f"the smaller operand's shift is {shift}"
    fits = -MOST_DIVIDED <= p.output_shift < 0
    return None if fits else f"the output shift is {p.output_shift}"


def arranged(p: ElementwiseAddParameters) -> Mapping[str, int]:
    """The numbers of a tinsmith_difference_params, by member; the clamp and `smaller_is_shifted` are left out."""
    lhs = (p.input1_offset, p.input1_multiplier, p.input1_shift)
    rhs = (p.input2_offset, p.input2_multiplier, p.input2_shift)
    is_lhs = lhs_is_shifted(p)
    (shifted_offset, *_), (offset, multiplier, shift) = (lhs, rhs) if is_lhs else (rhs, lhs)
    shifted_unit = (1 if is_lhs else -1) << p.left_shift
    # Of equal scales the other is shifted, too: a bit further up, since it will be divided by 2 at least.
    unit, right = (4 << p.left_shift, 1) if shift == 0 else (2 << p.left_shift, -shift)
    return {
        "shifted_unit": shifted_unit,
        "shifted_start": shifted_offset * shifted_unit + (2 if is_lhs else 0),
        "scaled_unit": unit,
        "scaled_start": offset * unit,
        "scaled_multiplier": multiplier,
        "scaled_right": right,
        "scaled_flip": -1 if is_lhs else 0,
        "multiplier": p.output_multiplier,
        "right": -p.output_shift,
        "half": (p.output_offset << -p.output_shift) + (1 << -p.output_shift >> 1),
    }


def _parameters(layer: Layer) -> ElementwiseAddParameters:
    return elementwise_add_parameters(layer.operator_as(Sub), layer.inputs, layer.output)


def emit_sub(layer: Layer, scope: Scope) -> Emission:
    """One call of tinsmith_difference_s8."""
    operands = (scope.input(0), scope.input(1))
    shifted, scaled = operands if lhs_is_shifted(_parameters(layer)) else operands[::-1]
    arguments = ["&kParameters", shifted, scaled, scope.output, str(layer.output.elements)]
    return Emission(
        (_definition(layer, is_smaller_shifted=False), call("tinsmith_difference_s8", arguments))
    )


def emit_sub_broadcast(layer: Layer, scope: Scope) -> Emission:
    """Calls of tinsmith_difference_broadcast_s8."""
    smaller = plan(layer).repetition.smaller
    is_smaller_shifted = lhs_is_shifted(_parameters(layer)) == (smaller == 0)
    parameters = _definition(layer, is_smaller_shifted=is_smaller_shifted)
    return repeating_call(layer, scope, "tinsmith_difference_broadcast_s8", parameters)


def _definition(layer: Layer, *, is_smaller_shifted: bool) -> str:
    p = _parameters(layer)
    fields: dict[str, FieldValue] = {
        **arranged(p),
        "smaller_is_shifted": int(is_smaller_shifted),
        "activation": activation(p.clamp_min, p.clamp_max),
    }
    return initializer("tinsmith_difference_params", "kParameters", fields)


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Of equal shapes, and with operands that repeat."""
    equal = Kernel(
        name="tinsmith_difference_s8",
        backend=BACKEND,
        operator=Sub,
        signature=S8,
        headers=(PACKED_HEADER,),
        emit=emit_sub,
        rules=(shapes_are_equal, shifts_fit),
        walk=elementwise_walk,
        engine=engine(target),
        checks=PACKED_CHECKS,
    )
    repeating = Kernel(
        name="tinsmith_difference_broadcast_s8",
        backend=BACKEND,
        operator=Sub,
        signature=S8,
        headers=(PACKED_HEADER,),
        emit=emit_sub_broadcast,
        rules=(calls_are_long, shifts_fit),
        scratch_bytes=scratch_bytes,
        walk=elementwise_walk,
        engine=engine(target),
        checks=PACKED_CHECKS,
    )
    return (equal, repeating)
