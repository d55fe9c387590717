"""Small random networks for property tests: every operator, odd shapes, real-looking scales."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Value
from tinsmith_ir.operators import (
    Abs,
    Add,
    ArgMax,
    ArgMin,
    AveragePool2D,
    Broadcast,
    Cast,
    Compare,
    Concat,
    Conv2D,
    Convolution,
    DepthwiseConv2D,
    Dequantize,
    Div,
    FloatRescale,
    FullyConnected,
    Gather,
    Logistic,
    Maximum,
    MaxPool2D,
    Mean,
    Minimum,
    Mul,
    Neg,
    Operator,
    Pad,
    Prelu,
    Quantize,
    ReduceMax,
    ReduceMin,
    Relation,
    Relu,
    Relu6,
    Requantize,
    Reshape,
    ResizeBilinear,
    Select,
    Slice,
    Softmax,
    SquaredDifference,
    Sub,
    Sum,
    Tanh,
    Transpose,
)
from tinsmith_ir.operators.base import Rescaling, activation_of
from tinsmith_ir.random_functions import OF_POSITIVE, OF_SMALL, random_function
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import Quantization, TensorType

_IMAGE_STEPS = (
    "convolution",
    "convolution",
    "convolution",
    "depthwise",
    "depthwise",
    "pool",
    "mean",
    "pad",
)
_ANY_STEPS = (
    "binary",
    "binary",
    "binary_with_constant",
    "clamp",
    "concat",
    "extremum",
    "requantize",
    "reshape",
    "transpose",
    "softmax",
    "fully_connected",
)
_FUSED = (Activation.NONE, Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1)
_MAX_ELEMENTS = 2048
_MULTIPLIER_BITS = (31, 31, 16, 8, 4)
_SOFTMAX = Quantization.per_tensor(1 / 256, -128)


def random_graph(
    seed: int,
    *,
    dtype: DType | None = None,
    nodes: int = 8,
    roundings: Sequence[Rounding] | None = None,
) -> Graph:
    """A valid network of about `nodes` nodes, the same for the same arguments.

    dtype: of its activations, INT8, INT16 or FLOAT32; the seed chooses INT8 or FLOAT32 if None. An
    int8 network may take and give float32. Results that no node reads are the outputs. roundings: that
    its steps are drawn from; if None, every second network is TFLite's, the others have all.
    """
    drawn = (Rounding.TFLITE,) if seed % 2 == 0 else tuple(Rounding)
    grower = _Grower(seed, dtype, drawn if roundings is None else roundings)
    for _ in range(nodes):
        grower.grow()
    return grower.build()


class _Grower:
    """A graph under construction; each step goes on from one of the last values."""

    def __init__(self, seed: int, dtype: DType | None, roundings: Sequence[Rounding]) -> None:
        self.random = np.random.default_rng(seed)
        # Of its own, so that the network is the same for any choice of roundings.
        self.random_rounding = np.random.default_rng([seed, 1])
        # Of its own, too: three of four networks have no slices, and those that have are else as they were drawn.
        self.random_slice = np.random.default_rng([seed, 2])
        self.has_slices = self.random_slice.random() < 0.25
        # The same of logistic functions and tanh.
        self.random_curve = np.random.default_rng([seed, 3])
        self.has_curves = self.random_curve.random() < 0.25
        # And of other functions of one element, in two of five.
        self.random_function = np.random.default_rng([seed, 40])
        self.has_functions = self.random_function.random() < 0.4
        self.turn = seed
        # And of what takes elements more than once.
        self.random_gather = np.random.default_rng([seed, 4])
        self.has_gathers = self.random_gather.random() < 0.25
        # And of what finds or adds elements over axes, and of other sizes of images.
        self.random_reduction = np.random.default_rng([seed, 50])
        self.has_reductions = self.random_reduction.random() < 0.25
        # And of comparisons.
        self.random_choice = np.random.default_rng([seed, 6])
        self.has_choices = self.random_choice.random() < 0.25
        self.roundings = roundings
        drawn = DType.INT8 if self.random.random() < 0.7 else DType.FLOAT32
        self.dtype = drawn if dtype is None else dtype
        self.builder = GraphBuilder(f"random_{seed}")
        self.values: list[Value] = []
        self.read: set[str] = set()
        self.takes_real = self.dtype is DType.INT8 and self.random.random() < 0.2
        # The same of changes of the element type and back.
        self.random_cast = np.random.default_rng([seed, 5])
        self.has_casts = self.random_cast.random() < 0.25
        # The same of uint8 at the borders of a network.
        self.random_border = np.random.default_rng([seed, 60])
        is_int8 = self.dtype is DType.INT8 and not self.takes_real
        self.is_unsigned = is_int8 and self.random_border.random() < 0.25
        shape = (1, self.pick(3, 9), self.pick(3, 9), self.pick(1, 6))
        if self.takes_real:
            real = self.builder.input("x", TensorType(shape, DType.FLOAT32))
            self.add(Quantize(), [real], self.quantization(0.02))
        else:
            near = 0.0001 if self.dtype is DType.INT16 else 0.02
            type_ = TensorType(shape, self.dtype, self.quantization(near))
            self.values.append(
                self.begin(type_) if self.is_unsigned else self.builder.input("x", type_)
            )

    def build(self) -> Graph:
        """The graph; one that takes float32 or uint8 also gives it."""
        outputs = [value for value in self.values if value.name not in self.read]
        if self.takes_real:
            outputs = [self.builder.add(Dequantize(), [value]) for value in outputs]
        if self.is_unsigned:
            outputs = [self.end(value) for value in outputs]
        return self.builder.build(outputs)

    def begin(self, type_: TensorType) -> Value:
        """An input of uint8 as int8: its twin, or rescaled."""
        x = self.builder.input("x", TensorType(type_.shape, DType.UINT8, self.twin(type_)))
        return self.builder.add(Requantize(), [x], quantization=type_.quantization)

    def end(self, value: Value) -> Value:
        """A result of int8 as uint8."""
        return self.builder.add(
            Requantize(DType.UINT8), [value], quantization=self.twin(value.type)
        )

    def twin(self, type_: TensorType) -> Quantization | None:
        """Of uint8, the same real numbers as int8 has, or now and then others."""
        quantization = type_.quantization
        if quantization is None or self.random_border.random() < 0.3:
            return Quantization.per_tensor(0.05, int(self.random_border.integers(256)))
        return Quantization.per_tensor(quantization.scale, quantization.zero_point + 128)

    def grow(self) -> None:
        """One more node, or none when the step drawn does not suit the value."""
        value = self.values[-min(self.pick(1, 3), self.pick(1, 3), len(self.values))]
        if self.has_slices and self.random_slice.random() < 0.25:
            self.slice(value)
            return
        if self.is_unsigned and self.random_border.random() < 0.1:
            self.float_rescale(value)
            return
        if self.has_casts and self.random_cast.random() < 0.15:
            self.cast(value)
            return
        if self.has_curves and self.random_curve.random() < 0.25:
            self.curve(value)
            return
        if self.has_functions and self.random_function.random() < 0.5:
            self.function(value)
        if self.has_gathers and self.random_gather.random() < 0.25:
            (self.gather, self.broadcast)[int(self.random_gather.integers(2))](value)
            return
        if self.has_reductions and self.random_reduction.random() < 0.4:
            chosen = (self.sum, self.reduce, self.reduce, self.arg, self.arg, self.resize)
            chosen[int(self.random_reduction.integers(len(chosen)))](value)
            return
        if self.has_choices and self.random_choice.random() < 0.3:
            self.choose(value)
            return
        is_image = len(value.type.shape) == 4
        steps = _ANY_STEPS + (_IMAGE_STEPS * 2 if is_image else ())
        step = steps[self.pick(0, len(steps) - 1)]
        getattr(self, step)(value)

    def pick(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return int(self.random.integers(low, high + 1))

    def quantization(self, near: float) -> Quantization | None:
        """A scale within a factor of 1.5 of `near`, any zero point (0 for int16); None in a float32
        network.
        """
        if self.dtype is DType.FLOAT32:
            return None
        scale = np.float32(near * 1.5 ** self.random.uniform(-1, 1))
        zero_point = self.pick(-128, 127) if self.dtype is DType.INT8 else 0
        return Quantization.per_tensor(float(scale), zero_point)

    def scale(self, value: Value) -> float:
        """The scale of `value`; 1.0 in a float32 network."""
        return value.type.quantization.scale if value.type.quantization else 1.0

    def activation(self) -> Activation:
        """Any that TFLite fuses, most often none."""
        choices = (Activation.NONE, *_FUSED)
        return choices[self.pick(0, len(choices) - 1)]

    def add(
        self, operator: Operator, inputs: list[Value | None], quantization: Quantization | None
    ) -> Value:
        """A node, and its result among the values to go on from."""
        rounded = self.rounded(operator, quantization)
        value = self.builder.add(rounded, inputs, quantization=quantization)
        self.read |= {other.name for other in inputs if other is not None}
        self.values.append(value)
        return value

    def rounded(self, operator: Operator, quantization: Quantization | None) -> Operator:
        """The operator with a rounding drawn, if its result is rescaled."""
        if not isinstance(operator, Rescaling) or quantization is None:
            return operator
        rounding = self.roundings[int(self.random_rounding.integers(len(self.roundings)))]
        bits = _MULTIPLIER_BITS[int(self.random_rounding.integers(len(_MULTIPLIER_BITS)))]
        if rounding is Rounding.TFLITE:
            return operator
        return replace(operator, rounding=rounding, multiplier_bits=bits)

    def weights(self, shape: tuple[int, ...], axis: int) -> tuple[Value, float]:
        """Constant weights, per tensor or per `axis`, and about the scale of one of them."""
        if self.dtype is DType.FLOAT32:
            data = self.random.standard_normal(shape, np.float32)
            return self.builder.constant("weights", data), 1.0
        integers = self.random.integers(-127, 128, shape).astype(np.int8)
        count = shape[axis] if self.random.random() < 0.7 else 1
        scales = np.float32(0.01) * np.exp2(self.random.uniform(-1, 1, count)).astype(np.float32)
        zero_points = (0,) * count
        if self.is_unsigned and count == 1 and self.random_border.random() < 0.5:
            zero_points = (int(self.random_border.integers(-128, 128)),)
        quantization = Quantization(
            tuple(float(scale) for scale in scales), zero_points, axis if count > 1 else None
        )
        return self.builder.constant("weights", integers, quantization), 0.01

    def bias(self, channels: int) -> Value | None:
        """A constant bias, or none."""
        if self.random.random() < 0.2:
            return None
        if self.dtype is DType.FLOAT32:
            return self.builder.constant("bias", self.random.standard_normal(channels, np.float32))
        integers = self.random.integers(-3000, 3000, channels).astype(np.int32)
        return self.builder.constant("bias", integers)

    def weighted(self, operator: Operator, value: Value, shape: tuple[int, ...], axis: int) -> None:
        """An operator with weights of `shape`, whose result uses most of its range; now and then as
        sums of integers, added and rescaled.
        """
        weights, scale = self.weights(shape, axis)
        depth = math.prod(shape) // shape[axis]
        near = self.scale(value) * scale * 50 * math.sqrt(depth)
        inputs = [value, weights, self.bias(shape[axis])]
        is_one = weights.type.quantization is not None and weights.type.quantization.axis is None
        if self.is_unsigned and is_one and isinstance(operator, Convolution):
            operator = replace(operator, float32_scale=self.random_border.random() < 0.5)
        if self.dtype is DType.FLOAT32 or self.random.random() < 0.8:
            self.add(operator, inputs, self.quantization(near))
            return
        wide = DType.INT64 if self.dtype is DType.INT16 else DType.INT32
        parts = replace(operator, activation=Activation.NONE, accumulator=wide)
        total = self.builder.add(parts, inputs)
        self.read |= {other.name for other in inputs if other is not None}
        total = self.builder.add((Add(), Sub())[self.pick(0, 1)], [total, total])
        end = Requantize(dtype=self.dtype, activation=activation_of(operator))
        self.add(end, [total], self.quantization(near))

    def window(self, value: Value, largest: int) -> tuple[int, int]:
        """A window that fits into `value` without padding."""
        height, width = value.type.shape[1:3]
        return self.pick(1, min(largest, height)), self.pick(1, min(largest, width))

    def padding(self, window: tuple[int, int]) -> tuple[int, int, int, int]:
        """Less than the window on each side, often none."""
        if self.random.random() < 0.4:
            return (0, 0, 0, 0)
        sides = [self.pick(0, size - 1) for size in (window[0], window[0], window[1], window[1])]
        return sides[0], sides[1], sides[2], sides[3]

    def convolution(self, value: Value) -> None:
        """Conv2D, now and then in groups."""
        window, channels = self.window(value, 3), value.type.shape[3]
        groups = 2 if channels % 2 == 0 and self.random.random() < 0.2 else 1
        operator = Conv2D(
            stride=(self.pick(1, 2), self.pick(1, 2)),
            padding=self.padding(window),
            activation=self.activation(),
        )
        shape = (groups * self.pick(1, 4), *window, channels // groups)
        self.weighted(operator, value, shape, 0)

    def depthwise(self, value: Value) -> None:
        """DepthwiseConv2D with a multiplier of 1 or 2."""
        window, channels = self.window(value, 3), value.type.shape[3]
        operator = DepthwiseConv2D(
            stride=(self.pick(1, 2), self.pick(1, 2)),
            padding=self.padding(window),
            activation=self.activation(),
        )
        multiplier = self.pick(1, 2) if channels < 12 else 1
        self.weighted(operator, value, (1, *window, channels * multiplier), 3)

    def fully_connected(self, value: Value) -> None:
        """FullyConnected over all elements, or over the last dimension."""
        keep_dims = len(value.type.shape) > 1 and self.random.random() < 0.3
        kept = value.type.shape[-1:] if keep_dims else value.type.shape
        operator = FullyConnected(activation=self.activation(), keep_dims=keep_dims)
        self.weighted(operator, value, (self.pick(1, 10), math.prod(kept)), 0)

    def pool(self, value: Value) -> None:
        """AveragePool2D or MaxPool2D."""
        kind = AveragePool2D if self.random.random() < 0.5 else MaxPool2D
        window = self.window(value, 4)
        operator = kind(
            window=window,
            stride=(self.pick(1, 2), self.pick(1, 2)),
            padding=self.padding(window),
            activation=self.activation(),
        )
        if self.is_unsigned and isinstance(operator, AveragePool2D):
            operator = replace(operator, halves_up=self.random_border.random() < 0.5)
        self.add(operator, [value], None)

    def mean(self, value: Value) -> None:
        """Mean over height and width, or one of them."""
        axes = ((1, 2), (1,), (2,))[self.pick(0, 2)]
        operator = Mean(axes=axes, keep_dims=self.random.random() < 0.5)
        self.add(operator, [value], self.quantization(self.scale(value) / 2))

    def pad(self, value: Value) -> None:
        """Pad of height and width with zero or another value."""
        if value.type.elements > _MAX_ELEMENTS:
            return
        other = 0.5 if self.dtype is DType.FLOAT32 else -5
        padding = (0, 0, self.pick(0, 2), self.pick(0, 2), self.pick(0, 2), self.pick(0, 2), 0, 0)
        chosen = None if self.random.random() < 0.7 else other
        self.add(Pad(padding=padding, value=chosen), [value], None)

    def binary(self, value: Value) -> None:
        """Add, Sub or Mul of two values of one shape."""
        others = [other for other in self.values if other.type.shape == value.type.shape]
        others = [other for other in others if other != value] or [value]
        self._binary(value, others[self.pick(0, len(others) - 1)])

    def binary_with_constant(self, value: Value) -> None:
        """Add, Sub or Mul with a constant of the last dimension."""
        self._binary(value, self._row(value, self.quantization(self.scale(value))))

    def _row(self, value: Value, quantization: Quantization | None) -> Value:
        """A constant of the last dimension of `value`."""
        shape: tuple[int, ...] = value.type.shape[len(value.type.shape) - 1 :]
        if self.dtype is DType.FLOAT32:
            return self.builder.constant("c", self.random.standard_normal(shape, np.float32))
        low, high = self.dtype.integer_range
        integers = self.random.integers(low, high + 1, shape).astype(self.dtype.numpy)
        return self.builder.constant("c", integers, quantization)

    def _binary(self, lhs: Value, rhs: Value) -> None:
        kind = (Add, Sub, Mul)[self.pick(0, 2)]
        spread = 20000 if self.dtype is DType.INT16 else 100
        larger = max(self.scale(lhs), self.scale(rhs))
        near = self.scale(lhs) * self.scale(rhs) * spread if kind is Mul else larger * 1.5
        self.add(kind(activation=self.activation()), [lhs, rhs], self.quantization(near))

    def extremum(self, value: Value) -> None:
        """Minimum or Maximum with another value of its type, or with a constant."""
        others = [other for other in self.values if other.type == value.type and other != value]
        others = others or [self._row(value, value.type.quantization)]
        operator = (Minimum(), Maximum())[self.pick(0, 1)]
        self.add(operator, [value, others[self.pick(0, len(others) - 1)]], None)

    def clamp(self, value: Value) -> None:
        """Relu or Relu6, with the same quantization or another."""
        same = self.random.random() < 0.5
        chosen = value.type.quantization if same else self.quantization(self.scale(value))
        self.add((Relu(), Relu6())[self.pick(0, 1)], [value], chosen)

    def requantize(self, value: Value) -> None:
        """Requantize to the same dtype; nothing in a float32 network."""
        if self.dtype is not DType.FLOAT32:
            operator = Requantize(dtype=self.dtype)
            self.add(operator, [value], self.quantization(self.scale(value)))

    def concat(self, value: Value) -> None:
        """Concat of a value and one of the same shape, along any axis."""
        if not value.type.shape or value.type.elements > _MAX_ELEMENTS:
            return
        same = [other for other in self.values if other.type.shape == value.type.shape]
        other = same[self.pick(0, len(same) - 1)]
        rank = len(value.type.shape)
        axis = self.pick(min(1, rank - 1), rank - 1)
        chosen = value.type.quantization
        if self.random.random() < 0.5:
            chosen = self.quantization(self.scale(value))
        self.add(Concat(axis=axis), [value, other], chosen)

    def reshape(self, value: Value) -> None:
        """Reshape to one row, or to the same with a dimension split off."""
        elements = value.type.elements
        shape = (
            (1, elements) if self.random.random() < 0.5 or elements % 2 else (1, 2, elements // 2)
        )
        self.add(Reshape(shape=shape), [value], None)

    def transpose(self, value: Value) -> None:
        """Transpose that leaves the batch first."""
        axes = self.random.permutation(np.arange(1, len(value.type.shape)))
        self.add(Transpose(permutation=(0, *(int(axis) for axis in axes))), [value], None)

    def slice(self, value: Value) -> None:
        """Slice of one or all axes, now and then in strides or backwards."""
        random = self.random_slice
        shape = value.type.shape
        only = int(random.integers(len(shape))) if shape and random.random() < 0.5 else None
        begin, sizes, strides = [0] * len(shape), [*shape], [1] * len(shape)
        for axis, length in enumerate(shape):
            if only not in (None, axis):
                continue
            first, last = sorted(int(at) for at in random.integers(0, length, 2))
            step = int(random.integers(1, 4)) if random.random() < 0.3 else 1
            sizes[axis] = (last - first) // step + 1
            is_backwards = random.random() < 0.2
            begin[axis] = last if is_backwards else first
            strides[axis] = -step if is_backwards else step
        operator = Slice(tuple(begin), tuple(sizes), tuple(strides))
        self.add(operator, [value], None)

    def curve(self, value: Value) -> None:
        """Logistic or Tanh with the result's usual quantization, of int8 now and then another one."""
        is_logistic = self.random_curve.random() < 0.5
        usual = Quantization.per_tensor(*((1 / 256, -128) if is_logistic else (1 / 128, 0)))
        if self.dtype is DType.INT16:
            usual = Quantization.per_tensor(1 / 32768, 0)
        elif self.random_curve.random() < 0.3:
            zero_point = int(self.random_curve.integers(-128, 128))
            usual = Quantization.per_tensor(1 / 160, zero_point)
        chosen = None if self.dtype is DType.FLOAT32 else usual
        self.add(Logistic() if is_logistic else Tanh(), [value], chosen)

    def function(self, value: Value) -> None:
        """A function of one element, Prelu with a constant, or a squared difference of two values."""
        if self.dtype is not DType.INT16 and self.random_function.random() < 0.2:
            self._prelu(value)
            return
        if self.dtype is DType.FLOAT32 and self.random_function.random() < 0.4:
            self._bounded(value)
            return
        if self.dtype is not DType.INT16 and self.random_function.random() < 0.2:
            self._difference(value)
            return
        operator = random_function(self.random_function, self.dtype, self.turn)
        self.turn += 1
        self.add(operator, [value], self._near(value))

    def _bounded(self, value: Value) -> None:
        """A function of numbers that are made at least 0.5, or at most 1."""
        kinds = (*OF_POSITIVE, *OF_SMALL)
        kind = kinds[int(self.random_function.integers(len(kinds)))]
        size = self.add(Abs(), [value], None)
        if kind in OF_POSITIVE:
            half = self.builder.constant("half", np.array([0.5], np.float32))
            self.add(kind(), [self.add(Add(), [size, half], None)], None)
        else:
            below = self.add(Neg(), [size], None)
            self.add(kind(), [self.add(Tanh(), [below], None)], None)

    def _difference(self, value: Value) -> None:
        """SquaredDifference, of floats of what is at most 1 and divided by what is at least 1."""
        if self.dtype is not DType.FLOAT32:
            self.add(SquaredDifference(), [value, value], self._near(value))
            last = self.values[0]
            row = self._row(last, self._near(last))
            self.add(SquaredDifference(), [last, row], self._near(last))
            return
        small = self.add(Tanh(), [value], None)
        square = self.add(SquaredDifference(), [small, self._row(small, None)], None)
        one = self.builder.constant("one", np.array([1.0], np.float32))
        self.add(Div(), [small, self.add(Add(), [square, one], None)], None)

    def _prelu(self, value: Value) -> None:
        shape = value.type.shape[-1:]
        integers = self.random_function.integers(-127, 128, shape)
        near = Quantization.per_tensor(1 / 64, int(self.random_function.integers(-50, 50)))
        is_real = self.dtype is DType.FLOAT32
        data = (integers / 64).astype(np.float32) if is_real else integers.astype(np.int8)
        alpha = self.builder.constant("alpha", data, None if is_real else near)
        self.add(Prelu(), [value, alpha], self._near(value))

    def _near(self, value: Value) -> Quantization | None:
        """A scale within a factor of 1.5 of that of `value`, from the functions' own stream."""
        if self.dtype is DType.FLOAT32:
            return None
        factor = 1.5 ** self.random_function.uniform(-1, 1)
        zero_point = int(self.random_function.integers(-128, 128))
        scale = float(np.float32(self.scale(value) * factor))
        return Quantization.per_tensor(scale, zero_point if self.dtype is DType.INT8 else 0)

    def gather(self, value: Value) -> None:
        """Gather along any axis by constant indices of one dimension or two."""
        random = self.random_gather
        shape = value.type.shape
        if not shape or value.type.elements > _MAX_ELEMENTS:
            return
        axis = int(random.integers(len(shape)))
        size = (2, 2) if random.random() < 0.2 and len(shape) < 4 else int(random.integers(1, 6))
        indices = random.integers(0, shape[axis], size).astype(np.int32)
        operand = self.builder.constant("indices", indices)
        self.add(Gather(axis=axis), [value, operand], None)

    def broadcast(self, value: Value) -> None:
        """Broadcast of the first element along an axis, or each twice."""
        random = self.random_gather
        shape = value.type.shape
        if not shape or value.type.elements > _MAX_ELEMENTS:
            return
        axis = int(random.integers(len(shape)))
        if random.random() < 0.5:
            first = (*shape[:axis], 1, *shape[axis + 1 :])
            sliced = self.builder.add(Slice((0,) * len(shape), first), [value])
            self.read.add(value.name)
            self.add(Broadcast(shape=(*shape[:axis], 3, *shape[axis + 1 :])), [sliced], None)
            return
        apart = self.builder.add(
            Reshape(shape=(*shape[: axis + 1], 1, *shape[axis + 1 :])), [value]
        )
        self.read.add(value.name)
        pairs = Broadcast(shape=(*shape[: axis + 1], 2, *shape[axis + 1 :]))
        repeated = self.builder.add(pairs, [apart])
        whole = (*shape[:axis], 2 * shape[axis], *shape[axis + 1 :])
        self.add(Reshape(shape=whole), [repeated], None)

    def cast(self, value: Value) -> None:
        """Into another element type and back, with what that one keeps of the numbers."""
        others = [dtype for dtype in DType if dtype is not self.dtype]
        other = others[int(self.random_cast.integers(len(others)))]
        middle = self.builder.add(Cast(other), [value])
        self.read.add(value.name)
        self.add(Cast(self.dtype), [middle], value.type.quantization)

    def float_rescale(self, value: Value) -> None:
        """As a concatenation of uint8 does it."""
        zero_point = int(self.random_border.integers(-128, 128))
        self.add(FloatRescale(), [value], Quantization.per_tensor(0.03, zero_point))

    def sum(self, value: Value) -> None:
        """Sum over one axis behind the first."""
        random, shape = self.random_reduction, value.type.shape
        if len(shape) > 1:
            axis = int(random.integers(1, len(shape)))
            operator = Sum(axes=(axis,), keep_dims=bool(random.random() < 0.5))
            near = self.scale(value) * math.sqrt(shape[axis])
            self.add(operator, [value], self.quantization(near))

    def reduce(self, value: Value) -> None:
        """ReduceMax or ReduceMin over one axis behind the first, or two."""
        random, shape = self.random_reduction, value.type.shape
        if len(shape) > 1:
            axes = {int(random.integers(1, len(shape))) for _ in range(2)}
            kind = ReduceMax if random.random() < 0.5 else ReduceMin
            operator = kind(axes=tuple(sorted(axes)), keep_dims=bool(random.random() < 0.5))
            self.add(operator, [value], None)

    def arg(self, value: Value) -> None:
        """What lies where the largest or smallest elements along an axis are, by their indices in another one."""
        random, shape = self.random_reduction, value.type.shape
        if len(shape) < 2:
            return
        axis, other = (int(random.integers(len(shape))) for _ in range(2))
        kind = ArgMax if random.random() < 0.5 else ArgMin
        indices = self.builder.add(kind(axis=axis), [value])
        flat = Reshape(shape=(indices.type.elements,))
        few = Slice((0,), (min(5, indices.type.elements),))
        first = self.builder.add(few, [self.builder.add(flat, [indices])])
        self.add(Gather(axis=other), [value, first], None)

    def resize(self, value: Value) -> None:
        """ResizeBilinear to more or less."""
        random, shape = self.random_reduction, value.type.shape
        if len(shape) != 4 or value.type.elements > _MAX_ELEMENTS:
            return
        height, width, way = (int(at) for at in random.integers(1, (10, 10, 4)))
        operator = ResizeBilinear((height, width), way == 1, way == 2)
        self.add(operator, [value], None)

    def choose(self, value: Value) -> None:
        """Elements of a value or of another one of its type, by a comparison with a constant row; int16 by indices."""
        random = self.random_choice
        others = [other for other in self.values if other.type == value.type]
        other = others[int(random.integers(len(others)))]
        relation = tuple(Relation)[int(random.integers(4))]
        compared = value
        if self.dtype is DType.INT16:
            if not value.type.shape:
                return
            compared = self.builder.add(ArgMax(axis=len(value.type.shape) - 1), [value])
            compared = self.builder.add(Reshape(shape=(*value.type.shape[:-1], 1)), [compared])
        row = value.type.shape[len(value.type.shape) - 1 :]
        if compared.type.dtype is DType.FLOAT32:
            constant = self.builder.constant("c", random.standard_normal(row, np.float32))
        elif compared.type.dtype is DType.INT32:
            constant = self.builder.constant("c", random.integers(0, 6, row).astype(np.int32))
        else:
            if self.scale(value) >= 1:
                return
            integers = random.integers(-128, 128, row).astype(np.int8)
            constant = self.builder.constant("c", integers, value.type.quantization)
        condition = self.builder.add(Compare(relation=relation), [compared, constant])
        self.add(Select(), [condition, value, other], None)

    def softmax(self, value: Value) -> None:
        """Softmax; nothing in an int16 network."""
        if self.dtype is DType.INT16:
            return
        self.add(Softmax(), [value], None if self.dtype is DType.FLOAT32 else _SOFTMAX)
