"""Rules of products of matrices."""

from collections.abc import Mapping

from tinsmith_tensors import Tensor, products

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule


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


RULES: Mapping[str, Rule] = {
    "Gemm": Rule(gemm),
    "MatMul": Rule(lambda t: products.matmul(t.c, t.tensor(0), t.tensor(1))),
}
