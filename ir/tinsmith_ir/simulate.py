"""Runs a Program on simulated memories, byte by byte where the plan put the buffers.

A plan that is wrong shows: bytes that nothing wrote are poison and reading them raises; two live buffers in one
place overwrite each other; what an engine writes is poison until it is waited for; scratch is poison before and
after each call; a result is poison until the call has read its operands, but for those that it may be written over.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.byte_places import Places, places
from tinsmith_ir.checked import checked
from tinsmith_ir.errors import EvaluationError, TinsmithError
from tinsmith_ir.evaluate import Inputs, named_inputs
from tinsmith_ir.graph import Array, Value
from tinsmith_ir.hazards import step_names
from tinsmith_ir.overlaps import may_lie_over
from tinsmith_ir.printer import print_name
from tinsmith_ir.program import Call, Copy, Fill, Program, Wait, unrolled
from tinsmith_ir.program_printer import print_step

POISON = 0xA5

Completion = Literal["earliest", "latest"]


@checked
def evaluate_program(
    program: Program,
    inputs: Inputs,
    *,
    keep: bool = False,
    completion: Completion = "latest",
) -> dict[str, Array]:
    """The outputs by name of view, of the first run; with `keep`, operands and results of calls as these had them, too.

    inputs: as for `evaluate_graph`. Buffers without an offset get places of their own.
    completion: when engines do their work: as soon as it is started, or not before it is waited for. A program
    without races gives the same either way.
    Raises EvaluationError for wrong inputs, and when a step reads bytes that hold nothing.
    """
    return next(evaluate_program_frames(program, [inputs], keep=keep, completion=completion))


@checked
def evaluate_program_frames(
    program: Program,
    frames: Iterable[Inputs],
    *,
    keep: bool = False,
    completion: Completion = "latest",
) -> Iterator[dict[str, Array]]:
    """What `evaluate_program` gives, of one run after another: of its memories, only the states stay.

    frames: the inputs of each run; asked for one at a time.
    """
    program = unrolled(program)
    declared = [Value(name, program.type_of(name)) for name in program.inputs]
    states = {state.view: state.initial for state in program.states}
    for inputs in frames:
        machine = _Machine(program, completion, keep=keep)
        for name, array in (states | named_inputs(declared, inputs)).items():
            machine.write(name, array)
        for step in program.steps:
            machine.run(step)
        states = {name: machine.read(name, "the next run's state") for name in states}
        outputs = {name: machine.read(name, "the program's output") for name in program.outputs}
        yield machine.kept | outputs


class _Machine:
    """Memories as bytes, and for each byte whether it holds something. kept: what calls read and gave, if wanted."""

    def __init__(self, program: Program, completion: Completion, *, keep: bool) -> None:
        self.kept: dict[str, Array] = {}
        self._keep = keep
        self._program = program
        self._is_early = completion == "earliest"
        self._offsets = _without_gaps(program, _offsets(program))
        sizes = _sizes(program, self._offsets)
        self._bytes = {name: np.full(size, POISON, np.uint8) for name, size in sizes.items()}
        self._holds = {name: np.zeros(size, np.bool_) for name, size in sizes.items()}
        self._flights: dict[int, Call | Copy] = {}
        self._ended: set[int] = set()  # tokens of flights that a wait for a later one ended, too
        self._place = cache(self._find_place)

    def run(self, step: object) -> None:
        """Run a step."""
        match step:
            case Call() | Copy():
                if step.token is None:
                    self._work(step)
                else:
                    self._start(step, step.token.value({}))
            case Fill():
                type_ = self._program.type_of(step.destination)
                self.write(step.destination, np.full(type_.shape, step.value, type_.dtype.numpy))
            case Wait():
                self._wait(step)
            case _:
                raise TypeError(f"no step: {step!r}")

    def write(self, name: str, array: Array) -> None:
        """Store an array where a view is."""
        data, holds, index = self._place(name)
        data[index] = np.frombuffer(array.tobytes(), np.uint8)
        holds[index] = True

    def read(self, name: str, reader: str) -> Array:
        """The array in a view or constant; raises EvaluationError if bytes of it hold nothing."""
        if name in self._program.constant:
            return self._program.constant[name].data
        data, all_holds, index = self._place(name)
        holds = all_holds[index]
        if not holds.all():
            raise EvaluationError(
                f"{reader}: {print_name(name)} is read but {int((~holds).sum())} of its "
                f"{holds.size} bytes, from byte {int(np.argmin(holds))} on, hold nothing: never "
                "written, overwritten by scratch or a result, or by an engine that is not waited for"
            )
        type_ = self._program.view[name].type
        return np.frombuffer(data[index].tobytes(), type_.dtype.numpy).reshape(type_.shape)

    def _work(self, step: Call | Copy) -> None:
        if isinstance(step, Call):
            self._call(step)
        else:
            self._copy(step)

    def _start(self, step: Call | Copy, token: int) -> None:
        """What it writes holds nothing until it is waited for, whenever the work is done."""
        if token in self._flights:
            raise EvaluationError(f"token {token} is not waited for before\n  {print_step(step)}\n")
        if self._is_early:
            before = self._written_before(step)
            self._remember(before)
            self._work(step)
            self._forget(before, and_poison=False)
        self._forget(step_names(step)[1], and_poison=not self._is_early)
        self._flights[token] = step

    def _written_before(self, step: Call | Copy) -> list[str]:
        """What a FIFO engine has written itself, unknown to the core, when it begins a step."""
        if not self._program.engine[str(step.engine)].is_fifo:
            return []
        flights = [
            flight
            for token, flight in self._flights.items()
            if flight.engine == step.engine and token not in self._ended
        ]
        return [name for flight in flights for name in step_names(flight)[1]]

    def _wait(self, step: Wait) -> None:
        """Late engines work only now; a FIFO engine first on what it was given before."""
        token = step.token.value({})
        awaited = self._flights.get(token)
        if awaited is None:
            raise EvaluationError(f"nothing was started with the token of\n  {print_step(step)}\n")
        is_fifo = self._program.engine[str(awaited.engine)].is_fifo
        for key, flight in self._flights.items():
            is_before = is_fifo and flight.engine == awaited.engine
            if (key == token or is_before) and key not in self._ended:
                self._end(flight)
                self._ended.add(key)
            if key == token:
                break
        del self._flights[token]
        self._ended.remove(token)

    def _end(self, step: Call | Copy) -> None:
        if not self._is_early:
            self._work(step)
            return
        self._remember(step_names(step)[1])
        if isinstance(step, Call) and step.scratch:
            self._forget([step.scratch])

    def _call(self, call: Call) -> None:
        """Evaluate the operator from and to the memories."""
        program = self._program
        self._forget([] if call.scratch is None else [call.scratch])
        where = f"{call.location}, in\n  {print_step(call)}\n"
        taken = {name: self.read(name, where) for name in self._operands_under_results(call)}
        self._forget(call.outputs)
        arrays = [
            None if name is None else taken[name] if name in taken else self.read(name, where)
            for name in call.inputs
        ]
        if self._keep:
            for name, array in zip(call.inputs, arrays, strict=True):
                if name is not None and array is not None and name in program.view:
                    self.kept.setdefault(name, array)  # what a call gave counts more
        self._check_held(call, where)
        inputs, outputs = program.types_of(call)
        try:
            results = call.operator.evaluate(arrays, inputs, outputs)
        except TinsmithError as error:
            raise EvaluationError(f"{where}: {error}") from error
        for name, result in zip(call.outputs, results, strict=True):
            self.write(name, result)
            if self._keep:
                self.kept[name] = result
        self._forget([] if call.scratch is None else [call.scratch])

    def _check_held(self, call: Call, where: str) -> None:
        """Copies of constants that a kernel reads are still those constants."""
        for held in call.held:
            wanted = self._program.constant[held.constant].data
            if self.read(held.view, where).tobytes() != wanted.tobytes():
                raise EvaluationError(
                    f"{where}: {print_name(held.view)} does not hold {print_name(held.constant)}"
                )

    def _copy(self, copy: Copy) -> None:
        self.write(copy.destination, self.read(copy.source, f"\n  {print_step(copy)}\n"))

    def _remember(self, names: Collection[str]) -> None:
        for name in names:
            _, holds, index = self._place(name)
            holds[index] = True

    def _forget(self, names: Collection[str], *, and_poison: bool = True) -> None:
        for name in names:
            data, holds, index = self._place(name)
            if and_poison:
                data[index] = POISON
            holds[index] = False

    def _operands_under_results(self, call: Call) -> set[str]:
        """The operands that the call may write its results over as they lie: read before anything is written."""
        if not call.over:
            return set()
        program = self._program
        return {
            name
            for name in call.inputs
            if name is not None and name in program.view
            if all(may_lie_over(program, call, result, name) for result in call.outputs)
        }

    def _find_place(
        self, name: str
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_], slice | NDArray[np.int64]]:
        """The bytes of its memory, whether they hold something, and which of them are the view's."""
        view = self._program.view[name]
        found = places(view).moved(self._offsets[view.buffer])
        memory = self._program.buffer[view.buffer].memory
        return self._bytes[memory], self._holds[memory], _index(found)


def _index(found: Places) -> slice | NDArray[np.int64]:
    return slice(found.begin, found.end) if len(found.starts) == 1 else found.indices()


def _offsets(program: Program) -> Mapping[str, int]:
    """Buffer -> offset; those without one lie one after the other behind those that have one."""
    placed = {b.name: b.offset for b in program.buffers if b.offset is not None}
    ends = _sizes(program, placed)
    for buffer in program.buffers:
        if buffer.name not in placed:
            placed[buffer.name] = -(-ends[buffer.memory] // 16) * 16
            ends[buffer.memory] = placed[buffer.name] + buffer.size_bytes
    return placed


def _without_gaps(program: Program, offsets: Mapping[str, int]) -> Mapping[str, int]:
    """The same, moved down over what no buffer covers, since plans that people write may begin anywhere."""
    moved: dict[str, int] = {}
    ends = {memory.name: 0 for memory in program.memories}
    gaps = dict(ends)
    for buffer in sorted(program.buffers, key=lambda buffer: offsets[buffer.name]):
        offset, memory = offsets[buffer.name], buffer.memory
        gaps[memory] += max(offset - ends[memory], 0)
        ends[memory] = max(ends[memory], offset + buffer.size_bytes)
        moved[buffer.name] = offset - gaps[memory]
    return moved


def _sizes(program: Program, offsets: Mapping[str, int]) -> dict[str, int]:
    """Memory -> the end of the last buffer in it that has an offset."""
    sizes = {memory.name: 0 for memory in program.memories}
    for buffer in program.buffers:
        if buffer.name in offsets:
            end = offsets[buffer.name] + buffer.size_bytes
            sizes[buffer.memory] = max(sizes[buffer.memory], end)
    return sizes
