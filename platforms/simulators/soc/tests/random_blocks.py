"""Random programs: blocks of instructions, each on registers filled anew."""

import random

from random_instructions import FREE, block

# Extremes of integers; infinities, NaN, the smallest and largest floats; floats at the ends of the integers.
_SPECIAL_WORDS = (
    *(0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF),
    *(0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345),
    *(0x807FFFFF, 0x00800000, 0x80800000, 0x3F800000, 0xBF800000),
    *(0x4F000000, 0xCF000000, 0x4F800000, 0x4EFFFFFF, 0x7F7FFFFF),
    *(0x33800000, 0x3F000000, 0x3FC00000),
)
_POOL_WORDS = 4096
_SCRATCH_WORDS = 576


def _words(source: random.Random, count: int) -> str:
    """Words that are special, of any bits, or floats near one another."""
    words = [
        source.choice(_SPECIAL_WORDS)
        if source.random() < 0.3
        else (
            source.randrange(1 << 32)
            if source.random() < 0.5
            else source.randrange(2) << 31
            | source.randint(110, 140) << 23
            | source.randrange(1 << 23)
        )
        for _ in range(count)
    ]
    return "\n".join(f".word {word:#x}" for word in words)


def program(source: random.Random, blocks: int, length: int, repeats: int) -> str:
    """`blocks` blocks of about `length` instructions, run `repeats` times on new values.

    From label `begin` on, all registers have known values. The program ends by storing the value of symbol
    `finish_value` at that of `finish`; both are to be defined. Its environment calls return at once.
    """
    texts = [block(source, length) for _ in range(blocks)]
    body = "\n".join(f"call load_registers\n{text}" for text in texts)
    loads = "\n".join(
        [f"flw f{i}, {4 * i}(x31)" for i in range(32)]
        + [f"lw {name}, {128 + 4 * i}(x31)" for i, name in enumerate(FREE) if name != "x1"]
    )
    return f"""
.globl _start
_start:
  li t0, 0x2000
  csrs mstatus, t0
  la t0, handle_call
  csrw mtvec, t0
  la gp, scratch + 1024
  la sp, scratch
  la s1, scratch + 512
  la tp, variables
  call load_registers
begin:
{body}
  lw t0, 4(tp)
  addi t0, t0, -1
  sw t0, 4(tp)
  beqz t0, done
  tail begin
done:
  lw t0, 8(tp)
  lw t1, 12(tp)
  sw t1, 0(t0)
forever:
  j forever

.balign 256  // as CV32E40P needs it
handle_call:
  csrr t5, mcause
  csrr t4, mtval
  csrr t6, mepc
  addi t6, t6, 4
  csrw mepc, t6
  mret

load_registers:
  lw t5, 0(tp)
  addi t5, t5, 212
  li t6, {4 * _POOL_WORDS - 512}
  remu t5, t5, t6
  andi t5, t5, -4
  sw t5, 0(tp)
  la t6, pool
  add x31, t6, t5
  {loads}
  ret

.data
.balign 16
pool:
{_words(source, _POOL_WORDS)}
scratch:
{_words(source, _SCRATCH_WORDS)}
variables:
.word 0, {repeats}, finish, finish_value
"""
