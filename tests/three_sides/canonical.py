"""A graph without its names: what two graphs have in common if they differ in names and in the order of nodes alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir import Array, Graph, Value
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D, FullyConnected
from tinsmith_ir.types import TensorType

_ULPS = 1
_THROUGH_FLOAT32 = (np.dtype(np.float32), np.dtype(np.int32))
_LAYERS = (Conv2D, DepthwiseConv2D, FullyConnected)


@dataclass(frozen=True, eq=False)
class Canonical:
    """lines: one for each value that an output needs, operands before what reads them. constants: in the same order."""

    lines: Sequence[str]
    constants: Sequence[Array]


def canonical(graph: Graph) -> Canonical:
    """Values are numbered in the order in which the outputs come upon them; constants stand where they are read, so
    that it does not count whether equal ones are stored once.
    """
    numbers: dict[str, int] = {}
    lines: list[str] = []
    constants: list[Array] = []
    places = {value.name: place for place, value in enumerate(graph.inputs)}

    def operand(value: Value | None) -> str:
        if value is None:
            return "none"
        data = graph.constant(value)
        if data is None:
            return f"%{numbers[value.name]}"
        constants.append(data)
        return f"constant {_plain_bias(graph, value)}"

    waiting = list(reversed(graph.outputs))
    while waiting:
        value = waiting[-1]
        node = graph.producer(value)
        missing = [
            each
            for each in (() if node is None else node.present_inputs)
            if each.name not in numbers and graph.constant(each) is None
        ]
        if value.name not in numbers and missing:
            waiting.extend(reversed(missing))
            continue
        waiting.pop()
        if value.name in numbers:
            continue
        if node is None:
            lines.append(f"input {places[value.name]} {value.type}")
        else:
            operands = ", ".join(map(operand, node.inputs))
            lines.append(f"{value.type} = {node.operator}({operands})")
        numbers[value.name] = len(numbers)
    lines.append("outputs " + ", ".join(map(operand, graph.outputs)))
    return Canonical(lines, constants)


def _plain_bias(graph: Graph, value: Value) -> TensorType:
    """Of a bias without its scale, which says what those of the input and the weights say."""
    readers = graph.readers(value)
    if all(isinstance(node.operator, _LAYERS) and node.inputs[2] == value for node in readers):
        return replace(value.type, quantization=None)
    return value.type


def assert_same(left: Graph, right: Graph) -> None:
    """Assert that both are the same graph but for names; that constants differ by a unit in the last place at most, of
    float32, through which other formats take biases of int32, too.
    """
    one, other = canonical(left), canonical(right)
    assert list(one.lines) == list(other.lines)
    for mine, its in zip(one.constants, other.constants, strict=True):
        if mine.dtype in _THROUGH_FLOAT32:
            pair = np.asarray(mine, np.float32), np.asarray(its, np.float32)
            np.testing.assert_array_max_ulp(*pair, maxulp=_ULPS)
        else:
            np.testing.assert_array_equal(mine, its)
