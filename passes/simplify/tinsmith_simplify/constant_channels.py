"""Moves what channels that are always the same add to sums into the bias."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Graph, Node, Value
from tinsmith_ir.operators import Convolution, Operator, Weighted
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.rewrite import erase_dead
from tinsmith_ir.types import TensorType

from tinsmith_simplify.channels import (
    BIAS,
    WEIGHTS,
    Follows,
    Joins,
    Mask,
    Mixes,
    NewConstants,
    relation_of,
    zero_points,
)

Integers = NDArray[np.int64]

_INTEGERS = (DType.INT8, DType.INT16, DType.UINT8)


@dataclass(frozen=True)
class FoldConstantChannels:
    """Multiply by zero what does not depend on the inputs, and have the bias say what it was.

    A channel is constant where no weight but zeros made it, or constant channels alone. Behind this pass nothing
    reads it that could do without, which is what `RemoveUnusedChannels` looks for.
    """

    name: ClassVar[str] = "fold-constant-channels"
    # The sums of integers are the same.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with more zeros in its weights; `graph` itself if there is nothing to move."""
        folding = _Folding(graph)
        for node in graph.nodes:
            folding.take(node)
        return folding.graph()


@dataclass(frozen=True, eq=False)
class _Known:
    """mask: the constant channels of a tensor; values: their integers, as stored, and zeros elsewhere."""

    mask: Mask
    values: Integers

    @staticmethod
    def nothing(type_: TensorType) -> "_Known":
        """Of a tensor of that type."""
        shape = type_.shape[-1:]
        return _Known(np.zeros(shape, np.bool_), np.zeros(shape, np.int64))


class _Folding:
    """The nodes so far, and what is known of their results."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[str, _Known] = {}
        self._nodes: list[Node] = []
        self._constants = NewConstants(graph)

    def graph(self) -> Graph:
        """The graph, when all nodes were taken; the same object if none changed."""
        if not self._constants.are_new:
            return self._graph
        return erase_dead(self._graph.rebuilt(nodes=self._nodes, constants=self._constants.all))

    def take(self, node: Node) -> None:
        """The next node."""
        relation = relation_of(self._graph, node)
        if relation is not None and node.outputs[0].type.dtype in _INTEGERS:
            match relation:
                case Mixes():
                    node = self._folded(node, None)
                    found = self._of_weights(node)
                case Follows(each=each, weights=True):
                    node = self._folded(node, each)
                    found = self._of_weights(node)
                case Follows() | Joins():
                    found = self._evaluated(node, relation)
            if found is not None and found.mask.any():
                self._known[node.name] = found
        self._nodes.append(node)

    def _folded(self, node: Node, each: int | None) -> Node:
        """The node with zeros for what constant channels are multiplied by, and another bias.

        each: results of a channel; None if a result reads all channels.
        """
        input_, weights = node.present_inputs[:BIAS]
        known = self._known.get(input_.name)
        if known is None:
            return node
        zero = int(zero_points(input_.type, ()))
        bias = node.present_inputs[BIAS] if len(node.present_inputs) > BIAS else None
        mask = known.mask
        if bias is None or any(getattr(node.operator, "padding", ())):
            # Beyond the border is zero; what is not zero inside cannot be said by one number.
            mask = mask & (known.values == zero)
        data = _by_result(node.operator, self._constants.data(weights))
        nothing = _by_result(node.operator, self._zeros(weights))
        constant = np.where(_along(mask, each), data - nothing, 0)
        if not constant.any():
            return node
        inputs = list(node.inputs)
        if bias is not None:
            moved = (constant * _along(known.values - zero, each)).sum(axis=(1, 2))
            total = self._constants.data(bias).astype(np.int64) + moved
            if (total != total.astype(np.int32)).any():
                return node
            inputs[BIAS] = self._constants.instead_of(bias, bias.type, total)
        kept = _as_stored(node.operator, data - constant, weights.type)
        inputs[WEIGHTS] = self._constants.instead_of(weights, weights.type, kept)
        return node.with_inputs(inputs)

    def _of_weights(self, node: Node) -> _Known:
        """Results that nothing but zeros make: the bias, as the operator rescales it."""
        input_, weights = node.present_inputs[:BIAS]
        data = _by_result(node.operator, self._constants.data(weights))
        nothing = _by_result(node.operator, self._zeros(weights))
        mask: Mask = (data == nothing).all(axis=(1, 2))
        if not mask.any():
            return _Known(mask, np.zeros(len(mask), np.int64))
        # One window of zeros, which gives the same result wherever it lies.
        operator = node.operator
        if isinstance(operator, Convolution):
            operator = replace(operator, padding=(0, 0, 0, 0))
            sizes = zip(weights.type.shape[1:3], operator.dilation, strict=True)
            window = tuple((size - 1) * step + 1 for size, step in sizes)
            shape, made = (1, *window, input_.type.shape[-1]), (1, 1, 1, len(mask))
        else:
            shape, made = (1, weights.type.shape[-1]), (1, len(mask))
        type_, result = input_.type.with_shape(shape), node.outputs[0].type.with_shape(made)
        array = np.broadcast_to(zero_points(type_, ()), shape).astype(type_.dtype.numpy)
        arrays = [array, *(self._constants.data(value) for value in node.present_inputs[WEIGHTS:])]
        types = [type_, *(value.type for value in node.present_inputs[WEIGHTS:])]
        (values,) = operator.evaluate(arrays, types, [result])
        return _Known(mask, np.where(mask, values.reshape(-1).astype(np.int64), 0))

    def _evaluated(self, node: Node, relation: Follows | Joins) -> _Known | None:
        """Results of constant channels: the same everywhere, whatever the other channels are."""
        masks: list[Mask] = []
        arrays: list[Array] = []
        for value in node.present_inputs:
            data, known = self._graph.constant(value), self._known.get(value.name)
            if data is None:
                if known is None and value.type.dtype not in _INTEGERS:
                    return None
                known = known or _Known.nothing(value.type)
                data = np.broadcast_to(known.values, value.type.shape).astype(
                    value.type.dtype.numpy
                )
                masks.append(known.mask)
            else:
                masks.append(np.ones(value.type.shape[-1:], np.bool_))
            arrays.append(data)
        mask = np.concatenate(masks) if isinstance(relation, Joins) else _all_of(masks)
        if not mask.any():
            return None
        result = node.outputs[0].type
        types = [value.type for value in node.present_inputs]
        made = node.operator.evaluate(arrays, types, [result])[0].reshape(-1, len(mask))
        mask = mask & (made == made[0]).all(axis=0)
        return _Known(mask, np.where(mask, made[0].astype(np.int64), 0))

    def _zeros(self, weights: Value) -> Array:
        return np.broadcast_to(zero_points(weights.type, weights.type.shape), weights.type.shape)


def _all_of(masks: Sequence[Mask]) -> Mask:
    """Channels that are in all masks; one of a single channel stands for all."""
    found: Mask = np.ones(1, np.bool_)
    for mask in masks:
        found = found & mask
    return found


def _by_result(operator: Operator, weights: Array) -> Integers:
    """Weights as (results, taps, channels that a result reads)."""
    assert isinstance(operator, Weighted)
    moved = np.moveaxis(weights, operator.weights_axis, 0).astype(np.int64)
    depth = 1 if operator.weights_axis else moved.shape[-1]
    return moved.reshape(len(moved), -1, depth)


def _as_stored(operator: Operator, by_result: Integers, type_: TensorType) -> Integers:
    """The weights that `_by_result` gave."""
    assert isinstance(operator, Weighted)
    shape = list(type_.shape)
    moved = [shape.pop(operator.weights_axis), *shape]
    return np.moveaxis(by_result.reshape(moved), 0, operator.weights_axis)


def _along(channels: NDArray[np.generic], each: int | None) -> NDArray[np.generic]:
    """One value for each channel of the operand, in the shape of weights by result; each: see `_folded`."""
    return channels if each is None else np.repeat(channels, each)[:, None, None]
