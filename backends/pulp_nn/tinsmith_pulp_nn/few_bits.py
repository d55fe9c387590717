"""Layers with weights of four or two bits: two or four share a byte until they are in first-level memory.

Convolutions make bytes of them there, once for all cores and pixels, and go on as layers of int8: the core has no
products of so few bits, and each weight meets many pixels. One row of inputs meets each weight once: that layer's
kernel takes the bytes of several weights as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import DepthwiseConv2D
from tinsmith_lowering import AsGiven, Cost, Emission, Kernel, Layer, Prepared, Scope, Signature
from tinsmith_target import Target

from tinsmith_pulp_nn import convolution, cost, scaled
from tinsmith_pulp_nn.common import LAYOUT, chosen_cores, fork
from tinsmith_pulp_nn.geometry import Widened, ceiling, padded_columns, rounded_up
from tinsmith_pulp_nn.weights import (
    Arranged,
    Rows,
    arranged,
    arranged_call,
    emit_arranged,
    given_channels,
    packed,
    prepared_arrays,
)

HEADERS = (*convolution.HEADERS, "tinsmith_pulp_few_bits.h")

_TOGETHER = 16
"""Weights that become four words."""

_PREFIX = "tinsmith_pulp_"
_HIGH = "_scaled_high"


def pairs_are_bytes(layer: Layer) -> str | None:
    """No weight is -8 beside a negative one of the row above it, so that a byte holds 16 times it plus the other."""
    return wrong_byte(given_channels(layer).rows, 4)


def fours_are_bytes(layer: Layer) -> str | None:
    """No weight is -2 below ones whose sum, each taken four times as often as the one above it, is negative, so that a
    byte holds those of four rows.
    """
    return wrong_byte(given_channels(layer).rows, 2)


@dataclass(frozen=True)
class _Few:
    """How many bits weights have, and what that changes. fits_high: the rule of functions that end in _scaled_high,
    whose weights are moved to the highest bits of their bytes; words_high: their numbers. share_bytes: the rule of
    fully connected layers.
    """

    bits: int
    dtype: DType
    fits_high: Callable[[Layer], str | None]
    words_high: Callable[[Layer], Arranged]
    share_bytes: Callable[[Layer], str | None]

    @property
    def raised(self) -> int:
        """By how many bits weights are moved to the highest ones of a byte."""
        return 8 - self.bits

    @property
    def signature(self) -> Signature:
        return Signature((DType.INT8, self.dtype, DType.INT32), DType.INT8)


_FOUR = _Few(4, DType.INT4, scaled.high_words_fit_by_16, scaled.high_words_by_16, pairs_are_bytes)
_TWO = _Few(2, DType.INT2, scaled.high_words_fit_by_64, scaled.high_words_by_64, fours_are_bytes)


def rows_in_bytes(weights: NDArray[np.int8], bits: int) -> NDArray[np.int8]:
    """Weights by four rows and four columns (`weights.packed`), of so many bits, as tinsmith_pulp_arranged_linear_s4
    and _s2 read them; a layer's `pairs_are_bytes` or `fours_are_bytes` is a rule.
    """
    rows = weights.reshape(-1, 8 // bits, 4)
    return _summed(rows, bits)[:, -1].astype(np.int8).reshape(-1)


def packed_fields(weights: NDArray[np.int8], bits: int) -> NDArray[np.int8]:
    """Weights of so many bits, of one dimension, as tinsmith_pulp_widen_s4 and _s2 read them."""
    padded = np.pad(weights, (0, -len(weights) % _TOGETHER)).view(np.uint8)
    fields = (padded & np.uint8((1 << bits) - 1)).reshape(-1, 8 // bits, 4)
    places = np.arange(0, 8, bits, dtype=np.uint8)[None, :, None]
    return np.bitwise_or.reduce(fields << places, axis=1).reshape(-1).view(np.int8)


def _summed(rows: Rows, bits: int) -> NDArray[np.int32]:
    """Of rows that share a byte (groups, rows, columns): each with those before it, as the byte has them."""
    places = np.arange(0, 8, bits, dtype=np.int32)[None, :, None]
    return np.cumsum(rows.astype(np.int32) << places, axis=1, dtype=np.int32)


def wrong_byte(rows: Rows, bits: int) -> str | None:
    """The first weights that no byte holds: of all rows that share it, or of the first ones, in its highest bits. None
    if there are no such weights.
    """
    together = 8 // bits
    padded = np.pad(rows, ((0, -len(rows) % together), (0, 0)))
    summed = _summed(padded.reshape(-1, together, rows.shape[1]), bits)
    # Moved until a row is highest, it and those before it are least -128 where they are least -2**(bits of both - 1).
    least = -(1 << np.arange(bits, 9, bits, dtype=np.int32)[None, :, None] - 1)
    wrong = np.argwhere(summed < least)
    if not len(wrong):
        return None
    group, place, column = (int(index) for index in wrong[0])
    first = together * group
    return f"those of column {column} in rows {first} to {first + place} are"


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Sisters of those of int8."""
    return tuple(
        _sister(kernel, few) for few in (_FOUR, _TWO) for kernel in convolution.kernels(target)
    )


def _sister(kernel: Kernel, few: _Few) -> Kernel:
    own = kernel.name.removeprefix(_PREFIX)
    stem, suffix = own, ""
    for found in (_HIGH, "_scaled"):
        if own.endswith(found):
            stem, suffix = own.removesuffix(found), found
            break
    name = f"{stem}_s{few.bits}{suffix}"
    renamed = replace(kernel, name=f"{_PREFIX}{name}", signature=few.signature, headers=HEADERS)
    if stem == "linear":
        return replace(
            renamed,
            emit=emit_arranged(name),
            rules=(*kernel.rules, few.share_bytes),
            prepare=partial(_prepare_linear, kernel, few, suffix),
        )
    given = _raised(kernel, few) if suffix == _HIGH else kernel
    return replace(
        renamed,
        emit=partial(_emit_widening, kernel, few, own, suffix),
        rules=given.rules,
        scratch_bytes=partial(_scratch_bytes, kernel, suffix),
        prepare=partial(_prepare_widening, given, few, suffix),
        cost=partial(_cost, kernel, suffix),
    )


def _raised(kernel: Kernel, few: _Few) -> Kernel:
    """The same of 16 or 64 times the weights, which a byte holds: scales of 0.25 and more fit, too."""
    rules = (few.fits_high if rule is scaled.high_words_fit else rule for rule in kernel.rules)
    is_depthwise = kernel.name.startswith(f"{_PREFIX}depthwise")
    rows = np.ascontiguousarray if is_depthwise else packed
    return replace(
        kernel,
        rules=tuple(rules),
        prepare=arranged(convolution.window_numbers, rows, few.words_high),
    )


def _widening(layer: Layer, suffix: str) -> Widened:
    image = convolution.geometry_of(layer)
    if (
        isinstance(layer.operator, DepthwiseConv2D)
        and image.input_channels == image.output_channels
    ):
        weights = image.kernel_height * image.kernel_width * image.input_channels
    else:
        weights = rounded_up(image.output_channels) * padded_columns(image)
    return Widened(_words(suffix) * image.output_channels, ceiling(weights, _TOGETHER))


def _words(suffix: str) -> int:
    """Of a channel, as words_of() of internal/arranged.h has them."""
    return 4 if suffix == _HIGH else 3


def _scratch_bytes(kernel: Kernel, suffix: str, layer: Layer) -> int:
    """That of the kernel, and behind it the array of bytes."""
    return kernel.scratch_bytes(layer) + _widening(layer, suffix).bytes


def _cost(kernel: Kernel, suffix: str, layer: Layer) -> Cost | None:
    found, sizes = kernel.cost(layer), _widening(layer, suffix)
    if found is None:
        return None
    widened = cost.widen_cycles(sizes, chosen_cores(layer))
    return Cost(found.cycles + widened, found.first + cost.cold_cycles("widen"))


def _prepare_widening(
    kernel: Kernel, few: _Few, suffix: str, layer: Layer
) -> tuple[Prepared | AsGiven, ...]:
    numbers, words, weights = _parts(kernel, suffix, layer)
    if suffix == _HIGH:
        weights = weights >> few.raised
    return numbers, Prepared(LAYOUT, np.concatenate([words, packed_fields(weights, few.bits)]))


def _prepare_linear(
    kernel: Kernel, few: _Few, suffix: str, layer: Layer
) -> tuple[Prepared | AsGiven, ...]:
    numbers, words, weights = _parts(kernel, suffix, layer)
    return numbers, Prepared(LAYOUT, np.concatenate([words, rows_in_bytes(weights, few.bits)]))


def _parts(
    kernel: Kernel, suffix: str, layer: Layer
) -> tuple[Prepared, NDArray[np.int8], NDArray[np.int8]]:
    """The record of the layer of int8, and of its array what the channels have and the weights."""
    numbers, constants = kernel.prepare(layer)
    if not (isinstance(numbers, Prepared) and isinstance(constants, Prepared)):
        raise TypeError(f"layer {layer.name}: expected a record and an array")
    count = 4 * _words(suffix) * layer.output.shape[-1]
    data = constants.data.view(np.int8)
    return numbers, data[:count], data[count:]


def _emit_widening(
    kernel: Kernel, few: _Few, name: str, suffix: str, layer: Layer, scope: Scope
) -> Emission:
    """Two forks: what all cores have widened is there for each of them behind the first."""
    if scope.scratch is None:
        raise ValueError(f"layer {layer.name}: expected scratch memory")
    numbers, constants = prepared_arrays(scope)
    sizes = _widening(layer, suffix)
    widened = f"(uint8_t *){scope.scratch.expression} + {kernel.scratch_bytes(layer)}"
    numbers_share, sixteens_share = sizes.shares(chosen_cores(layer))
    fields = {
        "packed": constants,
        "widened": widened,
        "numbers": sizes.words,
        "numbers_share": numbers_share,
        "sixteens": sizes.sixteens,
        "sixteens_share": sixteens_share,
    }
    by = f"_by_{1 << few.raised}" if suffix == _HIGH else ""
    widen = f"widen_s{few.bits}{by}"
    first = fork(layer, scope, widen, "tinsmith_pulp_widen_t", fields, variable="weights")
    then = arranged_call(name, layer, scope, numbers, widened)
    return Emission((*first.statements, *then.statements))
