"""Gather and Broadcast: elements that are taken more than once, whatever their type."""

import math

from tinsmith_c import call, initializer
from tinsmith_ir.operators import Broadcast, Gather
from tinsmith_ir.strides import broadcast_strides
from tinsmith_lowering import Emission, Layer, Scope, Signature

from tinsmith_reference.common import INT32, MAX_RANK, MOVED, kernel
from tinsmith_reference.layout import Rows, call_slice, rows_of


def emit_gather(layer: Layer, scope: Scope) -> Emission:
    """Along any axis, by indices of any shape."""
    axis = layer.operator_as(Gather).axis
    shape = layer.input(0).shape
    fields = {
        "blocks": math.prod(shape[:axis]),
        "rows": shape[axis],
        "row_bytes": math.prod(shape[axis + 1 :]) * layer.output.dtype.size_bytes,
        "indices": layer.input(1).elements,
    }
    arguments = ["&kShape", scope.input(0), scope.input(1), scope.output]
    return Emission(
        (initializer("tinsmith_gather_shape", "kShape", fields), call("tinsmith_gather", arguments))
    )


def _broadcast_rows(layer: Layer) -> Rows:
    shape = layer.output.shape
    return rows_of(shape, broadcast_strides(layer.input(0).shape, shape))


def broadcast_rank_fits(layer: Layer) -> str | None:
    """After merging, the rows of the result have at most 6 dimensions."""
    rank = len(_broadcast_rows(layer).shape)
    return None if rank <= MAX_RANK else f"it has {rank}"


def emit_broadcast(layer: Layer, scope: Scope) -> Emission:
    """A slice that does not move along the axes that are repeated."""
    return call_slice(layer, scope, _broadcast_rows(layer), first=0)


KERNELS = (
    *(
        kernel("tinsmith_gather", Gather, Signature((dtype, INT32), dtype), emit_gather)
        for dtype in MOVED
    ),
    *(
        kernel(
            "tinsmith_slice",
            Broadcast,
            Signature((dtype,), dtype),
            emit_broadcast,
            (broadcast_rank_fits,),
        )
        for dtype in MOVED
    ),
)
