"""FloatRescale: a table of the results."""

from tinsmith_c import call
from tinsmith_ir.operators import FloatRescale
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Layer,
    Prepared,
    Scope,
    Signature,
    constant_operands,
    elementwise_walk,
)

from tinsmith_reference.common import INT8, kernel


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The results of all int8."""
    table = layer.operator_as(FloatRescale).table(layer.inputs, layer.output)
    return (*constant_operands(layer), Prepared("table", table))


def emit(layer: Layer, scope: Scope) -> Emission:
    """int8 by its table."""
    table = scope.prepared("table", "the result of each int8, from -128 on")
    arguments = [str(layer.output.elements), table, scope.input(0), scope.output]
    return Emission((call("tinsmith_lookup_s8", arguments),))


KERNELS = (
    kernel(
        "tinsmith_lookup_s8",
        FloatRescale,
        Signature((INT8,), INT8),
        emit,
        prepare=prepare,
        walk=elementwise_walk,
    ),
)
