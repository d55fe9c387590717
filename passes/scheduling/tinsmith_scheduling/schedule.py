"""The graph pass: nodes in an order that keeps fewer bytes live."""

from dataclasses import dataclass
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import Trait
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome

from tinsmith_scheduling.problem import Problem, Task
from tinsmith_scheduling.search import Schedule, find_schedule


@dataclass(frozen=True)
class ScheduleNodes(Checked):
    """Reorder the nodes so that the largest number of bytes live at once is low.

    Never higher than in the given order, which stays when nothing better is found.
    beam_width: how many partial orders are followed at a time.
    """

    beam_width: int = 256

    name: ClassVar[str] = "schedule-nodes"
    # The order of execution changes no value.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with its nodes in the order found; `graph` itself when its order stays."""
        return self.run_in_detail(graph).ir

    def run_in_detail(self, graph: Graph) -> Outcome[Graph]:
        """The same, what gave the order (see `Schedule.found_by`), whether none is better, and a sentence if
        another order may keep fewer bytes live.
        """
        problem = problem_of(graph)
        schedule = find_schedule(problem, beam_width=self.beam_width)
        warnings = () if schedule.is_optimal else (_warning(schedule),)
        if schedule.order != problem.tasks:
            nodes = [graph.producers[task.name] for task in schedule.order]
            graph = graph.rebuilt(nodes=nodes)
        return Outcome(graph, warnings, found_by=schedule.found_by, is_proven=schedule.is_optimal)


_ORIGINS = {
    "given": "this is the given order, and no other that was tried is better",
    "search": "this is the best that was looked at",
    "heuristic": "this is the order of a heuristic",
}


def _warning(schedule: Schedule) -> str:
    why = "the search gave up" if schedule.gave_up else "the search could not look at all orders"
    return (
        f"order of {len(schedule.order)} operations: {why}, since many may run at a time; "
        f"{_ORIGINS[schedule.found_by]}; another order may need less than the "
        f"{schedule.peak_bytes:,} bytes that this one has live at once"
    )


@checked
def problem_of(graph: Graph) -> Problem:
    """The graph as tasks and stores. Constants take no store, as they stay in flash, nor states, whose bytes nobody
    else can have; a reshape of anything else takes none, as its result can share the bytes of its operand.
    """
    stores = {value.name: value.name for value in graph.inputs}
    sizes = {value.name: value.type.size_bytes for value in graph.inputs}
    tasks: list[Task] = []
    for node in graph.nodes:
        shared = _shared_store(node, stores)
        for value in node.outputs:
            stores[value.name] = shared or value.name
            if shared is None:
                sizes[value.name] = value.type.size_bytes
        tasks.append(_task(graph, node, stores))
    return Problem(
        tuple(tasks),
        sizes,
        frozenset(value.name for value in graph.inputs),
        frozenset(stores[name] for name in graph.kept if name in stores),
    )


@checked
def live_bytes(graph: Graph) -> tuple[int, ...]:
    """Bytes of tensors that are live while each node runs, in the graph's order.

    Without the scratch of kernels, which nobody knows before lowering.
    """
    problem = problem_of(graph)
    return problem.live_bytes(problem.tasks)


@checked
def peak_live_bytes(graph: Graph) -> int:
    """The largest of `live_bytes`, which is a lower bound of the arena; 0 without nodes."""
    return max(live_bytes(graph), default=0)


def _shared_store(node: Node, stores: dict[str, str]) -> str | None:
    """The store that a reshape's result lives in, if it is that of its operand."""
    if Trait.SAME_BYTES not in node.operator.traits:
        return None
    return stores.get(node.present_inputs[0].name)


def _task(graph: Graph, node: Node, stores: dict[str, str]) -> Task:
    results = frozenset(stores[value.name] for value in node.outputs)
    reads = frozenset(stores[v.name] for v in node.present_inputs if v.name in stores)
    return Task(node.name, _producers(graph, node.present_inputs), reads, results - reads)


def _producers(graph: Graph, values: tuple[Value, ...]) -> frozenset[str]:
    """Names of the nodes that compute `values`."""
    return frozenset(graph.producers[v.name].name for v in values if v.name in graph.producers)
