"""Transpose of int8, by the public API."""

import numpy as np
from tinsmith_c import expression
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Transpose
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature, Walk, gathering_walk
from tinsmith_target import Target

from tinsmith_cmsis_nn.common import BACKEND, PUBLIC_HEADER, dims, engine

MOST_DIMENSIONS = 4


def rank_fits(layer: Layer) -> str | None:
    """A transposition has at most 4 dimensions."""
    rank = len(layer.output.shape)
    return None if rank <= MOST_DIMENSIONS else f"it has {rank}"


def _dims(scope: Scope, shape: tuple[int, ...]) -> str:
    return dims(scope, (*shape, *(1,) * (MOST_DIMENSIONS - len(shape))))


def emit_transpose(layer: Layer, scope: Scope) -> Emission:
    """One call of arm_transpose_s8."""
    permutation = layer.operator_as(Transpose).permutation
    numbers = ", ".join(str(axis) for axis in permutation)
    statements = (
        f"  static const uint32_t kPermutation[] = {{{numbers}}};",
        f"  static const cmsis_nn_transpose_params kParameters = {{{len(permutation)}, kPermutation}};",
    )
    arguments = [
        scope.input(0),
        scope.output,
        _dims(scope, layer.input(0).shape),
        _dims(scope, layer.output.shape),
        "&kParameters",
    ]
    return Emission(statements, expression("arm_transpose_s8", arguments))


def walk(layer: Layer) -> Walk:
    """Element after element of the result."""
    elements = np.arange(layer.input(0).elements).reshape(layer.input(0).shape)
    return gathering_walk(layer, elements.transpose(layer.operator_as(Transpose).permutation))


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Transpose."""
    return (
        Kernel(
            name="arm_transpose_s8",
            backend=BACKEND,
            operator=Transpose,
            signature=Signature((DType.INT8,), DType.INT8),
            headers=(PUBLIC_HEADER,),
            emit=emit_transpose,
            rules=(rank_fits,),
            walk=walk,
            engine=engine(target),
        ),
    )
