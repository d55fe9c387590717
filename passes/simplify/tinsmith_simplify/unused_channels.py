"""Removes channels that change no output."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.rewrite import erase_dead

from tinsmith_simplify.channels import (
    BIAS,
    INPUT,
    WEIGHTS,
    Follows,
    Joins,
    Mask,
    Mixes,
    NewConstants,
    Relation,
    narrowed,
    relation_of,
    with_channels,
    zero_points,
)


@dataclass(frozen=True)
class RemoveUnusedChannels(Checked):
    """Compute no channel that all its readers multiply by zero.

    multiple: as many channels as are left are rounded up to a multiple of this, since kernels take several at a
    time; a tensor with fewer has all that it had.
    """

    multiple: int = 4

    name: ClassVar[str] = "remove-unused-channels"
    # What is removed is multiplied by zero, as integers.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for a multiple below 1."""
        super().__post_init__()
        if self.multiple < 1:
            raise UsageError(f"{self.name}: expected a multiple from 1, got {self.multiple}")

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with fewer channels between inputs and outputs; `graph` itself if all are needed."""
        channels = _Channels(graph)
        channels.spread()
        channels.round_up(self.multiple)
        return graph if channels.are_all else _Narrow(graph, channels).graph()


class _Channels:
    """Which channels of each tensor are needed."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.relations: dict[str, Relation | None] = {
            node.name: relation_of(graph, node) for node in graph.nodes
        }
        self._needed: dict[str, Mask] = {}
        for node in graph.nodes:
            is_free = self.relations[node.name] is not None
            for value in node.outputs:
                self._needed[value.name] = np.full(
                    value.type.shape[-1:], not is_free or graph.is_output(value)
                )

    def of(self, value: Value) -> Mask:
        """Those of any value; all of what no node makes."""
        found = self._needed.get(value.name)
        return np.ones(value.type.shape[-1:], np.bool_) if found is None else found

    @property
    def are_all(self) -> bool:
        """Whether nothing can be left out."""
        return all(mask.all() for mask in self._needed.values())

    def spread(self) -> None:
        """Ask for what is needed to make what is needed, until that is all."""
        changed = True
        while changed:
            changed = False
            for node in reversed(self._graph.nodes):
                changed |= self._ask(node)

    def round_up(self, multiple: int) -> None:
        """Keep more, the first ones that could go, so that tensors have a multiple of channels."""
        for node in self._graph.nodes:
            if isinstance(self.relations[node.name], Mixes):
                mask = self._needed[node.outputs[0].name]
                count = max(1, int(mask.sum()))
                free = np.flatnonzero(~mask)
                more = min(-(-count // multiple) * multiple - int(mask.sum()), len(free))
                mask[free[:more]] = True
        self.spread()

    def _ask(self, node: Node) -> bool:
        relation, result = self.relations[node.name], node.outputs[0]
        match relation:
            case None:
                wants = [(value, self.of(value) | True) for value in node.present_inputs]
            case Mixes(lengths=lengths):
                wants = [(node.present_inputs[INPUT], self._multiplied(node, lengths))]
            case Follows(operands=operands, each=each):
                # Operands have one number of channels, so what one must have, all have.
                wide = [node.present_inputs[at] for at in operands]
                mask: Mask = np.logical_or.reduce(self.of(result).reshape(-1, each), axis=1)
                for value in wide:
                    mask = mask | self._computed(value)
                wants = [(result, np.repeat(mask, each)), *((value, mask) for value in wide)]
            case Joins():
                ends = np.cumsum([value.type.shape[-1] for value in node.present_inputs])[:-1]
                masks = [self._computed(value) for value in node.present_inputs]
                mask = self.of(result) | np.concatenate(masks)
                wants = [(result, mask)]
                wants += zip(node.present_inputs, np.split(mask, ends), strict=True)
        return sum(self._want(value, mask) for value, mask in wants) > 0

    def _computed(self, value: Value) -> Mask:
        """What a tensor has in any case; a constant can be cut as one likes."""
        if self._graph.constant(value) is not None:
            return np.zeros(value.type.shape[-1:], np.bool_)
        return self.of(value)

    def _want(self, value: Value, mask: Mask) -> bool:
        found = self._needed.get(value.name)
        if found is None or not (mask & ~found).any():
            return False
        self._needed[value.name] = found | mask
        return True

    def _multiplied(self, node: Node, lengths: tuple[int, int, int]) -> Mask:
        """Channels that a needed channel of the result multiplies by something."""
        weights = node.present_inputs[WEIGHTS]
        data = self._graph.constant_data[weights.name]
        counts = (data != zero_points(weights.type, data.shape)).reshape(lengths)
        used: Mask = counts[self.of(node.outputs[0])].any(axis=(0, 1))
        return used


class _Narrow:
    """A graph anew, with the needed channels."""

    def __init__(self, graph: Graph, channels: _Channels) -> None:
        self._graph = graph
        self._channels = channels
        self._constants = NewConstants(graph)

    def graph(self) -> Graph:
        """The graph."""
        nodes = [self._node(node) for node in self._graph.nodes]
        return erase_dead(self._graph.rebuilt(nodes=nodes, constants=self._constants.all))

    def _node(self, node: Node) -> Node:
        inputs, result = list(node.inputs), node.outputs[0]
        made = self._channels.of(result)
        match self._channels.relations[node.name]:
            case None:
                return node
            case Mixes():
                value, weights = node.present_inputs[:BIAS]
                read = self._channels.of(value)
                inputs[INPUT] = self._value(value)
                rows = self._cut(weights, made, 0)
                inputs[WEIGHTS] = self._cut(
                    rows, np.tile(read, weights.type.shape[-1] // len(read))
                )
                inputs[BIAS:] = [self._cut(value, made) for value in inputs[BIAS:]]
            case Follows(operands=operands, each=each, weights=weights):
                for at in operands:
                    inputs[at] = self._cut(self._value(node.present_inputs[at]), made[::each])
                if weights:
                    inputs[WEIGHTS:] = [self._cut(value, made) for value in inputs[WEIGHTS:]]
            case Joins():
                ends = np.cumsum([value.type.shape[-1] for value in node.present_inputs])[:-1]
                parts = zip(node.present_inputs, np.split(made, ends), strict=True)
                inputs = [self._cut(self._value(value), part) for value, part in parts]
        narrow = self._value(result)
        return replace(
            node,
            operator=narrowed(node.operator, narrow.type),
            inputs=tuple(inputs),
            outputs=(narrow,),
        )

    def _value(self, value: Value) -> Value:
        """What stands for a value: of a constant itself."""
        return Value(value.name, with_channels(value.type, self._channels.of(value)))

    def _cut(self, value: Value | None, kept: Mask, axis: int = -1) -> Value | None:
        """What stands for it along an axis, if it is a constant; a computed value is so already."""
        data = None if value is None else self._constants.find(value)
        if value is None or data is None or kept.all():
            return value
        type_ = with_channels(value.type, kept, axis)
        return self._constants.instead_of(value, type_, np.compress(kept, data, axis))
