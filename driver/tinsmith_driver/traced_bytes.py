"""Which bytes of which tensors each step of a Program reads and writes, as if each buffer had a memory of its own.

A tensor here is what bytes are told apart by: what the caller gives in a buffer, what calls make there, a constant.
Where calls write a byte of a buffer again (a window whose lines move up, a tile), what they make there is one tensor
all the same, each of its bytes made once, in the order in which they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.byte_places import Places, places
from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import (
    Call,
    Copy,
    Fill,
    Program,
    SimpleStep,
    Wait,
    instances,
    simple_steps,
    unrolled,
)

_SHIFT = 40
"""Bits of a tag for the byte; those above say the tensor."""

_NOTHING = -1

Tags = NDArray[np.int64]


class AccessFacts(TypedDict):
    """See `tinsmith_plan_check.plan.Access`."""

    view: str
    buffer: str
    runs: list[list[int]]
    pieces: list[list[str | int]]


class TensorFacts(TypedDict):
    """See `tinsmith_plan_check.plan.Tensor`."""

    name: str
    bytes: int
    is_constant: bool


@dataclass
class TracedStep:
    """A step as often as it runs. name: that of the step as written. ends: steps that end behind it, by index."""

    step: SimpleStep
    name: str
    kind: str
    reads: list[AccessFacts] = field(default_factory=list[AccessFacts])
    writes: list[AccessFacts] = field(default_factory=list[AccessFacts])
    scratch: AccessFacts | None = None
    engine: str | None = None
    ends: list[int] = field(default_factory=list[int])


@dataclass(frozen=True, eq=False)
class Traced:
    """meant: the program without loops. given, taken: what the caller writes before all steps and reads behind them."""

    meant: Program
    steps: Sequence[TracedStep]
    given: list[AccessFacts]
    taken: list[AccessFacts]
    tensors: list[TensorFacts]
    lives: Mapping[str, list[tuple[int, int]]]


def trace(program: Program, layers: Mapping[str, str]) -> Traced:
    """Of a placed program; its values play no part.

    layers: of calls that are parts of one, by name, what that one is called; what different ones make in turn in a
    buffer are different tensors.

    Raises GraphError for a step that reads what no step has written.
    """
    tracer = _Tracer(program, layers)
    tracer.run()
    return Traced(
        tracer.meant,
        tracer.steps,
        tracer.given,
        tracer.taken,
        tracer.tensors,
        _lives(tracer),
    )


def progressions(values: NDArray[np.int64]) -> list[list[int]]:
    """Numbers as [first, increment, count, repeats], as few of these as a reader from the left finds."""
    starts = np.append(0, np.diff(values).nonzero()[0] + 1)
    repeats = np.diff(np.append(starts, len(values)))
    numbers = values[starts]
    increments = np.diff(numbers)
    # Where neither the increment nor the repeats are those before.
    turns = np.append((np.diff(increments) != 0).nonzero()[0] + 2, len(numbers)).tolist()
    breaks = np.append(np.diff(repeats).nonzero()[0] + 1, len(numbers)).tolist()
    found: list[list[int]] = []
    begin = turn = end = 0
    while begin < len(numbers):
        # Two numbers have any increment.
        while turns[turn] < min(begin + 2, len(numbers)):
            turn += 1
        while breaks[end] <= begin:
            end += 1
        behind = min(turns[turn], breaks[end])
        increment = int(increments[begin]) if behind > begin + 1 else 0
        found.append([int(numbers[begin]), increment, behind - begin, int(repeats[begin])])
        begin = behind
    return found


class _Tracer:
    def __init__(self, program: Program, layers: Mapping[str, str]) -> None:
        self._layers = layers
        self.meant = unrolled(program)
        self.written_names = [_name(step) for step, _ in instances(program.steps)]
        self.steps: list[TracedStep] = []
        self.given: list[AccessFacts] = []
        self.taken: list[AccessFacts] = []
        self.tensors: list[TensorFacts] = []
        self._numbers: dict[str, int] = {}
        # Of the buffers that are still touched alone: tags take eight times the bytes that they are of.
        self._held: dict[str, Tags] = {}
        self._last = self._last_steps()
        self._places: dict[str, Places] = {}
        self._again = frozenset(self._written_again())
        self._appended: dict[str, int] = {}
        self._flights: dict[int, tuple[int, str]] = {}

    def run(self) -> None:
        program = self.meant
        ends = [*program.inputs, *(state.view for state in program.states)]
        for name in ends:
            self.given.append(self._make(name, "given"))
        for step, name in zip(simple_steps(program.steps), self.written_names, strict=True):
            self.steps.append(self._step(step, name))
            for buffer in self._last.get(len(self.steps) - 1, ()):
                self._held.pop(buffer, None)
        states = (state.view for state in program.states)
        for name in dict.fromkeys((*states, *program.outputs)):
            self.taken.append(self._access(name))

    def places(self, name: str) -> Places:
        if name not in self._places:
            self._places[name] = places(self.meant.view[name])
        return self._places[name]

    def _written_again(self) -> Iterator[str]:
        """Buffers of which calls and fills write some byte more than once."""
        written: dict[str, NDArray[np.bool_]] = {}
        again: dict[str, None] = {}
        for step in self.meant.steps:
            names = ()
            if isinstance(step, Call):
                names = step.outputs
            elif isinstance(step, Fill):
                names = (step.destination,)
            for name in names:
                buffer = self.meant.buffer_of(name)
                if buffer.name not in written:
                    written[buffer.name] = np.zeros(buffer.size_bytes, np.bool_)
                indices = self.places(name).indices()
                if written[buffer.name][indices].any():
                    again[buffer.name] = None
                written[buffer.name][indices] = True
        return iter(again)

    def _last_steps(self) -> dict[int, list[str]]:
        """Buffers by the step that touches them last; without those that the caller reads."""
        last: dict[str, int] = {}
        for index, step in enumerate(simple_steps(self.meant.steps)):
            reads, writes = step_names(step)
            for name in (*reads, *writes):
                if name in self.meant.view:
                    last[self.meant.view[name].buffer] = index
        for name in self.meant.ends:
            last.pop(self.meant.view[name].buffer, None)
        found: dict[int, list[str]] = {}
        for name, index in last.items():
            found.setdefault(index, []).append(name)
        return found

    def _bytes(self, name: str) -> Tags:
        """What lies in the buffer of a view."""
        buffer = self.meant.buffer_of(name)
        if buffer.name not in self._held:
            self._held[buffer.name] = np.full(buffer.size_bytes, _NOTHING, np.int64)
        return self._held[buffer.name]

    def _step(self, step: SimpleStep, name: str) -> TracedStep:
        match step:
            case Call():
                traced = TracedStep(step, name, "call", engine=step.engine)
                operands = [operand for operand in step.inputs if operand in self.meant.view]
                operands += [held.view for held in step.held]
                traced.reads = [self._access(str(operand)) for operand in operands]
                if step.scratch is not None:
                    traced.scratch = self._make(step.scratch, "scratch")
                layer = self._layers.get(name, "")
                traced.writes = [self._make(result, "made", layer) for result in step.outputs]
            case Copy():
                traced = TracedStep(step, name, "copy", engine=step.engine)
                if step.source in self.meant.view:
                    traced.reads = [self._access(step.source)]
                    tags = self._tags(step.source)
                else:
                    size = self.meant.constant[step.source].type.size_bytes
                    number = self._tensor(f"constant/{step.source}", size, is_constant=True)
                    tags = (number << _SHIFT) + np.arange(size)
                traced.writes = [self._put(step.destination, tags)]
            case Fill():
                traced = TracedStep(step, name, "fill")
                traced.writes = [self._make(step.destination, "made")]
            case Wait():
                traced = TracedStep(step, name, "wait", ends=self._ended(step))
        if not isinstance(step, Fill | Wait) and step.token is not None:
            self._flights[step.token.value({})] = len(self.steps), str(step.engine)
        return traced

    def _ended(self, step: Wait) -> list[int]:
        """The step that is waited for, and on a FIFO engine those that were started before."""
        token = step.token.value({})
        if token not in self._flights:
            return []  # it has ended before another that was waited for
        index, engine = self._flights[token]
        ended = [index]
        if self.meant.engine[engine].is_fifo:
            ended = [i for i, other in self._flights.values() if other == engine and i <= index]
        self._flights = {t: f for t, f in self._flights.items() if f[0] not in ended}
        return sorted(ended)

    def _tags(self, name: str) -> Tags:
        return self._bytes(name)[self.places(name).indices()]

    def _access(self, name: str) -> AccessFacts:
        tags = self._tags(name)
        if (tags == _NOTHING).any():
            raise GraphError(f"view {print_name(name)} is read where nothing was written")
        return self._facts(name, tags)

    def _put(self, name: str, tags: Tags) -> AccessFacts:
        self._bytes(name)[self.places(name).indices()] = tags
        return self._facts(name, tags)

    def _make(self, name: str, how: str, layer: str = "") -> AccessFacts:
        """New bytes in a view."""
        buffer = self.meant.buffer_of(name)
        indices = self.places(name).indices()
        is_again = how == "made" and buffer.name in self._again
        tensor = f"{how}/{buffer.name}/{layer}" if is_again and layer else f"{how}/{buffer.name}"
        number = self._tensor(tensor, buffer.size_bytes)
        if is_again:
            before = self._appended.get(tensor, 0)
            self._appended[tensor] = before + len(indices)
            self.tensors[number]["bytes"] = self._appended[tensor]
            indices = before + np.arange(len(indices))
        return self._put(name, (number << _SHIFT) + indices)

    def _tensor(self, name: str, size: int, *, is_constant: bool = False) -> int:
        if name not in self._numbers:
            self._numbers[name] = len(self.tensors)
            self.tensors.append({"name": name, "bytes": size, "is_constant": is_constant})
        return self._numbers[name]

    def _facts(self, name: str, tags: Tags) -> AccessFacts:
        found = self.places(name)
        breaks = [0, *((np.diff(tags) != 1).nonzero()[0] + 1), len(tags)]
        pieces: list[list[str | int]] = []
        for begin, end in pairwise(breaks):
            tag = int(tags[begin])
            byte = tag & ((1 << _SHIFT) - 1)
            pieces.append([self.tensors[tag >> _SHIFT]["name"], byte, int(end - begin)])
        return {
            "view": name,
            "buffer": self.meant.view[name].buffer,
            "runs": _runs(found),
            "pieces": pieces,
        }


def _runs(found: Places) -> list[list[int]]:
    """[start, length, stride, count] in the order of the elements; what follows side by side is one run."""
    breaks = (np.diff(found.starts) != found.length).nonzero()[0] + 1
    edges = [0, *map(int, breaks), len(found.starts)]
    runs: list[list[int]] = []
    for begin, end in pairwise(edges):
        start, length = int(found.starts[begin]), (end - begin) * found.length
        last = runs[-1] if runs else None
        if last and last[1] == length:
            stride = start - (last[0] + last[2] * (last[3] - 1))
            if stride >= length and (last[3] == 1 or stride == last[2]):
                last[2], last[3] = stride, last[3] + 1
                continue
        runs.append([start, length, length, 1])
    return runs


def _name(step: SimpleStep) -> str:
    match step:
        case Call():
            return step.name
        case Copy():
            return f"copy to {step.destination}"
        case Fill():
            return f"fill of {step.destination}"
        case Wait():
            return "wait"


def _lives(tracer: _Tracer) -> Mapping[str, list[tuple[int, int]]]:
    """Read backwards: a buffer is alive from where a byte that is read later is written, to where it is read last."""
    program = tracer.meant
    lives: dict[str, list[tuple[int, int]]] = {buffer.name: [] for buffer in program.buffers}
    wanted: dict[str, NDArray[np.bool_]] = {}
    ends: dict[str, int] = {}
    for index, reads, writes in _touches(tracer):
        names = dict.fromkeys(access["buffer"] for access in (*reads, *writes))
        for name in names:
            if name not in wanted:
                wanted[name] = np.zeros(program.buffer[name].size_bytes, np.bool_)
        for access in writes:
            wanted[access["buffer"]][tracer.places(access["view"]).indices()] = False
        for access in reads:
            wanted[access["buffer"]][tracer.places(access["view"]).indices()] = True
        for name in names:
            ends.setdefault(name, index)
            if not wanted[name].any():
                del wanted[name]
                lives[name].append((index, ends.pop(name)))
    return {name: found[::-1] for name, found in lives.items()}


def _touches(
    tracer: _Tracer,
) -> Iterator[tuple[int, Sequence[AccessFacts], Sequence[AccessFacts]]]:
    """Index, reads and writes of each step, from the last on; what an engine touches is read again when it ends."""
    steps = tracer.steps
    yield len(steps), tracer.taken, ()
    for index, step in reversed([*enumerate(steps)]):
        ended = (steps[other] for other in step.ends)
        yield index, [*step.reads, *(a for other in ended for a in _all(other))], _written(step)
    yield -1, (), tracer.given


def _written(step: TracedStep) -> list[AccessFacts]:
    return [*step.writes, *([] if step.scratch is None else [step.scratch])]


def _all(step: TracedStep) -> list[AccessFacts]:
    return [*step.reads, *_written(step)]
