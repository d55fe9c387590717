"""Rules of operators that slide a window: convolutions and pools."""

from collections.abc import Mapping, Sequence

from tinsmith_tensors import Tensor, reductions, windows

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
        groups=context.integer("group"),
    )


def max_pool(context: OperatorContext) -> Tensor:
    """MaxPool."""
    window = context.integers("kernel_shape")
    stride = _each(context, "strides", len(window))
    dilation = _each(context, "dilations", len(window))
    x = context.tensor(0)
    if any(spread != 1 for spread in dilation) or context.wants(1):
        raise context.unsupported("expected windows without gaps, and no indices")
    return windows.max_pool(
        context.c,
        x,
        window=window,
        stride=stride,
        pads=pads(context, x.shape[2:], window, stride, dilation),
    )


def average_pool(context: OperatorContext) -> Tensor:
    """AveragePool."""
    window = context.integers("kernel_shape")
    stride = _each(context, "strides", len(window))
    dilation = _each(context, "dilations", len(window))
    x = context.tensor(0)
    if any(spread != 1 for spread in dilation):
        raise context.unsupported("expected windows without gaps")
    return windows.average_pool(
        context.c,
        x,
        window=window,
        stride=stride,
        pads=pads(context, x.shape[2:], window, stride, dilation),
        counts_padding=bool(context.integer("count_include_pad", 0)),
    )


def global_average_pool(context: OperatorContext) -> Tensor:
    """GlobalAveragePool: the mean over all axes behind batch and channels."""
    x = context.tensor(0)
    return reductions.mean(context.c, x, range(2, x.rank), keep_dims=True)


def global_max_pool(context: OperatorContext) -> Tensor:
    """GlobalMaxPool."""
    x = context.tensor(0)
    return reductions.largest(context.c, x, range(2, x.rank), keep_dims=True)


def pads(
    context: OperatorContext,
    sizes: Sequence[int],
    window: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
) -> list[tuple[int, int]]:
    """Before and after each axis, as numbers or by `auto_pad`."""
    auto = context.text("auto_pad")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        is_lower = auto == "SAME_LOWER"
        return windows.same_pads(sizes, window, stride, dilation, more_before=is_lower)
    given = context.integers("pads", (0,) * 2 * len(sizes))
    if auto == "VALID":
        given = (0,) * 2 * len(sizes)
    if len(given) != 2 * len(sizes) or any(width < 0 for width in given):
        raise context.error(f"expected {2 * len(sizes)} pads of at least 0, got {list(given)}")
    return list(zip(given[: len(sizes)], given[len(sizes) :], strict=True))


def _each(context: OperatorContext, name: str, axes: int) -> tuple[int, ...]:
    """A number for each axis, of at least 1; 1 if the file says none."""
    found = context.integers(name, (1,) * axes)
    if len(found) != axes or any(number < 1 for number in found):
        raise context.error(f"expected {axes} {name} of at least 1, got {list(found)}")
    return found


RULES: Mapping[str, Rule] = {
    "AveragePool": Rule(average_pool),
    "Conv": Rule(conv),
    "GlobalAveragePool": Rule(global_average_pool),
    "GlobalMaxPool": Rule(global_max_pool),
    "MaxPool": Rule(max_pool),
}
