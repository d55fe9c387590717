"""Constants as flash holds them, and what a pass that compresses them has decided: its facts, for who reports them and
knows no such pass.
"""

from dataclasses import dataclass

from tinsmith_ir.checked import Checked
from tinsmith_ir.program import Call, ConstantBuffer, Copy, Program, simple_steps

CONSTANT_ALIGNMENT = 16
"""Bytes: constants begin at multiples of it, for the loads of words and vectors that kernels do."""


def stored_constants(program: Program) -> tuple[ConstantBuffer, ...]:
    """Those that kernels read where they lie, or that are copied from there.

    Of constants that a call reads in memory (`Call.held`) only what is copied or decompressed there is stored.
    """
    read: set[str] = set()
    for step in simple_steps(program.steps):
        if isinstance(step, Call):
            read |= {*step.reads} - {held.constant for held in step.held}
        elif isinstance(step, Copy):
            read.add(step.source)
    read |= {name for table in program.tables if table.name in read for name in table.members}
    return tuple(found for found in program.constants if found.name in read)


def stored_bytes(program: Program) -> int:
    """What the program's constants take of flash, each once."""
    return sum(aligned_bytes(constant.data.nbytes) for constant in stored_constants(program))


def aligned_bytes(size: int) -> int:
    """What a constant of so many bytes takes, with the gap to the next one."""
    return -(-size // CONSTANT_ALIGNMENT) * CONSTANT_ALIGNMENT


@dataclass(frozen=True)
class CompressedConstants(Checked):
    """The constants of a program.

    calls: names of those whose weights are compressed, before some of them were done in parts. bytes_before,
    bytes_after: of all constants, with the gaps between them. extra: instructions that an inference takes more, about.
    """

    calls: tuple[str, ...]
    bytes_before: int
    bytes_after: int
    extra: int
