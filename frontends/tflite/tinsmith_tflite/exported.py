"""What each operator of the IR becomes in a TFLite file: the inverse of the importer's rules.

A function is given an `Export`, adds one operator or a few, and the last of them writes the node's result. What the
format cannot say raises `NotSaidError` with the reason. Versions are those by which TFLite tells the element types of
the input apart: float32, int8, int16.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Graph, Node, Value
from tinsmith_ir.operators import (
    Abs,
    Add,
    ArgMax,
    ArgMin,
    AveragePool2D,
    BatchMatmul,
    Broadcast,
    Cast,
    Ceil,
    Compare,
    Concat,
    Conv2D,
    Cos,
    DepthwiseConv2D,
    Dequantize,
    Div,
    Elu,
    Exp,
    Floor,
    FullyConnected,
    Gather,
    Gelu,
    HardSwish,
    L2Normalization,
    LeakyRelu,
    Log,
    Logistic,
    LogSoftmax,
    Maximum,
    MaxPool2D,
    Mean,
    Minimum,
    Mul,
    Neg,
    Operator,
    Pad,
    Pow,
    Prelu,
    Quantize,
    ReduceMax,
    ReduceMin,
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
    Slice,
    Softmax,
    Sqrt,
    Square,
    SquaredDifference,
    Sub,
    Sum,
    Tanh,
    Transpose,
)
from tinsmith_ir.operators.logic import Relation
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_tflite.file_writer import FileOptions, FileWriter, OptionValue

Padding = tuple[int, int, int, int]
Versions = tuple[int, int, int]

_ACTIVATIONS: Mapping[Activation, int] = {
    Activation.NONE: 0,
    Activation.RELU: 1,
    Activation.RELU_N1_TO_1: 2,
    Activation.RELU6: 3,
}
_SAME, _VALID = 0, 1
_INT32 = 2
"""Of the schema's TensorType."""
_NARROW_CONVOLUTION = (6, 6, 6)
"""Of CONV_2D with int4 weights: from version 7 on TFLite 2.14 rounds in another way."""
_NARROW_DEPTHWISE = (7, 7, 7)


class NotSaidError(Exception):
    """Why a TFLite file cannot hold an operator."""


@dataclass(frozen=True)
class Export:
    """A node on its way into a file. numbers: of tensors there, by the name of a value; grows."""

    graph: Graph
    node: Node
    file: FileWriter
    numbers: dict[str, int]

    @property
    def result(self) -> Value:
        """The first result."""
        return self.node.outputs[0]

    def operand(self, position: int) -> int:
        """The number of the tensor of an operand; -1 if that is absent."""
        value = self.node.inputs[position] if position < len(self.node.inputs) else None
        return -1 if value is None else self.numbers[value.name]

    def operands(self) -> list[int]:
        """All of them."""
        return [self.operand(position) for position in range(len(self.node.inputs))]

    def type_of(self, position: int) -> TensorType:
        """Of an operand that is there."""
        value = self.node.inputs[position]
        assert value is not None
        return value.type

    def integers(self, name: str, numbers: Sequence[int]) -> int:
        """A constant of int32, such as axes."""
        return self.file.integers(f"{self.result.name}/{name}", numbers)

    def between(self, name: str, type_: TensorType) -> int:
        """A tensor in front of the result."""
        return self.file.tensor(f"{self.result.name}/{name}", type_)

    def add(
        self,
        kind: str,
        versions: Versions,
        inputs: Sequence[int],
        options: str = "",
        fields: Mapping[str, OptionValue] | None = None,
        *,
        output: int | None = None,
    ) -> None:
        """An operator. versions: by the element type of the node's first operand. output: the result, unless given."""
        numbers = [self.numbers[value.name] for value in self.node.outputs]
        outputs = numbers if output is None else [output]
        present = list(inputs)
        while present[-1] < 0:
            present.pop()
        dtype = self.type_of(0).dtype
        version = versions[{DType.FLOAT32: 0, DType.INT16: 2}.get(dtype, 1)]
        self.file.operator(kind, version, present, outputs, FileOptions(options, fields or {}))


def activation(operator: Operator) -> int:
    """The number of the clamp that is fused. Raises NotSaidError for one that TFLite has not."""
    found = getattr(operator, "activation", Activation.NONE)
    if found not in _ACTIVATIONS:
        raise NotSaidError(f"TFLite fuses no {found.value}")
    return _ACTIVATIONS[found]


def _plain(kind: str, versions: Versions, options: str = "") -> Callable[[Export], None]:
    """An operator without attributes that takes the operands as they are."""

    def export(e: Export) -> None:
        e.add(kind, versions, e.operands(), options)

    return export


def _fused(kind: str, versions: Versions, options: str, **more: bool) -> Callable[[Export], None]:
    """One whose only attribute is the clamp."""

    def export(e: Export) -> None:
        number = activation(e.node.operator)
        fields: dict[str, OptionValue] = {"FusedActivationFunction": number, **more}
        e.add(kind, versions, e.operands(), options, fields)

    return export


def _reduction(kind: str, versions: Versions) -> Callable[[Export], None]:
    def export(e: Export) -> None:
        operator = e.node.operator
        assert isinstance(operator, Mean | Sum | ReduceMax | ReduceMin)
        axes = e.integers("axes", operator.axes)
        e.add(
            kind, versions, [e.operand(0), axes], "ReducerOptions", {"KeepDims": operator.keep_dims}
        )

    return export


def _sum(e: Export) -> None:
    if e.type_of(0).quantization is not None:
        raise NotSaidError(
            "TFLite 2.14 sums integers with their zero points, or reads them as unsigned"
        )
    _reduction("SUM", (1, 2, 2))(e)


def _arg(kind: str) -> Callable[[Export], None]:
    def export(e: Export) -> None:
        operator = e.node.operator
        if e.type_of(0).dtype is DType.INT16:
            raise NotSaidError("TFLite searches no int16")
        assert isinstance(operator, ArgMax | ArgMin)
        e.add(
            kind,
            (1, 2, 3),
            [e.operand(0), e.integers("axis", [operator.axis])],
            "ArgMaxOptions" if isinstance(operator, ArgMax) else "ArgMinOptions",
            {"OutputType": _INT32},
        )

    return export


def _convolution(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, Conv2D | DepthwiseConv2D)
    if operator.float32_scale:
        raise NotSaidError("its scale is rounded to float32, as that of uint8 in TFLite")
    is_depthwise = isinstance(operator, DepthwiseConv2D)
    weights = e.type_of(1)
    kernel = (weights.shape[1], weights.shape[2])
    source, padding = _padded(e, kernel, operator.stride, operator.dilation, operator.padding)
    fields: dict[str, OptionValue] = {
        "Padding": padding,
        "StrideH": operator.stride[0],
        "StrideW": operator.stride[1],
        "DilationHFactor": operator.dilation[0],
        "DilationWFactor": operator.dilation[1],
        "FusedActivationFunction": activation(operator),
    }
    if is_depthwise:
        fields["DepthMultiplier"] = weights.shape[3] // e.type_of(0).shape[3]
    kind = "DEPTHWISE_CONV_2D" if is_depthwise else "CONV_2D"
    options = "DepthwiseConv2DOptions" if is_depthwise else "Conv2DOptions"
    versions: Versions = (2, 3, 5) if is_depthwise else (1, 3, 4)
    if weights.dtype is DType.INT4:
        versions = _NARROW_DEPTHWISE if is_depthwise else _NARROW_CONVOLUTION
    e.add(kind, versions, [source, e.operand(1), bias(e)], options, fields)


def _fully_connected(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, FullyConnected)
    weights, source, result = e.type_of(1), e.operand(0), e.result.type
    versions: Versions = (5, 5, 7)
    options = "FullyConnectedOptions"
    number = activation(operator)
    per_channel = weights.quantization is not None and weights.quantization.axis is not None
    stored = e.operand(1)
    if per_channel and weights.dtype is DType.INT4:
        stored = _widened(e)
    if not (operator.keep_dims and per_channel):
        e.add(
            "FULLY_CONNECTED",
            versions,
            [source, stored, bias(e)],
            options,
            {"FusedActivationFunction": number, "KeepNumDims": operator.keep_dims},
        )
        return
    # Of a scale per channel and dimensions kept, TFLite's kernel leaves rows uncomputed.
    rows = (e.type_of(0).elements // weights.shape[1], weights.shape[0])
    flat = e.between("rows", result.with_shape(rows))
    inputs = [source, stored, bias(e)]
    e.add(
        "FULLY_CONNECTED",
        versions,
        inputs,
        options,
        {"FusedActivationFunction": number},
        output=flat,
    )
    e.add("RESHAPE", (1, 1, 1), [flat, e.integers("shape", result.shape)], "ReshapeOptions")


def _widened(e: Export) -> int:
    """Weights of four bits as int8: a FULLY_CONNECTED with a scale per channel takes no others."""
    value = e.node.inputs[1]
    data = e.graph.constant(value)
    if value is None or data is None:
        raise NotSaidError("its weights are computed")
    type_ = TensorType(value.type.shape, DType.INT8, value.type.quantization)
    return e.file.tensor(f"{e.result.name}/weights", type_, data)


def bias(e: Export) -> int:
    """The bias of a layer with the scales of input times weights, as TFLite wants it; -1 if there is none, and zeros
    for a convolution, which has to have one.
    """
    value = e.node.inputs[2] if len(e.node.inputs) > 2 else None
    source, weights = e.type_of(0).quantization, e.type_of(1).quantization
    is_real = source is None or weights is None
    data = None if value is None else e.graph.constant(value)
    if value is None and isinstance(e.node.operator, FullyConnected):
        return -1  # sums of int16 without a bias are of 32 bits
    if value is None:
        dtype = np.float32 if is_real else np.int32
        data = np.zeros(e.result.type.shape[-1], dtype)
    elif is_real:
        return e.numbers[value.name]
    if data is None:
        raise NotSaidError("its bias is computed")
    if source is None or weights is None:
        return e.file.tensor(f"{e.result.name}/bias", TensorType(data.shape, DType.FLOAT32), data)
    scales = tuple(float(np.float32(source.scale * scale)) for scale in weights.scales)
    axis = None if weights.axis is None else 0
    quantization = Quantization(scales, (0,) * len(scales), axis)
    is_wide = e.type_of(0).dtype is DType.INT16
    stored = data.astype(np.int64) if is_wide else data
    type_ = TensorType(data.shape, DType.INT64 if is_wide else DType.INT32, quantization)
    return e.file.tensor(f"{e.result.name}/bias", type_, stored)


def _pool(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, AveragePool2D | MaxPool2D)
    is_average = isinstance(operator, AveragePool2D)
    if isinstance(operator, AveragePool2D) and operator.halves_to_even:
        raise NotSaidError("halves of its means go to the even integer")
    if isinstance(operator, AveragePool2D) and operator.halves_up:
        raise NotSaidError("halves of its means go up, as those of uint8 in TFLite")
    source, padding = _padded(e, operator.window, operator.stride, (1, 1), operator.padding)
    e.add(
        "AVERAGE_POOL_2D" if is_average else "MAX_POOL_2D",
        (1, 2, 3),
        [source],
        "Pool2DOptions",
        {
            "Padding": padding,
            "StrideH": operator.stride[0],
            "StrideW": operator.stride[1],
            "FilterHeight": operator.window[0],
            "FilterWidth": operator.window[1],
            "FusedActivationFunction": activation(operator),
        },
    )


def _padded(
    e: Export,
    window: tuple[int, int],
    stride: tuple[int, int],
    dilation: tuple[int, int],
    padding: Padding,
) -> tuple[int, int]:
    """(the tensor that a window slides over, SAME or VALID), padded by an operator where neither says the padding."""
    if not any(padding):
        return e.operand(0), _VALID
    type_ = e.type_of(0)
    same = [
        _same(size, *sides)
        for size, *sides in zip(type_.shape[1:3], window, stride, dilation, strict=True)
    ]
    if padding == (*same[0], *same[1]):
        return e.operand(0), _SAME
    if isinstance(e.node.operator, AveragePool2D):
        raise NotSaidError(f"an average pool does not count a padding of {list(padding)}")
    top, bottom, left, right = padding
    batch, height, width, channels = type_.shape
    padded = type_.with_shape((batch, height + top + bottom, width + left + right, channels))
    number = e.between("padded", padded)
    amounts = _amounts(e, (0, 0, top, bottom, left, right, 0, 0))
    if isinstance(e.node.operator, MaxPool2D):
        inputs = [e.operand(0), amounts, _scalar(e, type_, _least(type_.dtype))]
        e.add("PADV2", (1, 2, 2), inputs, "PadV2Options", output=number)
    else:
        e.add("PAD", (1, 2, 3), [e.operand(0), amounts], "PadOptions", output=number)
    return number, _VALID


def _same(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """Padding before and after that SAME stands for."""
    results = -(-size // stride)
    total = max((results - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


def _least(dtype: DType) -> int | float:
    return -np.inf if dtype is DType.FLOAT32 else dtype.integer_range[0]


def _amounts(e: Export, padding: Sequence[int]) -> int:
    """A constant (rank, 2) of int32."""
    data = np.array(padding, np.int32).reshape(-1, 2)
    type_ = TensorType(data.shape, DType.INT32)
    return e.file.tensor(f"{e.result.name}/paddings", type_, data)


def _scalar(e: Export, type_: TensorType, value: float) -> int:
    """A constant of one element of the type."""
    data: Array = np.array([value], type_.dtype.numpy)
    return e.file.tensor(f"{e.result.name}/value", type_.with_shape((1,)), data)


def _pad(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, Pad)
    inputs = [e.operand(0), _amounts(e, operator.padding)]
    if operator.value is None:
        e.add("PAD", (1, 2, 3), inputs, "PadOptions")
        return
    e.add("PADV2", (1, 2, 2), [*inputs, _scalar(e, e.type_of(0), operator.value)], "PadV2Options")


def _concat(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, Concat)
    wanted = e.result.type.quantization
    for value in e.node.present_inputs:
        if value.type.quantization != wanted:
            raise NotSaidError(f"operand {value.name!r} has another scale than the result")
    e.add(
        "CONCATENATION",
        (1, 2, 3),
        e.operands(),
        "ConcatenationOptions",
        {"Axis": operator.axis, "FusedActivationFunction": activation(operator)},
    )


def _slice(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, Slice)
    rank = len(operator.begin)
    strides = operator.strides or (1,) * rank
    begin = e.integers("begin", operator.begin)
    if set(strides) == {1}:
        size = e.integers("size", operator.shape)
        e.add("SLICE", (1, 2, 4), [e.operand(0), begin, size], "SliceOptions")
        return
    ends = [
        first + (count - 1) * step + 1
        for first, count, step in zip(operator.begin, operator.shape, strides, strict=True)
    ]
    if min(strides) < 1:
        raise NotSaidError(f"it walks backwards, by {list(strides)}")
    inputs = [e.operand(0), begin, e.integers("end", ends), e.integers("strides", strides)]
    e.add("STRIDED_SLICE", (1, 2, 4), inputs, "StridedSliceOptions")


_GIVEN: Mapping[DType, Mapping[str, tuple[float, int]]] = {
    DType.INT8: {
        "L2_NORMALIZATION": (1 / 128, 0),
        "LOGISTIC": (1 / 256, -128),
        "LOG_SOFTMAX": (16 / 256, 127),
        "SOFTMAX": (1 / 256, -128),
        "TANH": (1 / 128, 0),
    },
    DType.INT16: {
        "LOGISTIC": (1 / 32768, 0),
        "SOFTMAX": (1 / 32768, 0),
        "TANH": (1 / 32768, 0),
    },
}
"""Scale and zero point that TFLite's kernels give, whatever the file says."""


def _check_given(e: Export, kind: str) -> None:
    """Raise NotSaidError for a result of another quantization than the kernel's."""
    quantization = e.result.type.quantization
    wanted = _GIVEN.get(e.result.type.dtype, {}).get(kind)
    if wanted is None or quantization is None:
        return
    if (quantization.scale, quantization.zero_point) != wanted:
        raise NotSaidError(f"TFLite gives it a scale of {wanted[0]:g} and zero point {wanted[1]}")


def _given(kind: str, versions: Versions, options: str = "") -> Callable[[Export], None]:
    def export(e: Export) -> None:
        _check_given(e, kind)
        e.add(kind, versions, e.operands(), options)

    return export


def _softmax(e: Export) -> None:
    _check_given(e, "SOFTMAX")
    operator = e.node.operator
    assert isinstance(operator, Softmax)
    e.add("SOFTMAX", (1, 2, 3), [e.operand(0)], "SoftmaxOptions", {"Beta": operator.beta})


def _leaky_relu(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, LeakyRelu)
    e.add("LEAKY_RELU", (1, 2, 2), [e.operand(0)], "LeakyReluOptions", {"Alpha": operator.alpha})


def _gelu(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, Gelu)
    e.add("GELU", (1, 2, 2), [e.operand(0)], "GeluOptions", {"Approximate": operator.approximate})


def _reshape(e: Export) -> None:
    shape = e.result.type.shape
    inputs = [e.operand(0), e.integers("shape", shape)]
    e.add("RESHAPE", (1, 1, 1), inputs, "ReshapeOptions", {"NewShape": shape})


def _transpose(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, Transpose)
    permutation = e.integers("permutation", operator.permutation)
    e.add("TRANSPOSE", (1, 2, 3), [e.operand(0), permutation], "TransposeOptions")


def _matmul(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, BatchMatmul)
    e.add(
        "BATCH_MATMUL",
        (1, 2, 3),
        e.operands(),
        "BatchMatMulOptions",
        {"AdjX": operator.transpose_lhs, "AdjY": operator.transpose_rhs},
    )


def _resize(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, ResizeBilinear)
    if operator.in_float32:
        raise NotSaidError("it is computed in float32, as that of uint8 in TFLite")
    e.add(
        "RESIZE_BILINEAR",
        (3, 3, 4),
        [e.operand(0), e.integers("size", operator.size)],
        "ResizeBilinearOptions",
        {
            "AlignCorners": operator.align_corners,
            "HalfPixelCenters": operator.half_pixel_centers,
        },
    )


def _quantize(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, Quantize)
    if operator.halves_to_even:
        raise NotSaidError("halves of real numbers go to the even integer")
    e.add("QUANTIZE", (1, 1, 1), [e.operand(0)], "QuantizeOptions")


def _requantize(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, Requantize)
    clamps = {Activation.RELU: "RELU", Activation.RELU6: "RELU6"}
    if e.type_of(0).dtype not in (DType.INT8, DType.UINT8, DType.INT16):
        raise NotSaidError(f"TFLite rescales no {e.type_of(0).dtype.value}")
    if operator.activation is Activation.NONE:
        e.add("QUANTIZE", (1, 2, 3), [e.operand(0)], "QuantizeOptions")
    elif operator.activation in clamps and e.type_of(0).dtype is e.result.type.dtype:
        e.add(clamps[operator.activation], (1, 2, 3), [e.operand(0)])
    else:
        raise NotSaidError(f"TFLite clamps no {operator.activation.value} where it rescales")


def _gather(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, Gather)
    e.add("GATHER", (1, 2, 4), e.operands(), "GatherOptions", {"Axis": operator.axis})


def _broadcast(e: Export) -> None:
    shape = e.integers("shape", e.result.type.shape)
    e.add("BROADCAST_TO", (2, 2, 3), [e.operand(0), shape])


_RELATIONS = {
    Relation.EQUAL: ("EQUAL", "EqualOptions"),
    Relation.NOT_EQUAL: ("NOT_EQUAL", "NotEqualOptions"),
    Relation.LESS: ("LESS", "LessOptions"),
    Relation.LESS_EQUAL: ("LESS_EQUAL", "LessEqualOptions"),
}


def _compare(e: Export) -> None:
    operator = e.node.operator
    assert isinstance(operator, Compare)
    kind, options = _RELATIONS[operator.relation]
    e.add(kind, (1, 2, 2), e.operands(), options)


EXPORTS: Mapping[type[Operator], Callable[[Export], None]] = {
    Abs: _plain("ABS", (1, 2, 3), "AbsOptions"),
    Add: _fused("ADD", (1, 2, 4), "AddOptions", PotScaleInt16=False),
    ArgMax: _arg("ARG_MAX"),
    ArgMin: _arg("ARG_MIN"),
    AveragePool2D: _pool,
    BatchMatmul: _matmul,
    Broadcast: _broadcast,
    Cast: _plain("CAST", (1, 1, 1)),
    Ceil: _plain("CEIL", (1, 1, 1)),
    Compare: _compare,
    Concat: _concat,
    Conv2D: _convolution,
    Cos: _plain("COS", (1, 1, 1), "CosOptions"),
    DepthwiseConv2D: _convolution,
    Dequantize: _plain("DEQUANTIZE", (2, 2, 3), "DequantizeOptions"),
    Div: _fused("DIV", (1, 2, 2), "DivOptions"),
    Elu: _plain("ELU", (1, 1, 1)),
    Exp: _plain("EXP", (1, 2, 2), "ExpOptions"),
    Floor: _plain("FLOOR", (1, 1, 1)),
    FullyConnected: _fully_connected,
    Gather: _gather,
    Gelu: _gelu,
    HardSwish: _plain("HARD_SWISH", (1, 1, 1), "HardSwishOptions"),
    L2Normalization: _given("L2_NORMALIZATION", (1, 2, 2), "L2NormOptions"),
    LeakyRelu: _leaky_relu,
    Log: _plain("LOG", (1, 1, 1)),
    LogSoftmax: _given("LOG_SOFTMAX", (1, 2, 2), "LogSoftmaxOptions"),
    Logistic: _given("LOGISTIC", (1, 2, 3)),
    Maximum: _plain("MAXIMUM", (1, 2, 4), "MaximumMinimumOptions"),
    MaxPool2D: _pool,
    Mean: _reduction("MEAN", (1, 2, 3)),
    Minimum: _plain("MINIMUM", (1, 2, 4), "MaximumMinimumOptions"),
    Mul: _fused("MUL", (1, 2, 4), "MulOptions"),
    Neg: _plain("NEG", (1, 1, 1), "NegOptions"),
    Pad: _pad,
    Pow: _plain("POW", (1, 1, 1), "PowOptions"),
    Prelu: _plain("PRELU", (1, 1, 1)),
    Quantize: _quantize,
    ReduceMax: _reduction("REDUCE_MAX", (1, 2, 3)),
    ReduceMin: _reduction("REDUCE_MIN", (1, 2, 3)),
    Relu: _plain("RELU", (1, 2, 3)),
    Relu0To1: _plain("RELU_0_TO_1", (1, 1, 1)),
    Relu6: _plain("RELU6", (1, 2, 3)),
    ReluN1To1: _plain("RELU_N1_TO_1", (1, 1, 1)),
    Requantize: _requantize,
    Reshape: _reshape,
    ResizeBilinear: _resize,
    Round: _plain("ROUND", (1, 1, 1)),
    Rsqrt: _plain("RSQRT", (1, 2, 2)),
    Select: _plain("SELECT_V2", (1, 1, 1), "SelectV2Options"),
    Sign: _plain("SIGN", (1, 1, 1), "SignOptions"),
    Sin: _plain("SIN", (1, 1, 1)),
    Slice: _slice,
    Softmax: _softmax,
    Sqrt: _plain("SQRT", (1, 1, 1)),
    Square: _plain("SQUARE", (1, 1, 1), "SquareOptions"),
    SquaredDifference: _plain("SQUARED_DIFFERENCE", (1, 2, 2), "SquaredDifferenceOptions"),
    Sub: _fused("SUB", (1, 2, 5), "SubOptions", PotScaleInt16=False),
    Sum: _sum,
    Tanh: _given("TANH", (1, 2, 3)),
    Transpose: _transpose,
}
"""Operators that a file can hold, each with what adds it."""
