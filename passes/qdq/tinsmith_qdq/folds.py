"""Operators of integers for those of float32 between Dequantize and Quantize, or why there is none."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.graph import Array, Constant, GraphView, Node, Value
from tinsmith_ir.moment_parameters import integer_gains
from tinsmith_ir.operators import (
    Abs,
    Add,
    AveragePool2D,
    BatchMatmul,
    BlockwiseFullyConnected,
    Conv2D,
    DepthwiseConv2D,
    Dequantize,
    Div,
    Elu,
    Exp,
    FullyConnected,
    Gelu,
    HardSwish,
    L2Normalization,
    LayerNorm,
    LeakyRelu,
    Logistic,
    LogSoftmax,
    Mean,
    Mul,
    Neg,
    Operator,
    Prelu,
    Quantize,
    Reduction,
    Requantize,
    Reshape,
    ResizeBilinear,
    RmsNorm,
    Rsqrt,
    Softmax,
    SquaredDifference,
    Sub,
    Sum,
    Tanh,
    Transpose,
)
from tinsmith_ir.operators.base import Rescaling
from tinsmith_ir.operators.windows import MAX_PIXELS
from tinsmith_ir.rewrite import Rewrite, fresh_name
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.tables import value_table
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_qdq.blockwise import BlockConstants, blockwise_weights
from tinsmith_qdq.constants import integer_constant, real_constant
from tinsmith_qdq.lookups import lookup
from tinsmith_qdq.weights import quantized_weights

_MOST_STEPS = 1
"""How far a function of int16 may be from what it was."""
_CURVE_STEPS: Mapping[type[Operator], int] = {Logistic: 2, Tanh: 4}
"""The same of curves, whose integers are TFLite's."""
_BEYOND = 1.01
"""How much further than needed a mask reaches."""


class UnfoldedError(Exception):
    """Why an operator stays float32."""


@dataclass
class Step:
    """An operator of float32 and the Quantize behind it, and what stands in for them so far."""

    graph: GraphView
    node: Node
    quantize: Node
    nodes: list[Node] = field(default_factory=list[Node])
    constants: list[Constant] = field(default_factory=list[Constant])

    @property
    def result(self) -> Value:
        """The integers that it ends in."""
        return self.quantize.outputs[0]

    def operand(self, position: int) -> Value:
        """The integers of an operand. Raises UnfoldedError if it has none."""
        value = self.node.inputs[position]
        assert value is not None
        producer = self.graph.producer(value)
        if producer is not None and isinstance(producer.operator, Dequantize):
            source = producer.present_inputs[0]
            if source.type.dtype is not DType.UINT8:
                return source
        data = self.graph.constant(value)
        if data is not None:
            return self._uniform(value, data)
        by = f" by {producer.operator.title}" if producer is not None else ""
        raise UnfoldedError(f"operand {value.name!r} is computed{by} in float32")

    def real(self, value: Value | None) -> NDArray[np.float32] | None:
        """The numbers of a constant, None of what is absent. Raises UnfoldedError if they are computed."""
        if value is None:
            return None
        found = real_constant(self.graph, value)
        if found is None:
            raise UnfoldedError(f"operand {value.name!r} is computed")
        return found

    def _uniform(self, value: Value, data: Array) -> Value:
        """A constant of one number as the integer 1 or -1 of that scale."""
        number = float(data.reshape(-1)[0])
        if not bool((data == data.reshape(-1)[0]).all()) or not np.isfinite(number):
            raise UnfoldedError(f"operand {value.name!r} is a constant that is not quantized")
        integers = np.full(data.shape, np.sign(number), self.result.type.dtype.numpy)
        scale = abs(number) or self._scale(self.result)
        return self.constant(value.name, integers, Quantization.per_tensor(scale, 0))

    def _scale(self, value: Value) -> float:
        assert value.type.quantization is not None
        return value.type.quantization.scale

    def constant(
        self,
        hint: str,
        data: Array,
        quantization: Quantization | None,
        dtype: DType | None = None,
    ) -> Value:
        """A new constant. dtype: i4 or i2, if an array of int8 is that."""
        kinds = {kind.numpy: kind for kind in DType if not kind.is_packed}
        type_ = TensorType(data.shape, dtype or kinds[data.dtype], quantization)
        value = Value(fresh_name(self.graph, f"{hint}_of_{self.result.name}"), type_)
        self.constants.append(Constant(value, np.array(data, order="C")))
        return value

    def between(
        self, operator: Operator, inputs: tuple[Value | None, ...], type_: TensorType
    ) -> Value:
        """A result in front of the last."""
        name = fresh_name(self.graph, f"{self.result.name}_{len(self.nodes)}")
        value = Value(name, type_)
        self._add(operator, inputs, value)
        return value

    def end(self, operator: Operator, *inputs: Value | None) -> Rewrite:
        """The last operator. Raises UnfoldedError if it does not take its operands."""
        self._add(operator, inputs, self.result)
        return Rewrite((self.result,), tuple(self.nodes), tuple(self.constants))

    def _add(self, operator: Operator, inputs: tuple[Value | None, ...], output: Value) -> None:
        types = [value and value.type for value in inputs]
        try:
            operator.infer(types)
            operator.verify(types, [output.type])
        except GraphError as error:
            raise UnfoldedError(str(error)) from error
        self.nodes.append(Node(operator, inputs, (output,), self.node.location))


def folds(graph: GraphView, node: Node) -> Rewrite | None:
    """A Quantize, and the operator in front of it, as one of integers."""
    if not isinstance(node.operator, Quantize) or not node.operator.halves_to_even:
        return None
    found = fold(graph, node)
    return found if isinstance(found, Rewrite) else None


def fold(graph: GraphView, quantize: Node) -> Rewrite | str:
    """What stands in for a Quantize and the operator in front of it, or why nothing does."""
    middle, result = quantize.present_inputs[0], quantize.outputs[0]
    node = graph.producer(middle)
    if node is None or result.type.dtype is DType.UINT8:
        return "what is quantized comes from outside"
    try:
        if isinstance(node.operator, Dequantize):
            return _requantized(Step(graph, node, quantize))
        if len(graph.readers(middle)) > 1 or graph.is_output(middle):
            return "its result is read as float32, too"
        return _converted(graph, node, quantize)
    except UnfoldedError as error:
        return lookup(graph, quantize) or str(error)


def _converted(graph: GraphView, node: Node, quantize: Node) -> Rewrite:
    convert = _FOLDS.get(type(node.operator))
    if convert is None:
        raise UnfoldedError("there is none of integers")
    return convert(Step(graph, node, quantize))


def _requantized(step: Step) -> Rewrite:
    source, result = step.node.present_inputs[0], step.result
    if source.type == result.type:
        return Rewrite((source,))
    return step.end(_nearest(Requantize(result.type.dtype)), source)


def _nearest(operator: Operator) -> Operator:
    assert isinstance(operator, Rescaling)
    return replace(operator, rounding=Rounding.NEAREST)


def _weighted(step: Step) -> Rewrite:
    """Convolutions and fully connected layers."""
    operator = step.node.operator
    assert isinstance(operator, Conv2D | DepthwiseConv2D | FullyConnected)
    source = step.operand(0)
    stored = step.node.inputs[1]
    assert stored is not None
    constant = integer_constant(step.graph, stored)
    if constant is None:
        raise UnfoldedError(f"its weights {stored.name!r} are not quantized constants")
    has_blocks = constant.varies_within(operator.weights_axis)
    given = step.node.inputs[2] if len(step.node.inputs) > 2 else None
    bias = None if given is None else step.graph.constant(given)
    if given is not None and bias is None:
        raise UnfoldedError(f"its bias {given.name!r} is computed")
    layer = _with_blocks(step.node) if has_blocks else None
    found = (
        quantized_weights(constant, operator.weights_axis, source.type, bias)
        if layer is None
        else blockwise_weights(constant, source.type, bias)
    )
    if isinstance(found, str):
        raise UnfoldedError(found)
    weights = step.constant(stored.name, found.array, found.quantization, found.dtype)
    added: Value | None = None
    if given is not None and found.bias is not None:
        added = step.constant(given.name, found.bias, None)
    if layer is None or not isinstance(found, BlockConstants):
        return step.end(_nearest(operator), source, weights, added)
    blocks = step.constant(f"{stored.name}_blocks", found.blocks, None)
    return step.end(_nearest(replace(layer, block=found.block)), source, weights, added, blocks)


def _with_blocks(node: Node) -> BlockwiseFullyConnected | None:
    """The layer of blocks that computes what a product, or a convolution of single pixels, does; None of others."""
    operator, types = node.operator, [value and value.type for value in node.inputs]
    if isinstance(operator, FullyConnected):
        return BlockwiseFullyConnected(activation=operator.activation, keep_dims=operator.keep_dims)
    if not isinstance(operator, Conv2D) or not operator.multiplies_pixels(types):
        return None
    return BlockwiseFullyConnected(activation=operator.activation, keep_dims=True)


def _pair(step: Step) -> Rewrite:
    """Sums, differences and products, of matrices too, which round once."""
    return step.end(_nearest(step.node.operator), step.operand(0), step.operand(1))


def _sum(step: Step) -> Rewrite:
    """A sum, which may be one with a mask."""
    operands = [_mask(step, position) or step.operand(position) for position in (0, 1)]
    return step.end(_nearest(step.node.operator), *operands)


def _mask(step: Step, position: int) -> Value | None:
    """A constant of zeros, and of numbers so far below that each sum with them is the least integer, as those that hide
    tokens from attention: in a scale that leaves the other operand its bits. None if it is anything else.
    """
    value = step.node.inputs[position]
    real = None if value is None else real_constant(step.graph, value)
    if value is None or real is None or not bool((real != 0).any()):
        return None
    other, result = step.operand(1 - position).type, step.result.type
    assert other.quantization is not None
    assert result.quantization is not None
    largest, (lowest, _) = other.dtype.integer_range[1], result.dtype.integer_range
    reach = other.quantization.scale * (largest - other.quantization.zero_point)
    reach += result.quantization.scale * (result.quantization.zero_point - lowest)
    if bool(((real != 0) & ~(real <= -reach)).any()):
        return None
    scale = max(reach, other.quantization.scale) * _BEYOND / largest
    integers = np.where(real != 0, -largest, 0).astype(other.dtype.numpy)
    quantization = Quantization.per_tensor(float(np.float32(scale)), 0)
    return step.constant(value.name, integers, quantization)


def _quotient(step: Step) -> Rewrite:
    """By a constant of one number, whose inverse is a factor."""
    divisor = step.node.inputs[1]
    data = None if divisor is None else step.graph.constant(divisor)
    if divisor is None or data is None or not bool((data == data.reshape(-1)[0]).all()):
        raise UnfoldedError("there is a quotient of integers by one constant number alone")
    number = float(data.reshape(-1)[0])
    if not number or not np.isfinite(number):
        raise UnfoldedError(f"it divides by {number}")
    integers = np.full(data.shape, np.sign(number), step.result.type.dtype.numpy)
    scale = float(np.float32(1.0 / abs(number)))
    factor = step.constant(divisor.name, integers, Quantization.per_tensor(scale, 0))
    return step.end(_nearest(Mul()), step.operand(0), factor)


def _mean(step: Step) -> Rewrite:
    return _pooled(step) or _total(step)


def _total(step: Step) -> Rewrite:
    return step.end(_nearest(step.node.operator), step.operand(0))


def _pooled(step: Step) -> Rewrite | None:
    """A mean over whole maps that keeps the quantization is an average pool: both round the exact mean once, and a
    pool has kernels. Of maps behind the channels, with a transpose in front, which finds its opposite.
    """
    operator, source, result = step.node.operator, step.operand(0), step.result
    assert isinstance(operator, Reduction)
    if operator.axes not in ((1, 2), (2, 3)) or len(source.type.shape) != 4:
        return None
    if source.type.quantization != result.type.quantization or source.type.dtype is not DType.INT8:
        return None
    sizes = [source.type.shape[axis] for axis in operator.axes]
    if sizes[0] * sizes[1] > MAX_PIXELS:
        return None
    if operator.axes == (2, 3):
        batch, channels, height, width = source.type.shape
        type_ = source.type.with_shape((batch, height, width, channels))
        source = step.between(Transpose((0, 2, 3, 1)), (source,), type_)
    batch, height, width, channels = source.type.shape
    kept = source.type.with_shape((batch, 1, 1, channels))
    pool = _to_even(AveragePool2D(window=(height, width)))
    pooled = step.between(pool, (source,), kept)
    return step.end(Reshape(result.type.shape), pooled)


def _as_it_is(step: Step) -> Rewrite:
    """The same operator, whose integers have an arithmetic of their own."""
    operands = [step.operand(position) for position in range(len(step.node.inputs))]
    return step.end(step.node.operator, *operands)


def _average(step: Step) -> Rewrite:
    """An average pool keeps the quantization; where another is wanted, a layer of ones, or a mean, rounds once."""
    operator, source, result = step.node.operator, step.operand(0), step.result
    assert isinstance(operator, AveragePool2D)
    if source.type.quantization == result.type.quantization:
        return step.end(_to_even(operator), source)
    is_whole = operator.window == source.type.shape[1:3]
    if is_whole and not any(operator.padding) and result.type.shape[1:3] == (1, 1):
        return step.end(_nearest(Mean(axes=(1, 2), keep_dims=True)), source)
    if any(operator.padding):
        return _requantized_behind(step, _to_even(operator), source)
    channels = source.type.shape[3]
    ones = np.ones((1, *operator.window, channels), np.int8)
    share = float(np.float32(1.0 / (operator.window[0] * operator.window[1])))
    weights = step.constant("ones", ones, Quantization.per_tensor(share, 0))
    return step.end(_nearest(DepthwiseConv2D(stride=operator.stride)), source, weights, None)


def _to_even(operator: AveragePool2D) -> AveragePool2D:
    """As a Quantize rounds a mean; of an odd number of elements none is a half, so there every kernel will do."""
    height, width = operator.window
    has_halves = any(operator.padding) or height * width % 2 == 0
    return replace(operator, halves_to_even=has_halves)


def _resized(step: Step) -> Rewrite:
    return _requantized_behind(step, step.node.operator, step.operand(0))


def _requantized_behind(step: Step, operator: Operator, source: Value) -> Rewrite:
    """An operator that keeps the quantization, and a Requantize if that is not finer than what is kept."""
    given, wanted = source.type.quantization, step.result.type.quantization
    if given == wanted:
        return step.end(operator, source)
    if given is None or wanted is None or given.scale > wanted.scale:
        raise UnfoldedError(
            "its result has a finer scale than its operand, whose integers it keeps"
        )
    kept = replace(source.type, shape=step.result.type.shape)
    middle = step.between(operator, (source,), kept)
    return step.end(_nearest(Requantize(step.result.type.dtype)), middle)


def _softmax(step: Step) -> Rewrite:
    """With a result of 16 bits in between, unless the scale is the one that it has of 8."""
    operator, source, result = step.node.operator, step.operand(0), step.result
    assert isinstance(operator, Softmax)
    if result.type.quantization == Quantization.per_tensor(1 / 256, -128):
        return step.end(operator, source)
    if result.type.dtype is not DType.INT8:
        return step.end(operator, source)
    wide = TensorType(result.type.shape, DType.INT16, Quantization.per_tensor(1 / 65536, -32768))
    middle = step.between(replace(operator, wide=True), (source,), wide)
    return step.end(_nearest(Requantize(DType.INT8)), middle)


def _normalized(step: Step) -> Rewrite:
    """A layer norm, whose gamma and beta become parts of a step of the result."""
    operator, source, result = step.node.operator, step.operand(0), step.result
    assert isinstance(operator, LayerNorm | RmsNorm)
    gamma, beta = (*map(step.real, step.node.inputs[1:]), None, None)[:2]
    try:
        gains = integer_gains(operator, source.type, result.type, gamma, beta)
    except GraphError as error:
        raise UnfoldedError(str(error)) from error
    made = ((gains.gamma, gains.gamma_scale), (gains.beta, gains.beta_scale))
    parts = [
        None if given is None or array is None else step.constant(given.name, array, scale)
        for given, (array, scale) in zip(step.node.inputs[1:], made, strict=False)
    ]
    is_same = source.type.dtype is result.type.dtype
    return step.end(
        replace(operator, result=None if is_same else result.type.dtype), source, *parts
    )


def _negated(step: Step) -> Rewrite:
    """A product with the integer -1 of scale 1; of int8 a table is as exact and reads no constant."""
    source, result = step.operand(0), step.result
    if result.type.dtype is DType.INT8:
        raise UnfoldedError("of int8 it is a table")
    ones = np.full((1,) * len(result.type.shape), -1, result.type.dtype.numpy)
    minus_one = step.constant("minus_one", ones, Quantization.per_tensor(1.0, 0))
    return step.end(_nearest(Mul()), source, minus_one)


def _function(step: Step) -> Rewrite:
    """A function of one number that has integers of its own, if they are what they were, or near that and no table."""
    source, result = step.operand(0), step.result
    rewrite = step.end(step.node.operator, source)
    real = TensorType(result.type.shape, DType.FLOAT32)
    chain = [Dequantize(), step.node.operator, step.quantize.operator]
    wanted = value_table(chain, [source.type, real, real, result.type])
    got = value_table([step.node.operator], [source.type, result.type])
    if wanted is None or got is None:
        raise UnfoldedError("its integers cannot be compared")
    distance = int(np.abs(wanted.astype(np.int64) - got.astype(np.int64)).max())
    most = _CURVE_STEPS.get(type(step.node.operator), _MOST_STEPS)
    if source.type.dtype is DType.INT8:
        most = 0  # there is a table that is right
    if distance > most:
        raise UnfoldedError(f"of integers it is {distance} steps away")
    return rewrite


_FOLDS: Mapping[type[Operator], Callable[[Step], Rewrite]] = {
    Abs: _function,
    Add: _sum,
    AveragePool2D: _average,
    BatchMatmul: _pair,
    Conv2D: _weighted,
    DepthwiseConv2D: _weighted,
    Div: _quotient,
    Elu: _function,
    Exp: _function,
    FullyConnected: _weighted,
    Gelu: _function,
    HardSwish: _function,
    L2Normalization: _as_it_is,
    LayerNorm: _normalized,
    LeakyRelu: _function,
    LogSoftmax: _as_it_is,
    Logistic: _function,
    Mean: _mean,
    Mul: _pair,
    Neg: _negated,
    Prelu: _as_it_is,
    ResizeBilinear: _resized,
    RmsNorm: _normalized,
    Rsqrt: _function,
    Softmax: _softmax,
    SquaredDifference: _as_it_is,
    Sub: _pair,
    Sum: _total,
    Tanh: _function,
}
"""How each is folded. Clamps, and what only chooses among elements, are exchanged with the Quantize instead."""
