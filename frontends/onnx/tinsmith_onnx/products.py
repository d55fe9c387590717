"""Rules of products of matrices."""

from collections.abc import Mapping

from tinsmith_tensors import Tensor, products
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.einsum import einsum
from tinsmith_tensors.movement import transpose

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule


def matmul(context: OperatorContext) -> Tensor:
    """MatMul, as NumPy's."""
    lhs, rhs = context.tensor(0), context.tensor(1)
    if lhs.rank and rhs.rank and lhs.shape[-1] != rhs.shape[max(rhs.rank - 2, 0)]:
        raise context.error(
            f"expected matrices (M, K) and (K, N), got {list(lhs.shape)} and {list(rhs.shape)}"
        )
    context.broadcast_shape(lhs.shape[:-2], rhs.shape[:-2])
    return products.matmul(context.c, lhs, rhs)


def gemm(context: OperatorContext) -> Tensor:
    """Gemm: alpha * A @ B + beta * C, each matrix transposed or not."""
    return products.gemm(
        context.c,
        context.tensor(0),
        context.tensor(1),
        context.optional(2),
        alpha=context.real("alpha"),
        beta=context.real("beta"),
        transpose_lhs=bool(context.integer("transA")),
        transpose_rhs=bool(context.integer("transB")),
    )


def fused_matmul(context: OperatorContext) -> Tensor:
    """FusedMatMul of com.microsoft: matrices transposed or not, and a factor."""
    c, operands = context.c, [context.tensor(0), context.tensor(1)]
    for place, name in enumerate("AB"):
        if context.integer(f"transBatch{name}", 0):
            raise context.unsupported(f"expected transBatch{name}=0")
        x = operands[place]
        if context.integer(f"trans{name}", 0) and x.rank > 1:
            axes = (*range(x.rank - 2), x.rank - 1, x.rank - 2)
            operands[place] = transpose(c, x, axes)
    product = products.matmul(c, *operands)
    alpha = context.real("alpha", 1.0)
    return product if alpha == 1.0 else ew.mul(c, product, c.number(alpha, product))


RULES: Mapping[str, Rule] = {
    "Einsum": Rule(lambda t: einsum(t.c, t.text("equation"), t.present())),
    "Gemm": Rule(gemm),
    "MatMul": Rule(matmul),
    "com.microsoft.FusedMatMul": Rule(fused_matmul),
}
