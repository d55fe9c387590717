"""Random calls of every kernel with the results TFLite's reference kernels give, computed here in numpy.

The arithmetic is written once more, on int64 arrays and from the definitions, so that neither the kernels nor the IR's
evaluator are their own oracle.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from narrow_cases import NARROW, narrow_stage, packed_narrow
from numpy.typing import NDArray
from tinsmith_cmsis_nn.packing import (
    Implementation,
    PackedLayer,
    pack_convolution,
    pack_convolution_offset,
    pack_depthwise,
    pack_depthwise_pixels,
    pack_fully_connected,
    pack_fully_connected_small,
)
from tinsmith_cmsis_nn.packing_blocks import Blocks, kernel_blocks, pack_blockwise
from tinsmith_cmsis_nn.packing_four_bits import (
    pack_convolution_four_bits,
    pack_depthwise_four_bits,
    pack_fully_connected_four_bits,
)
from tinsmith_cmsis_nn.packing_two_bits import (
    pack_convolution_two_bits,
    pack_depthwise_two_bits,
    pack_fully_connected_two_bits,
)

KERNELS = (
    "convolve_packed",
    "depthwise_packed",
    "fully_connected_packed",
    "convolve_wrapper",
    "convolve",
    "depthwise_wrapper",
    "depthwise",
    "fully_connected_wrapper",
    "add",
    "mul",
    "average_pool",
    "max_pool",
    "softmax",
    "transpose",
    "pad",
    "concatenate",
    "relu",
    "relu6",
    "reshape",
    "convolve_1x1",
    "convolve_1x1_fast",
    "convolve_1_x_n",
    "depthwise_opt",
    "depthwise_3x3",
    "add_broadcast",
    "mul_broadcast",
    "convolve_packed_any",
    "depthwise_packed_any",
    "fully_connected_packed_deep",
    "depthwise_pixels",
    "convolve_packed_offset",
    "fully_connected_small",
    "convolve_packed_nearest",
    "depthwise_packed_nearest",
    "fully_connected_packed_nearest",
    "convolve_packed_any_nearest",
    "depthwise_packed_any_nearest",
    "fully_connected_packed_deep_nearest",
    "depthwise_pixels_nearest",
    "convolve_packed_offset_nearest",
    "fully_connected_small_nearest",
    "convolve_wrapper_nearest",
    "depthwise_wrapper_nearest",
    "fully_connected_wrapper_nearest",
    "depthwise_packed_3x3",
    "depthwise_packed_3x3_nearest",
    "convolve_packed_single",
    "convolve_packed_single_nearest",
    "convolve_packed_narrow",
    "depthwise_packed_narrow",
    "convolve_packed_single_narrow",
    "convolve_packed_s4",
    "depthwise_packed_s4",
    "depthwise_packed_any_s4",
    "convolve_packed_s4_nearest",
    "depthwise_packed_s4_nearest",
    "depthwise_packed_any_s4_nearest",
    "fully_connected_packed_s4",
    "fully_connected_packed_s4_nearest",
    "convolve_packed_s2",
    "convolve_packed_any_s2",
    "depthwise_packed_s2",
    "depthwise_packed_any_s2",
    "fully_connected_packed_s2",
    "convolve_packed_s2_nearest",
    "convolve_packed_any_s2_nearest",
    "depthwise_packed_s2_nearest",
    "depthwise_packed_any_s2_nearest",
    "fully_connected_packed_s2_nearest",
    "convolve_packed_s2_narrow",
    "depthwise_packed_s2_narrow",
    "convolve_packed_s4_narrow",
    "depthwise_packed_s4_narrow",
    "fully_connected_blockwise_packed_s4",
    "fully_connected_blockwise_packed_s4_nearest",
)
"""In the order of `call_kernel` in call.h."""


def kernels_of(implementation: Implementation) -> tuple[str, ...]:
    """Those that an implementation has, without softmax, which is compared with the evaluator, graph by graph
    (backends/cmsis_nn/tests/test_cmsis_nn_on_host.py).
    """
    of_one = {
        "c": ("_deep", "_offset", "_single", "_single_narrow", "_small", "packed_3x3"),
        "dsp": ("_small", "packed_3x3"),
        "mve": ("_any", "_deep", "_single", NARROW, "_any_s4", "_any_s2"),
    }
    missing = of_one[implementation]
    return tuple(
        name
        for name in KERNELS
        if name != "softmax" and not name.removesuffix(NEAREST).endswith(missing)
    )


FEW_BITS = {"_s4": 4, "_s2": 2}
"""Behind the names of kernels on weights of so many bits, in front of that."""

NEAREST = "_nearest"
"""Behind the names of kernels that round once."""


def bits_of(name: str) -> int:
    """Of the weights of a kernel."""
    base = name.removesuffix(NEAREST).removesuffix(NARROW)
    return next((bits for end, bits in FEW_BITS.items() if base.endswith(end)), 8)


Dims = tuple[int, int, int, int]
Pair = tuple[int, int]
Int8s = NDArray[np.int8]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class Call:
    """One call and its result. Pairs are (height, width)."""

    kernel: str
    expected: Int8s
    arrays: tuple[NDArray[np.generic], ...]
    input_dims: Dims = (1, 1, 1, 1)
    filter_dims: Dims = (1, 1, 1, 1)
    output_dims: Dims = (1, 1, 1, 1)
    stride: Pair = (1, 1)
    padding: Pair = (0, 0)
    dilation: Pair = (1, 1)
    input_offset: int = 0
    output_offset: int = 0
    activation: Pair = (-128, 127)
    ch_mult: int = 1
    is_per_channel: int = 1
    numbers: tuple[int, ...] = ()
    scratch_offset: int = 0

    @property
    def code(self) -> int:
        """Of the kernel, as the C program knows it."""
        return KERNELS.index(self.kernel)

    def encode(self) -> bytes:
        """Head and arrays as call.h says."""
        arrays = [*self.arrays, *[np.zeros(0, np.int8)] * (5 - len(self.arrays))]
        numbers = [*self.numbers, *[0] * (16 - len(self.numbers))]
        head = struct.pack(
            "<48i",
            self.code,
            *self.input_dims,
            *self.filter_dims,
            *self.output_dims,
            *reversed(self.stride),
            *reversed(self.padding),
            *reversed(self.dilation),
            self.input_offset,
            self.output_offset,
            *self.activation,
            self.ch_mult,
            self.is_per_channel,
            *numbers,
            *(array.nbytes for array in arrays),
            self.expected.size,
            self.scratch_offset,
        )
        return head + b"".join(a.tobytes() + bytes(-a.nbytes % 16) for a in arrays)


def doubling_high_multiply(value: Int64s, multiplier: Int64s) -> Int64s:
    """gemmlowp SaturatingRoundingDoublingHighMul: nudge by the sign, then divide towards zero."""
    product = value * multiplier
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    return np.where(nudged >= 0, nudged >> 31, -(-nudged >> 31))


def rounding_divide(value: Int64s, exponent: Int64s) -> Int64s:
    """gemmlowp RoundingDivideByPOT: half away from zero."""
    mask = (1 << exponent) - 1
    return (value >> exponent) + ((value & mask) > (mask >> 1) + (value < 0))


def requantize(value: Int64s, multiplier: Int64s, shift: Int64s) -> Int64s:
    """TFLite MultiplyByQuantizedMultiplier."""
    left = np.maximum(shift, 0)
    product = doubling_high_multiply(value << left, multiplier)
    return rounding_divide(product, np.maximum(-shift, 0))


def requantize_once(value: Int64s, multiplier: Int64s, shift: Int64s) -> Int64s:
    """TFLite MultiplyByQuantizedMultiplier with TFLITE_SINGLE_ROUNDING."""
    total = 31 - shift
    return (value * multiplier + (1 << total >> 1)) >> total


def finish(
    acc: Int64s,
    multiplier: Int32s,
    shift: Int32s,
    zero_point: int,
    activation: Pair,
    *,
    nearest: bool = False,
) -> Int8s:
    rescale = requantize_once if nearest else requantize
    scaled = rescale(acc, multiplier.astype(np.int64), shift.astype(np.int64)) + zero_point
    return np.clip(scaled, *activation).astype(np.int8)


def windows(
    x: Int64s, kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, size: Pair, fill: int
) -> Iterator[tuple[int, int, Int64s]]:
    """For each tap (ky, kx) the values (N, oh, ow, C) that it meets; `fill` outside the input."""
    rows = (size[0] - 1) * stride[0] + (kernel[0] - 1) * dilation[0] + 1
    columns = (size[1] - 1) * stride[1] + (kernel[1] - 1) * dilation[1] + 1
    after = [
        max(0, n - p - e) for n, p, e in zip((rows, columns), padding, x.shape[1:3], strict=True)
    ]
    spatial = [(p, a) for p, a in zip(padding, after, strict=True)]
    padded = np.pad(x, [(0, 0), *spatial, (0, 0)], constant_values=fill)
    for ky in range(kernel[0]):
        for kx in range(kernel[1]):
            y, z = ky * dilation[0], kx * dilation[1]
            ys = slice(y, y + (size[0] - 1) * stride[0] + 1, stride[0])
            zs = slice(z, z + (size[1] - 1) * stride[1] + 1, stride[1])
            yield ky, kx, padded[:, ys, zs]


@dataclass
class Generator:
    """Random calls from one seed. Sizes stay small enough for a board's arena of 24 kB."""

    seed: int
    implementation: Implementation

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def between(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high + 1))

    def chance(self, probability: float) -> bool:
        return bool(self.random.random() < probability)

    def int8(self, *shape: int) -> Int8s:
        """Anything, or now and then only extremes, where sums are greatest."""
        if self.chance(0.2):
            return self.random.choice(np.array([-128, 127], np.int8), shape)
        return self.random.integers(-128, 128, shape).astype(np.int8)

    def weights(self, *shape: int, bits: int = 8) -> Int8s:
        if bits == 2:
            lowest = -2 if self.chance(0.4) else 1 if self.chance(0.2) else -1
            return self.random.integers(lowest, 2, shape).astype(np.int8)
        if bits == 4:
            lowest = -8 if self.chance(0.5) else 7 if self.chance(0.2) else -7
            return self.random.integers(lowest, 8, shape).astype(np.int8)
        spread = (10.0, 40.0, 400.0)[self.between(0, 2)]
        return np.clip(np.rint(self.random.normal(0, spread, shape)), -127, 127).astype(np.int8)

    def activation(self) -> Pair:
        if self.chance(0.6):
            return (-128, 127)
        low, high = sorted((self.between(-128, 127), self.between(-128, 127)))
        return (low, high)

    def stage(self, depth: int, channels: int, *, wide: bool) -> tuple[Int32s, Int32s]:
        """Multipliers and shifts that spread sums of `depth` products over int8; wide: any legal."""
        multiplier = self.random.integers(1 << 30, 1 << 31, channels)
        if wide:
            return multiplier.astype(np.int32), self.random.integers(-31, 3, channels).astype(
                np.int32
            )
        spread = np.log2(40 * 90 * np.sqrt(depth) / 60) + self.random.normal(0, 1, channels)
        shift = -np.clip(np.rint(spread), 1, 22).astype(np.int32)
        if self.chance(0.2):
            dead = self.between(0, channels - 1)
            shift[dead] = -31
        return multiplier.astype(np.int32), shift

    def large_shift(self, channels: int) -> Int32s:
        """Some of scales above 0.5, and small ones whose sums are seldom clamped."""
        return self.random.integers(-10, 5, channels).astype(np.int32)

    def bias(self, depth: int, channels: int) -> Int32s:
        return np.rint(self.random.normal(0, 40 * 90 * np.sqrt(depth), channels)).astype(np.int32)

    def output_size(self, extent: int, taps: int, stride: int, dilation: int) -> tuple[int, int]:
        """(outputs, padding before) along one axis, as SAME or VALID would or a little more."""
        reach = (taps - 1) * dilation + 1
        if extent < reach or self.chance(0.5):
            outputs = -(-extent // stride)
            total = max((outputs - 1) * stride + reach - extent, 0)
            return outputs, total // 2
        return (extent - reach) // stride + 1, 0

    def convolution(self, kernel: str) -> Call:
        name, nearest = kernel.removesuffix(NEAREST), kernel.endswith(NEAREST)
        narrow = kernel.endswith(NARROW)
        packed, has_offset = "packed" in name, name.endswith("_offset")
        any_shift = "_any" in name
        any_shift |= (has_offset or name.endswith("_single")) and self.chance(0.5)
        any_shift |= nearest and self.implementation == "mve" and self.chance(0.3)
        one_row, pixels = kernel == "convolve_1_x_n", "1x1" in kernel
        groups = 1 if packed or one_row or pixels or self.chance(0.7) else self.between(2, 3)
        taps = (1, 1) if pixels or self.chance(0.3) else (self.between(1, 5), self.between(1, 4))
        bits = bits_of(name)
        channels_in = groups * self.between(1, 10 if bits == 4 else 20)
        channels_out = groups * self.between(1, 13)
        n, h, w = self.between(1, 2), self.between(1, 9), self.between(1, 9)
        stride = (self.between(1, 3), self.between(1, 3))
        dilation = (1, 1) if self.chance(0.7) else (self.between(1, 2), self.between(1, 2))
        if kernel == "convolve_1x1_fast":
            stride = (1, 1)
        if one_row:
            h, taps, dilation, channels_in = 1, (1, taps[1]), (1, 1), 4 * self.between(1, 5)
        oh, top = self.output_size(h, taps[0], stride[0], dilation[0])
        ow, left = self.output_size(w, taps[1], stride[1], dilation[1])
        x = self.int8(n, h, w, channels_in)
        if bits == 2 and self.chance(0.3):  # sums that share a word grow as fast as they can
            x[:] = -128
        weights = self.weights(channels_out, *taps, channels_in // groups, bits=bits)
        weights_zero = self.between(-128, 127) if has_offset else 0
        depth = weights[0].size
        bias = self.bias(depth, channels_out)
        if bits == 4:
            bias //= 8
        multiplier, shift = self.stage(depth, channels_out, wide=not packed and self.chance(0.3))
        if any_shift:
            shift = self.large_shift(channels_out)
        if has_offset:
            shift = np.maximum(shift, -22)
        if narrow:
            multiplier, shift = narrow_stage(self.random, weights.reshape(channels_out, -1), bias)
        zero, out_zero = self.between(-128, 127), self.between(-128, 127)
        activation = self.activation()

        acc = np.zeros((n, oh, ow, channels_out), np.int64) + bias
        shifted = x.astype(np.int64) - zero
        for ky, kx, values in windows(shifted, taps, stride, (top, left), dilation, (oh, ow), 0):
            parts = zip(
                np.split(values, groups, 3), np.split(weights[:, ky, kx], groups), strict=True
            )
            acc += np.concatenate(
                [v @ (m.astype(np.int64) - weights_zero).T for v, m in parts], axis=3
            )
        once = nearest or narrow
        expected = finish(acc, multiplier, shift, out_zero, activation, nearest=once)
        if narrow:
            stage, zeros = (multiplier, shift), (zero, out_zero)
            given = weights, bias, stage, zeros, activation
            layer = packed_narrow(self.implementation, *given, bits=bits)
        elif bits == 2:
            layer = pack_convolution_two_bits(
                self.implementation,
                weights,
                bias,
                multiplier,
                shift,
                input_zero_point=zero,
                any_shift=any_shift,
                nearest=nearest,
            )
        elif bits == 4:
            layer = pack_convolution_four_bits(
                self.implementation,
                weights,
                bias,
                multiplier,
                shift,
                input_zero_point=zero,
                nearest=nearest,
            )
        elif has_offset:
            layer = pack_convolution_offset(
                self.implementation,
                weights,
                bias,
                multiplier,
                shift,
                input_zero_point=zero,
                weights_zero_point=weights_zero,
                nearest=nearest,
            )
        elif packed:
            layer = pack_convolution(
                self.implementation,
                weights,
                bias,
                multiplier,
                shift,
                input_zero_point=zero,
                any_shift=any_shift,
                nearest=nearest,
            )
        else:
            layer = PackedLayer(weights, bias, multiplier, shift)
        return Call(
            kernel=kernel,
            expected=expected,
            arrays=(x, layer.weights, layer.bias, layer.multiplier, layer.shift),
            input_dims=(n, h, w, channels_in),
            filter_dims=(channels_out, taps[0], taps[1], channels_in // groups),
            output_dims=(n, oh, ow, channels_out),
            stride=stride,
            padding=(top, left),
            dilation=dilation,
            input_offset=-zero,
            output_offset=out_zero,
            activation=activation,
        )

    def depthwise(self, kernel: str) -> Call:
        name, nearest = kernel.removesuffix(NEAREST), kernel.endswith(NEAREST)
        narrow = kernel.endswith(NARROW)
        packed, pixels = "packed" in name, name.endswith("_pixels")
        multiplies = "_any" in name
        any_shift = multiplies or (pixels and self.chance(0.5))
        any_shift |= nearest and self.implementation == "mve" and self.chance(0.3)
        image = kernel in ("depthwise_opt", "depthwise_3x3")
        small = name.endswith("3x3") or self.chance(0.4)
        taps = (3, 3) if small else (self.between(1, 9), self.between(1, 6))
        free = not packed and not pixels
        single = image or pixels or (packed and not multiplies)
        multiply = 1 if single or self.chance(0.6) else self.between(2, 9 if free else 3)
        channels_in = self.between(2 if packed else 1, 11) + (3 if pixels else 0)
        if free and self.chance(0.1):  # more than sums are kept of
            channels_in = self.between(30, 70)
        if kernel == "depthwise_opt" and self.chance(0.4):  # few taps of blocks of channels
            taps, channels_in = (self.between(1, 2), self.between(1, 2)), self.between(14, 40)
        if kernel == "depthwise" and not small and self.chance(0.2):  # more than are listed
            taps = (self.between(8, 13), self.between(6, 11))
        channels = channels_in * multiply
        n, h, w = 1 if image else self.between(1, 2), self.between(1, 17), self.between(1, 17)
        same = self.between(1, 2)
        stride = (same, same) if self.chance(0.7) else (self.between(1, 3), self.between(1, 3))
        dilation = (
            (1, 1)
            if packed or image or self.chance(0.7)
            else (self.between(1, 2), self.between(1, 2))
        )
        oh, top = self.output_size(h, taps[0], stride[0], dilation[0])
        ow, left = self.output_size(w, taps[1], stride[1], dilation[1])
        x = self.int8(n, h, w, channels_in)
        bits = bits_of(name)
        weights = self.weights(1, *taps, channels, bits=bits).astype(np.int16)
        if pixels and self.chance(0.5):
            weights += self.between(-128, 128)  # as if they had a zero point
        depth = taps[0] * taps[1]
        bias = self.bias(depth, channels)
        multiplier, shift = self.stage(depth, channels, wide=free and self.chance(0.3))
        if any_shift:
            shift = self.large_shift(channels)
        if narrow:
            multiplier, shift = narrow_stage(self.random, weights.reshape(-1, channels).T, bias)
        zero, out_zero = self.between(-128, 127), self.between(-128, 127)
        activation = self.activation()

        acc = np.zeros((n, oh, ow, channels), np.int64) + bias
        shifted = np.repeat(x.astype(np.int64) - zero, multiply, axis=3)
        for ky, kx, values in windows(shifted, taps, stride, (top, left), dilation, (oh, ow), 0):
            acc += values * weights[0, ky, kx].astype(np.int64)
        once = nearest or narrow
        expected = finish(acc, multiplier, shift, out_zero, activation, nearest=once)
        layer = PackedLayer(weights.astype(np.int8), bias, multiplier, shift)
        if pixels:
            layer = pack_depthwise_pixels(
                self.implementation,
                weights,
                bias,
                multiplier,
                shift,
                input_zero_point=zero,
                nearest=nearest,
            )
        if narrow:
            layer = packed_narrow(
                self.implementation,
                weights.astype(np.int8),
                bias,
                (multiplier, shift),
                (zero, out_zero),
                activation,
                (h, w),
                bits=bits,
            )
        elif packed:
            packs = {2: pack_depthwise_two_bits, 4: pack_depthwise_four_bits, 8: pack_depthwise}
            layer = packs[bits](
                self.implementation,
                weights.astype(np.int8),
                bias,
                multiplier,
                shift,
                input_zero_point=zero,
                input_size=(h, w),
                any_shift=any_shift,
                nearest=nearest,
            )
        strip = self.between(1, ow if h > w else oh) if packed else 1
        return Call(
            kernel=kernel,
            expected=expected,
            arrays=(x, layer.weights, layer.bias, layer.multiplier, layer.shift),
            input_dims=(n, h, w, channels_in),
            filter_dims=(strip, taps[0], taps[1], channels),
            output_dims=(n, oh, ow, channels),
            stride=stride,
            padding=(top, left),
            dilation=dilation,
            input_offset=-zero,
            output_offset=out_zero,
            activation=activation,
            ch_mult=multiply,
        )

    def fully_connected(self, kernel: str) -> Call:
        name, nearest = kernel.removesuffix(NEAREST), kernel.endswith(NEAREST)
        packed, deep = "packed" in name, name.endswith("_deep")
        n, depth, channels = self.between(1, 3), self.between(1, 70), self.between(1, 18)
        if deep and self.chance(0.8):
            n, depth, channels = 1, self.between(500, 1100), self.between(1, 6)
        elif not packed and self.chance(0.2):  # more channels than are summed at a time
            depth, channels = self.between(1, 30), self.between(30, 72)
        per_channel = self.chance(0.5)
        bits = bits_of(name)
        x = self.int8(n, depth)
        if bits == 2 and self.chance(0.3):
            x[:] = -128
        weights = self.weights(channels, depth, bits=bits)
        if bits == 4 and self.implementation == "mve":
            weights = np.maximum(weights, -7)  # others fit but beside some
        bias = self.bias(depth, channels)
        stages = channels if per_channel else 1
        multiplier, shift = self.stage(depth, stages, wide=False)
        if not per_channel:
            shift = np.maximum(shift, -22)
        takes_any = (nearest and self.implementation == "mve") or bits != 8
        if takes_any and self.chance(0.3):
            shift = self.large_shift(stages)
        zero, out_zero = self.between(-128, 127), self.between(-128, 127)
        activation = self.activation()
        acc = (x.astype(np.int64) - zero) @ weights.astype(np.int64).T + bias
        expected = finish(acc, multiplier, shift, out_zero, activation, nearest=nearest)
        layer = PackedLayer(weights, bias, multiplier, shift)
        if name.endswith("_small"):
            layer = pack_fully_connected_small(
                weights, bias, multiplier, shift, input_zero_point=zero, nearest=nearest
            )
        elif bits != 8:
            packs = {2: pack_fully_connected_two_bits, 4: pack_fully_connected_four_bits}
            layer = packs[bits](
                self.implementation,
                weights,
                bias,
                multiplier,
                shift,
                input_zero_point=zero,
                nearest=nearest,
            )
        elif packed:
            layer = pack_fully_connected(
                self.implementation,
                weights,
                bias,
                multiplier,
                shift,
                input_zero_point=zero,
                deep=deep,
                nearest=nearest,
            )
        return Call(
            kernel=kernel,
            expected=expected,
            arrays=(x, layer.weights, layer.bias, layer.multiplier, layer.shift),
            input_dims=(n, 1, 1, depth),
            filter_dims=(depth, 1, 1, channels),
            output_dims=(n, 1, 1, channels),
            input_offset=-zero,
            output_offset=out_zero,
            activation=activation,
            is_per_channel=int(per_channel),
        )

    def blockwise(self, kernel: str) -> Call:
        """Fully connected with a multiplier for each block of inputs."""
        nearest = kernel.endswith(NEAREST)
        n, depth, channels = self.between(1, 3), self.between(1, 140), self.between(1, 18)
        size = (16, 32, 48, 64, depth)[self.between(0, 4)]
        x = self.int8(n, depth)
        if self.chance(0.3):
            x[:] = -128
        weights = self.weights(channels, depth, bits=4)
        if self.implementation == "mve":
            weights = np.maximum(weights, -7)  # others fit but beside some
        multipliers = self.random.integers(0, 256, (channels, -(-depth // size)))
        blocks = Blocks(multipliers.astype(np.uint8), size)
        counts = weights * np.repeat(multipliers, size, axis=1)[:, :depth]
        bias = self.bias(depth, channels) * 100
        stages = channels if self.chance(0.5) else 1
        multiplier, shift = self.stage(depth, stages, wide=False)
        if stages == 1:
            shift = np.maximum(shift, -15)
        shift = np.where(shift < -22, shift, np.maximum(shift - 7, -22))
        if self.chance(0.3):
            shift = np.minimum(self.large_shift(stages), 1)
        zero, out_zero = self.between(-128, 127), self.between(-128, 127)
        activation = self.activation()
        acc = (x.astype(np.int64) - zero) @ counts.T + bias
        layer = pack_blockwise(
            self.implementation,
            weights,
            bias,
            multiplier,
            shift,
            blocks=blocks,
            input_zero_point=zero,
            nearest=nearest,
        )
        return Call(
            kernel=kernel,
            expected=finish(acc, multiplier, shift, out_zero, activation, nearest=nearest),
            arrays=(x, layer.weights, layer.bias, layer.multiplier, layer.shift),
            input_dims=(n, 1, 1, depth),
            filter_dims=(depth, 1, 1, channels),
            output_dims=(n, 1, 1, channels),
            input_offset=-zero,
            output_offset=out_zero,
            activation=activation,
            is_per_channel=int(stages > 1 or channels == 1),
            numbers=(kernel_blocks(blocks, depth).size,),
        )

    def operands(self, kernel: str) -> tuple[Int8s, Int8s, Int8s, tuple[int, ...]]:
        """Two operands, the second also as the first meets it, and how it repeats (no numbers for equal shapes)."""
        if not kernel.endswith("_broadcast"):
            size = self.between(1, 300)
            a, b = self.int8(size), self.int8(size)
            return a, b, b, ()
        outer, count, inner = (1 if self.chance(0.3) else self.between(2, 40) for _ in range(3))
        if outer * count * inner > 3000:
            outer = 1
        if self.chance(0.1):
            count, inner = self.between(250, 300), 1
            outer = self.between(1, 8)
        elif count * inner > 3000:
            count = self.between(1, 9)
        a, b = self.int8(outer * count * inner), self.int8(count)
        return a, b, np.tile(np.repeat(b, inner), outer), (outer, count, inner)

    def add(self, kernel: str) -> Call:
        a, b, met, repetition = self.operands(kernel)
        zeros = (self.between(-128, 127), self.between(-128, 127), self.between(-128, 127))
        scales = np.exp(self.random.normal(0, 1, 3))
        if self.chance(0.2):
            scales[1] = scales[0]
        twice = 2 * max(scales[0], scales[1])
        reals = (scales[0] / twice, scales[1] / twice, twice / ((1 << 20) * scales[2]))
        (m0, s0), (m1, s1), (m2, s2) = (quantize_multiplier(float(real)) for real in reals)
        activation = self.activation()

        def scaled(values: Int8s, zero: int, multiplier: int, shift: int) -> Int64s:
            return requantize(
                (values.astype(np.int64) - zero) << 20,
                np.array([multiplier]),
                np.array([shift]),
            )

        total = scaled(a, zeros[0], m0, s0) + scaled(met, zeros[1], m1, s1)
        expected = finish(
            total, np.array([m2], np.int32), np.array([s2], np.int32), zeros[2], activation
        )
        return Call(
            kernel=kernel,
            expected=expected,
            arrays=(a, b),
            output_offset=zeros[2],
            activation=activation,
            numbers=(-zeros[0], m0, s0, -zeros[1], m1, s1, 20, m2, s2, *repetition),
        )

    def mul(self, kernel: str) -> Call:
        a, b, met, repetition = self.operands(kernel)
        zeros = (self.between(-128, 127), self.between(-128, 127), self.between(-128, 127))
        multiplier, shift = quantize_multiplier(float(np.exp(self.random.normal(-5, 1))))
        activation = self.activation()
        product = (a.astype(np.int64) - zeros[0]) * (met.astype(np.int64) - zeros[1])
        stage = np.array([multiplier], np.int32), np.array([shift], np.int32)
        return Call(
            kernel=kernel,
            expected=finish(product, *stage, zeros[2], activation),
            arrays=(a, b),
            output_offset=zeros[2],
            activation=activation,
            numbers=(-zeros[0], 0, 0, -zeros[1], 0, 0, 0, multiplier, shift, *repetition),
        )

    def pool(self, kernel: str) -> Call:
        n, h, w, c = self.between(1, 2), self.between(1, 9), self.between(1, 9), self.between(1, 19)
        taps = (self.between(1, h), self.between(1, w))
        stride = (self.between(1, 3), self.between(1, 3))
        oh, top = self.output_size(h, taps[0], stride[0], 1)
        ow, left = self.output_size(w, taps[1], stride[1], 1)
        x, activation = self.int8(n, h, w, c), self.activation()
        geometry = (taps, stride, (top, left), (1, 1), (oh, ow))
        if kernel == "max_pool":
            taken = windows(x.astype(np.int64), *geometry, -128)
            result = np.max([values for _, _, values in taken], axis=0)
        else:
            total = sum(values for _, _, values in windows(x.astype(np.int64), *geometry, 0))
            ones = windows(np.ones(x.shape, np.int64), *geometry, 0)
            count = sum(values for _, _, values in ones)
            half = count // 2
            result = np.where(total > 0, (total + half) // count, -((half - total) // count))
        return Call(
            kernel=kernel,
            expected=np.clip(result, *activation).astype(np.int8),
            arrays=(x,),
            input_dims=(n, h, w, c),
            filter_dims=(1, taps[0], taps[1], 1),
            output_dims=(n, oh, ow, c),
            stride=stride,
            padding=(top, left),
            activation=activation,
        )

    def transpose(self, kernel: str) -> Call:
        rank = self.between(1, 4)
        shape = [self.between(1, 6) for _ in range(rank)]
        shape[self.between(0, rank - 1)] = self.between(1, 18)
        permutation = [int(axis) for axis in self.random.permutation(rank)]
        x = self.int8(*shape)
        ones = [1] * (4 - rank)
        return Call(
            kernel=kernel,
            expected=np.ascontiguousarray(x.transpose(permutation)),
            arrays=(x,),
            input_dims=_dims([*shape, *ones]),
            output_dims=_dims([*(shape[axis] for axis in permutation), *ones]),
            numbers=(rank, *permutation),
        )

    def pad(self, kernel: str) -> Call:
        shape = [self.between(1, 5) for _ in range(4)]
        before, after = ([self.between(0, 2) for _ in range(4)] for _ in range(2))
        value, x = self.between(-128, 127), self.int8(*shape)
        expected = np.pad(x, list(zip(before, after, strict=True)), constant_values=value)
        return Call(
            kernel=kernel,
            expected=expected,
            arrays=(x,),
            input_dims=_dims(shape),
            numbers=(value, *before, *after),
        )

    def concatenate(self, kernel: str) -> Call:
        axis = self.between(0, 3)
        first = [self.between(1, 5) for _ in range(4)]
        second = list(first)
        second[3 - axis] = self.between(1, 5)
        a, b = self.int8(*first), self.int8(*second)
        return Call(
            kernel=kernel,
            expected=np.concatenate([a, b], axis=3 - axis),
            arrays=(a, b),
            numbers=(axis, *reversed(first), *reversed(second)),
        )

    def flat(self, kernel: str) -> Call:
        x = self.int8(self.between(1, 200))
        low, high = {"relu": (0, 127), "relu6": (0, 6), "reshape": (-128, 127)}[kernel]
        return Call(kernel=kernel, expected=x.clip(low, high), arrays=(x,))

    def call(self, kernel: str) -> Call:
        """Public functions take scratch at any address; what is an int32 array of the caller, not."""
        call = self.aligned_call(kernel)
        own = ("packed", "pixels", "fully_connected")
        if any(name in kernel for name in own) or self.chance(0.7):
            return call
        return replace(call, scratch_offset=self.between(1, 3))

    def aligned_call(self, kernel: str) -> Call:
        match kernel:
            case _ if "blockwise" in kernel:
                return self.blockwise(kernel)
            case _ if kernel.startswith("fully_connected"):
                return self.fully_connected(kernel)
            case _ if kernel.startswith("convolve"):
                return self.convolution(kernel)
            case _ if kernel.startswith("depthwise"):
                return self.depthwise(kernel)
            case "add" | "add_broadcast":
                return self.add(kernel)
            case "mul" | "mul_broadcast":
                return self.mul(kernel)
            case "average_pool" | "max_pool":
                return self.pool(kernel)
            case "transpose":
                return self.transpose(kernel)
            case "pad":
                return self.pad(kernel)
            case "relu" | "relu6" | "reshape":
                return self.flat(kernel)
            case _:
                return self.concatenate(kernel)


def quantize_multiplier(real: float) -> Pair:
    """TFLite QuantizeMultiplier for real > 0: (Q31 in [2**30, 2**31), shift)."""
    fraction, shift = np.frexp(real)
    quantized = round(float(fraction) * (1 << 31))
    if quantized == 1 << 31:
        return 1 << 30, int(shift) + 1
    return quantized, int(shift)


def _dims(extents: list[int]) -> Dims:
    n, h, w, c = extents
    return n, h, w, c
