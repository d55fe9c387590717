"""What is compiled, seen from outside: its ends, its size, its results; a Graph, or a Program that a person wrote."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tinsmith_ir import (
    Array,
    Call,
    Graph,
    Kept,
    Program,
    Value,
    evaluate_frames,
    evaluate_program_frames,
    unrolled,
)
from tinsmith_ir.evaluate import Inputs
from tinsmith_ir.program import SimpleStep, changed_steps


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
class Layers:
    """The calls of a Program as it runs.

    numbers: which call each is, by its place among those written. first_steps: of each call as written, the step of
    the unrolled program that runs it first; None if none does.
    """

    numbers: tuple[int, ...]
    first_steps: tuple[int | None, ...]

    @staticmethod
    def of(program: Program) -> "Layers":
        """Those of a program."""
        numbers: list[int] = []
        first: dict[int, int] = {}
        for index, step in enumerate(_numbered(program).steps):
            if isinstance(step, Call):
                number = int(step.name.partition("@")[0])
                numbers.append(number)
                first.setdefault(number, index)
        return Layers(tuple(numbers), tuple(first.get(n) for n in range(len(program.calls))))

    def sums(self, counts: Sequence[int]) -> tuple[int, ...]:
        """Of counts for each call as it runs, the sums for each call as written; none of none."""
        if not counts:
            return ()
        totals = [0] * len(self.first_steps)
        for number, count in zip(self.numbers, counts, strict=True):
            totals[number] += count
        return tuple(totals)

    def times(self, number: int) -> int:
        """How often a call as written runs."""
        return self.numbers.count(number)


def layer_results(
    network: Network, program: Program, frames: Iterable[Inputs]
) -> Iterator[list[Array]]:
    """The first result of each call of `program`, which computes `network`, in the order in which calls run; of one
    run after another.
    """
    if isinstance(network, Graph):
        names = [call.outputs[0] for call in program.calls]
        runs = evaluate_frames(network, frames, keep=True)
    else:
        told, names = _with_own_results(network.apart)
        runs = evaluate_program_frames(told, frames, keep=True)
    for results in runs:
        yield [results[name] for name in names]


def _with_own_results(program: Program) -> tuple[Program, list[str]]:
    """The program whose calls write views of their own on the same bytes, and the names of these."""
    views = list(program.views)
    names: list[str] = []

    def own(step: SimpleStep) -> tuple[SimpleStep]:
        if not isinstance(step, Call):
            return (step,)
        name = f"\0{len(names)}"  # no name of a text
        views.append(replace(program.view[step.outputs[0]], name=name))
        names.append(name)
        return (replace(step, outputs=(name, *step.outputs[1:])),)

    steps = changed_steps(program.steps, own)
    return replace(program, views=tuple(views), steps=steps), names


def _numbered(program: Program) -> Program:
    """The unrolled program, its calls named by their numbers."""
    names: Mapping[int, str] = {id(call): str(n) for n, call in enumerate(program.calls)}

    def named(step: SimpleStep) -> tuple[SimpleStep]:
        return (replace(step, name=names[id(step)]) if isinstance(step, Call) else step,)

    return unrolled(replace(program, steps=changed_steps(program.steps, named)))
