import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from composed import Reals, assert_close, composed, numbers, result
from tinsmith_ir import UnsupportedError
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.transposed import conv_transpose
from tinsmith_tensors.windows import convolution, same_pads

Pairs = Sequence[tuple[int, int]]


def convolved(
    x: Reals,
    weights: Reals,
    stride: Sequence[int],
    dilation: Sequence[int],
    pads: Pairs,
    groups: int,
) -> Reals:
    """Element by element, in float64."""
    axes = x.ndim - 2
    grown = np.pad(x.astype(np.float64), ((0, 0), (0, 0), *pads))
    extents = [
        (size - 1) * step + 1 for size, step in zip(weights.shape[2:], dilation, strict=True)
    ]
    counts = [
        (size - extent) // step + 1
        for size, extent, step in zip(grown.shape[2:], extents, stride, strict=True)
    ]
    made = np.zeros((x.shape[0], weights.shape[0], *counts))
    read, written = weights.shape[1], weights.shape[0] // groups
    for place in itertools.product(*map(range, counts)):
        cut = tuple(
            slice(at * step, at * step + extent, spread)
            for at, step, extent, spread in zip(place, stride, extents, dilation, strict=True)
        )
        seen = grown[(slice(None), slice(None), *cut)]
        for channel in range(weights.shape[0]):
            group = channel // written
            own = seen[:, group * read : (group + 1) * read] * weights[channel]
            made[(slice(None), channel, *place)] = own.sum(axis=tuple(range(1, axes + 2)))
    return made


def spread_back(
    x: Reals, weights: Reals, stride: Sequence[int], dilation: Sequence[int], groups: int
) -> Reals:
    """What each element adds to a transposed convolution's whole result, in float64."""
    extents = [
        (size - 1) * step + (taps - 1) * spread + 1
        for size, step, taps, spread in zip(
            x.shape[2:], stride, weights.shape[2:], dilation, strict=True
        )
    ]
    written, read = weights.shape[1], weights.shape[0] // groups
    made = np.zeros((x.shape[0], groups * written, *extents))
    for channel, place in itertools.product(
        range(x.shape[1]), itertools.product(*map(range, x.shape[2:]))
    ):
        group = channel // read
        cut = tuple(
            slice(at * step, at * step + (taps - 1) * spread + 1, spread)
            for at, step, taps, spread in zip(
                place, stride, weights.shape[2:], dilation, strict=True
            )
        )
        amount = x[(slice(None), channel, *place)].reshape(-1, *(1,) * (x.ndim - 1))
        own = slice(group * written, (group + 1) * written)
        made[(slice(None), own, *cut)] += amount * weights[channel]
    return made


@pytest.mark.parametrize("known", [(), (1, 2)])
@pytest.mark.parametrize(
    ("sizes", "kernel", "channels", "groups", "results"),
    [
        ((9,), (3,), 2, 1, 3),
        ((6, 7), (3, 2), 4, 2, 6),
        ((6, 7), (2, 3), 3, 3, 3),
        ((5, 6), (2, 2), 2, 2, 6),  # three results to each channel, in the channels' order
        ((4, 5, 4), (2, 3, 1), 4, 2, 2),
    ],
)
def test_convolutions_of_all_groups(
    sizes: tuple[int, ...],
    kernel: tuple[int, ...],
    channels: int,
    groups: int,
    results: int,
    known: tuple[int, ...],
) -> None:
    rank = len(sizes)
    stride, dilation = (2, 1, 1)[:rank], (1, 2, 1)[:rank]
    pads = ((1, 2), (5, 0), (0, 3))[:rank]
    x, weights = numbers(0, 2, channels, *sizes), numbers(1, results, channels // groups, *kernel)
    bias = numbers(2, results)

    def function(c: Composer, x: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
        return convolution(
            c, x, weights, bias, stride=stride, dilation=dilation, pads=pads, groups=groups
        )

    expected = convolved(x, weights, stride, dilation, pads, groups)
    expected += bias.reshape(-1, *(1,) * rank)
    assert_close(result(function, x, weights, bias, known=known), expected, atol=1e-5)


def test_a_group_to_each_channel_is_one_depthwise_convolution() -> None:
    def function(c: Composer, x: Tensor, weights: Tensor) -> Tensor:
        ones, pads = (1, 1), ((0, 0), (0, 0))
        return convolution(c, x, weights, None, stride=ones, dilation=ones, pads=pads, groups=3)

    graph = composed(function, numbers(0, 1, 3, 4, 4), numbers(1, 6, 1, 2, 2), known=[1])
    kinds = [type(node.operator) for node in graph.nodes]
    assert kinds.count(DepthwiseConv2D) == 1
    assert Conv2D not in kinds


@pytest.mark.parametrize("known", [(), (1, 2)])
@pytest.mark.parametrize(
    ("sizes", "kernel", "stride", "dilation", "channels", "groups", "results"),
    [
        ((5,), (4,), (3,), (1,), 2, 1, 3),
        ((4, 3), (3, 2), (2, 1), (1, 3), 4, 2, 2),
        ((3, 4), (2, 3), (2, 3), (2, 2), 2, 1, 2),  # zeros between taps
        ((3, 3), (3, 3), (2, 2), (1, 1), 3, 3, 2),
        ((4, 3), (1, 1), (3, 2), (1, 1), 2, 1, 1),  # places that no tap reaches
        ((2, 3, 2), (2, 1, 3), (1, 2, 2), (2, 1, 1), 2, 2, 1),
    ],
)
def test_transposed_convolutions(
    sizes: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
    channels: int,
    groups: int,
    results: int,
    known: tuple[int, ...],
) -> None:
    rank = len(sizes)
    x, weights = numbers(0, 2, channels, *sizes), numbers(1, channels, results, *kernel)
    bias = numbers(2, results * groups)
    pads, more = ((1, 0), (0, 1), (1, 1))[:rank], (1, 0, 1)[:rank]

    def function(c: Composer, x: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
        return conv_transpose(
            c,
            x,
            weights,
            bias,
            stride=stride,
            dilation=dilation,
            pads=pads,
            output_padding=more,
            groups=groups,
        )

    whole = spread_back(x, weights, stride, dilation, groups)
    whole = np.pad(whole, ((0, 0), (0, 0), *((0, number) for number in more)))
    cut = tuple(
        slice(before, size - after)
        for size, (before, after) in zip(whole.shape[2:], pads, strict=True)
    )
    expected = whole[(slice(None), slice(None), *cut)] + bias.reshape(-1, *(1,) * rank)
    assert_close(result(function, x, weights, bias, known=known), expected, atol=1e-5)


def test_a_transposed_convolution_multiplies_no_zeros_between_elements() -> None:
    def function(c: Composer, x: Tensor, weights: Tensor) -> Tensor:
        twos, ones = (2, 2), (1, 1)
        pads = ((0, 0), (0, 0))
        return conv_transpose(
            c, x, weights, None, stride=twos, dilation=ones, pads=pads, output_padding=(0, 0)
        )

    graph = composed(function, numbers(0, 1, 3, 4, 4), numbers(1, 3, 5, 2, 2), known=[1])
    assert graph.macs == 4 * 4 * 3 * 5 * 2 * 2


def test_negative_cuts_of_a_transposed_convolution_are_zeros() -> None:
    def function(c: Composer, x: Tensor, weights: Tensor) -> Tensor:
        ones = (1,)
        pads = ((-2, -1),)
        return conv_transpose(
            c, x, weights, None, stride=ones, dilation=ones, pads=pads, output_padding=(0,)
        )

    x, weights = np.array([[[1, 2]]], np.float32), np.array([[[3]]], np.float32)
    assert result(function, x, weights).tolist() == [[[0, 0, 3, 6, 0]]]


@pytest.mark.parametrize(
    ("shape", "weights", "groups", "message"),
    [
        ((1, 3, 4), (2, 2, 2), 1, "expected weights"),
        ((1, 4, 4), (3, 2, 2), 2, "expected weights"),
        ((1, 3, 4, 4), (2, 3, 2), 1, "one to three axes"),
        ((1, 1, 2, 2, 2, 2), (1, 1, 1, 1, 1, 1), 1, "one to three axes"),
    ],
)
def test_weights_that_do_not_fit_are_refused(
    shape: tuple[int, ...], weights: tuple[int, ...], groups: int, message: str
) -> None:
    def function(c: Composer, x: Tensor, kernel: Tensor) -> Tensor:
        ones, pads = [1] * (x.rank - 2), [(0, 0)] * (x.rank - 2)
        return convolution(c, x, kernel, None, stride=ones, dilation=ones, pads=pads, groups=groups)

    with pytest.raises(UnsupportedError, match=message):
        composed(function, numbers(0, *shape), numbers(1, *weights))


def test_an_odd_padding_goes_behind_unless_it_is_said() -> None:
    assert same_pads([5], [2], [2], [1]) == [(0, 1)]
    assert same_pads([5], [2], [2], [1], more_before=True) == [(1, 0)]
    assert same_pads([6], [1], [3], [1]) == [(0, 0)]
    assert same_pads([6], [3], [1], [2]) == [(2, 2)]
