"""Functions of one integer by their table."""

from tinsmith_c import call
from tinsmith_ir.operators import HardSwish, LeakyRelu, Logistic, Tabulated, Tanh
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


def prepare_s8(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The results of all int8."""
    table = layer.operator_as(Tabulated).table(layer.inputs, layer.output)
    return (*constant_operands(layer), Prepared("table", table))


def emit_s8(layer: Layer, scope: Scope) -> Emission:
    """int8 by its table."""
    table = scope.prepared("table", "the result of each int8, from -128 on")
    arguments = [str(layer.output.elements), table, scope.input(0), scope.output]
    return Emission((call("tinsmith_lookup_s8", arguments),))


KERNELS = tuple(
    kernel(
        "tinsmith_lookup_s8",
        operator,
        Signature((INT8,), INT8),
        emit_s8,
        prepare=prepare_s8,
        walk=elementwise_walk,
    )
    for operator in (HardSwish, LeakyRelu, Logistic, Tanh)
)
