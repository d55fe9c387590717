"""The graph pass: which engine of the target computes each operator that several of them can."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import UnsupportedError, UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Graph
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome
from tinsmith_lowering import Kernel, PlacedLayer, PlacementPlan, lower
from tinsmith_target import Target

from tinsmith_placement.candidates import Candidates, candidates_of
from tinsmith_placement.exact import Effort
from tinsmith_placement.model import Plan, Problem, Status
from tinsmith_placement.solve import solve

_COST, _RULE = "cost", "rule"


@dataclass(frozen=True, eq=False)
class Placement(Checked):
    """What was decided. engines: of each layer that several engines can compute, by name; plan: None where there is no
    such layer, or nobody asked what is fast.
    """

    engines: Mapping[str, str] = field(default_factory=dict[str, str])
    candidates: Candidates | None = None
    plan: Plan | None = None

    def facts(self) -> PlacementPlan | None:
        """The same for reports."""
        if self.plan is None or self.candidates is None:
            return None
        layers = [
            PlacedLayer(
                layer.name,
                self.engines[layer.name],
                {option.engine: option.cycles for option in layer.options},
                {option.engine: option.fetch_cycles for option in layer.options},
            )
            for layer in self.candidates.problem.layers
            if layer.name in self.engines
        ]
        others = len(self.candidates.problem.layers) - len(layers)
        plan = self.plan
        return PlacementPlan(layers, others, plan.status.value, plan.cycles, plan.bound)


@dataclass(frozen=True)
class PlaceLayers(Checked):
    """Name the engine of each operator that an accelerator and the cores can compute; others are left alone, and so are
    targets of one engine.

    kernels: in order of preference. by: `cost`, what is fastest by the model; `rule`, the first of the engines that
    can, in the order of the kernels. on: engines of layers by name, `conv_1:cores+conv_2:neureka`, whatever is fastest.
    time_limit: of the search, in the solver's deterministic time (near a second each). seed: of the search.
    """

    target: Target
    kernels: Sequence[Kernel]
    by: str = _COST
    on: str = ""
    time_limit: float = 5.0
    seed: int = 0

    name: ClassVar[str] = "place-layers"
    # Kernels of all engines compute the same, bit by bit.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for options that say nothing."""
        super().__post_init__()
        if self.by not in (_COST, _RULE):
            raise UsageError(
                f"{self.name}: expected by={_COST} or by={_RULE}, got {visible(self.by)}"
            )
        if self.time_limit < 0:
            raise UsageError(f"{self.name}: expected time_limit from 0, got {self.time_limit:g}")
        _pairs(self.on)

    def run(self, graph: Graph) -> Graph:
        """The graph whose nodes name their engines."""
        return self.run_in_detail(graph).ir

    def run_in_detail(self, graph: Graph) -> Outcome[Graph]:
        """The same, with a PlacementPlan as facts where engines were chosen by cost."""
        placed, placement = self.place(graph)
        plan = placement.plan
        is_proven = None if plan is None else plan.status is Status.OPTIMAL
        return Outcome(placed, facts=placement.facts(), is_proven=is_proven)

    @checked
    def place(self, graph: Graph) -> tuple[Graph, Placement]:
        """The graph whose nodes name their engines, and how they were found.

        A graph that cannot be lowered stays as it is: lowering says why. Raises UsageError for layers of `on` that
        there are not, or that their engine cannot compute.
        """
        forced = _pairs(self.on)
        if len({kernel.unit for kernel in self.kernels}) < 2:
            _check_none(forced, "there is one engine")
            return graph, Placement()
        try:
            program = lower(graph, self.target, self.kernels)
        except UnsupportedError:
            return graph, Placement()
        found = candidates_of(program, graph, self.target, self.kernels)
        if not found.open:
            _check_none(forced, "one engine alone can compute each layer")
            return graph, Placement()
        problem = _forced(found.problem, forced)
        if self.by == _RULE:
            return self._placed(graph, found, problem, None)
        plan = solve(problem, Effort(self.time_limit, self.seed))
        return self._placed(graph, found, problem, plan)

    def _placed(
        self, graph: Graph, found: Candidates, problem: Problem, plan: Plan | None
    ) -> tuple[Graph, Placement]:
        chosen = (0,) * len(problem.layers) if plan is None else plan.chosen
        engines = {
            layer.name: layer.options[index].engine
            for layer, index in zip(problem.layers, chosen, strict=True)
            if layer.name in found.open
        }
        nodes = tuple(
            replace(node, engine=engines.get(node.name, node.engine)) for node in graph.nodes
        )
        placed = graph if nodes == graph.nodes else replace(graph, nodes=nodes)
        return placed, Placement(engines, found, plan)


def _forced(problem: Problem, forced: Mapping[str, str]) -> Problem:
    """The problem in which some layers have one option left."""
    known = {layer.name: layer for layer in problem.layers}
    for name, engine in forced.items():
        engines = [option.engine for option in known[name].options] if name in known else []
        if engine not in engines:
            can = ", ".join(engines)
            raise UsageError(
                f"pass place-layers, on={visible(name)}:{visible(engine)}: "
                + (f"expected an engine of {can}" if can else "expected a layer of the network")
            )
    layers = tuple(
        replace(
            layer,
            options=tuple(
                option
                for option in layer.options
                if option.engine == forced.get(layer.name, option.engine)
            ),
        )
        for layer in problem.layers
    )
    return replace(problem, layers=layers)


def _check_none(forced: Mapping[str, str], why: str) -> None:
    if forced:
        raise UsageError(f"pass place-layers: expected no `on`, as {why}; got {', '.join(forced)}")


def _pairs(text: str) -> dict[str, str]:
    """Layers and engines in `a:cores+b:neureka`."""
    found: dict[str, str] = {}
    for part in filter(None, text.split("+")):
        name, colon, engine = part.rpartition(":")
        if not (name and colon and engine) or name in found:
            raise UsageError(
                f"pass place-layers: expected on=LAYER:ENGINE+LAYER:ENGINE, each layer once, got {visible(text)}"
            )
        found[name] = engine
    return found
