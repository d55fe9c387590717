"""Real numbers as integers and back, as ONNX and PyTorch quantize: halves to the even integer, zero point added behind.

What is quantized with one known scale is an operator of the graph between float32 and integers of 8 or 16 bits; what
lies between such is float32, until a pass makes operators of integers of it. Known integers of up to 8 bits keep
what they are beside what they stand for (`Integers`). All other ways to quantize, by scales that are computed, per
channel or block by block, are put together of operators on float32 and are right, too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError, UnsupportedError
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import Cast, Dequantize, Quantize, Requantize, Round
from tinsmith_ir.types import Quantization
from tinsmith_ir.verify import verify_graph

from tinsmith_tensors.composer import Composer, Integers, Tensor
from tinsmith_tensors.elementwise import add, cast, div, equal, maximum, minimum, mul, sub, where
from tinsmith_tensors.movement import part, repeat, reshape
from tinsmith_tensors.reductions import largest, smallest

_REAL = np.dtype("<f4")
_OPERATOR_DTYPES: Mapping[np.dtype[np.generic], DType] = {
    np.dtype("i1"): DType.INT8,
    np.dtype("u1"): DType.UINT8,
    np.dtype("<i2"): DType.INT16,
}
_MOST_16 = (1 << 16) - 1
_INT8_RANGE = (-128, 127)
_RECENTRING = 128
"""How much lower integers of int8 are than those of uint8 that stand for the same numbers."""


@dataclass(frozen=True)
class IntegerKind:
    """Integers that real numbers become: within [low, high], as elements of `dtype`."""

    dtype: np.dtype[np.generic]
    low: int
    high: int


def integer_kind(dtype: np.dtype[np.generic], bits: int = 0) -> IntegerKind:
    """All that `dtype` holds; of fewer bits if they are given."""
    count = bits or 8 * dtype.itemsize
    is_unsigned = dtype.kind == "u"
    low = 0 if is_unsigned else -(1 << (count - 1))
    return IntegerKind(dtype, low, low + (1 << count) - 1)


def quantize_linear(
    c: Composer,
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | None,
    kind: IntegerKind,
    *,
    axis: int = 0,
    block: int = 0,
    by_inverse: bool = False,
) -> Tensor:
    """round(x / scale) + zero_point, within the range of `kind`.

    scale, zero_point: scalars; of one axis, an element for each index along `axis`; or of x's rank, an element for
    each `block` indices along `axis`. by_inverse: whether scales that are no attribute of an operator are inverted, and
    x a factor of that, as PyTorch computes: where the largest element is in the middle of two integers it counts.
    """
    only = _only_quantization(scale, zero_point)
    dtype = _OPERATOR_DTYPES.get(kind.dtype)
    if dtype is not None and only is not None and not x.is_known:
        try:
            bounded = _bounded(c, as_real(c, x), kind, integer_kind(kind.dtype), only)
            return _quantized(c, bounded, dtype, only)
        except GraphError:
            pass  # a zero point that the operator does not take
    if only is not None and not x.is_known and kind.high - kind.low == _MOST_16:
        c.remark(
            "integers of 16 bits that are unsigned, or have a zero point other than 0, are computed as float32: "
            "operators take int16 with zero point 0, as symmetric quantizers give it"
        )
    factor = _spread(c, as_real(c, scale), x, axis, block)
    real = as_real(c, x)
    share = (
        mul(c, real, div(c, c.number(1.0, factor), factor)) if by_inverse else div(c, real, factor)
    )
    steps = _rounded(c, share)
    if zero_point is not None:
        steps = add(c, steps, as_real(c, _spread(c, zero_point, x, axis, block)))
    return _stored(c, steps, kind)


def dequantize_linear(
    c: Composer,
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | None,
    *,
    axis: int = 0,
    block: int = 0,
) -> Tensor:
    """(x - zero_point) * scale, of float32. scale, zero_point: as in `quantize_linear`."""
    only = _only_quantization(scale, zero_point)
    if only is not None and not x.is_known and x.dtype in _OPERATOR_DTYPES:
        try:
            return _dequantized(c, c.reinterpreted(x, only))
        except GraphError:
            pass  # a zero point that the operator does not take
    factor = _spread(c, as_real(c, scale), x, axis, block)
    offset = None if zero_point is None else _spread(c, zero_point, x, axis, block)
    real = mul(c, as_real(c, x if offset is None else _centred(c, x, offset)), factor)
    integers = _integers(x, factor, offset)
    return real if integers is None else Tensor(real.array, hint=x.hint, integers=integers)


def dynamic_quantization(c: Composer, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """x as uint8, scaled such that all of x and 0 just fit; its scale, of zeros alone 1; and its zero point."""
    zero, most = c.number(0.0, x), c.number(255.0, x)
    top = maximum(c, largest(c, x, None, keep_dims=False), zero)
    bottom = minimum(c, smallest(c, x, None, keep_dims=False), zero)
    share = div(c, sub(c, top, bottom), most)
    scale = where(c, equal(c, share, zero), c.number(1.0, x), share)
    offset = _rounded(c, div(c, sub(c, zero, bottom), scale))
    kind = integer_kind(np.dtype("u1"))
    zero_point = _stored(c, offset, kind)
    return quantize_linear(c, x, scale, zero_point, kind), scale, zero_point


def of_real(c: Composer, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """A function that only chooses among elements, of integers for which the graph has it as one of real numbers.

    Integers that stand for themselves are exact in float32.
    """
    if x.is_float:
        return function(x)
    quantization = x.quantization
    if quantization is None or quantization.axis is not None:
        return cast(c, function(cast(c, x, _REAL)), x.dtype)
    real = function(_dequantized(c, x))
    return _quantized(c, real, _OPERATOR_DTYPES[x.dtype], quantization)


def as_real(c: Composer, x: Tensor) -> Tensor:
    """Elements as float32."""
    if x.array is not None and x.dtype != _REAL:
        c.check_known_size(x.shape, _REAL.itemsize)
        return c.known(x.array.astype(_REAL), x.hint)
    return cast(c, x, _REAL)


def with_quantized_inputs(graph: Graph) -> Graph:
    """The graph whose inputs of plain integers say what they stand for, where all that reads one agrees about it."""
    renamed: dict[str, Value] = {}
    inputs: list[Value] = []
    for value in graph.inputs:
        readers = graph.readers(value)
        types = {
            node.outputs[0].type for node in readers if node.operator == Cast(value.type.dtype)
        }
        is_cast = all(node.operator == Cast(value.type.dtype) for node in readers)
        if value.type.quantization is not None or len(types) != 1 or not is_cast:
            inputs.append(value)
            continue
        (type_,) = types
        inputs.append(Value(value.name, type_))
        renamed |= {
            node.name: inputs[-1] for node in readers if not graph.is_output(node.outputs[0])
        }
    if not renamed:
        return graph
    nodes = [
        node.with_inputs([value and renamed.get(value.name, value) for value in node.inputs])
        for node in graph.nodes
        if node.name not in renamed
    ]
    nodes = [_read_again(node, inputs) for node in nodes]
    result = replace(graph, inputs=tuple(inputs), nodes=tuple(nodes))
    verify_graph(result)
    return result


def _read_again(node: Node, inputs: list[Value]) -> Node:
    """The node, reading inputs as they are now: a cast that stays since the graph returns its result."""
    named = {value.name: value for value in inputs}
    return node.with_inputs([value and named.get(value.name, value) for value in node.inputs])


def _bounded(
    c: Composer, x: Tensor, kind: IntegerKind, whole: IntegerKind, quantization: Quantization
) -> Tensor:
    """x within what the integers of `kind` stand for, where they are fewer than all that the element type has."""
    for bound, widest, limit in (
        (kind.low, whole.low, maximum),
        (kind.high, whole.high, minimum),
    ):
        if bound != widest:
            steps = np.float32(bound - quantization.zero_point)
            real = steps * np.float32(quantization.scale)
            x = limit(c, x, c.number(float(real), x))
    return x


def _quantized(c: Composer, x: Tensor, dtype: DType, quantization: Quantization) -> Tensor:
    """uint8 is int8 first, with all integers lower: so operators of integers are of int8 alone."""
    if dtype is not DType.UINT8:
        return c.emit(Quantize(dtype, halves_to_even=True), x, quantization=quantization)
    lower = _moved(quantization, -_RECENTRING)
    integers = c.emit(Quantize(DType.INT8, halves_to_even=True), x, quantization=lower)
    return c.emit(Requantize(DType.UINT8), integers, quantization=quantization)


def _dequantized(c: Composer, x: Tensor) -> Tensor:
    """uint8 is int8 first."""
    quantization = x.quantization
    if x.dtype == np.uint8 and quantization is not None:
        lower = _moved(quantization, -_RECENTRING)
        x = c.emit(Requantize(DType.INT8), x, quantization=lower)
    return c.emit(Dequantize(), x)


def _moved(quantization: Quantization, distance: int) -> Quantization:
    zero_points = tuple(zero_point + distance for zero_point in quantization.zero_points)
    return Quantization(quantization.scales, zero_points, quantization.axis)


def _only_quantization(scale: Tensor, zero_point: Tensor | None) -> Quantization | None:
    """What one known scale and zero point say; None if there are several, or they are computed."""
    if scale.array is None or scale.array.size != 1:
        return None
    if zero_point is not None and (zero_point.array is None or zero_point.array.size != 1):
        return None
    offset = 0 if zero_point is None or zero_point.array is None else int(zero_point.array.flat[0])
    try:
        return Quantization.per_tensor(float(np.float32(scale.array.flat[0])), offset)
    except GraphError:
        return None


def _spread(c: Composer, numbers: Tensor, x: Tensor, axis: int, block: int) -> Tensor:
    """Scales or zero points such that they broadcast to x."""
    if numbers.elements == 1:
        return reshape(c, numbers, ())
    if block:
        size = x.shape[axis]
        spread = repeat(c, numbers, block, axis)
        if spread.shape[axis] < size:
            raise UnsupportedError(
                f"expected blocks of {block} for {size} elements, got {numbers.shape[axis]} of them"
            )
        return part(c, spread, axis, 0, size)
    if numbers.rank == 1:
        if numbers.elements != x.shape[axis]:
            raise UnsupportedError(
                f"expected {x.shape[axis]} scales and zero points, got {numbers.elements}"
            )
        return reshape(
            c, numbers, [numbers.elements if each == axis else 1 for each in range(x.rank)]
        )
    return numbers


def _rounded(c: Composer, x: Tensor) -> Tensor:
    return c.known(np.asarray(np.rint(x.array))) if x.array is not None else c.emit(Round(), x)


def _centred(c: Composer, x: Tensor, offset: Tensor) -> Tensor:
    """x - offset, exactly: floats hold differences of narrow integers."""
    are_integers = x.dtype.kind in "iu" and offset.dtype.kind in "iu"
    if x.array is not None and offset.array is not None and are_integers:
        c.check_broadcast_size(x.array, offset.array)
        return c.known(np.asarray(x.array.astype(np.int64) - offset.array.astype(np.int64)))
    if x.dtype.itemsize <= 2 or offset.is_float:
        return sub(c, as_real(c, x), as_real(c, offset))
    return sub(c, x, cast(c, offset, x.dtype))


def _stored(c: Composer, steps: Tensor, kind: IntegerKind) -> Tensor:
    if steps.array is not None:
        bounded = np.clip(np.nan_to_num(steps.array.astype(np.float64)), kind.low, kind.high)
        return c.known(np.asarray(bounded).astype(kind.dtype))
    low, high = c.number(kind.low, steps), c.number(kind.high, steps)
    bounded = minimum(c, maximum(c, steps, low), high)
    return cast(c, bounded, _COMPUTED.get(kind.dtype, kind.dtype))


_COMPUTED: Mapping[np.dtype[np.generic], np.dtype[np.generic]] = {np.dtype("<u2"): np.dtype("<i4")}
"""What elements are computed as that the graph does not have."""


def _integers(x: Tensor, factor: Tensor, offset: Tensor | None) -> Integers | None:
    """What known integers of up to 8 bits are for operators of integers: of int8, around 0 where that is possible.
    Those of int16 are themselves, if they are around 0 and have one scale.
    """
    array, scales = x.array, factor.array
    if array is None or scales is None or not array.size:
        return None
    is_wide = array.dtype == np.int16
    if not (is_wide or _is_narrow(array.dtype)):
        return None
    if offset is not None and (offset.array is None or offset.is_float):
        return None
    real = np.asarray(scales, np.float32)
    if not bool((np.isfinite(real) & (real > 0)).all()):
        return None
    zero_points = np.zeros((), np.int64)
    if offset is not None and offset.array is not None:
        zero_points = offset.array.astype(np.int64)
    if is_wide and (zero_points.any() or real.size != 1):
        return None
    spread = real.reshape((1,) * (array.ndim - real.ndim) + real.shape)
    if is_wide:
        return Integers(array, spread, 0)
    wide = array.astype(np.int64)
    centred = np.asarray(wide - zero_points)  # without axes the difference is a number
    low, high = _INT8_RANGE
    if low <= int(centred.min()) and int(centred.max()) <= high:
        return Integers(centred.astype(np.int8), spread, 0)
    if zero_points.size != 1:
        return None
    distance = _RECENTRING if array.dtype.kind == "u" else 0
    zero_point = int(zero_points.flat[0]) - distance
    lowered = np.asarray(wide - distance).astype(np.int8)
    return Integers(lowered, spread, zero_point)


def _is_narrow(dtype: np.dtype[np.generic]) -> bool:
    """Whether it has integers of up to 8 bits: NumPy's, or those of 2 and 4 that other packages add."""
    return dtype in (np.dtype("i1"), np.dtype("u1")) or dtype.name in _ADDED


_ADDED = frozenset({"int2", "int4", "uint2", "uint4"})
