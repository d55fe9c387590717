"""Minimum and Maximum of int8 with broadcasting, by the public API."""

from tinsmith_c import expression
from tinsmith_ir.operators import Maximum, Minimum
from tinsmith_ir.operators.base import Operator
from tinsmith_lowering import Emission, Kernel, Layer, Scope, elementwise_walk
from tinsmith_target import Target

from tinsmith_cmsis_nn.broadcast import Shape, merged_shapes
from tinsmith_cmsis_nn.common import BACKEND, PUBLIC_HEADER, context, dims, engine
from tinsmith_cmsis_nn.elementwise import S8

MOST_DIMENSIONS = 4


def merged_operands(layer: Layer) -> tuple[Shape, Shape, Shape]:
    """Shapes of both operands and of the result with as few dimensions as possible, at least one.

    Not for speed alone: where a line of several pixels meets a single value, Arm's library goes to a wrong place for
    the next line; in merged shapes no line of several pixels has one.
    """
    return merged_shapes(layer.input(0).shape, layer.input(1).shape, layer.output.shape)


def rank_fits(layer: Layer) -> str | None:
    """After merging, the broadcast has at most 4 dimensions."""
    rank = len(merged_operands(layer)[2])
    return None if rank <= MOST_DIMENSIONS else f"it has {rank}"


def emit_extremum(layer: Layer, scope: Scope) -> Emission:
    """One call of arm_minimum_s8 or arm_maximum_s8."""
    lhs, rhs, result = (
        dims(scope, (*(1,) * (MOST_DIMENSIONS - len(shape)), *shape))
        for shape in merged_operands(layer)
    )
    arguments = ["&context", scope.input(0), lhs, scope.input(1), rhs, scope.output, result]
    return Emission(
        (context(scope),),
        expression(_name(type(layer.operator)), arguments),
    )


def _name(operator: type[Operator]) -> str:
    return f"arm_{operator.mnemonic}_s8"


def kernels(target: Target) -> tuple[Kernel, ...]:
    """The lesser and the greater of two."""
    return tuple(
        Kernel(
            name=_name(operator),
            backend=BACKEND,
            operator=operator,
            signature=S8,
            headers=(PUBLIC_HEADER,),
            emit=emit_extremum,
            rules=(rank_fits,),
            walk=elementwise_walk,
            engine=engine(target),
        )
        for operator in (Minimum, Maximum)
    )
