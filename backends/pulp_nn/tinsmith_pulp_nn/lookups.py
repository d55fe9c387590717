"""Functions of one byte, by a table that the operator's own evaluation fills."""

from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Abs,
    Add,
    Elu,
    Exp,
    Gelu,
    HardSwish,
    LeakyRelu,
    Logistic,
    Lookup,
    Maximum,
    Minimum,
    Mul,
    Relu,
    Relu0To1,
    Relu6,
    ReluN1To1,
    Requantize,
    Rsqrt,
    SquaredDifference,
    Sub,
    Tanh,
)
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import AsGiven, Cost, Emission, Kernel, Layer, Prepared, Scope, Signature

from tinsmith_pulp_nn import cost, geometry
from tinsmith_pulp_nn.common import (
    BACKEND,
    HEADERS,
    LAYOUT,
    chosen_cores,
    core_options,
    elements_are_counted,
    fork,
    input_is_computed,
)

_OF_ONE: tuple[type[Operator], ...] = (
    Abs,
    Elu,
    Exp,
    Gelu,
    HardSwish,
    LeakyRelu,
    Logistic,
    Lookup,
    Relu,
    Relu0To1,
    Relu6,
    ReluN1To1,
    Rsqrt,
    Tanh,
)
_OF_TWO: tuple[type[Operator], ...] = (Add, Sub, Mul, Minimum, Maximum, SquaredDifference)
_BYTES = (DType.INT8, DType.UINT8)


def one_tensor(layer: Layer) -> str | None:
    """One operand has the result's shape, the other is one constant."""
    index = _computed(layer)
    if index is None:
        return "both are computed, or neither"
    other, shape = layer.input(1 - index), layer.input(index).shape
    if other.elements != 1:
        return f"the constant has {other.elements:,} elements"
    return None if shape == layer.output.shape else f"shapes are {shape} and {layer.output.shape}"


def _computed(layer: Layer) -> int | None:
    """The one operand that is no constant."""
    found = [index for index in range(len(layer.inputs)) if layer.constant(index) is None]
    return found[0] if len(found) == 1 else None


def table_of(layer: Layer) -> NDArray[np.int8]:
    """The result of each byte, taken as uint8; int8 (256,)."""
    index = _computed(layer)
    assert index is not None  # a rule
    values = np.arange(256, dtype=np.uint8).view(layer.input(index).dtype.numpy)
    arrays = [
        values if at == index else None if data is None else data.reshape(1)
        for at, data in enumerate(layer.constants)
    ]
    types = [
        layer.input(at).with_shape((256,) if at == index else (1,))
        for at in range(len(layer.inputs))
    ]
    (found,) = layer.operator.evaluate(arrays, types, (layer.output.with_shape((256,)),))
    return found.view(np.int8)


def prepare_table(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The results of all bytes."""
    return (Prepared(LAYOUT, table_of(layer)),)


def emit_lookup(layer: Layer, scope: Scope) -> Emission:
    """One byte after the other by the table."""
    index = _computed(layer)
    assert index is not None  # a rule
    fields = {
        "input": scope.input(index),
        "output": scope.output,
        "table": scope.prepared(LAYOUT, f"{scope.layer}: the result of each byte, 0 to 127 first"),
        "count": layer.output.elements,
    }
    return fork(layer, scope, "lookup", "tinsmith_pulp_lookup_t", fields)


def lookup_cost(layer: Layer) -> Cost:
    """Cycles of a lookup, all in first-level memory."""
    elements = geometry.Elements(layer.output.elements)
    cycles = cost.lookup_cycles(elements, chosen_cores(layer))
    return Cost(cycles, cost.cold_cycles("lookup"))


def kernels_of_one() -> tuple[Kernel, ...]:
    """Of each operator that is a function of one byte."""
    rules = (input_is_computed, elements_are_counted)
    of_int8 = Signature((DType.INT8,), DType.INT8)
    return (
        *(_kernel(operator=operator, signature=of_int8, rules=rules) for operator in _OF_ONE),
        *(
            _kernel(operator=Requantize, signature=Signature((source,), result), rules=rules)
            for source in _BYTES
            for result in _BYTES
        ),
    )


def kernels_of_two() -> tuple[Kernel, ...]:
    """Of each operator of two operands, one of which is one constant."""
    signature = Signature((DType.INT8, DType.INT8), DType.INT8)
    rules = (one_tensor, elements_are_counted)
    return tuple(
        _kernel(operator=operator, signature=signature, rules=rules) for operator in _OF_TWO
    )


_kernel = partial(
    Kernel,
    name="tinsmith_pulp_lookup",
    backend=BACKEND,
    headers=HEADERS,
    engine="cluster",
    options=core_options,
    emit=emit_lookup,
    prepare=prepare_table,
    cost=lookup_cost,
    roundings=tuple(Rounding),
)
