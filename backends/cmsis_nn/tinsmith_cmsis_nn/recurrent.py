"""SVDF by kernels of Tinsmith's own library (`tinsmith_nn_recurrent.h`), one for each of its two operators.

`arm_svdf_s8` and its sister compute both at once, from one state in place; no kernel here calls them.
"""

import numpy as np
from numpy.typing import NDArray
from tinsmith_c import call, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Svdf, SvdfState
from tinsmith_ir.svdf_parameters import SvdfParameters, svdf_parameters, svdf_state_parameters
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    Signature,
    Walk,
    constant_operands,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn.common import BACKEND, PACKED_CHECKS, SUFFIX, activation, engine

HEADER = "tinsmith_nn_recurrent.h"
_INT32 = np.iinfo(np.int32)
LARGEST = 255
"""Of an int8 value less a zero point."""


def features_are_constant(layer: Layer) -> str | None:
    """Weights are known at compile time."""
    return "they are computed at run time" if layer.constant(2) is None else None


def sums_over_features_fit(layer: Layer) -> str | None:
    """No sum of products with the weights leaves 32 bits."""
    largest = LARGEST * int(np.abs(constant(layer, 2)).sum(axis=1).max())
    return None if largest <= _INT32.max else f"one may be {largest}"


def time_is_constant(layer: Layer) -> str | None:
    """Weights and bias are known at compile time."""
    for index, name in ((1, "weights"), (2, "bias")):
        if layer.has_input(index) and layer.constant(index) is None:
            return f"{name} is computed at run time"
    return None


def constant(layer: Layer, index: int) -> NDArray[np.int64]:
    """An operand that a rule has shown to be constant."""
    data = layer.constant(index)
    if data is None:
        raise ValueError(f"layer {layer.name}: operand {index} is not constant")
    return data.astype(np.int64)


def prepare_features(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Operands as they are, and what the input's zero point adds to the sum of each filter."""
    p = svdf_state_parameters(layer.inputs, layer.output)
    sums = p.input_offset * constant(layer, 2).sum(axis=1)
    return (*constant_operands(layer), Prepared("sums", sums.astype(np.int32)))


def prepare_time(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Operands as they are, but a bias with what the state's zero point adds."""
    p = _time_parameters(layer)
    units = layer.output.shape[1]
    folded = p.input_offset * constant(layer, 1).reshape(units, -1).sum(axis=1)
    if layer.has_input(2):
        folded = folded + constant(layer, 2)
    given = (item for item in constant_operands(layer) if item != AsGiven(2))
    return (*given, Prepared("bias", folded.astype(np.int32)))


def _time_parameters(layer: Layer) -> SvdfParameters:
    return svdf_parameters(layer.inputs, layer.output, layer.operator_as(Svdf).activation)


def emit_features(layer: Layer, scope: Scope) -> Emission:
    """What filters remember one step later."""
    filters, depth = layer.input(2).shape
    batches, memory = layer.output.shape
    p = svdf_state_parameters(layer.inputs, layer.output)
    name = f"tinsmith_svdf_features_{SUFFIX[layer.output.dtype]}"
    operands = [scope.input(0), scope.input(1), scope.input(2), scope.output]
    sums = scope.prepared("sums", f"{scope.layer}: what the input's zero point adds")
    return Emission(
        (
            _parameters(p, batches, filters, memory // filters, depth),
            call(name, ["&kParameters", sums, *operands]),
        )
    )


def emit_time(layer: Layer, scope: Scope) -> Emission:
    """What units give."""
    batches, units = layer.output.shape
    steps = layer.input(1).elements // units
    name = f"tinsmith_svdf_time_{SUFFIX[layer.input(0).dtype]}"
    bias = scope.prepared("bias", f"{scope.layer}: bias with the state's zero point folded in")
    return Emission(
        (
            _parameters(_time_parameters(layer), batches, units, steps, 0),
            call(name, ["&kParameters", bias, scope.input(0), scope.input(1), scope.output]),
        )
    )


def _parameters(p: SvdfParameters, batches: int, rows: int, steps: int, depth: int) -> str:
    fields = {
        "batches": batches,
        "rows": rows,
        "steps": steps,
        "depth": depth,
        "multiplier": p.multiplier,
        "shift": p.shift,
        "offset": p.output_offset,
        "activation": activation(p.clamp_min, p.clamp_max),
    }
    return initializer("tinsmith_svdf_params", "kParameters", fields)


def walk_features(layer: Layer) -> Walk:
    """Filter after filter of the state, all of which is moved before its newest elements are written."""
    rows = layer.output.shape[0] * layer.input(2).shape[0]
    return Walk(np.arange(rows), (np.arange(rows), None, None))


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Both operators of SVDF, with a state of int16 and of int8."""
    dtypes = (DType.INT16, DType.INT8)
    features = (
        Kernel(
            name=f"tinsmith_svdf_features_{SUFFIX[dtype]}",
            backend=BACKEND,
            operator=SvdfState,
            signature=Signature((dtype, DType.INT8, DType.INT8), dtype),
            headers=(HEADER,),
            emit=emit_features,
            prepare=prepare_features,
            rules=(features_are_constant, sums_over_features_fit),
            walk=walk_features,
            engine=engine(target),
            checks=PACKED_CHECKS,
        )
        for dtype in dtypes
    )
    time = (
        Kernel(
            name=f"tinsmith_svdf_time_{SUFFIX[dtype]}",
            backend=BACKEND,
            operator=Svdf,
            signature=Signature((dtype, dtype, DType.INT32), DType.INT8),
            headers=(HEADER,),
            emit=emit_time,
            prepare=prepare_time,
            rules=(time_is_constant,),
            engine=engine(target),
            checks=PACKED_CHECKS,
        )
        for dtype in dtypes
    )
    return (*features, *time)
