"""All of this library's passes as one, repeated until nothing changes."""

from dataclasses import dataclass
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import GraphError, UsageError
from tinsmith_ir.graph import Graph
from tinsmith_ir.passes import BIT_EXACT, Contract, GraphPass

from tinsmith_simplify.constants import FoldConstants, total_limit
from tinsmith_simplify.dead_code import RemoveDeadCode
from tinsmith_simplify.identities import RemoveIdentities
from tinsmith_simplify.layout import SimplifyLayout
from tinsmith_simplify.subexpressions import MergeCommonSubexpressions
from tinsmith_simplify.windows import SimplifyWindows


@dataclass(frozen=True)
class Simplify(Checked):
    """Fold constants, remove identities, simplify layout and windows, merge what is equal, remove the dead.

    max_constant_bytes: of a folded result, see FoldConstants, whose other limits hold over all rounds.
    max_rounds: how often all of them may run; two are the rule.
    """

    max_constant_bytes: int = 1 << 24
    max_rounds: int = 50

    name: ClassVar[str] = "simplify"
    # Each of the passes is bit-exact.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for no rounds at all."""
        super().__post_init__()
        if self.max_rounds < 1:
            raise UsageError(f"simplify: expected max_rounds from 1, got {self.max_rounds}")

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph on which no pass finds anything to do; `graph` itself if none did.

        Raises GraphError if that is not reached in `max_rounds`, a defect of a pass.
        """
        passes: tuple[GraphPass, ...] = (
            FoldConstants(self.max_constant_bytes, total_limit(graph)),
            RemoveIdentities(),
            SimplifyLayout(),
            SimplifyWindows(),
            MergeCommonSubexpressions(),
            RemoveDeadCode(),
        )
        for _ in range(self.max_rounds):
            before = graph
            for pass_ in passes:
                graph = pass_.run(graph)
            if graph is before:
                return graph
        raise GraphError(f"graph {graph.name!r} still changes after {self.max_rounds} rounds")
