"""AveragePool2D and MaxPool2D, by the public API; averages with halves to even by a kernel of their own."""

from tinsmith_c import expression, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import AveragePool2D, MaxPool2D, Pool
from tinsmith_ir.parameters import pool_parameters
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature, no_scratch, pool_walk
from tinsmith_target import Target

from tinsmith_cmsis_nn import cost, sizes
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    PUBLIC_HEADER,
    SUFFIX,
    activation,
    context,
    dims,
    engine,
    nhwc,
    tile,
)
from tinsmith_cmsis_nn.geometry import Dims
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.nearest import NEAREST_HEADER

_S8 = Signature((DType.INT8,), DType.INT8)


def emit_pool(layer: Layer, scope: Scope) -> Emission:
    """One call of arm_avgpool or arm_max_pool, of int8 or int16."""
    pool = layer.operator_as(Pool)
    p = pool_parameters(pool, layer.inputs, layer.output)
    fields = {
        "stride": tile(*pool.stride),
        "padding": tile(pool.padding[0], pool.padding[2]),
        "activation": activation(p.clamp_min, p.clamp_max),
    }
    arguments = [
        "&context",
        "&kParameters",
        dims(scope, nhwc(layer.input(0))),
        scope.input(0),
        dims(scope, _window_dims(pool, layer)),
        dims(scope, nhwc(layer.output)),
        scope.output,
    ]
    stem = "arm_max_pool" if isinstance(pool, MaxPool2D) else "arm_avgpool"
    name = f"{stem}_{SUFFIX[layer.output.dtype]}"
    parameters = initializer("cmsis_nn_pool_params", "kParameters", fields)
    return Emission((parameters, context(scope)), expression(name, arguments))


def _window_dims(pool: Pool, layer: Layer) -> Dims:
    """Height and width of the window; the API reads no more of its record (`arm_nnfunctions.h`, filter_dims).

    So a window over the whole map takes the record of the map: 16 bytes of flash less.
    """
    whole = nhwc(layer.input(0))
    return whole if whole[1:3] == pool.window else (1, *pool.window, 1)


def emit_even(layer: Layer, scope: Scope) -> Emission:
    """One call of tinsmith_average_pool_even_s8."""
    pool = layer.operator_as(Pool)
    p = pool_parameters(pool, layer.inputs, layer.output)
    quantization = layer.output.quantization
    assert quantization is not None
    fields = {
        "stride": tile(*pool.stride),
        "padding": tile(pool.padding[0], pool.padding[2]),
        "activation": f"{{{p.clamp_min}, {p.clamp_max}, {quantization.zero_point}}}",
    }
    arguments = [
        "&kParameters",
        dims(scope, nhwc(layer.input(0))),
        scope.input(0),
        dims(scope, _window_dims(pool, layer)),
        dims(scope, nhwc(layer.output)),
        scope.output,
    ]
    parameters = initializer("tinsmith_average_pool_params", "kParameters", fields)
    return Emission((parameters,), expression("tinsmith_average_pool_even_s8", arguments))


def rounds_halves_away(layer: Layer) -> str | None:
    """Halves are rounded away from zero."""
    pool = layer.operator_as(AveragePool2D)
    if pool.halves_to_even:
        return "they are rounded to even"
    return "they are rounded up" if pool.halves_up else None


def rounds_halves_to_even(layer: Layer) -> str | None:
    """Halves are rounded to even."""
    is_even = layer.operator_as(AveragePool2D).halves_to_even
    return None if is_even else "they are rounded away from zero, or up"


def even_kernels(target: Target) -> tuple[Kernel, ...]:
    """Average pools whose halves go to the even integer."""
    return (
        Kernel(
            name="tinsmith_average_pool_even_s8",
            backend=BACKEND,
            operator=AveragePool2D,
            signature=_S8,
            headers=(NEAREST_HEADER,),
            emit=emit_even,
            rules=(rounds_halves_to_even,),
            walk=pool_walk,
            engine=engine(target),
            checks=PACKED_CHECKS,
            guards=guards(target),
        ),
    )


def kernels(target: Target, *, either_library: bool) -> tuple[Kernel, ...]:
    """Both pools. either_library: with scratch for Arm's library too."""
    average = sizes.average_pool_either if either_library else no_scratch
    return (
        Kernel(
            name="arm_avgpool_s8",
            backend=BACKEND,
            operator=AveragePool2D,
            signature=_S8,
            headers=(PUBLIC_HEADER,),
            emit=emit_pool,
            rules=(rounds_halves_away,),
            scratch_bytes=average,
            walk=pool_walk,
            cost=cost.average_pool,
            engine=engine(target),
            guards=guards(target) if either_library else (),
        ),
        Kernel(
            name="arm_max_pool_s8",
            backend=BACKEND,
            operator=MaxPool2D,
            signature=_S8,
            headers=(PUBLIC_HEADER,),
            emit=emit_pool,
            walk=pool_walk,
            cost=cost.max_pool,
            engine=engine(target),
        ),
    )
