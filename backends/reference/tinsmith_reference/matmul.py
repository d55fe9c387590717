"""BatchMatmul."""

import math

from tinsmith_c import call, initializer
from tinsmith_ir.matmul_parameters import matmul_parameters
from tinsmith_ir.operators import BatchMatmul
from tinsmith_ir.strides import Strides, broadcast_strides, merged
from tinsmith_lowering import Emission, Layer, Scope, Signature

from tinsmith_reference.common import (
    FLOAT32,
    INT8,
    INT16,
    MAX_RANK,
    SUFFIX,
    kernel,
    rescaling_kernels,
    rounded,
    scale,
)


def _batches(layer: Layer) -> tuple[tuple[int, ...], tuple[Strides, ...]]:
    """A walk over the matrices of both operands, in elements."""
    shape = layer.output.shape[:-2]
    walks: list[Strides] = []
    for at in (0, 1):
        whole = layer.input(at).shape
        size = math.prod(whole[-2:])
        walks.append(tuple(step * size for step in broadcast_strides(whole[:-2], shape)))
    return merged(shape, walks)


def rank_fits(layer: Layer) -> str | None:
    """After merging, the batches have at most 6 dimensions."""
    rank = len(_batches(layer)[0])
    return None if rank <= MAX_RANK else f"they have {rank}"


def _shape(layer: Layer) -> str:
    operator = layer.operator_as(BatchMatmul)
    lhs, rhs = layer.input(0).shape, layer.input(1).shape
    batches, (lhs_strides, rhs_strides) = _batches(layer)
    rows, depth = operator.matrix(lhs, 0)
    fields = {
        "batch_rank": len(batches),
        "batch_shape": batches,
        "lhs_strides": lhs_strides,
        "rhs_strides": rhs_strides,
        "rows": rows,
        "depth": depth,
        "columns": layer.output.shape[-1],
        "lhs_row_step": 1 if operator.transpose_lhs else lhs[-1],
        "lhs_depth_step": lhs[-1] if operator.transpose_lhs else 1,
        "rhs_depth_step": 1 if operator.transpose_rhs else rhs[-1],
        "rhs_column_step": rhs[-1] if operator.transpose_rhs else 1,
    }
    return initializer("tinsmith_matmul_shape", "kShape", fields)


def emit_integer(layer: Layer, scope: Scope) -> Emission:
    """int8 and int16."""
    operator = layer.operator_as(BatchMatmul)
    p = matmul_parameters(operator, layer.inputs, layer.output)
    fields = {
        "lhs_offset": p.lhs_offset,
        "rhs_offset": p.rhs_offset,
        "output_offset": p.output_offset,
        "scale": scale(p.multiplier, p.shift),
    }
    arguments = ["&kShape", "&kParameters", scope.input(0), scope.input(1), scope.output]
    name = f"tinsmith_batch_matmul_{SUFFIX[layer.output.dtype]}"
    return Emission(
        (
            _shape(layer),
            initializer("tinsmith_matmul_parameters", "kParameters", fields),
            call(rounded(name, operator.rounding), arguments),
        )
    )


def emit_float(layer: Layer, scope: Scope) -> Emission:
    """float32."""
    arguments = ["&kShape", scope.input(0), scope.input(1), scope.output]
    return Emission((_shape(layer), call("tinsmith_batch_matmul_f32", arguments)))


KERNELS = (
    *(
        found
        for dtype in (INT8, INT16)
        for found in rescaling_kernels(
            f"tinsmith_batch_matmul_{SUFFIX[dtype]}",
            BatchMatmul,
            Signature((dtype, dtype), dtype),
            emit_integer,
            (rank_fits,),
        )
    ),
    kernel(
        "tinsmith_batch_matmul_f32",
        BatchMatmul,
        Signature((FLOAT32, FLOAT32), FLOAT32),
        emit_float,
        (rank_fits,),
    ),
)
