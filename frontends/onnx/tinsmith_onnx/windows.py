"""Rules of operators that slide a window: convolutions and pools."""

import math
from collections.abc import Mapping, Sequence

from tinsmith_tensors import Tensor, elementwise, movement, pools, reductions, transposed, windows

from tinsmith_onnx.activations import fused
from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule


def conv(context: OperatorContext) -> Tensor:
    """Conv, over one to three axes."""
    x, weights = context.tensor(0), context.tensor(1)
    kernel = weights.shape[2:]
    stride = _each(context, "strides", len(kernel))
    dilation = _each(context, "dilations", len(kernel))
    return windows.convolution(
        context.c,
        x,
        weights,
        context.optional(2),
        stride=stride,
        dilation=dilation,
        pads=pads(context, x.shape[2:], kernel, stride, dilation),
        groups=context.integer("group", 1),
    )


def fused_conv(context: OperatorContext) -> Tensor:
    """FusedConv of com.microsoft: a convolution, a tensor added to it, and a function of the sum."""
    x, added = conv(context), context.optional(3)
    return fused(context, x if added is None else elementwise.add(context.c, x, added))


def conv_transpose(context: OperatorContext) -> Tensor:
    """ConvTranspose, over one to three axes."""
    x, weights = context.tensor(0), context.tensor(1)
    kernel = weights.shape[2:]
    stride = _each(context, "strides", len(kernel))
    dilation = _each(context, "dilations", len(kernel))
    more = context.integers("output_padding", (0,) * len(kernel))
    if len(more) != len(kernel) or min(more, default=0) < 0:
        raise context.error(f"expected {len(kernel)} output paddings of at least 0, got {more}")
    full = [
        transposed.transposed_size(*numbers)
        for numbers in zip(x.shape[2:], kernel, stride, dilation, more, strict=True)
    ]
    return transposed.conv_transpose(
        context.c,
        x,
        weights,
        context.optional(2),
        stride=stride,
        dilation=dilation,
        pads=_cuts(context, x.shape[2:], full, stride),
        output_padding=more,
        groups=context.integer("group"),
    )


def _cuts(
    context: OperatorContext, sizes: Sequence[int], full: Sequence[int], stride: Sequence[int]
) -> list[tuple[int, int]]:
    """What is cut off a transposed convolution's whole result: as `pads` say, or what is more than a wanted size."""
    auto = context.text("auto_pad", "NOTSET")
    if context.has_attribute("output_shape"):
        wanted = context.integers("output_shape")[-len(sizes) :]
    elif auto in ("SAME_UPPER", "SAME_LOWER"):
        wanted = tuple(size * step for size, step in zip(sizes, stride, strict=True))
    else:
        return _given_pads(context, len(sizes))
    if len(wanted) != len(sizes):
        raise context.error(f"expected an output shape of {len(sizes)} sizes, got {list(wanted)}")
    return [
        _halves(there - size, auto == "SAME_UPPER")
        for there, size in zip(full, wanted, strict=True)
    ]


def _halves(surplus: int, more_behind: bool) -> tuple[int, int]:
    """What is cut off before and behind; what is missing is added behind."""
    if surplus < 0:
        return 0, surplus
    small, large = surplus // 2, surplus - surplus // 2
    return (small, large) if more_behind else (large, small)


def max_pool(context: OperatorContext) -> Sequence[Tensor]:
    """MaxPool, and where the largest elements are within the whole tensor."""
    x = context.tensor(0)
    seen = pool_windows(context, x.shape[2:])
    pooled = pools.max_pool(context.c, x, seen)
    if not context.wants(1):
        return [pooled]
    is_column_major = bool(context.integer("storage_order"))
    indices = pools.max_pool_indices(context.c, x, seen, column_major=is_column_major)
    firsts = _firsts(context, x.shape[:2], math.prod(x.shape[2:]))
    return [pooled, elementwise.add(context.c, indices, firsts)]


def _firsts(context: OperatorContext, planes: Sequence[int], elements: int) -> Tensor:
    """The number of each plane's first element in a tensor, (N, C, 1, ...)."""
    axes = context.tensor(0).rank - len(planes)
    numbers = context.c.numbers(math.prod(planes)) * elements
    return context.c.known(numbers.reshape(*planes, *(1,) * axes))


def average_pool(context: OperatorContext) -> Tensor:
    """AveragePool."""
    counts = bool(context.integer("count_include_pad", 0))
    x = context.tensor(0)
    return pools.average_pool(
        context.c, x, pool_windows(context, x.shape[2:]), counts_padding=counts
    )


def lp_pool(context: OperatorContext) -> Tensor:
    """LpPool."""
    x = context.tensor(0)
    return pools.lp_pool(context.c, x, pool_windows(context, x.shape[2:]), context.integer("p"))


def max_unpool(context: OperatorContext) -> Tensor:
    """MaxUnpool: to the shape that MaxPool's attributes lead to, in which indices are counted; at its end it grows to
    one that is said.
    """
    x = context.tensor(0)
    window = context.integers("kernel_shape")
    stride = _each(context, "strides", len(window))
    cuts = _given_pads(context, len(window))
    sizes = [
        (size - 1) * step + extent - sum(cut)
        for size, step, extent, cut in zip(x.shape[2:], stride, window, cuts, strict=True)
    ]
    firsts = _firsts(context, x.shape[:2], math.prod(sizes))
    indices = elementwise.sub(context.c, context.tensor(1), firsts)
    result = pools.max_unpool(context.c, x, indices, sizes)
    if not context.has(2):
        return result
    wanted = context.integers_of(2)
    if len(wanted) != x.rank:
        raise context.error(f"expected an output shape of {x.rank} sizes, got {list(wanted)}")
    grown = [(0, size - there) for size, there in zip(wanted, result.shape, strict=True)]
    return movement.pad(context.c, result, grown, None)


def global_average_pool(context: OperatorContext) -> Tensor:
    """GlobalAveragePool: the mean over all axes behind batch and channels."""
    x = context.tensor(0)
    return reductions.mean(context.c, x, range(2, x.rank), keep_dims=True)


def global_max_pool(context: OperatorContext) -> Tensor:
    """GlobalMaxPool."""
    x = context.tensor(0)
    return reductions.largest(context.c, x, range(2, x.rank), keep_dims=True)


def global_lp_pool(context: OperatorContext) -> Tensor:
    """GlobalLpPool."""
    return pools.global_lp_pool(context.c, context.tensor(0), context.integer("p"))


def pads(
    context: OperatorContext,
    sizes: Sequence[int],
    window: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
) -> list[tuple[int, int]]:
    """Before and after each axis, as numbers or by `auto_pad`."""
    auto = context.text("auto_pad", "NOTSET")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        is_lower = auto == "SAME_LOWER"
        return windows.same_pads(sizes, window, stride, dilation, more_before=is_lower)
    return _given_pads(context, len(sizes))


def _given_pads(context: OperatorContext, axes: int) -> list[tuple[int, int]]:
    """Before and after each axis; 0 if the file says none, or `auto_pad` that there are none."""
    given = context.integers("pads", (0,) * 2 * axes)
    if context.text("auto_pad", "NOTSET") == "VALID":
        given = (0,) * 2 * axes
    if len(given) != 2 * axes or any(width < 0 for width in given):
        raise context.error(f"expected {2 * axes} pads of at least 0, got {list(given)}")
    return list(zip(given[:axes], given[axes:], strict=True))


def pool_windows(context: OperatorContext, sizes: Sequence[int]) -> pools.Windows:
    """Of a pool over axes of these sizes. Those of `auto_pad` are as many as there are strides in a size."""
    size = context.integers("kernel_shape")
    if len(size) != len(sizes) or min(size, default=0) < 1:
        raise context.error(f"expected a kernel of {len(sizes)} axes, got {list(size)}")
    stride = _each(context, "strides", len(size))
    dilation = _each(context, "dilations", len(size))
    return pools.Windows(
        size=size,
        stride=stride,
        pads=tuple(pads(context, sizes, size, stride, dilation)),
        dilation=dilation,
        ceil=bool(context.integer("ceil_mode", 0)),
    )


def _each(context: OperatorContext, name: str, axes: int) -> tuple[int, ...]:
    """A number for each axis, of at least 1; 1 if the file says none."""
    found = context.integers(name, (1,) * axes)
    if len(found) != axes or any(number < 1 for number in found):
        raise context.error(f"expected {axes} {name} of at least 1, got {list(found)}")
    return found


RULES: Mapping[str, Rule] = {
    "AveragePool": Rule(average_pool),
    "Conv": Rule(conv),
    "ConvTranspose": Rule(conv_transpose),
    "GlobalAveragePool": Rule(global_average_pool),
    "GlobalLpPool": Rule(global_lp_pool),
    "GlobalMaxPool": Rule(global_max_pool),
    "LpPool": Rule(lp_pool),
    "MaxPool": Rule(max_pool),
    "MaxUnpool": Rule(max_unpool, "computed indices of large planes"),
    "com.microsoft.FusedConv": Rule(fused_conv),
}
