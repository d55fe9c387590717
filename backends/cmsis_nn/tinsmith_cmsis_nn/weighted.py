"""Add, Sub and Mul of int8 that round once (`tinsmith_nn_nearest.h`), with operands that repeat or not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tinsmith_c import FieldValue, call, initializer
from tinsmith_ir.arithmetic import MULTIPLIER_BITS
from tinsmith_ir.operators import Add, Mul, Sub
from tinsmith_ir.operators.elementwise import Arithmetic
from tinsmith_ir.parameter_records import MulParameters, WeightedSumParameters
from tinsmith_ir.parameters import mul_parameters, weighted_sum_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import Emission, Kernel, Layer, Scope, elementwise_walk
from tinsmith_target import Target

from tinsmith_cmsis_nn.broadcast import calls_are_long, plan, repeating_call, scratch_bytes
from tinsmith_cmsis_nn.common import BACKEND, PACKED_CHECKS, activation, engine
from tinsmith_cmsis_nn.elementwise import S8, shapes_are_equal
from tinsmith_cmsis_nn.nearest import NEAREST_HEADER, widened_scale

LOW_BITS = 16
"""Of a multiplier of a sum, which its product with an int8 is made of in two halves."""

MOST_DIVIDED = 22
"""The largest shift to the right behind that: a zero point times 2 to its power stays within 32 bits."""

LARGEST_SHIFT = 13
"""To the left, of a product of two numbers of 9 bits."""


@dataclass(frozen=True)
class _Operation:
    """name: of the C function for equal shapes, without its type. fields: of its parameters, but for the clamp.
    swapped: whether the right operand is the larger one, which the function takes first.
    """

    name: str
    struct: str
    fields: Callable[[Layer, bool], Mapping[str, int]]


def arranged_sum(p: WeightedSumParameters, *, subtracts: bool, swapped: bool) -> Mapping[str, int]:
    """The numbers of a tinsmith_weighted_sum_params, by member; the clamp is left out. subtracts: the right operand.
    swapped: that comes first.
    """
    right, wider = _sum_shift(p)
    first = (p.input1_offset, p.multiplier1 << wider)
    second = (p.input2_offset, (-p.multiplier2 if subtracts else p.multiplier2) << wider)
    start = first[0] * first[1] + second[0] * second[1]
    start += (p.output_offset << right) + (1 << right >> 1)
    lhs, rhs = (second[1], first[1]) if swapped else (first[1], second[1])
    numbers = {"lhs": lhs, "rhs": rhs, "start": start}
    halves = {
        f"{name}_{half}": part
        for name, number in numbers.items()
        for half, part in zip(("high", "low"), divmod(number, 1 << LOW_BITS), strict=True)
    }
    return {**halves, "right": right - LOW_BITS}


def _sum_shift(p: WeightedSumParameters) -> tuple[int, int]:
    """To the right with multipliers of 31 bits, and by how many bits these are wider than the given ones."""
    most = max(p.multiplier1, p.multiplier2)
    _, shift = widened_scale(most, p.shift)
    return MULTIPLIER_BITS - shift, p.shift - shift


def arranged_product(p: MulParameters, *, swapped: bool) -> Mapping[str, int]:
    """The numbers of a tinsmith_product_params, by member; the clamp is left out. swapped: the right operand comes
    first.
    """
    multiplier, shift = widened_scale(p.output_multiplier, p.output_shift)
    right = max(-shift, 1)
    unit = 2 << (shift + right)
    lhs, rhs = p.input1_offset, p.input2_offset
    if swapped:
        lhs, rhs = rhs, lhs
    return {
        "lhs_unit": unit,
        "lhs_start": lhs * unit,
        "rhs_offset": rhs,
        "multiplier": multiplier,
        "right": right,
        "half": (p.output_offset << right) + (1 << right >> 1),
    }


def _sum_parameters(layer: Layer) -> WeightedSumParameters:
    return weighted_sum_parameters(layer.operator_as(Arithmetic), layer.inputs, layer.output)


def _product_parameters(layer: Layer) -> MulParameters:
    return mul_parameters(layer.operator_as(Mul), layer.inputs, layer.output)


def sum_scales_fit(layer: Layer) -> str | None:
    """The larger scale of the operands is from 2**-8 to 2**15 times the result's."""
    right, _ = _sum_shift(_sum_parameters(layer))
    fits = 0 <= right - LOW_BITS <= MOST_DIVIDED
    return None if fits else f"the shift is {MULTIPLIER_BITS - right}"


def product_scale_fits(layer: Layer) -> str | None:
    """The product of the operands' scales is from 2**-23 to 2**13 times the result's."""
    p = _product_parameters(layer)
    _, shift = widened_scale(p.output_multiplier, p.output_shift)
    return None if -MOST_DIVIDED <= shift <= LARGEST_SHIFT else f"the shift is {shift}"


def _sum_fields(layer: Layer, swapped: bool) -> Mapping[str, int]:
    is_difference = isinstance(layer.operator, Sub)
    return arranged_sum(_sum_parameters(layer), subtracts=is_difference, swapped=swapped)


def _product_fields(layer: Layer, swapped: bool) -> Mapping[str, int]:
    return arranged_product(_product_parameters(layer), swapped=swapped)


_SUM = _Operation("tinsmith_weighted_sum", "tinsmith_weighted_sum_params", _sum_fields)
_PRODUCT = _Operation("tinsmith_product", "tinsmith_product_params", _product_fields)


def _operation(layer: Layer) -> _Operation:
    return _PRODUCT if isinstance(layer.operator, Mul) else _SUM


def emit(layer: Layer, scope: Scope) -> Emission:
    """One call for operands of one shape."""
    operands = (scope.input(0), scope.input(1), scope.output)
    arguments = ["&kParameters", *operands, str(layer.output.elements)]
    name = f"{_operation(layer).name}_s8"
    return Emission((_definition(layer, swapped=False), call(name, arguments)))


def emit_broadcast(layer: Layer, scope: Scope) -> Emission:
    """Calls for operands of which one repeats."""
    parameters = _definition(layer, swapped=plan(layer).repetition.smaller == 0)
    return repeating_call(layer, scope, f"{_operation(layer).name}_broadcast_s8", parameters)


def _definition(layer: Layer, *, swapped: bool) -> str:
    operation = _operation(layer)
    parameters = _product_parameters if operation is _PRODUCT else _sum_parameters
    p = parameters(layer)
    fields: dict[str, FieldValue] = {
        **operation.fields(layer, swapped),
        "activation": activation(p.clamp_min, p.clamp_max),
    }
    return initializer(operation.struct, "kParameters", fields)


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Of equal shapes, and with operands that repeat."""
    equal = tuple(
        Kernel(
            name=f"{operation.name}_s8",
            backend=BACKEND,
            operator=operator,
            signature=S8,
            headers=(NEAREST_HEADER,),
            emit=emit,
            rules=(shapes_are_equal, rule),
            roundings=(Rounding.NEAREST,),
            walk=elementwise_walk,
            engine=engine(target),
            checks=PACKED_CHECKS,
        )
        for operator, operation, rule in (
            (Add, _SUM, sum_scales_fit),
            (Sub, _SUM, sum_scales_fit),
            (Mul, _PRODUCT, product_scale_fits),
        )
    )
    repeating = (
        replace(
            kernel,
            name=kernel.name.replace("_s8", "_broadcast_s8"),
            emit=emit_broadcast,
            rules=(calls_are_long, *kernel.rules[1:]),
            scratch_bytes=scratch_bytes,
        )
        for kernel in equal
    )
    return (*equal, *repeating)
