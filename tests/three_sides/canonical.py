"""A graph without its names: what two graphs have in common if they differ in names and in the order of nodes alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir import Array, Graph, Value

_ULPS = 1


@dataclass(frozen=True, eq=False)
class Canonical:
    """lines: one for each value that an output needs, operands before what reads them. constants: in the same order."""

    lines: Sequence[str]
    constants: Sequence[Array]


def canonical(graph: Graph) -> Canonical:
    """Values are numbered in the order in which the outputs come upon them."""
    numbers: dict[str, int] = {}
    lines: list[str] = []
    constants: list[Array] = []
    places = {value.name: place for place, value in enumerate(graph.inputs)}

    def source(value: Value) -> str:
        data = graph.constant(value)
        if data is not None:
            constants.append(data)
            return f"constant {value.type}"
        return f"input {places[value.name]} {value.type}"

    waiting = list(reversed(graph.outputs))
    while waiting:
        value = waiting[-1]
        node = graph.producer(value)
        missing = [
            operand
            for operand in (() if node is None else node.present_inputs)
            if operand.name not in numbers
        ]
        if value.name not in numbers and missing:
            waiting.extend(reversed(missing))
            continue
        waiting.pop()
        if value.name in numbers:
            continue
        numbers[value.name] = len(numbers)
        if node is None:
            lines.append(source(value))
            continue
        operands = ["none" if each is None else f"%{numbers[each.name]}" for each in node.inputs]
        lines.append(f"{value.type} = {node.operator}({', '.join(operands)})")
    lines.append("outputs " + ", ".join(f"%{numbers[value.name]}" for value in graph.outputs))
    return Canonical(lines, constants)


def assert_same(left: Graph, right: Graph) -> None:
    """Assert that both are the same graph but for names; that constants differ by a unit in the last place at most."""
    one, other = canonical(left), canonical(right)
    assert list(one.lines) == list(other.lines)
    for mine, its in zip(one.constants, other.constants, strict=True):
        if mine.dtype == np.float32:
            pair = np.asarray(mine, np.float32), np.asarray(its, np.float32)
            np.testing.assert_array_max_ulp(*pair, maxulp=_ULPS)
        else:
            np.testing.assert_array_equal(mine, its)
