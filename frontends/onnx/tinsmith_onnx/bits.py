"""Rules of operators on the bits of elements, and of questions about special floats."""

from collections.abc import Mapping

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_tensors import Tensor, bits
from tinsmith_tensors import elementwise as ew

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.elements import numpy_dtype
from tinsmith_onnx.rules import Rule


def shift(context: OperatorContext) -> Tensor:
    """BitShift: of unsigned integers."""
    direction = context.text("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise context.error(f"expected direction LEFT or RIGHT, got {direction!r}")
    apply = bits.shift_left if direction == "LEFT" else bits.shift_right
    return apply(context.c, context.tensor(0), context.tensor(1))


def bit_cast(context: OperatorContext) -> Tensor:
    """BitCast: the same bits as elements of another type of as many; computed ones of int8 and uint8 alone."""
    x, dtype = context.tensor(0), numpy_dtype(context.integer("to"))
    if x.array is not None:
        if x.dtype.itemsize != dtype.itemsize:
            raise context.error(f"expected a type as wide as {x.dtype}, got {dtype}")
        return context.c.known(np.ascontiguousarray(x.array).view(dtype).reshape(x.shape))
    if x.dtype == dtype:
        return x
    bytes_ = (DType.INT8.numpy, DType.UINT8.numpy)
    if x.dtype not in bytes_ or dtype not in bytes_:
        raise context.unsupported(
            f"expected known elements, or computed ones of int8 or uint8 as the other, got {x.dtype} as {dtype}"
        )
    return ew.cast(context.c, x, dtype)


def is_nan(context: OperatorContext) -> Tensor:
    """IsNaN: what differs from itself."""
    x = context.tensor(0)
    return ew.logical_not(context.c, ew.equal(context.c, x, x))


def is_inf(context: OperatorContext) -> Tensor:
    """IsInf: of one sign, or of both."""
    c, x = context.c, context.tensor(0)
    positive, negative = context.integer("detect_positive"), context.integer("detect_negative")
    if positive and negative:
        x = ew.absolute(c, x)
    limit = np.inf if positive else -np.inf if negative else np.nan  # nothing equals NaN
    return ew.equal(c, x, c.number(limit, x))


RULES: Mapping[str, Rule] = {
    "BitCast": Rule(bit_cast, "of known elements, or between int8 and uint8"),
    "BitShift": Rule(shift),
    "BitwiseAnd": Rule(lambda t: bits.bitwise_and(t.c, t.tensor(0), t.tensor(1))),
    "BitwiseNot": Rule(lambda t: bits.bitwise_not(t.c, t.tensor(0))),
    "BitwiseOr": Rule(lambda t: bits.bitwise_or(t.c, t.tensor(0), t.tensor(1))),
    "BitwiseXor": Rule(lambda t: bits.bitwise_xor(t.c, t.tensor(0), t.tensor(1))),
    "IsInf": Rule(is_inf),
    "IsNaN": Rule(is_nan),
}
