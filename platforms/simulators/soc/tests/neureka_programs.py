"""Programs that give N-EUREKA one job after the other and write out what is in L1 then."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from neureka_model import Addresses, Layer, Tensors, pack_weights
from numpy.typing import NDArray
from support import SIRACUSA, Run, link, simulate

L1 = 0x10000000
L1_BYTES = 0x40000

WEIGHTS = 0x10400000

_LAYOUT = (
    f".l1 {L1:#x} : AT({L1:#x}) {{ *(.l1) }}\n"
    f"  .weights {WEIGHTS:#x} : AT({WEIGHTS:#x}) {{ *(.weights) }}"
)

# The cycles of the last of a job's runs are kept: those before warm up the instruction cache.
_PROGRAM = """
#include "cluster.inc"
.globl _start
_start:
  li s0, ACCELERATOR
  li s1, EVENT_UNIT
  li t1, 1 << 12
  sw t1, EU_MASK(s1)
  la s2, jobs
  la s3, cycles
  li s4, {count}
  li s7, {times}
next_job:
  mv s8, s7
again:
  lw t0, 0x04(s0)            // acquire
  addi t1, s0, 0x20
  mv t2, s2
  li t3, 24
1:
  lw t0, 0(t2)
  sw t0, 0(t1)
  addi t1, t1, 4
  addi t2, t2, 4
  addi t3, t3, -1
  bnez t3, 1b
  .balign 16
  csrr s5, mcycle
  sw zero, 0(s0)             // trigger
{meanwhile}
  cv.elw t0, EU_WAIT_CLEAR(s1)
  csrr s6, mcycle
  sub s6, s6, s5
  addi s8, s8, -1
  bnez s8, again
  sw s6, 0(s3)
  addi s3, s3, 4
  addi s2, s2, 4 * 24
  addi s4, s4, -1
  bnez s4, next_job
  host_call 0x01, open_out
  la t0, memory
  sw a0, 0(t0)
  la t0, times
  sw a0, 0(t0)
  host_call 0x05, memory
  host_call 0x05, times
  host_call 0x20, end
.data
.balign 4
open_out: .word out_name, 5, out_end - out_name - 1
memory: .word 0, {l1:#x}, {l1_bytes}
times: .word 0, cycles, 4 * {count}
end: .word 0x20026, 0
cycles: .fill {count}, 4, 0
jobs: .word {words}
out_name: .asciz "{out}"
out_end:
.section .l1, "aw", @progbits
.incbin "{image}"
.section .weights, "aw", @progbits
.incbin "{weights}"
"""


class Image:
    """Arrays in L1, each where the last one ended, at a multiple of 32 bytes unless asked otherwise."""

    def __init__(self) -> None:
        self.data = bytearray()

    def put(self, content: bytes, align: int = 32) -> int:
        """The address."""
        self.data += bytes(-len(self.data) % align)
        address = L1 + len(self.data)
        self.data += content
        assert len(self.data) <= L1_BYTES, "the arrays do not fit L1"
        return address

    def read(self, address: int, size: int) -> bytes:
        return bytes(self.data[address - L1 : address - L1 + size])


@dataclass(frozen=True)
class Outcome:
    """memory: L1 as the program left it. cycles: of each job, from its trigger to the instruction behind cv.elw."""

    memory: bytes
    cycles: list[int]


def place(image: Image, layer: Layer, tensors: Tensors, align: int = 4) -> Addresses:
    """Puts all of a layer into L1; what lies between pixels and in the output is filled with a pattern."""
    scale_type = "<u1" if layer.norm_bits == 8 else "<u4"
    return Addresses(
        input=image.put(_with_gaps(tensors.input, 8, layer.input_gap), align),
        output=image.put(output_bytes(layer, None), align),
        weights=image.put(pack_weights(layer, tensors.weights), max(align, 32)),
        scales=image.put(tensors.scales.astype(scale_type).tobytes(), align),
        biases=image.put(tensors.biases.astype("<i4").tobytes(), align),
    )


def output_bytes(layer: Layer, output: NDArray[np.int64] | None) -> bytes:
    """As they lie in L1; None: before the layer runs."""
    if output is None:
        output = np.full((layer.height, layer.width, layer.outputs), 0x5A5A5A5A, np.int64)
    return _with_gaps(output, layer.output_bits, layer.output_gap)


def _with_gaps(values: NDArray[np.int64], bits: int, gap: int) -> bytes:
    height, width, _ = values.shape
    raw = values.astype(np.uint64).astype("<u1" if bits == 8 else "<u4").view(np.uint8)
    gaps = np.full((height, width, gap), 0xA5, np.uint8)
    return np.concatenate([raw.reshape(height, width, -1), gaps], axis=2).tobytes()


def build(
    image: Image,
    jobs: Sequence[Sequence[int]],
    folder: Path,
    *,
    times: int = 1,
    meanwhile: str = "",
    weights: bytes = b"",
) -> Path:
    """An executable that runs every job so many times; its output file is `result.bin`.

    weights: what the weight memory holds from its beginning on.
    meanwhile: assembly between a job's trigger and the wait for its end; t1 to t6 are free.
    """
    initial = folder / "l1.bin"
    initial.write_bytes(bytes(image.data))
    stored = folder / "weights.bin"
    stored.write_bytes(weights)
    source = _PROGRAM.format(
        count=len(jobs),
        times=times,
        meanwhile=meanwhile,
        l1=L1,
        l1_bytes=len(image.data),
        words=", ".join(f"{word & 0xFFFFFFFF:#x}" for job in jobs for word in job),
        out=folder / "result.bin",
        image=initial,
        weights=stored,
    )
    return link(source, folder, symbols={}, sections=_LAYOUT)


def start(elf: Path, *options: str) -> Run:
    """Runs it on one core of siracusa's cluster."""
    chip = ("--chip", str(SIRACUSA), "--set", "cluster_cores=1", "--start-cluster")
    limits = ("--semihosting", "--most-cycles", "100000000")
    return simulate(elf, *chip, *limits, *options)


def run_jobs(
    image: Image,
    jobs: Sequence[Sequence[int]],
    folder: Path,
    *options: str,
    times: int = 1,
    weights: bytes = b"",
) -> Outcome:
    run = start(build(image, jobs, folder, times=times, weights=weights), *options)
    assert run.status == 0, run.messages
    written = (folder / "result.bin").read_bytes()
    memory, cycles = written[: len(image.data)], written[len(image.data) :]
    return Outcome(memory, np.frombuffer(cycles, "<u4").tolist())
