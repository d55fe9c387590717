"""Random calls of the kernels that `kernel_cases` leaves out: int16, weights of four bits, products of matrices, what
keeps a state. The arithmetic is written once more here, on int64 arrays and from the definitions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from kernel_cases import (
    NEAREST,
    Call,
    Generator,
    Int8s,
    Int32s,
    Int64s,
    Pair,
    finish,
    quantize_multiplier,
    requantize,
    requantize_once,
    windows,
)
from numpy.typing import NDArray
from tinsmith_cmsis_nn.difference import arranged, lhs_is_shifted
from tinsmith_cmsis_nn.weighted import arranged_product, arranged_sum
from tinsmith_ir import DType
from tinsmith_ir.curves import int16_table
from tinsmith_ir.fixed_point_16 import logistic_s16, tanh_s16
from tinsmith_ir.operators import Softmax
from tinsmith_ir.parameter_records import (
    ElementwiseAddParameters,
    MulParameters,
    WeightedSumParameters,
)
from tinsmith_ir.parameters import softmax_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import Quantization, TensorType

OTHER_KERNELS = (
    "convolve_s16",
    "depthwise_s16",
    "fully_connected_s16",
    "batch_matmul_s16",
    "batch_matmul_s8",
    "add_s16",
    "mul_s16",
    "relu_s16",
    "activation_s16",
    "average_pool_s16",
    "max_pool_s16",
    "softmax_s16",
    "transpose_conv",
    "convolve_s4",
    "depthwise_s4",
    "fully_connected_s4",
    "svdf_s8",
    "svdf_s16",
    "minimum",
    "maximum",
    "lstm_s8",
    "lstm_s16",
    "svdf_halves_s8",
    "svdf_halves_s16",
    "lstm_cells",
    "mean_columns_s8",
    "mean_columns_s16",
    "rescale_s8_s8",
    "rescale_s8_u8",
    "rescale_s8_s16",
    "rescale_u8_s8",
    "rescale_s16_s8",
    "rescale_s16_s16",
    "difference",
    "difference_broadcast",
    "flip_signs",
    "softmax_s8",
    "softmax_s8_s16",
    "mean_columns_s8_nearest",
    "mean_columns_s16_nearest",
    "rescale_s8_s8_nearest",
    "rescale_s8_u8_nearest",
    "rescale_s8_s16_nearest",
    "rescale_u8_s8_nearest",
    "rescale_s16_s8_nearest",
    "rescale_s16_s16_nearest",
    "weighted_sum",
    "weighted_sum_broadcast",
    "product",
    "product_broadcast",
    "batch_matmul_s8_nearest",
    "average_pool_even_s8",
)
"""In the order of `other_kernel` in other_call.c."""

Int16s = NDArray[np.int16]

S16: Pair = (-(1 << 15), (1 << 15) - 1)
REPETITION = 11
"""Where the numbers begin that say how an operand repeats."""

ALIGNED = ("svdf_s8", "batch_matmul_s8", "batch_matmul_s8_nearest")
"""Their scratch is an int32 array of the caller."""


@dataclass(frozen=True)
class OtherCall(Call):
    """expected: the bytes of the result, of whatever type."""

    @property
    def code(self) -> int:
        """Of the kernel, as the C program knows it."""
        return OTHER_KERNELS.index(self.kernel)


def _behind(numbers: Mapping[str, int], repetition: tuple[int, ...]) -> tuple[int, ...]:
    """Numbers of a call, and of how an operand repeats, which begin at the same place for all."""
    if not repetition:
        return tuple(numbers.values())
    return (*numbers.values(), *[0] * (REPETITION - len(numbers)), *repetition)


def requantize_s64(acc: Int64s, multiplier: Int32s, shift: Int32s) -> Int64s:
    """TFLite MultiplyByQuantizedMultiplier of 64 bits: a multiplier of 16 bits, rounded once."""
    reduced = np.minimum((multiplier.astype(np.int64) + (1 << 15)) >> 16, 0x7FFF)
    right = 15 - shift.astype(np.int64)
    return (acc * reduced + (np.int64(1) << (right - 1))) >> right


def pack_nibbles(values: Int8s) -> Int8s:
    """Two values to a byte, the first in the lower half."""
    flat = np.append(values.reshape(-1), np.zeros(values.size % 2, np.int8)).astype(np.uint8) & 15
    return (flat[0::2] | (flat[1::2] << 4)).astype(np.uint8).view(np.int8)


def curve(values: Int64s, left_shift: int, *, is_tanh: bool) -> Int64s:
    """arm_nn_activation_s16 by its definition: 2**16 times the logistic function, between values of a table."""
    table = int16_table().astype(np.int64) + (1 << 15)
    left, right = max(left_shift, 0), max(-left_shift, 0)
    steps = (values * (3 << left) + ((1 << right) >> 1)) >> right
    bits = 8 if is_tanh else 9
    size = np.abs(steps)
    index = np.minimum(size >> bits, 254)
    line = (table[index] << bits) + (size & ((1 << bits) - 1)) * (table[index + 1] - table[index])
    limit = (0xFFFF << 8) if is_tanh else (0x7FFF << 10)
    line = np.where(size >> bits >= 255, limit, line)
    if is_tanh:
        above = line - (1 << 23)
        return (np.where(steps >= 0, above, -above - 1) + (1 << 7)) >> 8
    return (np.where(steps >= 0, line, (1 << 25) - line - 1) + (1 << 9)) >> 10


def _bytes(values: NDArray[np.generic]) -> Int8s:
    return np.ascontiguousarray(values).reshape(-1).view(np.int8)


class OtherGenerator(Generator):
    """Random calls from one seed."""

    def int16(self, *shape: int) -> Int16s:
        """Anything, or now and then only extremes."""
        if self.chance(0.2):
            return self.random.choice(np.array(S16, np.int16), shape)
        return self.random.integers(S16[0], S16[1] + 1, shape).astype(np.int16)

    def nibbles(self, *shape: int) -> Int8s:
        """Weights of four bits."""
        return self.random.integers(-8, 8, shape).astype(np.int8)

    def activation_s16(self) -> Pair:
        """A clamp of int16."""
        if self.chance(0.6):
            return S16
        low, high = sorted((self.between(*S16), self.between(*S16)))
        return (low, high)

    def stage_s16(self, depth: int, channels: int) -> tuple[Int32s, Int32s]:
        """Multipliers and shifts that spread sums of `depth` products over int16; now and then near 2**31."""
        multiplier = self.random.integers(1 << 30, 1 << 31, channels)
        if self.chance(0.2):
            multiplier[0] = (1 << 31) - 1
        spread = np.rint(np.log2(40 * np.sqrt(depth)) + self.random.normal(0, 1, channels))
        return multiplier.astype(np.int32), -np.clip(spread, 1, 22).astype(np.int32)

    def convolution_shape(self, groups: int) -> tuple[Call, Pair]:
        """Geometry alone, and the taps. groups: 1, or as many as channels of the input."""
        kh, kw = (1, 1) if self.chance(0.3) else (self.between(1, 4), self.between(1, 4))
        if groups > 1 and self.chance(0.15):  # no block of the filter fits, or some channels of it
            kh, kw = (33, 32) if self.chance(0.2) else (self.between(7, 13), self.between(7, 13))
        taps = (kh, kw)
        n, h, w, c = self.between(1, 2), self.between(1, 8), self.between(1, 8), self.between(1, 19)
        stride = (self.between(1, 3), self.between(1, 3))
        dilation = (1, 1) if self.chance(0.6) else (self.between(1, 2), self.between(1, 2))
        oh, top = self.output_size(h, taps[0], stride[0], dilation[0])
        ow, left = self.output_size(w, taps[1], stride[1], dilation[1])
        multiply = 1 if self.chance(0.6) else self.between(2, 9)
        channels = self.between(1, 11) if groups == 1 else c * multiply
        shape = OtherCall(
            kernel="",
            expected=np.zeros(0, np.int8),
            arrays=(),
            input_dims=(n, h, w, c),
            filter_dims=(channels, kh, kw, c),
            output_dims=(n, oh, ow, channels),
            stride=stride,
            padding=(top, left),
            dilation=dilation,
            ch_mult=channels // c if groups > 1 else 1,
        )
        return shape, taps

    def convolution_sums(self, shape: Call, taps: Pair, x: Int64s, weights: Int8s) -> Int64s:
        """Products without bias; weights [C_OUT, HK, WK, C_IN], or [1, HK, WK, C_OUT] of a depthwise layer."""
        size = (shape.output_dims[1], shape.output_dims[2])
        acc = np.zeros(shape.output_dims, np.int64)
        depthwise = weights.shape[0] == 1 and weights.shape[3] == shape.output_dims[3]
        wide = weights.astype(np.int64)
        if depthwise:
            x = np.repeat(x, shape.ch_mult, axis=3)
        for ky, kx, values in windows(
            x, taps, shape.stride, shape.padding, shape.dilation, size, 0
        ):
            acc += values * wide[0, ky, kx] if depthwise else values @ wide[:, ky, kx].T
        return acc

    def convolve_s16(self, kernel: str) -> Call:
        depthwise = kernel == "depthwise_s16"
        shape, taps = self.convolution_shape(2 if depthwise else 1)
        channels, c = shape.output_dims[3], shape.input_dims[3]
        x = self.int16(*shape.input_dims)
        weights = self.weights(*((1, *taps, channels) if depthwise else (channels, *taps, c)))
        depth = taps[0] * taps[1] * (1 if depthwise else c)
        narrow = not depthwise and self.chance(0.3)
        multiplier, shift = self.stage_s16(depth, channels)
        if narrow:  # sums of 32 bits
            x >>= 4
        acc = self.convolution_sums(shape, taps, x.astype(np.int64), weights)
        bias = np.rint(self.random.normal(0, 3000 * np.sqrt(depth), channels)).astype(np.int64)
        none = self.chance(0.2)
        if depthwise and self.chance(0.15):  # all of 32 bits and more
            bias = self.random.integers(-(1 << 40), 1 << 40, channels)
            shift = -self.random.integers(12, 32, channels).astype(np.int32)
        elif depthwise and self.chance(0.2):
            shift = -self.random.integers(0, 32, channels).astype(np.int32)
        acc = acc + (0 if none else bias)
        activation = self.activation_s16()
        scale = (multiplier.astype(np.int64), shift.astype(np.int64))
        scaled = requantize(acc, *scale) if narrow else requantize_s64(acc, multiplier, shift)
        given = np.zeros(0, np.int8) if none else bias.astype(np.int32) if narrow else bias
        return replace(
            shape,
            kernel=kernel,
            expected=_bytes(np.clip(scaled, *activation).astype(np.int16)),
            arrays=(x, weights, given, multiplier, shift),
            activation=activation,
            numbers=(0, int(narrow)),
        )

    def convolve_s4(self, kernel: str) -> Call:
        depthwise = kernel == "depthwise_s4"
        shape, taps = self.convolution_shape(2 if depthwise else 1)
        channels, c = shape.output_dims[3], shape.input_dims[3]
        x, zero = self.int8(*shape.input_dims), self.between(-128, 127)
        weights = self.nibbles(*((1, *taps, channels) if depthwise else (channels, *taps, c)))
        depth = taps[0] * taps[1] * (1 if depthwise else c)
        bias = self.bias(depth, channels)
        none = depthwise and self.chance(0.2)
        multiplier, shift = self.stage(depth, channels, wide=self.chance(0.3))
        out_zero, activation = self.between(-128, 127), self.activation()
        acc = self.convolution_sums(shape, taps, x.astype(np.int64) - zero, weights)
        acc = acc + (0 if none else bias)
        given = np.zeros(0, np.int8) if none else bias
        return replace(
            shape,
            kernel=kernel,
            expected=finish(acc, multiplier, shift, out_zero, activation),
            arrays=(x, pack_nibbles(weights), given, multiplier, shift),
            input_offset=-zero,
            output_offset=out_zero,
            activation=activation,
        )

    def fully_connected_other(self, kernel: str) -> Call:
        n, depth, channels = self.between(1, 3), self.between(1, 330), self.between(1, 11)
        wide = kernel == "fully_connected_s16"
        if not wide and self.chance(0.2):  # more values than are taken apart at a time
            n, depth, channels = 1, self.between(500, 1100), self.between(1, 5)
        shape = OtherCall(
            kernel=kernel,
            expected=np.zeros(0, np.int8),
            arrays=(),
            input_dims=(n, 1, 1, depth),
            filter_dims=(depth, 1, 1, channels),
            output_dims=(n, 1, 1, channels),
        )
        if wide:
            x, weights = self.int16(n, depth), self.weights(channels, depth)
            multiplier, shift = self.stage_s16(depth, 1)
            bias = np.rint(self.random.normal(0, 3000 * np.sqrt(depth), channels)).astype(np.int64)
            acc = x.astype(np.int64) @ weights.astype(np.int64).T + bias
            activation = self.activation_s16()
            result = np.clip(requantize_s64(acc, multiplier, shift), *activation).astype(np.int16)
            return replace(
                shape,
                expected=_bytes(result),
                arrays=(x, weights, bias, multiplier, shift),
                activation=activation,
            )
        y, zero, nibbles = (
            self.int8(n, depth),
            self.between(-128, 127),
            self.nibbles(channels, depth),
        )
        multiplier, shift = self.stage(depth, 1, wide=False)
        shift = np.maximum(shift, -22)
        sums = self.bias(depth, channels)
        acc = (y.astype(np.int64) - zero) @ nibbles.astype(np.int64).T + sums
        out_zero, activation = self.between(-128, 127), self.activation()
        return replace(
            shape,
            expected=finish(acc, multiplier, shift, out_zero, activation),
            arrays=(y, pack_nibbles(nibbles), sums, multiplier, shift),
            input_offset=-zero,
            output_offset=out_zero,
            activation=activation,
        )

    def batch_matmul(self, kernel: str) -> Call:
        n, h = self.between(1, 3), self.between(1, 3)
        rows, columns, depth = self.between(1, 6), self.between(1, 9), self.between(1, 40)
        if self.chance(0.1):  # more rows or columns than are summed at a time
            n, h, depth = 1, 1, self.between(1, 9)
            rows, columns = self.between(20, 40), self.between(30, 70)
        lhs_dims = (1 if self.chance(0.3) else n, 1 if self.chance(0.3) else h, rows, depth)
        rhs_dims = (n, h, columns, depth)
        if lhs_dims[:2] == (n, h) and self.chance(0.3):
            rhs_dims = (1, h, columns, depth)
        wide = kernel == "batch_matmul_s16"
        lhs = self.int16(*lhs_dims) if wide else self.int8(*lhs_dims)
        rhs = self.int16(*rhs_dims) if wide else self.int8(*rhs_dims)
        zeros = (0, 0) if wide else (self.between(-128, 127), self.between(-128, 127))
        left, right = lhs.astype(np.int64) - zeros[0], rhs.astype(np.int64) - zeros[1]
        acc = left @ right.swapaxes(2, 3)
        if wide:
            multiplier, shift = self.stage_s16(depth << 16, 1)
            if self.chance(0.2):  # sums so small that they are shifted to the left
                lhs, rhs = lhs >> 12, rhs >> 12
                acc = lhs.astype(np.int64) @ rhs.astype(np.int64).swapaxes(2, 3)
                shift = np.array([self.between(-2, 14)], np.int32)
            activation, out_zero = self.activation_s16(), 0
            result = np.clip(requantize_s64(acc, multiplier, shift), *activation).astype(np.int16)
        else:
            nearest = kernel.endswith(NEAREST)
            multiplier, shift = self.stage(depth, 1, wide=False)
            shift = np.maximum(shift, -22)
            if nearest and self.chance(0.2):  # sums so small that they are shifted to the left
                lhs, rhs = lhs >> 5, rhs >> 5
                zeros = (self.between(-3, 3), self.between(-3, 3))
                left, right = lhs.astype(np.int64) - zeros[0], rhs.astype(np.int64) - zeros[1]
                acc, shift = left @ right.swapaxes(2, 3), np.array([self.between(0, 3)], np.int32)
            activation, out_zero = self.activation(), self.between(-128, 127)
            result = finish(acc, multiplier, shift, out_zero, activation, nearest=nearest)
        return OtherCall(
            kernel=kernel,
            expected=_bytes(result),
            arrays=(lhs, rhs, np.zeros(0, np.int8), multiplier, shift),
            input_dims=lhs_dims,
            filter_dims=rhs_dims,
            output_dims=(n, h, rows, columns),
            input_offset=-zeros[0],
            output_offset=out_zero,
            activation=activation,
            numbers=(-zeros[1],),
        )

    def add_s16(self, kernel: str) -> Call:
        size = self.between(1, 300)
        a, b, activation = self.int16(size), self.int16(size), self.activation_s16()
        scales = np.exp(self.random.normal(0, 1, 3))
        twice = 2 * max(scales[0], scales[1])
        reals = (scales[0] / twice, scales[1] / twice, twice / ((1 << 15) * scales[2]))
        (m0, s0), (m1, s1), (m2, s2) = (quantize_multiplier(float(real)) for real in reals)

        def scaled(values: Int64s, multiplier: int, shift: int) -> Int64s:
            return requantize(values, np.array([multiplier]), np.array([shift]))

        total = scaled(a.astype(np.int64) << 15, m0, s0) + scaled(b.astype(np.int64) << 15, m1, s1)
        return OtherCall(
            kernel=kernel,
            expected=_bytes(np.clip(scaled(total, m2, s2), *activation).astype(np.int16)),
            arrays=(a, b),
            activation=activation,
            numbers=(m0, s0, m1, s1, 15, m2, s2),
        )

    def mul_s16(self, kernel: str) -> Call:
        size = self.between(1, 300)
        a, b, activation = self.int16(size), self.int16(size), self.activation_s16()
        multiplier, shift = quantize_multiplier(float(np.exp(self.random.normal(-10, 1))))
        product = a.astype(np.int64) * b.astype(np.int64)
        result = requantize(product, np.array([multiplier]), np.array([shift]))
        return OtherCall(
            kernel=kernel,
            expected=_bytes(np.clip(result, *activation).astype(np.int16)),
            arrays=(a, b),
            activation=activation,
            numbers=(0, 0, 0, 0, 0, multiplier, shift),
        )

    def curve_s16(self, kernel: str) -> Call:
        x = self.int16(self.between(1, 300))
        if kernel == "relu_s16":
            return OtherCall(kernel=kernel, expected=_bytes(np.maximum(x, 0)), arrays=(x,))
        left, is_tanh = self.between(-4, 8), self.chance(0.5)
        result = curve(x.astype(np.int64), left, is_tanh=is_tanh).astype(np.int16)
        return OtherCall(
            kernel=kernel, expected=_bytes(result), arrays=(x,), numbers=(left, int(is_tanh))
        )

    def average_pool_even(self, kernel: str) -> Call:
        call = self.pool("average_pool")
        zero_point, x = self.between(-128, 127), call.arrays[0]
        if self.chance(0.5):  # most means are halves
            x = self.random.integers(-2, 9, x.shape).astype(np.int8)
        taps = (call.filter_dims[1], call.filter_dims[2])
        size = (call.output_dims[1], call.output_dims[2])
        geometry = (taps, call.stride, call.padding, (1, 1), size)
        centred = x.astype(np.int64) - zero_point
        total = sum(values for _, _, values in windows(centred, *geometry, 0))
        ones = windows(np.ones(x.shape, np.int64), *geometry, 0)
        count = sum(values for _, _, values in ones)
        result = np.rint(total / count) + zero_point
        return OtherCall(
            kernel=kernel,
            expected=_bytes(np.clip(result, *call.activation).astype(np.int8)),
            arrays=(x,),
            input_dims=call.input_dims,
            filter_dims=call.filter_dims,
            output_dims=call.output_dims,
            stride=call.stride,
            padding=call.padding,
            activation=call.activation,
            output_offset=zero_point,
        )

    def pool_s16(self, kernel: str) -> Call:
        call = self.pool(kernel.removesuffix("_s16"))
        if self.chance(0.2):  # all of a large image
            h, w, c = self.between(1, 60), self.between(1, 60), self.between(1, 20)
            h = min(h, max(5000 // (w * c), 1))
            call = replace(
                call,
                input_dims=(1, h, w, c),
                filter_dims=(1, h, w, c),
                output_dims=(1, 1, 1, c),
                padding=(0, 0),
            )
        x, activation = self.int16(*call.input_dims), self.activation_s16()
        if self.chance(0.2):
            x = np.where(x > -20000, S16[1], S16[0]).astype(np.int16)
        taps = (call.filter_dims[1], call.filter_dims[2])
        size = (call.output_dims[1], call.output_dims[2])
        geometry = (taps, call.stride, call.padding, (1, 1), size)
        if kernel == "max_pool_s16":
            taken = windows(x.astype(np.int64), *geometry, S16[0])
            result = np.max([values for _, _, values in taken], axis=0)
        else:
            total = sum(values for _, _, values in windows(x.astype(np.int64), *geometry, 0))
            ones = windows(np.ones(x.shape, np.int64), *geometry, 0)
            count = sum(values for _, _, values in ones)
            half = count // 2
            result = np.where(total > 0, (total + half) // count, -((half - total) // count))
        return OtherCall(
            kernel=kernel,
            expected=_bytes(np.clip(result, *activation).astype(np.int16)),
            arrays=(x,),
            input_dims=call.input_dims,
            filter_dims=call.filter_dims,
            output_dims=call.output_dims,
            stride=call.stride,
            padding=call.padding,
            activation=activation,
        )

    def softmax_s16(self, kernel: str) -> Call:
        rows, size = self.between(1, 3), self.between(1, 40)
        x = self.int16(rows, size) >> self.between(0, 6)
        places = np.arange(513)
        exp_table = np.rint(32767 * np.exp(-10 + 10 * places / 512)).astype(np.int16)
        reciprocals = np.clip(np.rint(32768 / (1 + places / 512)), *S16).astype(np.int16)
        multiplier, shift = quantize_multiplier(float(np.exp(self.random.normal(1, 1))))
        result = np.stack(
            [_softmax_row(row, multiplier, shift, exp_table, reciprocals) for row in x]
        )
        return OtherCall(
            kernel=kernel,
            expected=_bytes(result),
            arrays=(x, exp_table, reciprocals),
            numbers=(rows, size, multiplier, shift),
        )

    def softmax(self, kernel: str) -> Call:
        """By the evaluator; results of int8 or int16."""
        rows, size = self.between(1, 3), self.between(1, 40)
        scale = float(np.exp(self.random.normal(-2, 1.5)))
        operator = Softmax(beta=1.0, wide=kernel == "softmax_s8_s16")
        input_ = TensorType((rows, size), DType.INT8, Quantization.per_tensor(scale, 0))
        dtype = DType.INT16 if operator.wide else DType.INT8
        output = TensorType((rows, size), dtype)
        x = self.int8(rows, size) >> self.between(0, 5)
        p = softmax_parameters(operator, (input_,), output)
        (result,) = operator.evaluate([x], (input_,), (output,))
        return OtherCall(
            kernel=kernel,
            expected=_bytes(result),
            arrays=(x,),
            numbers=(rows, size, p.input_multiplier, p.input_left_shift, p.diff_min),
        )

    def transpose_conv(self, kernel: str) -> Call:
        n, h, w, c = self.between(1, 2), self.between(1, 6), self.between(1, 6), self.between(1, 20)
        taps = (self.between(1, 5), self.between(1, 5))
        stride = (self.between(1, 3), self.between(1, 3))
        channels = self.between(1, 7)
        if self.chance(0.2):  # more windows of a row, or neighbours, than are done together
            h, w, c = self.between(1, 2), self.between(10, 30), self.between(1, 5)
            stride = (self.between(1, 2), self.between(1, 10))
        elif self.chance(0.2):  # more channels than are done together
            h, w, c, channels = self.between(1, 3), 2, self.between(1, 9), self.between(15, 70)
        full = ((h - 1) * stride[0] + taps[0], (w - 1) * stride[1] + taps[1])
        top, left = self.between(0, taps[0] - 1), self.between(0, taps[1] - 1)
        top, left = min(top, full[0] - 1), min(left, full[1] - 1)
        # TFLite's SAME asks for more than the full result where a stride is longer than its filter.
        oh, ow = self.between(1, full[0] - top + 1), self.between(1, full[1] - left + 1)
        x, zero, weights = (
            self.int8(n, h, w, c),
            self.between(-128, 127),
            self.weights(channels, *taps, c),
        )
        sums = np.zeros((n, full[0] + 1, full[1] + 1, channels), np.int64)
        for y in range(h):
            for z in range(w):
                pixel = x[:, y, z].astype(np.int64) - zero
                part = np.einsum("nc,oyxc->nyxo", pixel, weights.astype(np.int64))
                ys, zs = y * stride[0], z * stride[1]
                sums[:, ys : ys + taps[0], zs : zs + taps[1]] += part
        bias = self.bias(c, channels)
        multiplier, shift = self.stage(c, channels, wide=self.chance(0.3))
        out_zero, activation = self.between(-128, 127), self.activation()
        acc = sums[:, top : top + oh, left : left + ow] + bias
        return OtherCall(
            kernel=kernel,
            expected=finish(acc, multiplier, shift, out_zero, activation),
            arrays=(x, weights, bias, multiplier, shift),
            input_dims=(n, h, w, c),
            filter_dims=(channels, *taps, c),
            output_dims=(n, oh, ow, channels),
            stride=stride,
            padding=(top, left),
            input_offset=-zero,
            output_offset=out_zero,
            activation=activation,
        )

    def svdf(self, kernel: str) -> Call:
        n, features, time = self.between(1, 3), self.between(1, 40), self.between(1, 12)
        rank, units = self.between(1, 3), self.between(1, 5)
        if self.chance(0.2):  # more sums than are collected at a time
            features, rank, units = self.between(1, 9), 1, self.between(30, 40)
        filters = rank * units
        wide = kernel == "svdf_s16"
        x, weights = self.int8(n, features), self.weights(filters, features)
        state = self.int16(n, filters, time) if wide else self.int8(n, filters, time)
        over_time = self.int16(filters, time) >> 8 if wide else self.weights(filters, time)
        zero, out_zero = self.between(-128, 127), self.between(-128, 127)
        limits, activation = self.activation_s16() if wide else self.activation(), self.activation()
        bias = self.bias(time, units)
        inner = quantize_multiplier(float(np.exp(self.random.normal(-2 if wide else -6, 1))))
        outer = quantize_multiplier(float(np.exp(self.random.normal(-13 if wide else -6, 1))))

        def scaled(values: Int64s, scale: Pair) -> Int64s:
            return requantize(values, np.array([scale[0]]), np.array([scale[1]]))

        newest = scaled((x.astype(np.int64) - zero) @ weights.astype(np.int64).T, inner)
        after = np.roll(state.reshape(-1), -1).reshape(state.shape).copy()
        after[:, :, -1] = np.clip(newest, *limits)
        products = (after.astype(np.int64) * over_time.astype(np.int64)).sum(axis=2)
        acc = products.reshape(n, units, rank).sum(axis=2) + bias
        result = np.clip(scaled(acc, outer) + out_zero, *activation).astype(np.int8)
        return OtherCall(
            kernel=kernel,
            expected=np.concatenate([_bytes(after), _bytes(result)]),
            arrays=(x, weights, over_time, bias, state),
            input_dims=(n, features, 1, 1),
            filter_dims=(filters, features, 1, 1),
            output_dims=(filters, time, 1, 1),
            input_offset=zero,
            output_offset=out_zero,
            activation=activation,
            numbers=(rank, *limits, *inner, *outer, state.nbytes),
        )

    def svdf_halves(self, kernel: str) -> Call:
        """What filters remember, in place, and what units give of it."""
        n, features, time = self.between(1, 3), self.between(1, 40), self.between(1, 21)
        rank, units = self.between(1, 3), self.between(1, 6)
        filters, steps = rank * units, rank * time
        wide = kernel == "svdf_halves_s16"
        x, weights = self.int8(n, features), self.weights(filters, features)
        state = self.int16(n, filters, time) if wide else self.int8(n, filters, time)
        over_time = self.int16(units, steps) if wide else self.weights(units, steps)
        sums, bias = self.bias(features, filters), self.bias(time, units)
        inner = quantize_multiplier(float(np.exp(self.random.normal(-2 if wide else -6, 1))))
        outer = quantize_multiplier(float(np.exp(self.random.normal(-19 if wide else -6, 1))))
        limits, activation = self.activation_s16() if wide else self.activation(), self.activation()
        zero = 0 if wide else self.between(-128, 127)

        def scaled(values: Int64s, scale: Pair) -> Int64s:
            wrapped = values.astype(np.int32).astype(np.int64)
            return requantize(wrapped, np.array([scale[0]]), np.array([scale[1]]))

        newest = scaled(x.astype(np.int64) @ weights.astype(np.int64).T + sums, inner)
        after = np.roll(state, -1, axis=2)
        after[:, :, -1] = (np.clip(newest, *limits) + zero).astype(after.dtype)
        products = after.reshape(n, units, steps).astype(np.int64) * over_time.astype(np.int64)
        out_zero = self.between(-128, 127)
        moved = scaled(products.sum(axis=2) + bias, outer) + out_zero
        result = np.clip(moved, *activation).astype(np.int8)
        return OtherCall(
            kernel=kernel,
            expected=np.concatenate([_bytes(after), _bytes(result)]),
            arrays=(x, weights, over_time, np.concatenate([sums, bias]).astype(np.int32), state),
            input_dims=(n, features, 1, 1),
            filter_dims=(filters, units, time, steps),
            output_offset=zero,
            activation=activation,
            numbers=(*limits, *inner, *outer, out_zero, state.nbytes),
        )

    def extremum(self, kernel: str) -> Call:
        extents = [self.between(1, 6) for _ in range(4)]
        single = self.chance(0.5)

        def dims(repeat: float) -> tuple[int, int, int, int]:
            n, h, w, c = (1 if self.chance(repeat) else extent for extent in extents)
            return n, h, w, c

        first, second = dims(0.0 if single else 0.3), dims(0.5)
        a, b = self.int8(*first), self.int8(*second)
        result = np.minimum(a, b) if kernel == "minimum" else np.maximum(a, b)
        n, h, w, c = result.shape
        return OtherCall(
            kernel=kernel,
            expected=result,
            arrays=(a, b),
            input_dims=first,
            filter_dims=second,
            output_dims=(n, h, w, c),
        )

    def lstm(self, kernel: str) -> Call:
        batches, steps = self.between(1, 2), self.between(1, 4)
        inputs, hidden = self.between(1, 12), self.between(1, 9)
        if self.chance(0.2):  # more rows or products than are summed at a time
            steps, inputs, hidden = 1, self.between(250, 300), self.between(1, 5)
        elif self.chance(0.2):
            steps, inputs, hidden = 2, self.between(1, 6), self.between(30, 40)
        time_major, wide = self.between(0, 1), kernel == "lstm_s16"
        x = self.int16(batches, steps, inputs) if wide else self.int8(batches, steps, inputs)
        weights = [self.weights(hidden, inputs) for _ in range(4)]
        recurrent = [self.weights(hidden, hidden) for _ in range(4)]
        biases = [self.bias(inputs, hidden).astype(np.int64) for _ in range(8)]
        least = -12 if wide else -4
        scales = [
            quantize_multiplier(float(np.exp(self.random.normal(least, 1)))) for _ in range(8)
        ]
        to_cell = [
            quantize_multiplier(float(2.0**-15 * np.exp(-self.random.random()))) for _ in range(2)
        ]
        clip, power = self.between(1000, 32767), self.between(-13, -9)
        out_scale = quantize_multiplier(2.0 ** (-15 if wide else -23))
        out_zero = 0 if wide else self.between(-128, 127)
        limits = S16 if wide else (-128, 127)

        def product(values: Int64s, matrix: Int8s, bias: Int64s, scale: Pair) -> Int64s:
            acc = values @ matrix.astype(np.int64).T + bias
            stage = np.array([scale[0]], np.int32), np.array([scale[1]], np.int32)
            if wide:
                return requantize_s64(acc, *stage)
            return requantize(acc, *(part.astype(np.int64) for part in stage))

        def scaled(values: Int64s, scale: Pair) -> Int64s:
            return requantize(values, np.array([scale[0]]), np.array([scale[1]]))

        cell = np.zeros((batches, hidden), np.int64)
        state = np.zeros((batches, hidden), np.int64)
        result = np.zeros((batches, steps, hidden), np.int64)
        for t in range(steps):
            gates: list[Int64s] = []
            for i in range(4):
                gate = product(x[:, t].astype(np.int64), weights[i], biases[2 * i], scales[2 * i])
                gate = np.clip(gate, *S16)
                if t > 0:
                    more = product(state, recurrent[i], biases[2 * i + 1], scales[2 * i + 1])
                    gate = np.clip(gate + more, *S16)
                gates.append(curve(gate, 0, is_tanh=i == 2))
            kept = np.clip(scaled(gates[0] * cell, to_cell[0]), *S16)
            cell = np.clip(kept + scaled(gates[1] * gates[2], to_cell[1]), -clip, clip)
            shown = curve(cell, power + 12, is_tanh=True)
            state = np.clip(scaled(gates[3] * shown, out_scale) + out_zero, *limits)
            result[:, t] = state
        dtype = np.int16 if wide else np.int8
        if time_major:
            x, result = np.ascontiguousarray(x.swapaxes(0, 1)), result.swapaxes(0, 1)
        return OtherCall(
            kernel=kernel,
            expected=_bytes(result.astype(dtype)),
            arrays=(
                x,
                np.concatenate([part.reshape(-1) for part in weights]),
                np.concatenate([part.reshape(-1) for part in recurrent]),
                np.concatenate(biases).astype(np.int64 if wide else np.int32),
                np.array(scales, np.int32).reshape(-1),
            ),
            output_offset=out_zero,
            numbers=(
                time_major, batches, steps, inputs, hidden, *to_cell[0], *to_cell[1], clip, power, *out_scale,
            ),
        )  # fmt: skip

    def lstm_cells(self) -> Call:
        """Cells and the last output in place, then the sequence; with or without an input gate and peepholes."""
        batches, steps = self.between(1, 3), self.between(1, 5)
        depth, cells = self.between(1, 40), self.between(1, 21)
        time_major, backwards = self.between(0, 1), self.between(0, 1)
        has_input_gate, has_peepholes = self.between(0, 1), self.between(0, 1)
        bits, zero = self.between(0, 6), self.between(-128, 127)
        clip = self.between(100, 32767) if self.chance(0.3) else 0
        x, last = self.int8(batches, steps, depth), self.int8(batches, cells)
        kept = self.int16(batches, cells) >> self.between(0, 4)
        weights = self.weights(4, cells, depth), self.weights(4, cells, cells)
        biases = np.stack([self.bias(n, 4 * cells).reshape(4, cells) for n in (depth, cells)])
        peepholes = self.int16(4, cells)
        scales = [
            quantize_multiplier(float(np.exp(self.random.normal(least, 1))))
            for _ in range(4)
            for least in (-4, -4, -9)
        ]
        hidden_scale = quantize_multiplier(float(2.0**-22 * np.exp(-self.random.random())))
        low, high = (-clip, clip) if clip else S16

        def scaled(values: Int64s, scale: Pair) -> Int64s:
            return requantize(values, np.array([scale[0]]), np.array([scale[1]]))

        def halved(values: Int64s, exponent: int) -> Int64s:
            return np.sign(values) * ((np.abs(values) + (1 << (exponent - 1))) >> exponent)

        def gate(number: int, now: Int64s, before: Int64s, c: Int64s) -> Int16s:
            total = np.zeros_like(c)
            for part, values in enumerate((now, before)):
                matrix = weights[part][number].astype(np.int64)
                sums = values @ matrix.T + biases[part, number]
                total = np.clip(total + scaled(sums, scales[3 * number + part]), *S16)
            if has_peepholes and number != 2:
                by_cell = scaled(peepholes[number].astype(np.int64) * c, scales[3 * number + 2])
                total = np.clip(total + by_cell, *S16)
            return total.astype(np.int16)

        result = np.zeros((batches, steps, cells), np.int64)
        h, c = last.astype(np.int64), kept.astype(np.int64)
        for t in reversed(range(steps)) if backwards else range(steps):
            now = x[:, t].astype(np.int64)
            forget = logistic_s16(gate(1, now, h, c)).astype(np.int64)
            fresh = tanh_s16(gate(2, now, h, c), 3).astype(np.int64)
            taken = S16[1] - forget
            if has_input_gate:
                taken = logistic_s16(gate(0, now, h, c)).astype(np.int64)
            c = np.clip(halved(forget * c, 15) + halved(taken * fresh, 15 + bits), low, high)
            opened = logistic_s16(gate(3, now, h, c)).astype(np.int64)
            bounded = tanh_s16(c.astype(np.int16), bits).astype(np.int64)
            h = np.clip(scaled(opened * bounded, hidden_scale) + zero, -128, 127)
            result[:, t] = h
        if time_major:
            x, result = np.ascontiguousarray(x.swapaxes(0, 1)), result.swapaxes(0, 1)
        return OtherCall(
            kernel="lstm_cells",
            expected=np.concatenate(
                [_bytes(c.astype(np.int16)), _bytes(h.astype(np.int8)), _bytes(result.astype(np.int8))]
            ),
            arrays=(
                x,
                np.concatenate([part.reshape(-1) for part in weights]),
                np.concatenate([biases.reshape(-1), np.array(scales).reshape(-1)]).astype(np.int32),
                np.concatenate([kept, peepholes]),
                last,
            ),
            output_offset=zero,
            numbers=(
                batches, steps, depth, cells, time_major, backwards, bits, low, high, *hidden_scale,
                has_input_gate, has_peepholes,
            ),
        )  # fmt: skip

    def mean_columns(self, kernel: str) -> Call:
        """Few rows, or so many that lanes of 16 bits would overflow; scales that spread sums over the type, or any."""
        outer, inner = self.between(1, 3), self.between(1, 21)
        count = self.between(1, 60)
        if self.chance(0.3):
            outer, inner, count = 1, self.between(1, 10), self.between(200, 600)
        nearest = kernel.endswith(NEAREST)
        wide = kernel.startswith("mean_columns_s16")
        x = self.int16(outer, count, inner) if wide else self.int8(outer, count, inner)
        zero = 0 if wide else self.between(-128, 127)
        if self.chance(0.8):
            real = float(np.exp(self.random.normal(0, 1))) / (
                np.sqrt(count) if self.chance(0.5) else count
            )
            multiplier, shift = quantize_multiplier(real)
        else:
            multiplier, shift = self.between(0, (1 << 31) - 1), self.between(-31, 3)
        if nearest:  # a sum of 17 bits and 600 rows has 27
            shift = min(shift, 3)
        rescale = requantize_once if nearest else requantize
        out_zero = 0 if wide else self.between(-128, 127)
        activation = self.activation_s16() if wide else self.activation()
        sums = x.astype(np.int64).sum(axis=1) - zero * count
        scaled = rescale(sums, np.array([multiplier]), np.array([shift])) + out_zero
        result = np.clip(scaled, *activation).astype(x.dtype)
        return OtherCall(
            kernel=kernel,
            expected=_bytes(result),
            arrays=(x,),
            output_offset=out_zero,
            activation=activation,
            numbers=(outer, count, inner, -zero * count, multiplier, shift),
        )

    def rescale(self, kernel: str) -> Call:
        """Scales that fill the result, or any that the function takes."""
        source, result = (
            {"s8": np.dtype(np.int8), "u8": np.dtype(np.uint8), "s16": np.dtype(np.int16)}[name]
            for name in kernel.removeprefix("rescale_").removesuffix(NEAREST).split("_")
        )
        nearest = kernel.endswith(NEAREST)
        most = 13 if nearest else 14
        ranges = [
            (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) for dtype in (source, result)
        ]
        x = self.random.integers(ranges[0][0], ranges[0][1] + 1, self.between(1, 300)).astype(
            source
        )
        x[:2] = ranges[0][: x.size]
        zero, out_zero = (self.between(*limits) for limits in ranges)
        shift = self.between(-14, most)
        if self.chance(0.8):
            bits = 8 * (result.itemsize - source.itemsize)
            shift = int(np.clip(self.between(-3, 3) + bits, -14, most))
        multiplier = 0 if self.chance(0.02) else self.between(1 << 30, (1 << 31) - 1)
        if self.chance(0.2):
            multiplier = 1 << 30
        right = max(-shift, int(nearest))
        unit = 2 << (shift + right)
        low, high = ranges[1]
        if self.chance(0.4):
            low, high = sorted((self.between(low, high), self.between(low, high)))
        centred = x.astype(np.int64) - zero
        rescale = requantize_once if nearest else requantize
        scaled = rescale(centred, np.array([multiplier]), np.array([shift])) + out_zero
        return OtherCall(
            kernel=kernel,
            expected=_bytes(np.clip(scaled, low, high).astype(result)),
            arrays=(x,),
            activation=(low, high),
            numbers=(
                unit, -zero * unit, multiplier, right, (out_zero << right) + (1 << right >> 1), x.size,
            ),
        )  # fmt: skip

    def difference(self, kernel: str) -> Call:
        """Either operand may have the larger scale, and either may be the one that repeats."""
        a, b, met, repetition = self.operands(kernel)
        zeros = (self.between(-128, 127), self.between(-128, 127), self.between(-128, 127))
        scales = np.exp(self.random.uniform(-1, 1, 3))
        if self.chance(0.2):
            scales[1] = scales[0]
        twice = 2 * max(scales[0], scales[1])
        reals = (scales[0] / twice, scales[1] / twice, twice / ((1 << 20) * scales[2]))
        pairs = [quantize_multiplier(float(real)) for real in reals]
        p = ElementwiseAddParameters(
            20, -zeros[0], *pairs[0], -zeros[1], *pairs[1], zeros[2], *pairs[2], *self.activation()
        )

        def scaled(values: Int8s, operand: int) -> Int64s:
            raised = (values.astype(np.int64) - zeros[operand]) << 20
            return requantize(raised, *(np.array([number]) for number in pairs[operand]))

        is_turned = self.chance(0.5)  # the repeated one is the left operand
        x, y = (met, a) if is_turned else (a, met)
        multiplier, shift = (np.array([number], np.int32) for number in pairs[2])
        activation = (p.clamp_min, p.clamp_max)
        is_lhs = lhs_is_shifted(p)
        arrays = (a, b)
        if not repetition and is_turned == is_lhs:
            arrays = (b, a)
        return OtherCall(
            kernel=kernel,
            expected=finish(scaled(x, 0) - scaled(y, 1), multiplier, shift, zeros[2], activation),
            arrays=arrays,
            activation=activation,
            numbers=(*arranged(p).values(), int(is_lhs == is_turned), *repetition),
        )

    def weighted_sum(self, kernel: str) -> Call:
        """Sums and differences of like scales or very different ones, where either operand may repeat."""
        a, b, met, repetition = self.operands(kernel)
        zeros = (self.between(-128, 127), self.between(-128, 127), self.between(-128, 127))
        shift = self.between(-7, 2) if self.chance(0.8) else self.between(-7, 15)
        first, second = self.between(1 << 30, (1 << 31) - 1), self.between(0, (1 << 31) - 1)
        if self.chance(0.3):
            second >>= self.between(1, 31)
        if self.chance(0.5):
            first, second = second, first
        subtracts, swapped = self.chance(0.5), self.chance(0.5)
        activation = self.activation()
        p = WeightedSumParameters(
            -zeros[0], -zeros[1], first, second, shift, zeros[2], *activation, Rounding.NEAREST
        )
        lhs, rhs = (
            values.astype(np.int64) - zero
            for values, zero in zip((met, a) if swapped else (a, met), zeros, strict=False)
        )
        total = lhs * first + rhs * (-second if subtracts else second)
        scaled = ((total + (1 << (30 - shift))) >> (31 - shift)) + zeros[2]
        return OtherCall(
            kernel=kernel,
            expected=np.clip(scaled, *activation).astype(np.int8),
            arrays=(a, b),
            activation=activation,
            numbers=_behind(arranged_sum(p, subtracts=subtracts, swapped=swapped), repetition),
        )

    def product(self, kernel: str) -> Call:
        a, b, met, repetition = self.operands(kernel)
        zeros = (self.between(-128, 127), self.between(-128, 127), self.between(-128, 127))
        shift = self.between(-10, -3) if self.chance(0.6) else self.between(-22, 13)
        multiplier = 0 if self.chance(0.02) else self.between(1 << 30, (1 << 31) - 1)
        swapped, activation = self.chance(0.5), self.activation()
        p = MulParameters(
            -zeros[0], -zeros[1], zeros[2], multiplier, shift, *activation, Rounding.NEAREST
        )
        lhs, rhs = (met, a) if swapped else (a, met)
        product = (lhs.astype(np.int64) - zeros[0]) * (rhs.astype(np.int64) - zeros[1])
        stage = np.array([multiplier], np.int32), np.array([shift], np.int32)
        return OtherCall(
            kernel=kernel,
            expected=finish(product, *stage, zeros[2], activation, nearest=True),
            arrays=(a, b),
            activation=activation,
            numbers=_behind(arranged_product(p, swapped=swapped), repetition),
        )

    def call(self, kernel: str) -> Call:
        """Scratch at any address, unless it is an array of the caller's."""
        call = self.aligned_call(kernel)
        if kernel in ALIGNED or self.chance(0.7):
            return call
        return replace(call, scratch_offset=self.between(1, 3))

    def aligned_call(self, kernel: str) -> Call:
        match kernel:
            case "convolve_s16" | "depthwise_s16":
                return self.convolve_s16(kernel)
            case "convolve_s4" | "depthwise_s4":
                return self.convolve_s4(kernel)
            case "fully_connected_s16" | "fully_connected_s4":
                return self.fully_connected_other(kernel)
            case "batch_matmul_s16" | "batch_matmul_s8" | "batch_matmul_s8_nearest":
                return self.batch_matmul(kernel)
            case "add_s16":
                return self.add_s16(kernel)
            case "mul_s16":
                return self.mul_s16(kernel)
            case "relu_s16" | "activation_s16":
                return self.curve_s16(kernel)
            case "average_pool_even_s8":
                return self.average_pool_even(kernel)
            case "average_pool_s16" | "max_pool_s16":
                return self.pool_s16(kernel)
            case "softmax_s16":
                return self.softmax_s16(kernel)
            case "softmax_s8" | "softmax_s8_s16":
                return self.softmax(kernel)
            case "transpose_conv":
                return self.transpose_conv(kernel)
            case "svdf_s8" | "svdf_s16":
                return self.svdf(kernel)
            case "svdf_halves_s8" | "svdf_halves_s16":
                return self.svdf_halves(kernel)
            case "lstm_cells":
                return self.lstm_cells()
            case found if found.startswith("mean_columns_"):
                return self.mean_columns(kernel)
            case "weighted_sum" | "weighted_sum_broadcast":
                return self.weighted_sum(kernel)
            case "product" | "product_broadcast":
                return self.product(kernel)
            case found if found.startswith("rescale_"):
                return self.rescale(kernel)
            case "difference" | "difference_broadcast":
                return self.difference(kernel)
            case "flip_signs":
                x = self.int8(self.between(1, 300))
                flipped = (x.astype(np.int64) ^ -128).astype(np.int8)
                return OtherCall(kernel=kernel, expected=flipped, arrays=(x,))
            case "minimum" | "maximum":
                return self.extremum(kernel)
            case _:
                return self.lstm(kernel)


def _softmax_row(
    row: Int16s, multiplier: int, shift: int, exp_table: Int16s, reciprocals: Int16s
) -> Int16s:
    """TFLite's SoftmaxInt16, from its definition."""

    def look_up(table: Int16s, value: Int64s) -> Int64s:
        index, offset = 256 + (value >> 7), value & 127
        base = table.astype(np.int64)
        return base[index] + (((base[index + 1] - base[index]) * offset + 64) >> 7)

    difference = row.astype(np.int64) - int(row.max())
    scaled = requantize(difference, np.array([multiplier]), np.array([shift])) + 32767
    exps = look_up(exp_table, np.clip(scaled, *S16))
    total = int(exps.sum())
    headroom = 32 - total.bit_length()
    leading = (((total << (headroom - 1)) + (1 << 13)) >> 14) - 98304
    reciprocal = look_up(reciprocals, np.array([leading]))[0]
    return ((((exps * reciprocal) >> (30 - headroom)) + 1) >> 1).astype(np.int16)
