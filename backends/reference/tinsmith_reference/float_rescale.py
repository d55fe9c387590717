"""FloatRescale: a table of the results."""

from tinsmith_ir.operators import FloatRescale
from tinsmith_lowering import (
    AsGiven,
    Layer,
    Prepared,
    Signature,
    constant_operands,
    elementwise_walk,
)

from tinsmith_reference.common import INT8, kernel
from tinsmith_reference.lookup import emit_s8


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The results of all int8."""
    table = layer.operator_as(FloatRescale).table(layer.inputs, layer.output)
    return (*constant_operands(layer), Prepared("table", table))


KERNELS = (
    kernel(
        "tinsmith_lookup_s8",
        FloatRescale,
        Signature((INT8,), INT8),
        emit_s8,
        prepare=prepare,
        walk=elementwise_walk,
    ),
)
