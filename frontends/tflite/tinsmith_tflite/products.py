"""Converter of BATCH_MATMUL."""

from collections.abc import Mapping

from tinsmith_ir.operators import BatchMatmul

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import Rule


def batch_matmul(context: OperatorContext) -> Conversion:
    """BATCH_MATMUL of two tensors of one type, constant or computed."""
    operator = BatchMatmul(
        transpose_lhs=context.options.boolean("AdjX"), transpose_rhs=context.options.boolean("AdjY")
    )
    return operator, (context.value(0), context.value(1))


RULES: Mapping[str, Rule] = {
    "BATCH_MATMUL": Rule(4, (2, 2), "BatchMatMulOptions", (BatchMatmul,), batch_matmul),
}
