"""Each kernel call of a network alone: all it touches in first-level memory, its instructions in the cache.

A program is made from the network as it is before tiles: for each call its operands and constants are copied near, the
call runs twice, and its result goes back. What the second run takes, fork and join included, is what the call would
take if memory and instructions cost nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tinsmith_ir import DoesNotFitError, View
from tinsmith_ir.expressions import Expression
from tinsmith_ir.program import Buffer, Call, Copy, Engine, Held, Memory, Program, Step, Wait
from tinsmith_ir.types import TensorType
from tinsmith_lowering import Kernel, find_kernel, layer_of_call

from tinsmith_driver.benchmarks.subjects import compared, wrong_bytes
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import Samples

TILE = "tile"
"""The pass that must not have run."""

_DMA = "dma"
_ALIGNMENT = 16
_CLUSTER = "cluster"
_TOKEN = Expression(0)


@dataclass(frozen=True)
class Alone:
    """One call. cycles: of its second run. modelled: what its kernel says that takes."""

    name: str
    kernel: str
    cycles: int
    modelled: int


def kernel_of(program: Program, call: Call, compilation: Compilation) -> Kernel:
    """The declaration of what a call names."""
    layer = layer_of_call(program, call, compilation.target)
    return find_kernel(call.kernel, layer, compilation.kernels)


def slow_calls(compilation: Compilation) -> list[str]:
    """The kernels of calls that one core runs alone; a kernel of several calls as often."""
    program = compilation.program
    return [
        call.kernel
        for call in program.calls
        if kernel_of(program, call, compilation).engine != _CLUSTER
    ]


def measure_alone(
    compilation: Compilation, samples: Samples, timeout_seconds: float
) -> tuple[list[Alone], int]:
    """The calls of a network that was compiled without tiles, and how many bytes of the result differ from the
    evaluator's.

    Raises DoesNotFitError for a call that wants more than the memory has.
    """
    repeated = replace(compilation, program=repeated_program(compilation))
    measurement, _ = compared(repeated, [samples.first(1)], timeout_seconds, layer_hook=True)
    cycles = dict(
        zip((c.name for c in repeated.program.calls), measurement.layer_cycles, strict=True)
    )
    program = compilation.program
    found: list[Alone] = []
    for call in program.calls:
        kernel = kernel_of(program, call, compilation)
        cost = kernel.cost(layer_of_call(program, call, compilation.target))
        if cost is not None:
            found.append(Alone(call.name, call.kernel, cycles[call.name], cost.cycles))
    return found, wrong_bytes(measurement)


def repeated_program(compilation: Compilation) -> Program:
    """The program that runs each call of the cluster twice. Raises DoesNotFitError."""
    cluster = compilation.target.board.cluster
    assert cluster is not None  # a kernel of the cluster is called
    program = compilation.program
    near = _Near(cluster.memory, cluster.network_bytes)
    steps: list[Step] = []
    for step in program.steps:
        if isinstance(step, Call) and kernel_of(program, step, compilation).engine == _CLUSTER:
            steps += near.twice(program, step)
        else:
            steps.append(step)
    memories = (*program.memories, Memory(cluster.memory, cluster.network_bytes, _ALIGNMENT))
    engine = Engine(_DMA, tuple(memory.name for memory in memories), is_fifo=False)
    return replace(
        program,
        memories=memories,
        engines=(*program.engines, engine),
        buffers=(*program.buffers, *near.buffers),
        views=(*program.views, *near.views),
        steps=tuple(steps),
    )


class _Near:
    """Buffers and views in the near memory; of each call from its first byte on."""

    def __init__(self, memory: str, room_bytes: int) -> None:
        self.buffers: list[Buffer] = []
        self.views: list[View] = []
        self._memory, self._room = memory, room_bytes
        self._used = 0

    def twice(self, program: Program, call: Call) -> Iterator[Step]:
        """Copies to the near memory, the call twice, and the copy of its result."""
        self._used = 0
        operands = [name for name in dict.fromkeys(call.inputs) if name in program.view]
        near = {name: self._view(call, program.type_of(name)) for name in operands if name}
        held = tuple(Held(name, self._view(call, program.type_of(name))) for name in call.reads)
        scratch = call.scratch
        if scratch is not None:
            scratch = self._view(call, program.type_of(scratch))
        results = {name: self._view(call, program.type_of(name)) for name in call.outputs}
        for source, destination in [*near.items(), *((one.constant, one.view) for one in held)]:
            yield from _copied(source, destination)
        second = replace(
            call,
            inputs=tuple(name if name is None else near.get(name, name) for name in call.inputs),
            outputs=tuple(results.values()),
            scratch=scratch,
            held=held,
            over=(),
        )
        yield replace(second, name=f"{call.name} (first)")
        yield second
        for destination, source in results.items():
            yield from _copied(source, destination)

    def _view(self, call: Call, type_: TensorType) -> str:
        name = f"{call.name} (near {len(self.buffers)})"
        size = type_.size_bytes
        self.buffers.append(Buffer(name, size, self._memory, self._used))
        self.views.append(View(name, type_, name))
        self._used += -(-size // _ALIGNMENT) * _ALIGNMENT
        if self._used > self._room:
            raise DoesNotFitError(
                f"{call.name} alone: needed {self._used:,} bytes of {self._memory}, available {self._room:,}"
            )
        return name


def _copied(source: str, destination: str) -> Sequence[Step]:
    return (Copy(source, destination, _DMA, _TOKEN), Wait(_TOKEN))
