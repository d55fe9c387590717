"""Runs a Program on simulated memories, byte by byte where the plan put the buffers.

A plan that is wrong shows: bytes that nothing wrote are poison and reading them raises; two live
buffers in one place overwrite each other; a copy happens only at its Barrier, and until then its
destination is poison; scratch is poison before and after each call; a result is poison until the
call has read its operands (unless it is an alias of one, or its kernel works in place).
"""

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import EvaluationError, TinsmithError
from tinsmith_ir.evaluate import Inputs, named_inputs
from tinsmith_ir.graph import Array, Value
from tinsmith_ir.printer import print_name, print_step
from tinsmith_ir.program import Barrier, Buffer, DmaCopy, KernelCall, Program

POISON = 0xA5


@checked
def evaluate_program(
    program: Program,
    inputs: Inputs,
    *,
    keep: bool = False,
    in_place_kernels: Collection[str] = (),
) -> dict[str, Array]:
    """The outputs by buffer name; with `keep`, every result of a call as it was after that call.

    inputs: as for `evaluate_graph`. Buffers without an offset get places of their own.
    in_place_kernels: kernels that may write a result exactly where an operand starts.
    Raises EvaluationError for wrong inputs, and when a step reads bytes that hold nothing.
    """
    machine = _Machine(program, in_place_kernels)
    declared = [Value(name, program.type_of(name)) for name in program.inputs]
    for name, array in named_inputs(declared, inputs).items():
        machine.write(name, array)
    kept: dict[str, Array] = {}
    for step in program.steps:
        match step:
            case KernelCall():
                machine.call(step)
                if keep:
                    kept |= {name: machine.read(name, "the result") for name in step.outputs}
            case DmaCopy():
                machine.start_copy(step)
            case Barrier():
                machine.finish_copies(step.token)
    outputs = {name: machine.read(name, "the program's output") for name in program.outputs}
    return kept | outputs


class _Machine:
    """Memories as bytes, and for each byte whether it holds something."""

    def __init__(self, program: Program, in_place_kernels: Collection[str]) -> None:
        self._program = program
        self._in_place_kernels = in_place_kernels
        self._offsets = _places(program)
        sizes = _sizes(program, self._offsets)
        self._bytes = {name: np.full(size, POISON, np.uint8) for name, size in sizes.items()}
        self._holds = {name: np.zeros(size, np.bool_) for name, size in sizes.items()}
        self._copies: list[DmaCopy] = []

    def call(self, call: KernelCall) -> None:
        """Evaluate the operator from and to the memories."""
        program = self._program
        self._poison([name for name in call.outputs if not self._is_in_place(call, name)])
        self._poison([] if call.scratch is None else [call.scratch])
        where = f"{call.location}, in\n  {print_step(call)}\n"
        arrays = [None if name is None else self.read(name, where) for name in call.inputs]
        inputs = [None if name is None else program.type_of(name) for name in call.inputs]
        outputs = [program.type_of(name) for name in call.outputs]
        try:
            results = call.operator.evaluate(arrays, inputs, outputs)
        except TinsmithError as error:
            raise EvaluationError(f"{where}: {error}") from error
        for name, result in zip(call.outputs, results, strict=True):
            self.write(name, result)
        self._poison([] if call.scratch is None else [call.scratch])

    def start_copy(self, copy: DmaCopy) -> None:
        """Nothing arrives yet, and what was there is lost."""
        self._poison([copy.destination])
        self._copies.append(copy)

    def finish_copies(self, token: int) -> None:
        """Copy what the sources hold now."""
        for copy in [copy for copy in self._copies if copy.token == token]:
            data = self.read(copy.source, print_step(copy))
            destination = self._program.buffer[copy.destination].type
            content = np.frombuffer(data.tobytes(), destination.dtype.numpy)
            self.write(copy.destination, content.reshape(destination.shape))
        self._copies = [copy for copy in self._copies if copy.token != token]

    def write(self, name: str, array: Array) -> None:
        """Store an array in its buffer."""
        data, holds = self._span(self._program.buffer[name])
        data[:] = np.frombuffer(array.tobytes(), np.uint8)
        holds[:] = True

    def read(self, name: str, reader: str) -> Array:
        """The array in a buffer or constant; raises EvaluationError if bytes of it hold nothing."""
        if name in self._program.constant:
            return self._program.constant[name].data
        buffer = self._program.buffer[name]
        data, holds = self._span(buffer)
        if not holds.all():
            raise EvaluationError(
                f"{reader}: {print_name(name)} is read but {int((~holds).sum())} of its "
                f"{holds.size} bytes, from byte {int(np.argmin(holds))} on, hold nothing: never "
                "written, overwritten by scratch or a result, or a copy that is not waited for"
            )
        content = np.frombuffer(data.tobytes(), buffer.type.dtype.numpy)
        return content.reshape(buffer.type.shape)

    def _poison(self, names: list[str]) -> None:
        for name in names:
            data, holds = self._span(self._program.buffer[name])
            data[:] = POISON
            holds[:] = False

    def _is_in_place(self, call: KernelCall, output: str) -> bool:
        """True if `output` may take the bytes of an operand: an alias of it, or at its start."""
        operands = [name for name in call.inputs if name and name in self._program.buffer]
        if any(self._program.root(name) is self._program.root(output) for name in operands):
            return True
        if call.kernel not in self._in_place_kernels:
            return False
        memory, offset = self._program.buffer[output].memory, self._offsets[output]
        return any(
            (self._program.buffer[name].memory, self._offsets[name]) == (memory, offset)
            for name in operands
        )

    def _span(self, buffer: Buffer) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        start = self._offsets[buffer.name]
        where = slice(start, start + buffer.size_bytes)
        return self._bytes[buffer.memory][where], self._holds[buffer.memory][where]


def _places(program: Program) -> Mapping[str, int]:
    """Buffer -> offset; those without one lie one after the other behind those that have one."""
    placed = {b.name: b.offset for b in program.buffers if b.offset is not None}
    ends = _sizes(program, placed)
    for buffer in program.buffers:
        if buffer.name not in placed and buffer.alias_of is None:
            placed[buffer.name] = -(-ends[buffer.memory] // 16) * 16
            ends[buffer.memory] = placed[buffer.name] + buffer.size_bytes
    for buffer in program.buffers:
        root = program.root(buffer.name)
        if root is None:
            raise EvaluationError(f"{print_name(buffer.name)} is an alias of no buffer")
        placed[buffer.name] = placed[root.name]
    return placed


def _sizes(program: Program, offsets: Mapping[str, int]) -> dict[str, int]:
    """Memory -> the end of the last buffer in it that has an offset."""
    sizes = {memory.name: 0 for memory in program.memories}
    for buffer in program.buffers:
        if buffer.name in offsets:
            end = offsets[buffer.name] + buffer.size_bytes
            sizes[buffer.memory] = max(sizes[buffer.memory], end)
    return sizes
