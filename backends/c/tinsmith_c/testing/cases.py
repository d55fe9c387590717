"""Small graphs that use every operator with every element type: what a backend is tested on."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from tinsmith_ir.compression import Compression, compress
from tinsmith_ir.dtypes import COMPUTED_DTYPES, DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Abs,
    Acos,
    Acosh,
    Activation,
    Add,
    ArgMax,
    ArgMin,
    Asin,
    Asinh,
    Atan,
    Atanh,
    AverageOfSums,
    AveragePool2D,
    Broadcast,
    Cast,
    Ceil,
    ChannelSums,
    Compare,
    Concat,
    Conv2D,
    Convolution,
    Cos,
    Cosh,
    Decompress,
    DepthwiseConv2D,
    Dequantize,
    Div,
    DynamicQuantize,
    DynamicScale,
    Elu,
    Erf,
    Exp,
    FloatRescale,
    Floor,
    FullyConnected,
    Gather,
    Gelu,
    HardSwish,
    LeakyRelu,
    Log,
    Logistic,
    Lookup,
    Lstm,
    Maximum,
    MaxPool2D,
    Mean,
    MeanOfSums,
    Minimum,
    Mul,
    Neg,
    Pad,
    Pow,
    Prelu,
    Quantize,
    ReduceMax,
    ReduceMin,
    Relation,
    Relu,
    Relu0To1,
    Relu6,
    ReluN1To1,
    Requantize,
    Reshape,
    ResizeBilinear,
    Round,
    Rsqrt,
    Select,
    Sign,
    Sin,
    Sinh,
    Slice,
    Softmax,
    Sqrt,
    Square,
    SquaredDifference,
    Sub,
    Sum,
    Svdf,
    SvdfState,
    Tan,
    Tanh,
    Transpose,
)
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_c.testing import (
    cases_counting,
    cases_detections,
    cases_few_bits,
    cases_poses,
    cases_products,
    cases_ranking,
    cases_rounding,
    cases_rows,
    cases_volumes,
)
from tinsmith_c.testing.draft import NUMBERS, Case, Draft, typed

_PLAIN = (DType.INT32, DType.INT64)


def conv2d(draft: Draft, dtype: DType) -> None:
    """Kernel sizes, strides, dilation, padding, groups, per-tensor weights, no bias."""
    specs = [
        ((1, 5, 6, 3), (8, 3, 3, 3), Conv2D(padding=(1, 1, 1, 1), activation=Activation.RELU)),
        ((2, 4, 4, 5), (6, 1, 1, 5), Conv2D()),
        ((1, 9, 5, 1), (4, 4, 2, 1), Conv2D(stride=(2, 1), padding=(1, 2, 0, 1))),
        ((1, 7, 7, 4), (6, 3, 3, 2), Conv2D(dilation=(2, 2), activation=Activation.RELU6)),
        ((1, 3, 3, 2), (1, 3, 3, 2), Conv2D()),
        ((1, 6, 5, 16), (32, 1, 1, 16), Conv2D(stride=(2, 2), activation=Activation.RELU)),
    ]
    for number, (shape, weights, operator) in enumerate(specs):
        x = draft.input(shape, dtype)
        w = draft.weights(weights, dtype, 0, per_axis=number != 1)
        b = draft.bias(weights[0], dtype) if number != 2 else None
        draft.output(operator, [x, w, b], dtype, 0.05)


def depthwise_conv2d(draft: Draft, dtype: DType) -> None:
    """Multipliers, strides, dilation, padding."""
    specs = [
        ((1, 5, 6, 4), (1, 3, 3, 4), DepthwiseConv2D(padding=(1, 1, 1, 1))),
        ((2, 5, 5, 3), (1, 3, 2, 6), DepthwiseConv2D(stride=(2, 2), activation=Activation.RELU)),
        ((1, 8, 6, 2), (1, 3, 3, 2), DepthwiseConv2D(dilation=(2, 1), padding=(2, 2, 1, 1))),
        ((1, 9, 1, 8), (1, 5, 1, 8), DepthwiseConv2D(stride=(2, 1), padding=(2, 1, 0, 0))),
        ((1, 6, 6, 17), (1, 3, 3, 17), DepthwiseConv2D(stride=(2, 2), padding=(0, 1, 0, 1))),
    ]
    for number, (shape, weights, operator) in enumerate(specs):
        x = draft.input(shape, dtype)
        w = draft.weights(weights, dtype, 3, per_axis=number != 2)
        b = draft.bias(weights[3], dtype) if number != 1 else None
        draft.output(operator, [x, w, b], dtype, 0.05)


def fully_connected(draft: Draft, dtype: DType) -> None:
    """Batches, per-axis weights, kept dimensions, no bias."""
    specs = [
        ((1, 20), (10, 20), FullyConnected(), False),
        ((3, 2, 4), (5, 8), FullyConnected(activation=Activation.RELU), True),
        ((2, 3, 7), (9, 7), FullyConnected(keep_dims=True), True),
        ((1, 33), (3, 33), FullyConnected(), False),
    ]
    for number, (shape, weights, operator, per_axis) in enumerate(specs):
        x = draft.input(shape, dtype)
        w = draft.weights(weights, dtype, 0, per_axis=per_axis)
        b = draft.bias(weights[0], dtype) if number != 3 else None
        draft.output(operator, [x, w, b], dtype, 0.05)


def unsigned(draft: Draft) -> None:
    """What networks of uint8 become: weights with a zero point, float32 scales, halves rounded up."""
    x = draft.input((1, 5, 6, 4), DType.INT8)
    padding = (1, 1, 1, 1)
    specs: list[tuple[Convolution | FullyConnected, tuple[int, ...]]] = [
        (Conv2D(padding=padding, float32_scale=True), (6, 3, 3, 4)),
        (Conv2D(stride=(2, 2), activation=Activation.RELU6), (2, 2, 2, 2)),
        (DepthwiseConv2D(padding=padding, float32_scale=True), (1, 3, 3, 4)),
        (DepthwiseConv2D(activation=Activation.RELU), (1, 2, 3, 8)),
        (FullyConnected(), (7, 120)),
    ]
    for operator, shape in specs:
        channels = shape[operator.weights_axis]
        quantization = Quantization.per_tensor(0.004, int(draft.random.integers(-128, 128)))
        data = draft.random.integers(-128, 128, shape).astype(np.int8)
        w = draft.builder.constant("w", data, quantization)
        for bias in (draft.bias(channels, DType.INT8), None):
            draft.output(operator, [x, w, bias], DType.INT8, 0.2)
        sums = replace(operator, activation=Activation.NONE, accumulator=DType.INT32)
        total = draft.builder.add(sums, [x, w, draft.bias(channels, DType.INT8)], "sums")
        draft.output(Requantize(), [total], DType.INT8, 0.2)
    draft.output(FloatRescale(), [x], DType.INT8, 0.03)
    for window in ((2, 2), (3, 4), (5, 6)):
        draft.kept(AveragePool2D(window=window, padding=padding, halves_up=True), [x])


def accumulators(draft: Draft, dtype: DType) -> None:
    """Sums over two halves of the input channels, added and rescaled: of each operator with weights."""
    wide = DType.INT64 if dtype is DType.INT16 else DType.INT32
    specs = [
        ((2, 5, 4, 3), (6, 3, 2, 3), 0, True, Conv2D(stride=(2, 1), accumulator=wide)),
        ((1, 5, 4, 4), (6, 1, 1, 2), 0, False, Conv2D(padding=(1, 0, 0, 1), accumulator=wide)),
        ((1, 5, 4, 3), (1, 3, 3, 6), 3, True, DepthwiseConv2D(accumulator=wide)),
        ((3, 7), (5, 7), 0, True, FullyConnected(accumulator=wide)),
        ((3, 7), (5, 7), 0, False, FullyConnected(accumulator=DType.INT32)),
    ]
    for shape, kernel, axis, per_axis, operator in specs:
        x, y = draft.input(shape, dtype, 0.05), draft.input(shape, dtype, 0.05)
        w = draft.weights(kernel, dtype, axis, per_axis=per_axis)
        b = draft.bias(kernel[axis], dtype)
        parts = [draft.builder.add(operator, [x, w, b]), draft.builder.add(operator, [y, w, None])]
        total = draft.builder.add(Add() if per_axis else Sub(), parts)
        end = Requantize(dtype=dtype, activation=Activation.RELU6 if per_axis else Activation.NONE)
        draft.output(end, [total], dtype, 0.05)
        draft.output(Requantize(dtype=DType.INT8), [total], DType.INT8, 0.1)


def hybrid(draft: Draft) -> None:
    """float32 activations that meet int8 weights, and rows at the borders of what a scale can be."""
    for is_symmetric in (False, True):
        scale, quantize = DynamicScale(is_symmetric), DynamicQuantize(is_symmetric)
        specs = [
            ((2, 5, 4, 3), (6, 3, 2, 3), 0, Conv2D(stride=(2, 1), accumulator=DType.INT32)),
            ((1, 5, 4, 3), (1, 3, 3, 6), 3, DepthwiseConv2D(accumulator=DType.INT32)),
            ((3, 7), (5, 7), 0, FullyConnected(accumulator=DType.INT32)),
        ]
        for shape, kernel, axis, operator in specs:
            x = draft.input(shape, DType.FLOAT32)
            w = draft.weights(kernel, DType.INT8, axis, per_axis=not is_symmetric)
            sums = draft.builder.add(operator, [draft.builder.add(quantize, [x]), w])
            steps = draft.builder.add(scale, [x])
            draft.kept(Mul(), [draft.builder.add(Cast(), [sums]), steps])
        rows = [
            [0.0, 0.0, -0.0],
            [1.0, 2.0, 3.0],
            [-3.0, -1.0, -2.0],
            [1e-45, 0.0, -3e-44],
            [3e38, -3e38, 1.0],
            [0.5, -0.5, 127.0],
            [0.0, 1.0, -1.0],
            [1.0, 1.0, 3.0],
        ]
        divisors = [*np.ones((6, 3)), [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]]
        parts = [
            draft.builder.constant("rows", np.array(part, np.float32)) for part in (rows, divisors)
        ]
        borders = draft.builder.add(Div(), parts)  # the last rows have NaN and infinities
        draft.kept(quantize, [borders])
        draft.kept(scale, [borders])


def elementwise(draft: Draft, dtype: DType) -> None:
    """Equal shapes, broadcasting both ways, scalars, constants."""
    shapes = [
        ((1, 3, 4, 5), (1, 3, 4, 5)),
        ((2, 3, 4), (4,)),
        ((2, 1, 4), (3, 1)),
        ((1, 1, 6), (2, 5, 6)),
    ]
    for kind in (Add, Sub, Mul):
        for number, (lhs, rhs) in enumerate(shapes):
            activation = Activation.RELU if number == 0 else Activation.NONE
            operands = [draft.input(lhs, dtype), draft.input(rhs, dtype)]
            draft.output(kind(activation=activation), operands, dtype, 0.06)
    q = draft.quantization(dtype)
    for kind in (Minimum, Maximum):
        for shapes_of in shapes:
            operands = [draft.builder.input("x", TensorType(s, dtype, q)) for s in shapes_of]
            draft.kept(kind(), operands)
    x = draft.input((2, 3), dtype)
    draft.output(Add(), [x, x], dtype, 0.06)
    scalar = draft.builder.constant("scalar", np.array([3], dtype.numpy), draft.quantization(dtype))
    draft.output(Mul(), [x, scalar], dtype, 0.06)


def comparisons(draft: Draft, dtype: DType) -> None:
    """Every relation, with broadcasting."""
    for relation in Relation:
        x, y = draft.input((2, 3, 4), dtype), draft.input((3, 1), dtype)
        draft.kept(Compare(relation=relation), [x, y])
        draft.kept(Compare(relation=relation), [x, x])


def choices(draft: Draft, dtype: DType) -> None:
    """By a condition of the result's shape, of rows, and of all."""
    x = draft.input((2, 3, 4), dtype)
    y = draft.builder.input("y", x.type)
    for shape in ((2, 3, 4), (2, 1, 1), (4,), ()):
        condition = draft.builder.input("condition", TensorType(shape, DType.BOOL))
        draft.kept(Select(), [condition, x, y])


def smaller_and_larger(draft: Draft, dtype: DType) -> None:
    """Of what has no other arithmetic of two."""
    for kind in (Minimum, Maximum):
        draft.kept(kind(), [draft.input((2, 3), dtype), draft.input((3,), dtype)])


def pools(draft: Draft, dtype: DType) -> None:
    """Windows with and without padding."""
    for kind in (AveragePool2D, MaxPool2D):
        draft.kept(kind(window=(2, 2), stride=(2, 2)), [draft.input((1, 6, 4, 3), dtype)])
        draft.kept(
            kind(window=(3, 2), stride=(1, 2), padding=(1, 2, 0, 1), activation=Activation.RELU),
            [draft.input((2, 5, 5, 4), dtype)],
        )
        draft.kept(kind(window=(7, 5), stride=(7, 5)), [draft.input((1, 7, 5, 16), dtype)])


def decompressed(draft: Draft, dtype: DType) -> None:
    """Integers around 0, far from it, and runs; none of them, one, and many."""
    for compression in Compression:
        for spread in (0.4, 3, 30, 300):
            for size in (1, 13, 700):
                values = np.clip(draft.random.normal(0, spread, size).round(), -128, 127)
                data = np.repeat(values, 1 if spread < 300 else 40).astype(dtype.numpy)
                code = draft.builder.constant("code", compress(data, compression))
                draft.output(Decompress(compression, data.shape), [code], dtype)


def pools_to_even(draft: Draft, dtype: DType) -> None:
    """Windows with and without padding, of an even number of elements: many of their means are halves."""
    for zero_point in (0, 3, -128):
        kept = zero_point if dtype is DType.INT8 else 0
        type_ = TensorType((2, 6, 5, 9), dtype, Quantization.per_tensor(0.5, kept))
        x = draft.builder.input("x", type_)
        for window, padding in (
            ((2, 2), (0, 0, 0, 0)),
            ((2, 4), (1, 0, 2, 1)),
            ((6, 5), (0, 0, 0, 0)),
        ):
            pool = AveragePool2D(window=window, padding=padding, halves_to_even=True)
            draft.kept(pool, [x])
            draft.kept(replace(pool, activation=Activation.RELU), [x])


def partial_sums(draft: Draft, dtype: DType) -> None:
    """Sums of two parts, and their mean with halves away from zero, up and to even."""
    for channels, sizes in ((3, ((1, 2), (3, 4))), (16, ((2, 3), (2, 3)))):
        sums: list[Value] = []
        count = 0
        for height, width in sizes:
            x = draft.input((2, height, width, channels), dtype)
            sums = [draft.builder.add(ChannelSums(), [x, *sums])]
            count += height * width
        operator = AverageOfSums(count, dtype)
        draft.output(operator, sums, dtype, 0.1)
        draft.output(replace(operator, halves_to_even=True), sums, dtype, 0.1)
        draft.output(replace(operator, activation=Activation.RELU), sums, dtype, 0.1)
        if dtype is DType.INT8:
            draft.output(replace(operator, halves_up=True), sums, dtype, 0.1)
        rescaled = MeanOfSums(count=count, scale=0.03, zero_point=-5, dtype=dtype)
        for rounding in Rounding:
            draft.output(replace(rescaled, rounding=rounding), sums, dtype, 0.021)
        draft.output(replace(rescaled, keep_dims=False), sums, dtype, 0.07)


def mean(draft: Draft, dtype: DType) -> None:
    """Inner, outer, scattered and all axes."""
    for axes in ((1, 2), (0,), (3,), (1, 3), (0, 1, 2, 3)):
        x = draft.input((2, 3, 4, 5), dtype)
        draft.output(Mean(axes=axes, keep_dims=len(axes) == 2), [x], dtype, 0.03)


def sums(draft: Draft, dtype: DType) -> None:
    """The same of sums."""
    for axes in ((1, 2), (0,), (3,), (1, 3), (0, 1, 2, 3)):
        x = draft.input((2, 3, 4, 5), dtype)
        draft.output(Sum(axes=axes, keep_dims=len(axes) == 2), [x], dtype, 0.3)


def extremes(draft: Draft, dtype: DType) -> None:
    """Largest and smallest elements, and where they are."""
    for axes in ((1, 2), (0,), (3,), (1, 3), (0, 1, 2, 3)):
        x = draft.input((2, 3, 4, 5), dtype)
        for kind in (ReduceMax, ReduceMin):
            draft.kept(kind(axes=axes, keep_dims=len(axes) == 2), [x])
        for arg in (ArgMax, ArgMin) if dtype is not DType.BOOL else ():
            draft.kept(arg(axis=axes[0]), [x])


def resizes(draft: Draft, dtype: DType) -> None:
    """Bilinear, to more and less, in each way to place the elements."""
    for size, corners, halves in (
        ((9, 5), False, False),
        ((3, 11), True, False),
        ((8, 10), False, True),
        ((1, 1), True, False),
        ((2, 3), False, True),
    ):
        draft.kept(ResizeBilinear(size, corners, halves), [draft.input((2, 4, 5, 3), dtype)])
        if dtype is DType.INT8:
            as_uint8 = ResizeBilinear(size, corners, halves, in_float32=True)
            draft.kept(as_uint8, [draft.input((2, 4, 5, 3), dtype)])


def softmax(draft: Draft, dtype: DType) -> None:
    """Several rows and betas; a row so long and flat that all probabilities round to 0."""
    results = {
        DType.INT8: Quantization.per_tensor(1 / 256, -128),
        DType.INT16: Quantization.per_tensor(1 / 32768, 0),
    }
    result = results.get(dtype)
    for shape, beta, scale in (((1, 10), 1.0, 0.1), ((3, 5), 0.5, 0.4), ((2, 2, 1), 1.0, 0.02)):
        x = draft.input(shape, dtype, scale)
        draft.outputs.append(draft.builder.add(Softmax(beta=beta), [x], "y", result))
        if dtype is DType.INT8:
            wide = Quantization.per_tensor(1 / 65536, -32768)
            draft.outputs.append(draft.builder.add(Softmax(beta, wide=True), [x], "wide", wide))
    flat = draft.input((1, 1500), dtype, 0.0001)
    draft.outputs.append(draft.builder.add(Softmax(), [flat], "y", result))


def curves(draft: Draft, dtype: DType) -> None:
    """Logistic and Tanh: flat and steep; two layers that share a table."""
    for operator, scale, zero_point in ((Logistic(), 1 / 256, -128), (Tanh(), 1 / 128, 0)):
        result = None
        if dtype is not DType.FLOAT32:
            is_int8 = dtype is DType.INT8
            result = Quantization.per_tensor(*((scale, zero_point) if is_int8 else (1 / 32768, 0)))
        for near in (0.001, 0.04, 0.04):
            x = draft.input((3, 41), dtype, near if dtype is DType.INT8 else near / 50)
            draft.outputs.append(draft.builder.add(operator, [x], "y", result))


def tables(draft: Draft) -> None:
    """Any function of int8."""
    values = tuple((37 * index) % 256 - 128 for index in range(256))
    draft.output(Lookup(values), [draft.input((3, 41), DType.INT8)], DType.INT8, 0.02)


def movement(draft: Draft, dtype: DType) -> None:
    """Reshape, pad, slice, transpose, concat."""
    x = draft.input((2, 3, 4), dtype)
    draft.kept(Reshape(shape=(4, 6)), [x])
    if dtype is not DType.INT64:
        draft.kept(Pad(padding=(0, 1, 2, 0, 1, 1)), [x])
        draft.kept(Pad(padding=(1, 0, 0, 0, 0, 0), value=1), [x])
    for permutation in ((0, 1, 2), (2, 0, 1), (1, 0, 2), (2, 1, 0)):
        draft.kept(Transpose(permutation=permutation), [x])
    for begin, shape, strides in (
        ((0, 1, 0), (2, 2, 4), ()),
        ((1, 0, 1), (1, 3, 2), ()),
        ((0, 0, 1), (2, 2, 2), (1, 2, 2)),
        ((1, 2, 3), (2, 3, 4), (-1, -1, -1)),
        ((1, 1, 2), (1, 1, 1), (1, 1, 1)),
    ):
        draft.kept(Slice(begin, shape, strides), [x])
    if dtype is not DType.UINT8:
        draft.kept(Concat(axis=1), [x, x, x])
        draft.kept(Concat(axis=2), [x, x])


def picked(draft: Draft, dtype: DType) -> None:
    """Gather by constant and computed indices, also such as do not exist; broadcasts."""
    x = draft.input((2, 3, 4), dtype)
    computed = draft.builder.input("indices", TensorType((5,), DType.INT32))
    for axis in (0, 1, 2):
        draft.kept(Gather(axis=axis), [x, computed])
    indices = np.array([[2, 0], [1, 1], [2, 2]], np.int32)
    draft.kept(Gather(axis=1), [x, draft.builder.constant("indices", indices)])
    draft.kept(Gather(axis=2), [x, draft.builder.constant("index", np.array(3, np.int32))])
    for source, shape in (
        ((3, 1, 4), (3, 5, 4)),
        ((2, 1, 3, 1), (2, 2, 2, 3, 2)),
        ((4,), (3, 4)),
        ((), (2, 3)),
    ):
        draft.kept(Broadcast(shape=shape), [draft.input(source, dtype)])


def joined(draft: Draft, dtype: DType) -> None:
    """Concat of tensors with different scales, and with an activation."""
    for axis in (0, 1, 2):
        shapes = [(2, 3, 4), (2, 3, 4)]
        parts = [draft.input(shape, dtype) for shape in shapes]
        draft.output(Concat(axis=axis), parts, dtype, 0.05)
        draft.output(Concat(axis=axis, activation=Activation.RELU6), parts, dtype, 0.05)


def rectifiers(draft: Draft, dtype: DType) -> None:
    """Relu and its like, with the same and another scale; leaky with alphas of both signs."""
    for kind in (Relu, Relu6, ReluN1To1, Relu0To1):
        x = draft.input((2, 9), dtype)
        draft.output(kind(), [x], dtype, 0.05)
    for alpha in (0.2, -1.5):
        draft.output(LeakyRelu(alpha=alpha), [draft.input((3, 41), dtype)], dtype, 0.03)


def functions(draft: Draft, dtype: DType) -> None:
    """Functions of one number, of all numbers that are drawn, also where they are not defined."""
    kinds: dict[DType, tuple[type[Operator], ...]] = {
        DType.INT8: (Abs, Elu, Exp, Rsqrt),
        DType.INT16: (Abs, Exp),
        DType.INT32: (Abs, Neg, Sign),
        DType.INT64: (Abs, Neg, Sign),
        DType.FLOAT32: (
            Abs,
            Acos,
            Acosh,
            Asin,
            Asinh,
            Atan,
            Atanh,
            Ceil,
            Cos,
            Cosh,
            Elu,
            Erf,
            Exp,
            Floor,
            Log,
            Neg,
            Round,
            Rsqrt,
            Sign,
            Sin,
            Sinh,
            Sqrt,
            Square,
            Tan,
        ),
    }
    for kind in kinds[dtype]:
        scale = 0.0003 if dtype is DType.INT16 else 0.05
        draft.output(kind(), [draft.input((3, 41), dtype, scale)], dtype, scale)


def rectifiers_of_int8(draft: Draft, dtype: DType) -> None:
    """HardSwish from flat to steep, Prelu with alphas that broadcast, Gelu."""
    for near in (0.001, 0.02, 0.9):
        draft.output(HardSwish(), [draft.input((3, 41), dtype, near)], dtype, near)
    for shape in ((2, 3, 5), (5,), (3, 1)):
        operands = [draft.input((2, 3, 5), dtype), draft.input(shape, dtype)]
        draft.output(Prelu(), operands, dtype, 0.05)
    for approximate in (False, True):
        operator = Gelu(approximate=approximate)
        draft.output(operator, [draft.input((3, 41), dtype)], dtype, 0.05)


def differences(draft: Draft, dtype: DType) -> None:
    """SquaredDifference, of floats also Div and Pow, with broadcasting."""
    for lhs, rhs in (((2, 3, 5), (2, 3, 5)), ((2, 3, 5), (3, 1)), ((4,), (2, 3, 4))):
        operands = [draft.input(lhs, dtype), draft.input(rhs, dtype)]
        draft.output(SquaredDifference(), operands, dtype, 0.05)
        if dtype is DType.FLOAT32:
            draft.output(Div(), operands, dtype)
            draft.output(Div(activation=Activation.RELU6), operands, dtype)
            draft.output(Pow(), operands, dtype)
            positive = draft.builder.add(Abs(), operands[:1])
            draft.output(Pow(), [positive, operands[1]], dtype)


def residuals(draft: Draft, dtype: DType) -> None:
    """Sums that a rectifier or a requantization of another scale ends; one of operands that are broadcast."""
    shapes = [((2, 3, 5), (2, 3, 5))] * 3 + [((3, 1), (2, 3, 4))]
    for kind, pair in zip((Relu(), Relu6(), Requantize(dtype=dtype), Relu6()), shapes, strict=True):
        operands = [draft.input(shape, dtype) for shape in pair]
        added = draft.builder.add(Add(), operands, "sum", draft.quantization(dtype, 0.08))
        draft.output(kind, [added], dtype, 0.05)


def conversions(draft: Draft) -> None:
    """Quantize, dequantize, requantize."""
    for dtype in (DType.INT8, DType.INT16):
        real = draft.input((3, 7), DType.FLOAT32)
        draft.output(Quantize(dtype=dtype), [real], dtype, 0.02)
        draft.output(Quantize(dtype=dtype, halves_to_even=True), [_halves(draft)], dtype, 0.25)
        draft.kept(Dequantize(), [draft.input((3, 7), dtype)])
        for result in (DType.INT8, DType.INT16):
            draft.output(Requantize(dtype=result), [draft.input((4, 4), dtype)], result, 0.05)


def _halves(draft: Draft) -> Value:
    """Steps of 0.25, and what is halfway between."""
    x = draft.input((3, 19), DType.FLOAT32)
    eighths = np.arange(-28, 29, dtype=np.float32).reshape(3, 19) / np.float32(8)
    numbers = draft.builder.constant("eighths", eighths)
    return draft.builder.add(Concat(axis=1), [numbers, x], "halves")


def borders(draft: Draft) -> None:
    """uint8, where networks begin and end: from and to everything else, and as the other int8."""
    real = draft.input((3, 7), DType.FLOAT32)
    draft.output(Quantize(dtype=DType.UINT8), [real], DType.UINT8, 0.02)
    draft.output(Quantize(DType.UINT8, halves_to_even=True), [_halves(draft)], DType.UINT8, 0.25)
    draft.kept(Dequantize(), [draft.input((3, 7), DType.UINT8)])
    for other in (DType.INT8, DType.UINT8, DType.INT16, DType.INT32):
        x = draft.input((4, 4), DType.UINT8)
        chosen = draft.quantization(other, 0.05) or Quantization.per_tensor(0.01, -7)
        y = draft.builder.add(Requantize(dtype=other), [x], "y", chosen)
        back = Requantize(dtype=DType.UINT8, activation=Activation.RELU6)
        draft.outputs.append(y)
        draft.output(back, [y], DType.UINT8, 0.03)
    quantization = Quantization.per_tensor(0.5, 140)
    image = draft.builder.input("image", TensorType((5, 9), DType.UINT8, quantization))
    recentred = Quantization.per_tensor(0.5, 12)
    x = draft.builder.add(Requantize(dtype=DType.INT8), [image], "recentred", recentred)
    x = draft.builder.add(Relu(), [x], "rectified", Quantization.per_tensor(0.25, -100))
    end = Quantization.per_tensor(0.25, 28)
    draft.outputs.append(draft.builder.add(Requantize(dtype=DType.UINT8), [x], "end", end))


def casts(draft: Draft) -> None:
    """Every element type as every other, floats beyond the range and bools too."""
    for source in COMPUTED_DTYPES:
        x = draft.builder.input("x", TensorType((3, 19), source))
        given = [x]
        if source is DType.FLOAT32:
            ends = [
                0.5,
                -0.5,
                -0.0,
                1e-40,
                127.9,
                -128.9,
                255.5,
                3e4,
                -4e4,
                2.2e9,
                -2.2e9,
                1e19,
                -1e19,
            ]
            given.append(draft.builder.constant("ends", np.array(ends, np.float32)))
        for result in COMPUTED_DTYPES:
            for value in given:
                draft.outputs.append(draft.builder.add(Cast(result), [value], "y"))


def filters_over_time(draft: Draft, dtype: DType) -> None:
    """Layers whose memory is an operand, and one whose memory is a constant; `dtype` of the memory."""
    is_float = dtype is DType.FLOAT32
    builder = draft.builder
    symmetric = None if is_float else Quantization.per_tensor(0.02, 0)
    kept = None if is_float else Quantization.per_tensor(0.05, -3 if dtype is DType.INT8 else 0)
    for number, (batches, filters, steps, depth, rank) in enumerate(
        [(1, 6, 5, 7, 1), (2, 4, 1, 3, 2), (1, 6, 3, 1, 3)]
    ):
        x = draft.input((batches, depth), DType.FLOAT32 if is_float else DType.INT8)
        shape = (batches, filters * steps)
        state = (
            builder.constant("h", draft.numbers(shape, dtype), kept)
            if number == 2
            else builder.input("h", TensorType(shape, dtype, kept))
        )
        features = draft.numbers((filters, depth), x.type.dtype)
        w = builder.constant("w", features, symmetric)
        later = builder.add(SvdfState(), [state, x, w], "next")
        over_time = builder.constant("t", draft.numbers((filters, steps), dtype), symmetric)
        b = draft.bias(filters // rank, x.type.dtype) if number != 1 else None
        layer = Svdf(rank, activation=(Activation.NONE, Activation.RELU)[number % 2])
        draft.output(layer, [later, over_time, b], x.type.dtype, 2.0)


def cells(draft: Draft, dtype: DType) -> None:
    """An LSTM with all that it may have, one with as little as possible, and one that is projected."""
    is_float = dtype is DType.FLOAT32
    wide = DType.FLOAT32 if is_float else DType.INT16
    builder = draft.builder

    def symmetric(scale: float) -> Quantization | None:
        return None if is_float else Quantization.per_tensor(scale, 0)

    for number, (batches, steps, depth, count) in enumerate(
        [(2, 3, 4, 5), (1, 4, 3, 2), (1, 2, 3, 6)]
    ):
        outputs = 4 if number == 2 and is_float else count
        kept = None if is_float else Quantization.per_tensor(2.0**-7, 5)
        order = (steps, batches) if number == 0 else (batches, steps)
        x = draft.input((*order, depth), dtype)
        h = builder.input("h", TensorType((batches, outputs), dtype, kept))
        c = builder.input("c", TensorType((batches, count), wide, symmetric(2.0 ** -(10 + number))))
        operands: list[Value | None] = [x, h, c]
        for width in (depth, outputs):
            for _ in range(4):
                w = draft.numbers((count, width), dtype)
                operands.append(builder.constant("w", w, symmetric(0.01)))
        operands += [draft.bias(count, dtype) for _ in range(4)]
        if number == 0:
            for _ in range(3):
                w = draft.numbers((count,), wide)
                operands.append(builder.constant("p", w, symmetric(0.0001)))
        else:
            operands += [None, None, None]
        if number == 1:
            operands[3] = operands[7] = operands[11] = None
        if outputs != count:
            operands += [
                builder.constant("w", draft.numbers((outputs, count), dtype)),
                draft.bias(outputs, dtype),
            ]
        layer = Lstm(
            time_major=number == 0,
            backwards=number == 1,
            cell_clip=0.5 if number == 0 else 0.0,
            projection_clip=0.5 if outputs != count else 0.0,
            hidden_scale=0.0 if is_float else 2.0**-7,
            hidden_zero_point=0 if is_float else 5,
        )
        draft.outputs += builder.add_all(layer, operands, "y")


def network(draft: Draft) -> None:
    """A small network: convolutions, a residual, a reshape, a classifier."""
    x = draft.input((1, 8, 6, 3), DType.INT8)
    builder = draft.builder

    def layer(operator: Operator, inputs: Sequence[Value | None], name: str) -> Value:
        return builder.add(operator, inputs, name, draft.quantization(DType.INT8, 0.05))

    w1 = draft.weights((8, 3, 3, 3), DType.INT8, 0, per_axis=True)
    same = (1, 1, 1, 1)
    conv = Conv2D(padding=same, activation=Activation.RELU)
    first = layer(conv, [x, w1, draft.bias(8, DType.INT8)], "conv1")
    w2 = draft.weights((1, 3, 3, 8), DType.INT8, 3, per_axis=True)
    second = layer(
        DepthwiseConv2D(padding=same), [first, w2, draft.bias(8, DType.INT8)], "depthwise"
    )
    added = layer(Add(activation=Activation.RELU), [first, second], "residual")
    pooled = builder.add(AveragePool2D(window=(8, 6), stride=(8, 6)), [added], "pool")
    flat = builder.add(Reshape(shape=(1, 8)), [pooled], "flat")
    w3 = draft.weights((5, 8), DType.INT8, 0, per_axis=False)
    dense = layer(FullyConnected(), [flat, w3, draft.bias(5, DType.INT8)], "dense")
    probability = Quantization.per_tensor(1 / 256, -128)
    draft.outputs.append(builder.add(Softmax(), [dense], "probabilities", probability))


_TFLITE: tuple[Case, ...] = (
    *typed("conv2d", conv2d, NUMBERS),
    *typed("depthwise_conv2d", depthwise_conv2d, NUMBERS),
    *typed("fully_connected", fully_connected, NUMBERS),
    *typed("accumulators", accumulators, (DType.INT8, DType.INT16)),
    *typed("elementwise", elementwise, (*NUMBERS, DType.INT32)),
    *typed("smaller_and_larger", smaller_and_larger, (DType.INT64, DType.BOOL)),
    *typed("comparisons", comparisons, (DType.INT8, *_PLAIN, DType.FLOAT32, DType.BOOL)),
    *typed("choices", choices, (*NUMBERS, DType.UINT8, *_PLAIN, DType.BOOL)),
    *typed("pools", pools, NUMBERS),
    *typed("partial_sums", partial_sums, (DType.INT8, DType.INT16)),
    *typed("decompressed", decompressed, (DType.INT8,)),
    *typed("pools_to_even", pools_to_even, (DType.INT8, DType.INT16)),
    *typed("mean", mean, NUMBERS),
    *typed("sums", sums, (*NUMBERS, *_PLAIN)),
    *typed("extremes", extremes, (*NUMBERS, *_PLAIN, DType.BOOL)),
    *typed("resizes", resizes, NUMBERS),
    *typed("softmax", softmax, NUMBERS),
    *typed("curves", curves, NUMBERS),
    *typed("picked", picked, (*NUMBERS, DType.UINT8, *_PLAIN, DType.BOOL)),
    *typed("movement", movement, (*NUMBERS, DType.UINT8, DType.INT32, DType.INT64, DType.BOOL)),
    *typed("joined", joined, NUMBERS),
    *typed("rectifiers", rectifiers, NUMBERS),
    *typed("functions", functions, (*NUMBERS, *_PLAIN)),
    *typed("differences", differences, (DType.INT8, DType.INT32, DType.FLOAT32)),
    *typed("rectifiers_of_int8", rectifiers_of_int8, (DType.INT8, DType.FLOAT32)),
    *typed("residuals", residuals, (DType.INT8, DType.INT16)),
    *typed("filters_over_time", filters_over_time, NUMBERS),
    *typed("cells", cells, (DType.INT8, DType.FLOAT32)),
    *cases_counting.CASES,
    *cases_detections.CASES,
    *cases_few_bits.CASES,
    *cases_poses.CASES,
    *cases_products.CASES,
    *cases_ranking.CASES,
    *cases_rounding.CASES,
    *cases_rows.CASES,
    *cases_volumes.CASES,
    Case("conversions", conversions),
    Case("tables", tables),
    Case("borders", borders),
    Case("casts", casts),
    Case("unsigned", unsigned),
    Case("hybrid", hybrid),
    Case("network", network),
)

_ROUNDED_ONCE = (
    "conv2d_i8",
    "depthwise_conv2d_i8",
    "fully_connected_i8",
    "blockwise",
    "elementwise_i8",
    "mean_i8",
    "sums_i8",
    "joined_i8",
    "rectifiers_i8",
    "residuals_i8",
    "matmuls_i8",
    "scales_i8",
    "conversions",
    "network",
)

_NARROW = ("conv2d_i8", "depthwise_conv2d_i8", "scales_i8", "network")
_NARROW_BITS = 9

CASES: tuple[Case, ...] = (
    *_TFLITE,
    *(
        replace(case, name=f"{case.name}_nearest", rounding=Rounding.NEAREST)
        for case in _TFLITE
        if case.name in _ROUNDED_ONCE
    ),
    *(
        replace(
            case,
            name=f"{case.name}_narrow",
            rounding=Rounding.NEAREST,
            multiplier_bits=_NARROW_BITS,
        )
        for case in _TFLITE
        if case.name in _NARROW
    ),
)
"""Every operator, by element type, and those of int8 that rescale once more, rounded once; of some with weights once
more, with narrow multipliers.
"""
