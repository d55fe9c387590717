"""Rules of operators that slide a window: convolutions and pools."""

from collections.abc import Callable, Mapping, Sequence

from tinsmith_tensors import Composer, Tensor, pools, transposed, windows
from tinsmith_tensors.movement import reshape
from tinsmith_tensors.pools import Windows

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule

_Adaptive = Callable[[Composer, Tensor, Sequence[int]], Tensor]


def _convolution(axes: int) -> Rule:
    """conv1d to conv3d: paddings are numbers, or `same` or `valid`."""

    def convert(t: OperatorContext) -> Tensor:
        x, weights = t.tensor("input"), t.tensor("weight")
        stride, dilation = t.integers("stride", axes), t.integers("dilation", axes)
        result = windows.convolution(
            t.c,
            _with_batch(t, x, axes),
            weights,
            t.optional("bias"),
            stride=stride,
            dilation=dilation,
            pads=_pads(t, weights.shape[2:], dilation),
            groups=t.integer("groups"),
        )
        return reshape(t.c, result, t.result.shape)

    return Rule(convert)


def _pads(
    t: OperatorContext, kernel: Sequence[int], dilation: Sequence[int]
) -> list[tuple[int, int]]:
    """Of `same` an odd one goes behind."""
    padding = t.step.arguments.get("padding")
    if padding == "valid":
        return [(0, 0)] * len(kernel)
    if padding == "same":
        totals = [spread * (size - 1) for size, spread in zip(kernel, dilation, strict=True)]
        return [(total // 2, total - total // 2) for total in totals]
    return [(width, width) for width in t.integers("padding", len(kernel))]


def convolution(t: OperatorContext) -> Tensor:
    """The operator that all convolutions are in core ATen, transposed or not."""
    x, weights = t.tensor("input"), t.tensor("weight")
    axes = weights.rank - 2
    stride, dilation = t.integers("stride", axes), t.integers("dilation", axes)
    pads = [(width, width) for width in t.integers("padding", axes)]
    if t.flag("transposed"):
        return transposed.conv_transpose(
            t.c,
            x,
            weights,
            t.optional("bias"),
            stride=stride,
            dilation=dilation,
            pads=pads,
            output_padding=t.integers("output_padding", axes),
            groups=t.integer("groups"),
        )
    return windows.convolution(
        t.c,
        x,
        weights,
        t.optional("bias"),
        stride=stride,
        dilation=dilation,
        pads=pads,
        groups=t.integer("groups"),
    )


def _max_pool(axes: int) -> Rule:
    def convert(t: OperatorContext) -> Tensor:
        x = _with_batch(t, t.tensor("self"), axes)
        return reshape(t.c, pools.max_pool(t.c, x, _windows(t, axes)), t.result.shape)

    return Rule(convert)


def _max_pool_with_indices(axes: int) -> Rule:
    def convert(t: OperatorContext) -> Sequence[Tensor]:
        x, spans = _with_batch(t, t.tensor("self"), axes), _windows(t, axes)
        indices = pools.max_pool_indices(t.c, x, spans)
        values = pools.max_pool(t.c, x, spans)
        return [reshape(t.c, each, t.result.shape) for each in (values, indices)]

    return Rule(convert)


def _average_pool(axes: int) -> Rule:
    def convert(t: OperatorContext) -> Tensor:
        x = _with_batch(t, t.tensor("self"), axes)
        result = pools.average_pool(
            t.c,
            x,
            _windows(t, axes),
            counts_padding=t.flag("count_include_pad"),
            divisor=t.integer("divisor_override") if t.has("divisor_override") else None,
        )
        return reshape(t.c, result, t.result.shape)

    return Rule(convert)


def _windows(t: OperatorContext, axes: int) -> Windows:
    """Strides are the windows' sizes if none are said."""
    size = t.integers("kernel_size", axes)
    stride = t.integers("stride", axes) if t.has("stride") else ()
    return Windows(
        size,
        stride or size,
        tuple((width, width) for width in t.integers("padding", axes)),
        t.integers("dilation", axes) if t.has("dilation") else (),
        t.flag("ceil_mode"),
    )


def _adaptive(function: _Adaptive, axes: int) -> Rule:
    """Sizes that are left out are those that x has."""

    def convert(t: OperatorContext) -> Tensor:
        x = _with_batch(t, t.tensor("self"), axes)
        result = function(t.c, x, t.result.shape[-axes:])
        return reshape(t.c, result, t.result.shape)

    return Rule(convert)


def _adaptive_with_indices(axes: int) -> Rule:
    """Values alone."""

    def convert(t: OperatorContext) -> Sequence[Tensor | None]:
        x = _with_batch(t, t.tensor("self"), axes)
        result = pools.adaptive_max_pool(t.c, x, t.result.shape[-axes:])
        return [reshape(t.c, result, t.result.shape), None]

    return Rule(convert, remark="indices")


def _with_batch(t: OperatorContext, x: Tensor, axes: int) -> Tensor:
    """x (C, ...) as (1, C, ...)."""
    return x if x.rank == axes + 2 else reshape(t.c, x, (1, *x.shape))


RULES: Mapping[str, Rule] = {
    "aten._adaptive_avg_pool2d": _adaptive(pools.adaptive_average_pool, 2),
    "aten._adaptive_avg_pool3d": _adaptive(pools.adaptive_average_pool, 3),
    "aten.adaptive_avg_pool1d": _adaptive(pools.adaptive_average_pool, 1),
    "aten.adaptive_avg_pool2d": _adaptive(pools.adaptive_average_pool, 2),
    "aten.adaptive_avg_pool3d": _adaptive(pools.adaptive_average_pool, 3),
    "aten.adaptive_max_pool1d": _adaptive_with_indices(1),
    "aten.adaptive_max_pool2d": _adaptive_with_indices(2),
    "aten.adaptive_max_pool3d": _adaptive_with_indices(3),
    "aten.avg_pool1d": _average_pool(1),
    "aten.avg_pool2d": _average_pool(2),
    "aten.avg_pool3d": _average_pool(3),
    "aten.conv1d": _convolution(1),
    "aten.conv2d": _convolution(2),
    "aten.conv3d": _convolution(3),
    "aten.convolution": Rule(convolution),
    "aten.max_pool1d": _max_pool(1),
    "aten.max_pool2d": _max_pool(2),
    "aten.max_pool2d_with_indices": _max_pool_with_indices(2),
    "aten.max_pool3d": _max_pool(3),
    "aten.max_pool3d_with_indices": _max_pool_with_indices(3),
}
