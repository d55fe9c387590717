"""Programs in assembly for gap9's uDMA and the memory that only it reaches."""

from pathlib import Path

from support import GAP9, HEAD, Run, link, simulate

SETUP, _COMMAND, _BURST, _KILOCYCLE_BYTES = 60, 35, 1024, 1081
ON_GAP9 = ("--chip", str(GAP9))

# Registers, and bytes of the remote memory: words 0x0101 * i from FAR on. t0 and s0 are event unit and uDMA.
_HEAD = """
#define UDMA 0x1A102000
#define FAR 0x80000000
#define NEAR 0x1C020000
.macro copy target, source, bytes
  li a0, \\source
  sw a0, 0x00(s0)
  li a0, \\target
  sw a0, 0x04(s0)
  li a0, \\bytes
  sw a0, 0x08(s0)
  sw zero, 0x0C(s0)
.endm
.macro wait
  cv.elw a5, EU_WAIT_CLEAR(t0)
.endm
.macro start_dma to_l1, inner, outer, bytes
  li s1, DMA
  lw t2, 0(s1)
  li t1, \\bytes | (\\to_l1 << 17) | (1 << 18)
  sw t1, 0(s1)
  li t1, \\inner
  sw t1, 0(s1)
  li t1, \\outer
  sw t1, 0(s1)
.endm
  j main
.pushsection .far, "a"
.set i, 0
.rept 2048
  .word 0x0101 * i
  .set i, i + 1
.endr
.popsection
main:
  li s0, UDMA
"""
_LISTEN = """
  li t0, EVENT_UNIT
  li t1, 1 << 20
  sw t1, EU_MASK(t0)
"""
_FAR_SECTION = ".far 0x80000000 : { *(.far) }"


def udma_program(body: str, folder: Path) -> Path:
    source = f"{HEAD}{_HEAD}{body}\n exit_with 0\nfail:\n exit_with 1\n"
    return link(source, folder, symbols={}, sections=_FAR_SECTION)


def run_udma(body: str, folder: Path, *options: str) -> Run:
    """On core 0, which the uDMA's event wakes."""
    flags = ("--start-cluster", "--set", "cluster_cores=1", "--most-cycles", "1000000")
    return simulate(udma_program(f"{_LISTEN}{body}", folder), *ON_GAP9, *flags, *options)


def copy_cycles(size: int) -> int:
    """From the start of a copy of so many bytes to its end, by the constants of the chip's file."""
    bursts = [min(_BURST, size - done) for done in range(0, size, _BURST)]
    return SETUP + sum(_COMMAND - -burst * 1000 // _KILOCYCLE_BYTES for burst in bursts)
