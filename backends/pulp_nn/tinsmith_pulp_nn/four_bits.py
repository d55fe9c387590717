"""Layers with weights of four bits: two share a byte until they are in first-level memory.

Convolutions make bytes of them there, once for all cores and pixels, and go on as layers of int8: the core has no
products of four bits, and each weight meets many pixels. One row of inputs meets each weight once: that layer's kernel
takes the bytes of two weights as they are.
"""

from dataclasses import replace
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
    Rows,
    arranged,
    arranged_call,
    emit_arranged,
    given_channels,
    packed,
    prepared_arrays,
)

HEADERS = (*convolution.HEADERS, "tinsmith_pulp_four_bits.h")

_S4 = Signature((DType.INT8, DType.INT4, DType.INT32), DType.INT8)
_TOGETHER = 16
"""Weights of two words, which become four."""

_LOWEST = -8
_PREFIX = "tinsmith_pulp_"
_HIGH = "_scaled_high"


def pairs_are_bytes(layer: Layer) -> str | None:
    """No weight is -8 beside a negative one of the row above it, so that a byte holds 16 times it plus the other."""
    return wrong_pair(given_channels(layer).rows)


def wrong_pair(rows: Rows) -> str | None:
    """Where a weight is -8 beside a negative one, None if nowhere."""
    even, odd = _even_and_odd(rows)
    wrong = np.argwhere((even < 0) & (odd == _LOWEST))
    if not len(wrong):
        return None
    row, column = (int(index) for index in wrong[0])
    return f"those of column {column} in rows {2 * row} and {2 * row + 1} are"


def paired(weights: NDArray[np.int8]) -> NDArray[np.int8]:
    """Weights by four rows and four columns (`weights.packed`), from -8 to 7, as tinsmith_pulp_arranged_linear_s4 reads
    them; `pairs_are_bytes` is a rule.
    """
    rows = weights.reshape(-1, 2, 4).astype(np.int16)
    return (rows[:, 0] + np.int16(16) * rows[:, 1]).astype(np.int8).reshape(-1)


def halved(weights: NDArray[np.int8]) -> NDArray[np.int8]:
    """Weights from -8 to 7 of one dimension as tinsmith_pulp_widen_s4 reads them."""
    padded = np.pad(weights, (0, -len(weights) % _TOGETHER)).view(np.uint8) & np.uint8(15)
    words = padded.reshape(-1, 2, 4)
    return (words[:, 0] | words[:, 1] << np.uint8(4)).reshape(-1).view(np.int8)


def _even_and_odd(rows: Rows) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    even = np.pad(rows, ((0, len(rows) % 2), (0, 0))).astype(np.int16)
    return even[::2], even[1::2]


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Sisters of those of int8."""
    return tuple(_sister(kernel) for kernel in convolution.kernels(target))


def _sister(kernel: Kernel) -> Kernel:
    own = kernel.name.removeprefix(_PREFIX)
    stem, suffix = own, ""
    for found in (_HIGH, "_scaled"):
        if own.endswith(found):
            stem, suffix = own.removesuffix(found), found
            break
    renamed = replace(kernel, name=f"{_PREFIX}{stem}_s4{suffix}", signature=_S4, headers=HEADERS)
    if stem == "linear":
        return replace(
            renamed,
            emit=emit_arranged(f"linear_s4{suffix}"),
            rules=(*kernel.rules, pairs_are_bytes),
            prepare=partial(_prepare_linear, kernel, suffix),
        )
    given = _by_16(kernel) if suffix == _HIGH else kernel
    return replace(
        renamed,
        emit=partial(_emit_widening, kernel, own, suffix),
        rules=given.rules,
        scratch_bytes=partial(_scratch_bytes, kernel, suffix),
        prepare=partial(_prepare_widening, given, suffix),
        cost=partial(_cost, kernel, suffix),
    )


def _by_16(kernel: Kernel) -> Kernel:
    """The same of 16 times the weights, which a byte holds: scales of 0.25 and more fit, too."""
    rules = (
        scaled.high_words_fit_by_16 if rule is scaled.high_words_fit else rule
        for rule in kernel.rules
    )
    is_depthwise = kernel.name.startswith(f"{_PREFIX}depthwise")
    rows = np.ascontiguousarray if is_depthwise else packed
    return replace(
        kernel,
        rules=tuple(rules),
        prepare=arranged(convolution.window_numbers, rows, scaled.high_words_by_16),
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


def _prepare_widening(kernel: Kernel, suffix: str, layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    numbers, words, weights = _parts(kernel, suffix, layer)
    if suffix == _HIGH:
        weights = weights >> 4
    return numbers, Prepared(LAYOUT, np.concatenate([words, halved(weights)]))


def _prepare_linear(kernel: Kernel, suffix: str, layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    numbers, words, weights = _parts(kernel, suffix, layer)
    return numbers, Prepared(LAYOUT, np.concatenate([words, paired(weights)]))


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


def _emit_widening(kernel: Kernel, name: str, suffix: str, layer: Layer, scope: Scope) -> Emission:
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
    widen = "widen_s4_by_16" if suffix == _HIGH else "widen_s4"
    first = fork(layer, scope, widen, "tinsmith_pulp_widen_t", fields, variable="weights")
    then = arranged_call(name, layer, scope, numbers, widened)
    return Emission((*first.statements, *then.statements))
