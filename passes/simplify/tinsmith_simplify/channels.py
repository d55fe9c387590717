"""How the channels (the last axis) of a node's operands make those of its result."""

import itertools
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Constant, Graph, Node, Value
from tinsmith_ir.operators import (
    Concat,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    Operator,
    Pad,
    Pool,
    Reduction,
    Reshape,
    Trait,
)
from tinsmith_ir.types import Quantization, TensorType

Mask = NDArray[np.bool_]
"""Which channels of a tensor: one truth value for each."""

INPUT, WEIGHTS, BIAS = 0, 1, 2
"""The operands of an operator with weights."""


@dataclass(frozen=True)
class Mixes:
    """Each channel of the result is a weighted sum over all channels of the operand `INPUT`, of integers.

    lengths: (results, taps, channels) of the weights, in this order.
    """

    lengths: tuple[int, int, int]


@dataclass(frozen=True)
class Follows:
    """Channel c of operands makes channels c * each to (c + 1) * each of the result, and nothing else.

    operands: those that have channels; others are the same for all of them.
    weights: whether the operands behind `INPUT` are weights and a bias, which have the result's channels.
    """

    operands: tuple[int, ...]
    each: int = 1
    weights: bool = False


@dataclass(frozen=True)
class Joins:
    """The result has the channels of all operands, one behind the other."""


Relation = Mixes | Follows | Joins


def relation_of(graph: Graph, node: Node) -> Relation | None:
    """None of a node of which nothing is known: it reads and makes all channels."""
    types = [value.type for value in node.present_inputs]
    if len(node.outputs) != 1 or len(types) != len(node.inputs) - node.inputs.count(None):
        return None
    result = node.outputs[0].type
    if not all(_is_plain(type_) for type_ in (*types[:1], result)):
        return None
    match node.operator:
        case Conv2D() | FullyConnected() | DepthwiseConv2D() if not all(
            graph.constant(value) is not None for value in node.present_inputs[WEIGHTS:]
        ):
            return None
        case Conv2D() | FullyConnected():
            return _mixes(node)
        case DepthwiseConv2D():
            each = result.shape[-1] // types[INPUT].shape[-1]
            return Follows((INPUT,), each, weights=True)
        case Concat(axis=axis) if axis == len(result.shape) - 1:
            return Joins() if all(map(_is_plain, types)) else None
        case _:
            return _follows(node, types, result)


def _is_plain(type_: TensorType) -> bool:
    """Whether each channel is as any other."""
    quantization = type_.quantization
    return bool(type_.shape) and (quantization is None or quantization.axis is None)


def _mixes(node: Node) -> Mixes | None:
    """Of integers alone: of floats, nothing times a NaN is something."""
    input_, weights = (value.type for value in node.present_inputs[:2])
    integers = (DType.INT8, DType.INT16, DType.UINT8)
    if input_.dtype not in integers or None in (input_.quantization, weights.quantization):
        return None
    channels = input_.shape[-1]
    if isinstance(node.operator, Conv2D):
        outputs, height, width, depth = weights.shape
        return Mixes((outputs, height * width, channels)) if depth == channels else None
    outputs, depth = weights.shape
    return None if depth % channels else Mixes((outputs, depth // channels, channels))


def _follows(node: Node, types: list[TensorType], result: TensorType) -> Follows | None:
    if None in node.inputs:
        return None
    last = len(result.shape) - 1
    match node.operator:
        case Pool():
            return Follows((0,))
        case Reduction(axes=axes) if len(types[0].shape) - 1 not in axes:
            return Follows((0,))
        case Reshape() if types[0].shape[-1] == result.shape[-1]:
            return Follows((0,))
        case Pad(padding=padding) if padding[-2:] == (0, 0):
            return Follows((0,))
        case Operator(traits=traits) if Trait.ELEMENTWISE in traits:
            wide = [at for at, type_ in enumerate(types) if type_.shape[-1:] == result.shape[last:]]
            others = [type_ for type_ in types if type_.shape[-1:] != result.shape[last:]]
            if not all(map(_is_plain, (types[at] for at in wide))):
                return None
            same = all(type_.shape[-1:] in ((), (1,)) for type_ in others)
            return Follows(tuple(wide)) if same else None
        case _:
            return None


def narrowed(operator: Operator, result: TensorType) -> Operator:
    """The operator for a result with fewer channels."""
    return replace(operator, shape=result.shape) if isinstance(operator, Reshape) else operator


def with_channels(type_: TensorType, kept: Mask, axis: int = -1) -> TensorType:
    """The type of some channels alone, with the scales of these."""
    shape = list(type_.shape)
    shape[axis] = int(kept.sum())
    quantization = type_.quantization
    if quantization is not None and quantization.axis == axis % len(shape):
        chosen = np.flatnonzero(kept)
        quantization = Quantization(
            tuple(quantization.scales[at] for at in chosen),
            tuple(quantization.zero_points[at] for at in chosen),
            quantization.axis,
        )
    return TensorType(tuple(shape), type_.dtype, quantization)


def zero_points(type_: TensorType, shape: tuple[int, ...]) -> Array:
    """The integers that mean 0 in weights, along the axis of their quantization in a tensor of `shape`.

    shape: of as many axes as the weights; they are compared with what this gives by numpy's rules.
    """
    quantization = type_.quantization
    if quantization is None or quantization.axis is None:
        return np.array(0 if quantization is None else quantization.zero_points[0])
    lengths = [1] * len(shape)
    lengths[quantization.axis] = len(quantization.zero_points)
    return np.array(quantization.zero_points).reshape(lengths)


class NewConstants:
    """The constants of a graph, some of them exchanged for others."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._by_name = {constant.value.name: constant for constant in graph.constants}
        read = [value.name for node in graph.nodes for value in node.present_inputs]
        self._uses = Counter([*read, *graph.kept])
        self.are_new = False

    @property
    def all(self) -> tuple[Constant, ...]:
        """The old ones and the new ones; some of them may have no reader any more."""
        return tuple(self._by_name.values())

    def find(self, value: Value) -> Array | None:
        """What a value holds, if it is a constant, old or new."""
        found = self._by_name.get(value.name)
        return None if found is None else found.data

    def data(self, value: Value) -> Array:
        """What a constant holds."""
        return self._by_name[value.name].data

    def instead_of(self, value: Value, type_: TensorType, data: Array) -> Value:
        """A new constant for one reader of an old one, whose name it takes over if no one else reads that."""
        name = value.name
        if self._uses[name] > 1:
            names = (f"{value.name}_{count}" for count in itertools.count(1))
            name = next(
                it for it in names if not self._graph.has_name(it) and it not in self._by_name
            )
        new = Value(name, type_)
        self._by_name[name] = Constant(new, data.astype(type_.dtype.numpy))
        self.are_new = True
        return new
