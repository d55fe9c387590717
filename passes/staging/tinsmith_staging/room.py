"""How much of a memory the buffers of a program need beside what is staged."""

from tinsmith_ir.first_fit import first_fit
from tinsmith_ir.lifetimes import written_lives
from tinsmith_ir.program import Program


def needed_bytes(program: Program, memory: str) -> int:
    """Bytes with which the buffers of a memory surely find places: first fit, the largest first, as planners do who may
    find a better one.
    """
    spans = written_lives(program).spans
    buffers = [it for it in program.buffers if it.memory == memory and it.name in spans]
    buffers.sort(key=lambda it: (-it.size_bytes, spans[it.name], it.name))
    offsets = first_fit(buffers, spans, program.memory[memory].alignment)
    return max((offsets[it.name] + it.size_bytes for it in buffers), default=0)
