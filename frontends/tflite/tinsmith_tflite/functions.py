"""Converters of functions of one element that have attributes."""

import math

from tinsmith_ir.operators import LeakyRelu

from tinsmith_tflite.context import Conversion, OperatorContext


def leaky_relu(context: OperatorContext) -> Conversion:
    """LEAKY_RELU."""
    alpha = context.options.float32(0)
    if not math.isfinite(alpha):
        raise context.error(f"expected a finite alpha, got {alpha}")
    return LeakyRelu(alpha=alpha), (context.value(0),)
