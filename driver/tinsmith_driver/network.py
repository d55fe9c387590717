"""What is compiled, seen from outside: its ends, its size, its results; a Graph, or a Program that a person wrote."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tinsmith_ir import (
    Array,
    Call,
    Graph,
    Kept,
    Loop,
    Program,
    Value,
    evaluate_frames,
    evaluate_program_frames,
    unrolled,
)
from tinsmith_ir.byte_places import places
from tinsmith_ir.evaluate import Inputs
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import Copy, Fill, SimpleStep, Wait, changed_steps, simple_steps


@dataclass(frozen=True, eq=False)
class ProgramNetwork:
    """What a Program computes if every buffer has bytes of its own, wherever the plan puts it."""

    program: Program

    @property
    def name(self) -> str:
        """Of the program."""
        return self.program.name

    @property
    def inputs(self) -> tuple[Value, ...]:
        """As of a Graph."""
        return tuple(Value(name, self.program.type_of(name)) for name in self.program.inputs)

    @property
    def outputs(self) -> tuple[Value, ...]:
        """As of a Graph."""
        return tuple(Value(name, self.program.type_of(name)) for name in self.program.outputs)

    @property
    def states(self) -> tuple[Kept, ...]:
        """Of the program."""
        return self.program.states

    @cached_property
    def macs(self) -> int:
        """Multiply-accumulates of all calls, those in loops as often as they run."""
        program = self.apart
        return sum(call.operator.macs(*program.types_of(call)) for call in program.calls)

    @cached_property
    def apart(self) -> Program:
        """The program, unrolled, each of its buffers alone."""
        buffers = tuple(replace(buffer, offset=None) for buffer in self.program.buffers)
        return unrolled(self.program.with_buffers(buffers))


Network = Graph | ProgramNetwork


def parameters(network: Network) -> int:
    """Elements of all constants that it computes with."""
    if isinstance(network, Graph):
        return sum(constant.value.type.elements for constant in network.constants)
    constants = network.program.constants
    return sum(constant.type.elements for constant in constants if not constant.layout)


def evaluate(network: Network, frames: Iterable[Inputs]) -> Iterator[dict[str, Array]]:
    """The outputs by name, of one run after another."""
    if isinstance(network, Graph):
        return evaluate_frames(network, frames)
    return evaluate_program_frames(network.apart, frames)


@dataclass(frozen=True)
class LayerRun:
    """One run of a call.

    number: of the call, by its place among those written. start: how many runs of calls were started before.
    is_there: whether its first result is still where it was written when it is reported, and the core reaches it.
    """

    number: int
    start: int
    is_there: bool = True


@dataclass(frozen=True)
class Layers:
    """The calls of a Program as it runs.

    runs: in the order in which the firmware reports them: a call of the core when it ends, one beside it when it is
    waited for. steps: of each call as written, which step it is, those in loops counted once.
    """

    runs: tuple[LayerRun, ...]
    steps: tuple[int, ...]

    @staticmethod
    def of(program: Program) -> "Layers":
        """Those of a program."""
        written = [*simple_steps(program.steps)]
        calls = [index for index, step in enumerate(written) if isinstance(step, Call)]
        return Layers(tuple(_Runs(_numbered(program)).runs), tuple(calls))

    @property
    def numbers(self) -> tuple[int, ...]:
        """Of each run, which call it is."""
        return tuple(run.number for run in self.runs)

    def sums(self, counts: Sequence[int]) -> tuple[int, ...]:
        """Of counts for each call as it runs, the sums for each call as written; none of none."""
        if not counts:
            return ()
        totals = [0] * len(self.steps)
        for number, count in zip(self.numbers, counts, strict=True):
            totals[number] += count
        return tuple(totals)

    def times(self, number: int) -> int:
        """How often a call as written runs."""
        return self.numbers.count(number)


@dataclass(frozen=True, eq=False)
class LayerArrays:
    """What a run of a call reads, None for an operand that is absent, and its first result."""

    operands: tuple[Array | None, ...]
    result: Array


def layer_arrays(
    network: Network, program: Program, frames: Iterable[Inputs]
) -> Iterator[list[LayerArrays]]:
    """Operands and result of each call of `program`, which computes `network`, in the order in which calls start; of
    one run after another.
    """
    if isinstance(network, Graph) and _has_values_of(network, program):
        calls = program.calls
        runs = evaluate_frames(network, frames, keep=True)
    else:
        # Of tiles and in loops: the evaluator's, whose outputs are the graph's.
        network = ProgramNetwork(program) if isinstance(network, Graph) else network
        program, calls = _with_own_views(network.apart)
        runs = evaluate_program_frames(program, frames, keep=True)
    constants = {constant.name: constant.data for constant in program.constants}
    for run in runs:
        arrays = constants | run
        yield [
            LayerArrays(
                tuple(None if name is None else arrays[name] for name in call.inputs),
                arrays[call.outputs[0]],
            )
            for call in calls
        ]


def _has_values_of(graph: Graph, program: Program) -> bool:
    """True if each call makes whole tensors of the graph of others, once."""
    is_looped = any(isinstance(step, Loop) for step in program.steps)
    known = graph.values.keys() | program.constant.keys()
    return not is_looped and all(
        known.issuperset(name for name in (*call.inputs, call.outputs[0]) if name is not None)
        for call in program.calls
    )


class _Runs:
    """The runs of calls of an unrolled program whose calls are named by their numbers, as they are reported.

    Of a call beside the core, later steps of its engine, and others if a later one was waited for, may write over the
    result before it is reported.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._flights: dict[int, tuple[LayerRun, Call] | None] = {}  # by token; None of a copy
        self.runs: list[LayerRun] = []
        started = 0
        for step in program.steps:
            if isinstance(step, Wait):
                ended = self._flights.pop(step.token.value({}))
                self.runs += [] if ended is None else [ended[0]]
                continue
            assert isinstance(step, Call | Copy | Fill)  # unrolled
            self._write_over(step)
            if isinstance(step, Call):
                is_there = not program.is_remote(step.outputs[0])
                run = LayerRun(int(step.name.partition("@")[0]), started, is_there)
                started += 1
                if step.token is None:
                    self.runs.append(run)
                else:
                    self._flights[step.token.value({})] = (run, step)
            elif isinstance(step, Copy) and step.token is not None:
                self._flights[step.token.value({})] = None

    def _write_over(self, step: Call | Copy | Fill) -> None:
        for token, flight in self._flights.items():
            if flight is None:
                continue
            run, call = flight
            if any(self._share_bytes(call.outputs[0], name) for name in step_names(step)[1]):
                self._flights[token] = (replace(run, is_there=False), call)

    def _share_bytes(self, one: str, other: str) -> bool:
        """Of two views; different buffers that are live do not."""
        views = [self._program.view[name] for name in (one, other)]
        is_same = views[0].buffer == views[1].buffer
        return is_same and places(views[0]).overlaps(places(views[1]))


def _with_own_views(program: Program) -> tuple[Program, list[Call]]:
    """The program whose calls read and write views of their own on the same bytes, and these calls."""
    views = list(program.views)
    calls: list[Call] = []

    def own(name: str) -> str:
        views.append(replace(program.view[name], name=f"\0{len(views)}"))  # no name of a text
        return views[-1].name

    def owning(step: SimpleStep) -> tuple[SimpleStep]:
        if not isinstance(step, Call):
            return (step,)
        inputs = tuple(
            own(name) if name is not None and name in program.view else name for name in step.inputs
        )
        calls.append(
            replace(step, inputs=inputs, outputs=(own(step.outputs[0]), *step.outputs[1:]))
        )
        return (calls[-1],)

    steps = changed_steps(program.steps, owning)
    return replace(program, views=tuple(views), steps=steps), calls


def _numbered(program: Program) -> Program:
    """The unrolled program, its calls named by their numbers."""
    names: Mapping[int, str] = {id(call): str(n) for n, call in enumerate(program.calls)}

    def named(step: SimpleStep) -> tuple[SimpleStep]:
        return (replace(step, name=names[id(step)]) if isinstance(step, Call) else step,)

    return unrolled(replace(program, steps=changed_steps(program.steps, named)))
