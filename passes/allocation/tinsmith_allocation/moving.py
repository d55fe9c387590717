"""Bytes that steps move to and from buffers: what a memory costs in which a buffer lies."""

from collections import Counter
from collections.abc import Iterator, Mapping

from tinsmith_ir.checked import checked
from tinsmith_ir.program import Call, Copy, Fill, Program, SimpleStep, simple_steps, unrolled


@checked
def traffic(program: Program) -> Mapping[str, int]:
    """Buffer -> bytes that one inference reads and writes there.

    A call reads each operand once and writes each result once, however often its kernel comes back to a byte; it writes
    its scratch and reads it. A copy reads and writes what it copies. Steps of loops count in each iteration. What the
    caller does with inputs and outputs does not count.
    """
    meant = unrolled(program)
    found: Counter[str] = Counter()
    for step in simple_steps(meant.steps):
        for name in _touched(step):
            view = meant.view.get(name)
            if view is not None:
                found[view.buffer] += view.type.size_bytes
    return found


@checked
def moved_bytes(program: Program, memory: str) -> int:
    """Of one memory, by all steps of an inference; see `traffic`."""
    by_buffer = traffic(program)
    return sum(by_buffer[found.name] for found in program.buffers if found.memory == memory)


def _touched(step: SimpleStep) -> Iterator[str]:
    match step:
        case Call():
            yield from dict.fromkeys(name for name in step.inputs if name is not None)
            yield from step.outputs
            if step.scratch is not None:
                yield from (step.scratch, step.scratch)
        case Copy():
            yield from (step.source, step.destination)
        case Fill():
            yield step.destination
        case _:
            return
