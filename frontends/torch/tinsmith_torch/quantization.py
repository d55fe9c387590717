"""Rules of quantized numbers, as PyTorch's export of quantized modules (PT2E) and torchao write them."""

from collections.abc import Mapping, Sequence

import numpy as np
from tinsmith_tensors import Tensor
from tinsmith_tensors import quantization as q
from tinsmith_tensors.elementwise import cast
from tinsmith_tensors.movement import reshape

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule


def quantize(t: OperatorContext) -> Tensor:
    """By one scale, or one for each index of an axis."""
    axis = t.integer("axis") if t.has("axis") else 0
    return _quantized(t, _scale(t), _zero_point(t), axis)


def dequantize(t: OperatorContext) -> Tensor:
    """The real numbers again."""
    axis = t.integer("axis") if t.has("axis") else 0
    return q.dequantize_linear(t.c, t.tensor("input"), _scale(t), _zero_point(t), axis=axis)


def quantize_blocks(t: OperatorContext) -> Tensor:
    """By a scale for each block of elements; blocks are of one axis, or of all."""
    x = t.tensor("input")
    _check_zero_point(t)
    axis, block = _block(t, x)
    scale, zero_point = (_blocked(t, each, block) for each in (_scale(t), _zero_point(t)))
    assert scale is not None
    return _quantized(t, scale, zero_point, axis, block)


def dequantize_blocks(t: OperatorContext) -> Tensor:
    """The real numbers again."""
    x = t.tensor("input")
    _check_zero_point(t)
    axis, block = _block(t, x)
    scale, zero_point = (_blocked(t, each, block) for each in (_scale(t), _zero_point(t)))
    assert scale is not None
    return q.dequantize_linear(t.c, x, scale, zero_point, axis=axis, block=block)


def quantize_tokens(t: OperatorContext) -> Tensor:
    """By a scale for each row."""
    return _quantized(t, _scale(t), _zero_point(t))


def dequantize_tokens(t: OperatorContext) -> Tensor:
    """The real numbers again."""
    return q.dequantize_linear(t.c, t.tensor("input"), _scale(t), _zero_point(t))


def quantize_groups(t: OperatorContext) -> Tensor:
    """Of a matrix, by a scale for each so many elements of a row."""
    size = _group(t)
    scale, zero_point = (_grouped(t, each, size) for each in (_scale(t), _zero_point(t)))
    assert scale is not None
    return _quantized(t, scale, zero_point, 1, size)


def dequantize_groups(t: OperatorContext) -> Tensor:
    """The real numbers again."""
    x, size = t.tensor("input"), _group(t)
    scale, zero_point = (_grouped(t, each, size) for each in (_scale(t), _zero_point(t)))
    assert scale is not None
    return q.dequantize_linear(t.c, x, scale, zero_point, axis=1, block=size)


def as_type(t: OperatorContext) -> Tensor:
    """convert_element_type."""
    (x,) = t.as_result("input")
    return x


def _quantized(
    t: OperatorContext, scale: Tensor, zero_point: Tensor | None, axis: int = 0, block: int = 0
) -> Tensor:
    x, kind = t.tensor("input"), _kind(t)
    return q.quantize_linear(
        t.c, x, scale, zero_point, kind, axis=axis, block=block, by_inverse=True
    )


def _group(t: OperatorContext) -> int:
    """Elements of a row that have one scale."""
    x = t.tensor("input")
    if x.rank != 2:
        raise t.error(f"expected a matrix, got shape {list(x.shape)}")
    return min(t.integer("group_size"), x.shape[1])


def _grouped(t: OperatorContext, x: Tensor | None, size: int) -> Tensor | None:
    if x is None or x.elements == 1:
        return x
    rows, columns = t.tensor("input").shape
    return reshape(t.c, x, (rows, columns // size))


def _check_zero_point(t: OperatorContext) -> None:
    """Raise UnsupportedError for zero points that are real numbers."""
    domain = t.text("zero_point_domain") if t.has("zero_point_domain") else "INT"
    if domain == "FLOAT":
        raise t.unsupported("expected zero points that are integers, got real ones")


def _kind(t: OperatorContext) -> q.IntegerKind:
    """The integers of the result, within what the operator says of them."""
    whole = q.integer_kind(t.result.dtype)
    low = t.integer("quant_min") if t.has("quant_min") else whole.low
    high = t.integer("quant_max") if t.has("quant_max") else whole.high
    return q.IntegerKind(whole.dtype, max(low, whole.low), min(high, whole.high))


def _scale(t: OperatorContext) -> Tensor:
    """One number, or those of an axis, as float32."""
    return _number(t, t.tensor("scales" if t.has("scales") else "scale"), np.dtype("<f4"))


def _zero_point(t: OperatorContext) -> Tensor | None:
    """As the integers are."""
    name = "zero_points" if t.has("zero_points") else "zero_point"
    if not t.has(name):
        return None
    is_quantizing = "dequantize" not in t.step.operator
    dtype = t.result.dtype if is_quantizing else t.tensor("input").dtype
    return _number(t, t.tensor(name), dtype)


def _number(t: OperatorContext, x: Tensor, dtype: np.dtype[np.generic]) -> Tensor:
    """Of one element a scalar."""
    shape = () if x.elements == 1 else x.shape
    return cast(t.c, reshape(t.c, x, shape), dtype)


def _block(t: OperatorContext, x: Tensor) -> tuple[int, int]:
    """The axis that blocks cut, and how many elements each has along it: 0, if each has its own scale.

    Raises UnsupportedError for blocks that cut several axes in parts of several elements.
    """
    sizes = t.integers("block_size")
    cut = [axis for axis, size in enumerate(sizes) if size != x.shape[axis]]
    if not cut:
        return 0, 0
    if len(cut) == 1 and sizes[cut[0]] == 1:
        return cut[0], 0
    long = [axis for axis in range(x.rank) if sizes[axis] != 1]
    if len(long) != 1:
        raise t.unsupported(f"expected blocks along one axis, got {list(sizes)} of {list(x.shape)}")
    return long[0], sizes[long[0]]


def _blocked(t: OperatorContext, x: Tensor | None, block: int) -> Tensor | None:
    """Scales of one axis, or of x's rank if blocks have several elements."""
    if x is None or x.elements == 1:
        return x
    shape: Sequence[int] = (x.elements,)
    if block:
        sizes, whole = t.integers("block_size"), t.tensor("input").shape
        shape = [size // each for size, each in zip(whole, sizes, strict=True)]
    return reshape(t.c, x, shape)


RULES: Mapping[str, Rule] = {
    "quantized_decomposed.convert_element_type": Rule(as_type),
    "quantized_decomposed.dequantize_per_channel": Rule(dequantize),
    "quantized_decomposed.dequantize_per_channel_group": Rule(dequantize_groups),
    "quantized_decomposed.dequantize_per_tensor": Rule(dequantize),
    "quantized_decomposed.dequantize_per_token": Rule(dequantize_tokens),
    "quantized_decomposed.quantize_per_channel": Rule(quantize),
    "quantized_decomposed.quantize_per_channel_group": Rule(quantize_groups),
    "quantized_decomposed.quantize_per_tensor": Rule(quantize),
    "quantized_decomposed.quantize_per_token": Rule(quantize_tokens),
    "torchao.dequantize_affine": Rule(
        dequantize_blocks, remark="blocks along several axes, real zero points"
    ),
    "torchao.quantize_affine": Rule(
        quantize_blocks, remark="blocks along several axes, real zero points"
    ),
}
