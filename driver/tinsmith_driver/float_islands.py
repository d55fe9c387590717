"""Operators that compute float32 in a network that was to be integers: only where the user allows them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tinsmith_ir import DType, Graph, Node, UnsupportedError, UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.operators import Dequantize, Quantize, Reshape, Transpose

_SHOWN = 5


@dataclass(frozen=True)
class FloatIslands:
    """Which operators may stay float32. all: any. names: of results of the float network, or kinds such as `pow`."""

    all: bool = False
    names: frozenset[str] = field(default_factory=frozenset[str])

    @staticmethod
    def parse(text: str) -> "FloatIslands":
        """`no`, `yes`, or names and kinds with commas between. Raises UsageError for an empty name."""
        if text in ("no", "yes"):
            return FloatIslands(text == "yes")
        names = text.split(",")
        if not all(names):
            raise UsageError(
                "--float-islands: expected no, yes, or names of results or kinds of operators with commas between, "
                f"got {visible(text)!r}"
            )
        return FloatIslands(names=frozenset(names))

    def check(self, integers: Graph, reasons: Sequence[str]) -> None:
        """reasons: why operators stay float32, by what folded them.

        Raises UnsupportedError for those that stay and are not allowed, and UsageError for names that allow nothing,
        which are mistyped, or integers by now.
        """
        if self.all:
            return
        found = list(islands(integers))
        known = {name for node in found for name in _names(integers, node)}
        unused = sorted(self.names - known)
        if unused:
            listed = ", ".join(map(visible, unused))
            stays = f"what does: {_those(integers, found)}" if found else "nothing does"
            raise UsageError(
                f"--float-islands: nothing named {listed} stays float32; {stays}: leave that name out"
            )
        refused = [node for node in found if not self.names.intersection(_names(integers, node))]
        if refused:
            lines = "".join(f"\n  {line}" for line in dict.fromkeys(reasons))
            raise UnsupportedError(
                f"graph {integers.name!r}: expected operators of integers alone, got of float32: "
                f"{_those(integers, refused)}; allow them with --float-islands, by name, by kind, or `yes` for all"
                f"{lines}"
            )


def islands(graph: Graph) -> Iterator[Node]:
    """What computes float32. What only arranges elements, and what goes to and from float32, belongs to these."""
    for node in graph.nodes:
        values = (*node.present_inputs, *node.outputs)
        if isinstance(node.operator, Quantize | Dequantize | Reshape | Transpose):
            continue
        if any(value.type.dtype is DType.FLOAT32 for value in values):
            yield node


def _names(graph: Graph, node: Node) -> set[str]:
    """Those by which a user knows an operator: its kind, and its results as they were called in the float network, of
    which the integers behind it have the names.
    """
    found = {node.operator.mnemonic, *(value.name for value in node.outputs)}
    for value in node.outputs:
        for reader in graph.readers(value):
            if isinstance(reader.operator, Quantize):
                found.add(reader.name)
    return found


def _those(graph: Graph, nodes: Sequence[Node]) -> str:
    shown = [f"{node.operator.mnemonic} {_own_name(graph, node)}" for node in nodes[:_SHOWN]]
    more = f" and {len(nodes) - _SHOWN} more" if len(nodes) > _SHOWN else ""
    return (", ".join(shown) or "none") + more


def _own_name(graph: Graph, node: Node) -> str:
    for reader in graph.readers(node.outputs[0]):
        if isinstance(reader.operator, Quantize):
            return visible(reader.name)
    return visible(node.name)
