"""Mean, Sum, ReduceMax, ReduceMin, ReduceProd, ArgMax and ArgMin."""

import math

from tinsmith_c import call, initializer
from tinsmith_ir.operators import (
    ArgExtremum,
    ArgMax,
    ArgMin,
    Mean,
    ReduceMax,
    ReduceMin,
    ReduceProd,
    Reduction,
    Sum,
    Total,
)
from tinsmith_ir.strides import dense_strides, merged
from tinsmith_lowering import Emission, Layer, Scope, Signature, Walk, reducing_walk

from tinsmith_reference.common import (
    BOOL,
    FLOAT32,
    INT8,
    INT16,
    INT32,
    INT64,
    MAX_RANK,
    SUFFIX,
    kernel,
    mean_parameters,
    rescaling_kernels,
    rounded,
)

_Steps = tuple[tuple[int, ...], tuple[int, ...]]
_SUFFIX = {**SUFFIX, BOOL: "bool"}


def _walks(layer: Layer) -> tuple[_Steps, _Steps]:
    """(kept, reduced) walks over the input."""
    shape = layer.input(0).shape
    strides = dense_strides(shape)
    axes = layer.operator_as(Reduction).axes
    walks: list[_Steps] = []
    for is_reduced in (False, True):
        chosen = [axis for axis in range(len(shape)) if (axis in axes) == is_reduced]
        sizes = tuple(shape[axis] for axis in chosen)
        merged_sizes, (steps,) = merged(sizes, [tuple(strides[axis] for axis in chosen)])
        walks.append((merged_sizes, steps))
    return walks[0], walks[1]


def rank_fits(layer: Layer) -> str | None:
    """After merging, at most 6 dimensions are kept and at most 6 are reduced."""
    ranks = [len(sizes) for sizes, _ in _walks(layer)]
    return None if max(ranks) <= MAX_RANK else f"it has {ranks[0]} and {ranks[1]}"


def _shape(layer: Layer) -> str:
    (kept, kept_strides), (reduced, reduced_strides) = _walks(layer)
    fields = {
        "kept_rank": len(kept),
        "kept_shape": kept,
        "kept_strides": kept_strides,
        "reduced_rank": len(reduced),
        "reduced_shape": reduced,
        "reduced_strides": reduced_strides,
        "count": layer.input(0).elements // layer.output.elements,
    }
    return initializer("tinsmith_mean_shape", "kShape", fields)


def emit_total(layer: Layer, scope: Scope) -> Emission:
    """Mean and Sum of int8 or int16: the rescaling of a Mean divides, too."""
    p = layer.operator_as(Total).parameters(layer.inputs, layer.output)
    name = rounded(f"tinsmith_mean_{SUFFIX[layer.output.dtype]}", p.rounding)
    arguments = ["&kShape", "&kParameters", scope.input(0), scope.output]
    return Emission((_shape(layer), mean_parameters(p), call(name, arguments)))


def emit_without_parameters(layer: Layer, scope: Scope) -> Emission:
    """Mean and Sum of what is not quantized; largest and smallest elements, products."""
    name = f"tinsmith_{layer.operator.mnemonic}_{_SUFFIX[layer.output.dtype]}"
    return Emission((_shape(layer), call(name, ["&kShape", scope.input(0), scope.output])))


def emit_arg(layer: Layer, scope: Scope) -> Emission:
    """Along any axis."""
    axis, shape = layer.operator_as(ArgExtremum).axis, layer.input(0).shape
    fields = {
        "blocks": math.prod(shape[:axis]),
        "count": shape[axis],
        "inner": math.prod(shape[axis + 1 :]),
    }
    name = f"tinsmith_{layer.operator.mnemonic}_{SUFFIX[layer.input(0).dtype]}"
    arguments = ["&kShape", scope.input(0), scope.output]
    return Emission((initializer("tinsmith_arg_shape", "kShape", fields), call(name, arguments)))


def walk(layer: Layer) -> Walk:
    """Element after element."""
    axes = layer.operator_as(Reduction).axes
    kept = [1 if axis in axes else size for axis, size in enumerate(layer.input(0).shape)]
    return reducing_walk(layer, kept)


KERNELS = (
    *(
        found
        for operator in (Mean, Sum)
        for dtype in (INT8, INT16)
        for found in rescaling_kernels(
            f"tinsmith_mean_{SUFFIX[dtype]}",
            operator,
            Signature((dtype,), dtype),
            emit_total,
            (rank_fits,),
            walk=walk,
        )
    ),
    *(
        kernel(
            f"tinsmith_{operator.mnemonic}_{_SUFFIX[dtype]}",
            operator,
            Signature((dtype,), dtype),
            emit_without_parameters,
            (rank_fits,),
            walk=walk,
        )
        for operator, dtypes in (
            (Mean, (FLOAT32,)),
            (Sum, (INT32, INT64, FLOAT32)),
            (ReduceMax, (INT8, INT16, INT32, INT64, FLOAT32, BOOL)),
            (ReduceMin, (INT8, INT16, INT32, INT64, FLOAT32, BOOL)),
            (ReduceProd, (INT32, INT64, FLOAT32)),
        )
        for dtype in dtypes
    ),
    *(
        kernel(
            f"tinsmith_{operator.mnemonic}_{SUFFIX[dtype]}",
            operator,
            Signature((dtype,), INT32),
            emit_arg,
        )
        for operator in (ArgMax, ArgMin)
        for dtype in (INT8, INT16, INT32, INT64, FLOAT32)
    ),
)
