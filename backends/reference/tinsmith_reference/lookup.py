"""Functions of one integer by their table."""

from tinsmith_c import call
from tinsmith_ir.operators import (
    Abs,
    Elu,
    Exp,
    Gelu,
    HardSwish,
    LeakyRelu,
    Logistic,
    Lookup,
    Rsqrt,
    Tabulated,
    TabulatedFunction,
    Tanh,
)
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Layer,
    Prepared,
    Scope,
    Signature,
    constant_operands,
    elementwise_walk,
    loads_of_table,
)

from tinsmith_reference.common import INT8, INT16, kernel

_TABLE_S8, _TABLE_S16 = 256, 2 * 513
"""Bytes."""


def prepare_s8(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The results of all int8."""
    table = layer.operator_as(Tabulated).table(layer.inputs, layer.output)
    return (*constant_operands(layer), Prepared("table", table))


def emit_s8(layer: Layer, scope: Scope) -> Emission:
    """int8 by its table."""
    table = scope.prepared("table", "the result of each int8, from -128 on")
    arguments = [str(layer.output.elements), table, scope.input(0), scope.output]
    return Emission((call("tinsmith_lookup_s8", arguments),))


def prepare_s16(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Each 128th result."""
    table = layer.operator_as(TabulatedFunction).int16_table(layer.inputs, layer.output)
    return (*constant_operands(layer), Prepared("table", table))


def emit_s16(layer: Layer, scope: Scope) -> Emission:
    """int16 by its table."""
    table = scope.prepared("table", "the result of each 128th int16, from -32768 on")
    arguments = [str(layer.output.elements), table, scope.input(0), scope.output]
    return Emission((call("tinsmith_lookup_s16", arguments),))


KERNELS = (
    *(
        kernel(
            "tinsmith_lookup_s8",
            operator,
            Signature((INT8,), INT8),
            emit_s8,
            prepare=prepare_s8,
            walk=elementwise_walk,
            loads=loads_of_table(_TABLE_S8),
        )
        for operator in (Abs, Elu, Exp, Gelu, HardSwish, LeakyRelu, Logistic, Lookup, Rsqrt, Tanh)
    ),
    *(
        kernel(
            "tinsmith_lookup_s16",
            operator,
            Signature((INT16,), INT16),
            emit_s16,
            prepare=prepare_s16,
            walk=elementwise_walk,
            loads=loads_of_table(_TABLE_S16, of_element=2),
        )
        for operator in (Exp, Gelu)
    ),
)
