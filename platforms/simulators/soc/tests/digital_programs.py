"""Programs that give DIANA's digital accelerator one job after the other, and write out what is in L1 then."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from digital_model import STOP
from support import DIANA, EXIT_FAULT, Run, link, simulate

DIGITAL = 0x1A10C000
SHARED = 0x1C010000
_SHARED_BYTES = 0x70000
L1_BYTES = 0x40000
_L1_IMAGE = SHARED + _SHARED_BYTES - L1_BYTES  # before the jobs, and after them

WT_CONV_ADDR, WT_CONV_N, WT_FC_ADDR, WT_FC_N = 0x40, 0x44, 0x48, 0x4C
IM_ADDR, IM_N, CONF_ADDR, CONF_N = 0x50, 0x54, 0x60, 0x64
OPERATION, COPY_ADDR, COPY_N, L1ADDR, BANKS, ROWS = 0xA0, 0xA4, 0xA8, 0xAC, 0xB0, 0xB4

Writes = dict[int, int]

_LAYOUT = f".shared {SHARED:#x} : {{ *(.shared) }}"
_PART = (
    "device digital diana_digital base=0x1A10C000 event=12 l2=1 l1_base=0x10000000 enable=0x1A106018 "
    "enable_bits=0xC00"
)

# A step: how many registers are written, offsets and values; then a trigger, and a wait for its end.
_PROGRAM = """
#include "cluster.inc"
.globl _start
_start:
  li s0, {digital:#x}
  li s2, {steps:#x}
next_step:
  lw t0, 0(s2)
  addi s2, s2, 4
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


def convolution_job(weights: int, weight_bytes: int, instructions: int, count: int = 2) -> Writes:
    """The registers of a job that loads weights for mode 1. Addresses; instructions: count, with the one that stops."""
    return {
        OPERATION: 0,
        IM_ADDR: instructions,
        IM_N: 32 * count,
        WT_CONV_ADDR: weights,
        WT_CONV_N: weight_bytes // 4,
        WT_FC_N: 0,
    }


def connected_job(weights: int, weight_bytes: int, instructions: int) -> Writes:
    job = convolution_job(0, 0, instructions)
    return job | {WT_FC_ADDR: weights, WT_FC_N: weight_bytes // 4}


@dataclass
class Program:
    """L1 before the jobs, what else lies in L2, and the jobs, in order."""

    l1: bytearray = field(default_factory=lambda: bytearray(L1_BYTES))
    data: bytearray = field(default_factory=bytearray)
    steps: list[Writes] = field(default_factory=list[Writes])
    used: int = 0

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

    def configure(self, *words: int) -> Writes:
        """As DORY does: conv 0x800 and 15."""
        padded = [*words, *[0] * (16 - len(words))]
        return {CONF_ADDR: self.put_words(padded), CONF_N: 16}

    def convolution(self, weights: bytes, *instructions: Sequence[int]) -> Writes:
        """A job of these instructions and the one that stops, and its weights."""
        place = self.put_words(*instructions, STOP)
        return convolution_job(self.put(weights), len(weights), place, len(instructions) + 1)

    def connected(self, weights: bytes, instruction: Sequence[int]) -> Writes:
        place = self.put_words(instruction, STOP)
        return connected_job(self.put(weights), len(weights), place)


def _bring_in() -> Writes:
    return {OPERATION: 2, COPY_ADDR: _L1_IMAGE, COPY_N: L1_BYTES // 4, L1ADDR: 0}


def build(program: Program, folder: Path, meanwhile: str = "") -> Path:
    """meanwhile: assembly between a job's trigger and the wait for its end; t1 to t6 and a0 to a7 are free."""
    steps: list[int] = []
    for writes in [_bring_in(), *program.steps, _bring_in() | {OPERATION: 1}]:
        pairs = [word for write in writes.items() for word in write]
        steps += [len(writes), *pairs]
    place = program.put_words([*steps, -1])
    assert SHARED + len(program.data) <= _L1_IMAGE, "the data do not fit beside L1's image"
    image = folder / "shared.bin"
    gap = bytes(_L1_IMAGE - SHARED - len(program.data))
    image.write_bytes(bytes(program.data) + gap + bytes(program.l1))
    source = _PROGRAM.format(
        digital=DIGITAL,
        steps=place,
        meanwhile=meanwhile,
        l1_image=_L1_IMAGE,
        l1_bytes=L1_BYTES,
        out=folder / "result.bin",
        image=image,
    )
    return link(source, folder, symbols={}, sections=_LAYOUT)


def start(elf: Path, *options: str, device: str = "") -> Run:
    """Runs it on DIANA's host. device: more of the accelerator's line."""
    chip = ("--chip", str(DIANA), "--part", f"{_PART} {device}")
    limits = ("--semihosting", "--most-cycles", "100000000")
    return simulate(elf, *chip, *limits, *options)


def run(program: Program, folder: Path, *options: str, device: str = "") -> bytes:
    """L1 as the jobs left it."""
    outcome = start(build(program, folder), *options, device=device)
    assert outcome.status == 0, outcome.messages
    return (folder / "result.bin").read_bytes()


def fault_of(program: Program, folder: Path, device: str = "", meanwhile: str = "") -> str:
    """What the simulator says of the fault that the program is."""
    outcome = start(build(program, folder, meanwhile), device=device)
    assert outcome.status == EXIT_FAULT, outcome.messages
    return outcome.messages
