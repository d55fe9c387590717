"""Converters of operators that raise to a power: to some constant ones by products, roots and a division."""

import math
from collections.abc import Mapping

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Add,
    AveragePool2D,
    Div,
    Mul,
    Pad,
    Pow,
    Reshape,
    Rsqrt,
    Sqrt,
    Square,
)

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import FLOATS, PLAIN, Rule

_LARGEST_POWER = 16
_LARGEST_RADIUS = 1 << 10


def power(context: OperatorContext) -> Conversion:
    """POW: of float32, of constant exponents one multiple of 1/4 by products; of int32 by one of at least 1."""
    base = context.value(0)
    is_whole = base.type.dtype is DType.INT32
    if not is_whole and not _is_one_number(context, 1):
        return Pow(), (base, context.value(1))
    if not context.is_constant(1):
        raise context.unsupported("expected a constant power of int32, got a computed one")
    exponent = float(context.scalar(1))
    if is_whole and (not 1 <= exponent <= _LARGEST_POWER):
        raise context.unsupported(
            f"expected a power of 1 to {_LARGEST_POWER} of int32, got {exponent:g}"
        )
    if not _has_products(exponent):
        return Pow(), (base, context.value(1))
    shape = np.broadcast_shapes(base.type.shape, context.shape(1))
    return Reshape(shape=shape), (_raised(context, base, exponent),)


def _has_products(exponent: float) -> bool:
    """Whether powers by it are products, roots and a division one after the other, which are cheaper."""
    quarters = abs(exponent) * 4
    return 0 < quarters <= 4 * _LARGEST_POWER and quarters == round(quarters)


def _is_one_number(context: OperatorContext, position: int) -> bool:
    return context.is_constant(position) and math.prod(context.shape(position)) == 1


def local_response_normalization(context: OperatorContext) -> Conversion:
    """LOCAL_RESPONSE_NORMALIZATION: each number by a power of the sum of squares around it, of its pixel's channels.

    The sums are means of windows that slide along the channels, times the numbers in them.
    """
    source = context.ranked_value(0, 4)
    radius = context.options.integer("Radius")
    if not 0 <= radius <= _LARGEST_RADIUS:
        raise context.error(f"expected a radius of 0 to {_LARGEST_RADIUS}, got {radius}")
    names = ("Bias", "Alpha", "Beta")
    bias, alpha, beta = (context.options.real(name) for name in names)
    if not all(map(math.isfinite, (bias, alpha, beta))):
        raise context.error(f"expected finite {', '.join(names)}, got {bias}, {alpha} and {beta}")
    shape, count = source.type.shape, 2 * radius + 1
    pixels, channels = math.prod(shape[:3]), shape[3]
    squares = context.step(Square(), [source])
    rows = context.step(Reshape(shape=(1, pixels, channels, 1)), [squares])
    if radius:
        rows = context.step(Pad(padding=(0, 0, 0, 0, radius, radius, 0, 0)), [rows])
    means = context.step(AveragePool2D(window=(1, count)), [rows])
    factor = context.constant("alpha", np.array(alpha * count, np.float32))
    sums = context.step(Mul(), [means, factor])
    biased = context.step(Add(), [sums, context.constant("bias", np.array(bias, np.float32))])
    scales = context.step(Reshape(shape=shape), [_raised(context, biased, -beta)])
    return Mul(), (source, scales)


def _raised(context: OperatorContext, base: Value, exponent: float) -> Value:
    """base ** exponent of float32, or of int32 an integer."""
    if not _has_products(exponent):
        constant = context.constant("exponent", np.array(exponent, np.float32))
        return context.step(Pow(), [base, constant])
    quarters = abs(exponent) * 4
    if exponent == -0.5:
        return context.step(Rsqrt(), [base])
    factors = _squares(context, base, int(quarters) // 4)
    root = base
    for bit in (2, 1):
        if int(quarters) % 4 % (2 * bit):
            root = context.step(Sqrt(), [root])
            if int(quarters) % 4 & bit:
                factors.append(root)
    product = factors[0]
    for factor in factors[1:]:
        product = context.step(Mul(), [product, factor])
    if exponent > 0:
        return product
    one = context.constant("one", np.array(1, np.float32))
    return context.step(Div(), [one, product])


def _squares(context: OperatorContext, base: Value, count: int) -> list[Value]:
    """What, multiplied, is base to the power of `count`: squares of squares."""
    factors: list[Value] = []
    while count:
        if count % 2:
            factors.append(base)
        count //= 2
        if count:
            base = context.step(Mul(), [base, base])
    return factors


RULES: Mapping[str, Rule] = {
    "LOCAL_RESPONSE_NORMALIZATION": Rule(
        1,
        (1, 1),
        "LocalResponseNormalizationOptions",
        (Mul,),
        local_response_normalization,
        FLOATS,
    ),
    "POW": Rule(1, (2, 2), "PowOptions", (Pow, Reshape), power, PLAIN),
}
