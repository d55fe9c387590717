"""Rules of operators on the bits of elements, and of questions about special floats."""

from collections.abc import Mapping

import numpy as np
from onnx import TensorProto
from tinsmith_ir.dtypes import DType
from tinsmith_tensors import Tensor, bits
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.composer import LARGEST_FLOAT

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.elements import numpy_dtype
from tinsmith_onnx.rules import Rule


def shift(context: OperatorContext) -> Tensor:
    """BitShift: of unsigned integers."""
    direction = context.text("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise context.error(f"expected direction LEFT or RIGHT, got {direction!r}")
    c, (x, distance) = context.c, context.broadcasting(0, 1)
    if direction == "RIGHT":
        return bits.shift_right(c, x, distance)
    return _within(context, bits.shift_left(c, x, distance))


_UNSIGNED: Mapping[int, int] = {
    TensorProto.UINT16: (1 << 16) - 1,
    TensorProto.UINT32: (1 << 32) - 1,
}
"""All bits of what a graph has in a wider type."""


def _within(context: OperatorContext, result: Tensor) -> Tensor:
    """Without bits that the type of the first operand does not have in the file."""
    mask = _UNSIGNED.get(context.element_type(0))
    if mask is None or result.is_known:
        return result
    return bits.bitwise_and(context.c, result, context.c.number(mask, result))


def bitwise_not(context: OperatorContext) -> Tensor:
    """BitwiseNot."""
    return _within(context, bits.bitwise_not(context.c, context.tensor(0)))


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
    """IsInf: of one sign, or of both. A graph adds and multiplies up to the largest finite float: that counts, too."""
    c, x = context.c, context.tensor(0)
    positive, negative = context.integer("detect_positive"), context.integer("detect_negative")
    if positive and negative:
        x = ew.absolute(c, x)
    elif negative:
        x = ew.sub(c, c.number(0.0, x), x)
    limit = LARGEST_FLOAT if positive or negative else np.nan  # nothing is beyond NaN
    return ew.less_equal(c, c.number(limit, x), x)


RULES: Mapping[str, Rule] = {
    "BitCast": Rule(bit_cast, "of known elements, or between int8 and uint8"),
    "BitShift": Rule(shift),
    "BitwiseAnd": Rule(lambda t: bits.bitwise_and(t.c, *t.broadcasting(0, 1))),
    "BitwiseNot": Rule(bitwise_not),
    "BitwiseOr": Rule(lambda t: bits.bitwise_or(t.c, *t.broadcasting(0, 1))),
    "BitwiseXor": Rule(lambda t: bits.bitwise_xor(t.c, *t.broadcasting(0, 1))),
    "IsInf": Rule(is_inf),
    "IsNaN": Rule(is_nan),
}
