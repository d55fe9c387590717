"""Converters of operators that normalize rows of the last axis."""

from collections.abc import Mapping

from tinsmith_ir.operators import Activation, L2Normalization, LogSoftmax

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import SMALL, Rule, plain


def l2_normalization(context: OperatorContext) -> Conversion:
    """L2_NORMALIZATION. A fused activation is in the schema, and not in TFLite's kernels."""
    if context.activation() is not Activation.NONE:
        raise context.unsupported("expected no fused activation, which TFLite does not apply")
    return L2Normalization(), (context.value(0),)


RULES: Mapping[str, Rule] = {
    "L2_NORMALIZATION": Rule(
        2, (1, 1), "L2NormOptions", (L2Normalization,), l2_normalization, SMALL
    ),
    "LOG_SOFTMAX": plain(2, "LogSoftmaxOptions", LogSoftmax, SMALL),
}
