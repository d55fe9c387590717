"""Removes what no output depends on."""

from dataclasses import dataclass
from typing import ClassVar

from tinsmith_ir.checked import checked
from tinsmith_ir.graph import Graph
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.rewrite import erase_dead


@dataclass(frozen=True)
class RemoveDeadCode:
    """Remove nodes and constants that no graph output depends on. Graph inputs stay."""

    name: ClassVar[str] = "remove-dead-code"
    # What is removed has no reader.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph without dead nodes and constants; `graph` itself if there are none."""
        return erase_dead(graph)
