"""Add and Mul of equal shapes, by the public API."""

from collections.abc import Mapping

from tinsmith_c import expression
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Add, Mul
from tinsmith_ir.parameters import elementwise_add_parameters, mul_parameters
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature, elementwise_walk
from tinsmith_target import Target

from tinsmith_cmsis_nn import cost
from tinsmith_cmsis_nn.common import BACKEND, PUBLIC_HEADER, SUFFIX, engine

S8 = Signature((DType.INT8, DType.INT8), DType.INT8)


def shapes_are_equal(layer: Layer) -> str | None:
    """Both operands have the shape of the result."""
    lhs, rhs, result = layer.input(0).shape, layer.input(1).shape, layer.output.shape
    return None if lhs == rhs == result else f"shapes are {lhs}, {rhs} and {result}"


def shifts_are_right(layer: Layer) -> str | None:
    """The result's scale is at least half the larger operand's divided by 2**20."""
    p = elementwise_add_parameters(layer.operator_as(Add), layer.inputs, layer.output)
    return None if p.output_shift <= 0 else f"the output shift is {p.output_shift}"


def _constants(values: Mapping[str, int]) -> str:
    """Names for the many numbers of a call, at no cost."""
    lines = [f"    {name} = {value}," for name, value in values.items()]
    return "\n".join(["  enum {", *lines, "  };"])


def emit_add(layer: Layer, scope: Scope) -> Emission:
    """One call of arm_elementwise_add_s8 or _s16."""
    p = elementwise_add_parameters(layer.operator_as(Add), layer.inputs, layer.output)
    values = {
        "kLhsOffset": p.input1_offset,
        "kLhsMultiplier": p.input1_multiplier,
        "kLhsShift": p.input1_shift,
        "kRhsOffset": p.input2_offset,
        "kRhsMultiplier": p.input2_multiplier,
        "kRhsShift": p.input2_shift,
        "kLeftShift": p.left_shift,
        "kOutputOffset": p.output_offset,
        "kOutputMultiplier": p.output_multiplier,
        "kOutputShift": p.output_shift,
        "kMin": p.clamp_min,
        "kMax": p.clamp_max,
        "kElements": layer.output.elements,
    }
    names = list(values)
    arguments = [scope.input(0), scope.input(1), *names[:7], scope.output, *names[7:]]
    return Emission(
        (_constants(values),),
        expression(f"arm_elementwise_add_{SUFFIX[layer.output.dtype]}", arguments),
    )


def emit_mul(layer: Layer, scope: Scope) -> Emission:
    """One call of arm_elementwise_mul_s8 or _s16."""
    p = mul_parameters(layer.operator_as(Mul), layer.inputs, layer.output)
    values = {
        "kLhsOffset": p.input1_offset,
        "kRhsOffset": p.input2_offset,
        "kOutputOffset": p.output_offset,
        "kOutputMultiplier": p.output_multiplier,
        "kOutputShift": p.output_shift,
        "kMin": p.clamp_min,
        "kMax": p.clamp_max,
        "kElements": layer.output.elements,
    }
    names = list(values)
    arguments = [scope.input(0), scope.input(1), *names[:2], scope.output, *names[2:]]
    return Emission(
        (_constants(values),),
        expression(f"arm_elementwise_mul_{SUFFIX[layer.output.dtype]}", arguments),
    )


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Addition and multiplication."""
    return (
        Kernel(
            name="arm_elementwise_add_s8",
            backend=BACKEND,
            operator=Add,
            signature=S8,
            headers=(PUBLIC_HEADER,),
            emit=emit_add,
            rules=(shapes_are_equal, shifts_are_right),
            walk=elementwise_walk,
            cost=cost.add,
            engine=engine(target),
        ),
        Kernel(
            name="arm_elementwise_mul_s8",
            backend=BACKEND,
            operator=Mul,
            signature=S8,
            headers=(PUBLIC_HEADER,),
            emit=emit_mul,
            rules=(shapes_are_equal,),
            walk=elementwise_walk,
            engine=engine(target),
        ),
    )
