"""AveragePool2D, MaxPool2D and Mean."""

from tinsmith_c import call, initializer
from tinsmith_ir.operators import AveragePool2D, MaxPool2D, Mean, Pool
from tinsmith_ir.parameters import mean_parameters, pool_parameters
from tinsmith_lowering import (
    Emission,
    Layer,
    Scope,
    Signature,
    Walk,
    pool_walk,
    reducing_walk,
)

from tinsmith_reference.common import (
    FLOAT32,
    INT8,
    INT16,
    MAX_RANK,
    SUFFIX,
    clamp_f32,
    kernel,
    rescaling_kernels,
    rounded,
    scale,
)
from tinsmith_reference.walk import dense_strides, merged

_Steps = tuple[tuple[int, ...], tuple[int, ...]]


def emit_pool(layer: Layer, scope: Scope) -> Emission:
    """Average and maximum, any element type."""
    operator = layer.operator_as(Pool)
    batches, input_height, input_width, channels = layer.input(0).shape
    fields = {
        "batches": batches,
        "input_height": input_height,
        "input_width": input_width,
        "channels": channels,
        "output_height": layer.output.shape[1],
        "output_width": layer.output.shape[2],
        "window_height": operator.window[0],
        "window_width": operator.window[1],
        "stride_height": operator.stride[0],
        "stride_width": operator.stride[1],
        "padding_top": operator.padding[0],
        "padding_left": operator.padding[2],
    }
    shape = initializer("tinsmith_pool_shape", "kShape", fields)
    pool = call(_pool_name(layer), ["&kShape", "&kClamp", scope.input(0), scope.output])
    return Emission((shape, _clamp(layer), pool))


def _pool_name(layer: Layer) -> str:
    operator = layer.operator_as(Pool)
    is_up = isinstance(operator, AveragePool2D) and operator.halves_up
    return f"tinsmith_{operator.mnemonic}_{SUFFIX[layer.output.dtype]}{'_up' if is_up else ''}"


def _clamp(layer: Layer) -> str:
    operator = layer.operator_as(Pool)
    if layer.output.dtype is FLOAT32:
        return clamp_f32(operator.activation)
    p = pool_parameters(operator, layer.inputs, layer.output)
    return initializer("tinsmith_clamp", "kClamp", {"min": p.clamp_min, "max": p.clamp_max})


def _mean_walks(layer: Layer) -> tuple[_Steps, _Steps]:
    """(kept, reduced) walks over the input."""
    shape = layer.input(0).shape
    strides = dense_strides(shape)
    axes = layer.operator_as(Mean).axes
    walks: list[_Steps] = []
    for is_reduced in (False, True):
        chosen = [axis for axis in range(len(shape)) if (axis in axes) == is_reduced]
        sizes = tuple(shape[axis] for axis in chosen)
        merged_sizes, (steps,) = merged(sizes, [tuple(strides[axis] for axis in chosen)])
        walks.append((merged_sizes, steps))
    return walks[0], walks[1]


def mean_rank_fits(layer: Layer) -> str | None:
    """After merging, at most 6 dimensions are kept and at most 6 are reduced."""
    ranks = [len(sizes) for sizes, _ in _mean_walks(layer)]
    return None if max(ranks) <= MAX_RANK else f"it has {ranks[0]} and {ranks[1]}"


def _mean_shape(layer: Layer) -> str:
    (kept, kept_strides), (reduced, reduced_strides) = _mean_walks(layer)
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


def emit_mean_integer(layer: Layer, scope: Scope) -> Emission:
    """Mean of int8 or int16."""
    p = mean_parameters(layer.operator_as(Mean), layer.inputs, layer.output)
    parameters = initializer(
        "tinsmith_mean_parameters",
        "kParameters",
        {
            "input_zero_point": p.input_zero_point,
            "output_offset": p.output_offset,
            "scale": scale(p.multiplier, p.shift),
            "clamp_min": p.clamp_min,
            "clamp_max": p.clamp_max,
        },
    )
    name = rounded(f"tinsmith_mean_{SUFFIX[layer.output.dtype]}", p.rounding)
    arguments = ["&kShape", "&kParameters", scope.input(0), scope.output]
    return Emission((_mean_shape(layer), parameters, call(name, arguments)))


def emit_mean_float(layer: Layer, scope: Scope) -> Emission:
    """Mean of float32."""
    arguments = ["&kShape", scope.input(0), scope.output]
    return Emission((_mean_shape(layer), call("tinsmith_mean_f32", arguments)))


def mean_walk(layer: Layer) -> Walk:
    """Element after element."""
    axes = layer.operator_as(Mean).axes
    kept = [1 if axis in axes else size for axis, size in enumerate(layer.input(0).shape)]
    return reducing_walk(layer, kept)


KERNELS = (
    *(
        kernel(
            f"tinsmith_{operator.mnemonic}_{SUFFIX[dtype]}",
            operator,
            Signature((dtype,), dtype),
            emit_pool,
            walk=pool_walk,
        )
        for operator in (AveragePool2D, MaxPool2D)
        for dtype in (INT8, INT16, FLOAT32)
    ),
    *(
        found
        for dtype in (INT8, INT16)
        for found in rescaling_kernels(
            f"tinsmith_mean_{SUFFIX[dtype]}",
            Mean,
            Signature((dtype,), dtype),
            emit_mean_integer,
            (mean_rank_fits,),
            walk=mean_walk,
        )
    ),
    kernel(
        "tinsmith_mean_f32",
        Mean,
        Signature((FLOAT32,), FLOAT32),
        emit_mean_float,
        (mean_rank_fits,),
        walk=mean_walk,
    ),
)
