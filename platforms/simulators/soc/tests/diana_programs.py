"""Programs that give DIANA's accelerators one job after the other, and write out what is in L1 then."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from support import DIANA, EXIT_FAULT, Run, link, simulate

SHARED = 0x1C010000
_SHARED_BYTES = 0x70000
L1_BYTES = 0x40000
_L1_IMAGE = SHARED + _SHARED_BYTES - L1_BYTES  # before the jobs, and after them
_TO_L2, _TO_L1 = 1, 2

Writes = dict[int, int]


@dataclass(frozen=True)
class Accelerator:
    """copies: offset of the register that says an operation; the others of a copy follow."""

    name: str
    base: int
    event: int
    copies: int

    def part(self, more: str) -> str:
        """Its line of the chip, with `more` of its constants."""
        place = f"base={self.base:#x} event={self.event} l2=1 l1_base=0x10000000"
        enable = "enable=0x1A106018 enable_bits=0xC00"
        return f"device {self.name} diana_{self.name} {place} {enable} {more}"

    def copy(self, operation: int, address: int, words: int, l1_word: int) -> Writes:
        """The registers of a contiguous copy."""
        values = enumerate((operation, address, words, l1_word))
        return {self.copies + 4 * number: value for number, value in values}

    def banked(self, operation: int, address: int, l1_word: int, banks: int, rows: int) -> Writes:
        more = {self.copies + 16: banks, self.copies + 20: rows}
        return self.copy(operation, address, 0, l1_word) | more


DIGITAL = Accelerator("digital", 0x1A10C000, 12, 0xA0)
ANALOG = Accelerator("analog", 0x1A10D000, 16, 0x6C)

_LAYOUT = f".shared {SHARED:#x} : {{ *(.shared) }}"

# A step: how many registers are written, whose, offsets and values; then a trigger, and a wait for its end.
_PROGRAM = """
#include "cluster.inc"
.globl _start
_start:
  li s2, {steps:#x}
next_step:
  lw t0, 0(s2)
  lw s0, 4(s2)
  addi s2, s2, 8
  bltz t0, done
next_write:
  beqz t0, trigger
  lw t1, 0(s2)
  lw t2, 4(s2)
  add t1, t1, s0
  sw t2, 0(t1)
  addi s2, s2, 8
  addi t0, t0, -1
  j next_write
trigger:
  sw zero, 0(s0)
{meanwhile}
wait:
  lw t1, 0x0C(s0)
  bnez t1, wait
  j next_step
done:
  host_call 0x01, open_out
  la t0, memory
  sw a0, 0(t0)
  host_call 0x05, memory
  host_call 0x20, end
.data
.balign 4
open_out: .word out_name, 5, out_end - out_name - 1
memory: .word 0, {l1_image:#x}, {l1_bytes}
end: .word 0x20026, 0
out_name: .asciz "{out}"
out_end:
.section .shared, "aw", @progbits
.incbin "{image}"
"""


@dataclass
class Program:
    """L1 before the jobs, what else lies in L2, and the jobs, in order.

    others: steps, by their numbers, that are not `accelerator`'s but another's.
    """

    l1: bytearray = field(default_factory=lambda: bytearray(L1_BYTES))
    data: bytearray = field(default_factory=bytearray)
    steps: list[Writes] = field(default_factory=list[Writes])
    used: int = 0
    accelerator: Accelerator = DIGITAL
    others: dict[int, Accelerator] = field(default_factory=dict[int, Accelerator])

    def put(self, content: bytes, align: int = 4) -> int:
        """Into L2; the address."""
        self.data += bytes(-len(self.data) % align)
        self.data += content
        return SHARED + len(self.data) - len(content)

    def put_words(self, *words: Sequence[int]) -> int:
        flat = [word & 0xFFFFFFFF for some in words for word in some]
        return self.put(b"".join(word.to_bytes(4, "little") for word in flat))

    def reserve(self, size: int) -> int:
        """Bytes of L1; the place."""
        place = self.used
        self.used += -(-size // 16) * 16
        assert self.used <= L1_BYTES, "L1 is full"
        return place

    def place(self, content: bytes) -> int:
        place = self.reserve(len(content))
        self.l1[place : place + len(content)] = content
        return place


def build(program: Program, folder: Path, meanwhile: str = "") -> Path:
    """meanwhile: assembly between a job's trigger and the wait for its end; t1 to t6 and a0 to a7 are free."""
    copies = [
        program.accelerator.copy(way, _L1_IMAGE, L1_BYTES // 4, 0) for way in (_TO_L1, _TO_L2)
    ]
    steps: list[int] = []
    for number, writes in enumerate([copies[0], *program.steps, copies[1]], -1):
        pairs = [word for write in writes.items() for word in write]
        steps += [len(writes), program.others.get(number, program.accelerator).base, *pairs]
    place = program.put_words([*steps, -1, 0])
    assert SHARED + len(program.data) <= _L1_IMAGE, "the data do not fit beside L1's image"
    image = folder / "shared.bin"
    gap = bytes(_L1_IMAGE - SHARED - len(program.data))
    image.write_bytes(bytes(program.data) + gap + bytes(program.l1))
    source = _PROGRAM.format(
        steps=place,
        meanwhile=meanwhile,
        l1_image=_L1_IMAGE,
        l1_bytes=L1_BYTES,
        out=folder / "result.bin",
        image=image,
    )
    return link(source, folder, symbols={}, sections=_LAYOUT)


def start(elf: Path, *options: str, device: str = "", accelerator: Accelerator = DIGITAL) -> Run:
    """Runs it on DIANA's host. device: more of the accelerator's line."""
    chip = ("--chip", str(DIANA), "--part", accelerator.part(device))
    limits = ("--semihosting", "--most-cycles", "100000000")
    return simulate(elf, *chip, *limits, *options)


def run(program: Program, folder: Path, *options: str, device: str = "") -> bytes:
    """L1 as the jobs left it."""
    outcome = start(
        build(program, folder), *options, device=device, accelerator=program.accelerator
    )
    assert outcome.status == 0, outcome.messages
    return (folder / "result.bin").read_bytes()


def fault_of(program: Program, folder: Path, device: str = "", meanwhile: str = "") -> str:
    """What the simulator says of the fault that the program is."""
    elf = build(program, folder, meanwhile)
    outcome = start(elf, device=device, accelerator=program.accelerator)
    assert outcome.status == EXIT_FAULT, outcome.messages
    return outcome.messages
