"""What a pass is, and the pipeline that runs passes, times them and holds them to their contract."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.evaluate import Inputs, equal_arrays, evaluate_graph
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.printer import print_name, print_node
from tinsmith_ir.verify import verify_graph


@dataclass(frozen=True)
class BitExact:
    """Every output keeps every bit, for all inputs."""

    def __str__(self) -> str:
        """As reports name it."""
        return "bit_exact"


@dataclass(frozen=True)
class NumericChange(Checked):
    """Outputs may change, in the way that `what` tells."""

    what: str

    def __str__(self) -> str:
        """As reports name it."""
        return f"numeric_change: {self.what}"


Contract = BitExact | NumericChange
BIT_EXACT = BitExact()


@runtime_checkable
class Pass(Protocol):
    """A frozen dataclass whose fields are its options."""

    @property
    def name(self) -> str:
        """Its name in reports and on the command line, such as `fold-constants`."""
        ...

    @property
    def contract(self) -> Contract:
        """What it promises of the outputs."""
        ...

    def run(self, graph: Graph) -> Graph:
        """The changed graph, or the same object if there is nothing to do."""
        ...


@dataclass(frozen=True)
class Remarks(Checked):
    """What a pass says of its result. warnings: sentences for the user. found_by: in a word, what gave the
    result where there are several ways; "" where there is one.
    """

    warnings: tuple[str, ...] = ()
    found_by: str = ""


@runtime_checkable
class RemarkingPass(Protocol):
    """A pass that also has something to say of its result."""

    def run_with_remarks(self, graph: Graph) -> tuple[Graph, Remarks]:
        """What `run` gives, and the remarks."""
        ...


@dataclass(frozen=True)
class PassRecord(Checked):
    """What a pass did. verified: outputs were compared on given inputs, and the contract held.

    warnings, found_by: its Remarks, if it is a RemarkingPass.
    """

    name: str
    seconds: float
    contract: Contract
    verified: bool
    warnings: tuple[str, ...] = ()
    found_by: str = ""


@dataclass(frozen=True)
class PipelineResult(Checked):
    """The last graph, and one record per pass in order."""

    graph: Graph
    records: tuple[PassRecord, ...]


@dataclass(frozen=True)
class Pipeline(Checked):
    """Passes to run in order."""

    passes: Sequence[Pass]

    @checked
    def run(self, graph: Graph, verify_inputs: Inputs | None = None) -> PipelineResult:
        """Run the passes and verify the graph after each.

        verify_inputs: if given, the graph is evaluated on them before and after each pass; bit-exact
        passes must keep every output.
        Raises GraphError naming the first pass that broke a rule, the graph's inputs and outputs, or
        its contract, and then the first tensor that differs.
        """
        verify_graph(graph)
        records: list[PassRecord] = []
        for pass_ in self.passes:
            graph, record = _run_one(pass_, graph, verify_inputs)
            records.append(record)
        return PipelineResult(graph, tuple(records))


def _run_one(pass_: Pass, before: Graph, inputs: Inputs | None) -> tuple[Graph, PassRecord]:
    start = time.perf_counter()
    after, remarks = (
        pass_.run_with_remarks(before)
        if isinstance(pass_, RemarkingPass)
        else (pass_.run(before), Remarks())
    )
    seconds = time.perf_counter() - start
    _check_graph(pass_, before, after)
    is_compared = inputs is not None and isinstance(pass_.contract, BitExact)
    if inputs is not None and is_compared and after is not before:
        _check_outputs(pass_, before, after, inputs)
    return after, PassRecord(
        pass_.name, seconds, pass_.contract, is_compared, remarks.warnings, remarks.found_by
    )


def _check_graph(pass_: Pass, before: Graph, after: Graph) -> None:
    if after is before:
        return
    try:
        verify_graph(after, verified=before)
    except GraphError as error:
        raise GraphError(f"pass {pass_.name!r} made a graph that is not valid: {error}") from error
    if before.inputs != after.inputs or before.outputs != after.outputs:
        raise GraphError(
            f"pass {pass_.name!r}: expected the inputs and outputs to stay "
            f"{[v.name for v in (*before.inputs, *before.outputs)]}, "
            f"got {[v.name for v in (*after.inputs, *after.outputs)]}, or other types"
        )


def _check_outputs(pass_: Pass, before: Graph, after: Graph, inputs: Inputs) -> None:
    wanted = evaluate_graph(before, inputs)
    got = evaluate_graph(after, inputs)
    if all(equal_arrays(array, got[name]) for name, array in wanted.items()):
        return
    raise GraphError(
        f"pass {pass_.name!r} promised {pass_.contract} but changed "
        + _first_difference(before, after, inputs)
    )


def _first_difference(before: Graph, after: Graph, inputs: Inputs) -> str:
    """The first result in the new order that has another value than the tensor of that name had."""
    wanted = evaluate_graph(before, inputs, keep=True)
    got = evaluate_graph(after, inputs, keep=True)
    for node in after.nodes:
        for value in node.outputs:
            name = value.name
            if name in wanted and not equal_arrays(wanted[name], got[name]):
                return (
                    f"{print_name(name)} in {_differing(wanted[name], got[name])}, "
                    f"computed by {node.location} in\n  {print_node(node)}\n"
                )
    return "an output"


def _differing(wanted: Array, got: Array) -> str:
    if wanted.shape != got.shape or wanted.dtype != got.dtype:
        return "its shape or dtype"
    return f"{int((wanted != got).sum())} of {wanted.size} elements"
