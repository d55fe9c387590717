"""Random straight-line blocks of RV32IMC, F and Zicsr, as a program that prints a checksum of all registers after each.

Register sp, gp and s1 point into scratch memory, tp to where registers are saved; blocks leave these four alone.
"""

import random
from collections.abc import Callable

_FREE = [f"x{i}" for i in range(1, 32) if i not in (2, 3, 4, 9)]
_READABLE = [f"x{i}" for i in range(32)]
_FLOATS = [f"f{i}" for i in range(32)]
_SHORT = [f"x{i}" for i in (8, 10, 11, 12, 13, 14, 15)]
_SHORT_FLOATS = [f"f{i}" for i in range(8, 16)]
_ROUNDINGS = ["rne", "rtz", "rdn", "rup", "rmm", "dyn"]

# Extremes of integers; infinities, NaN, the smallest and largest floats; floats at the ends of the integers.
_SPECIAL_WORDS = (
    *(0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF),
    *(0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345),
    *(0x807FFFFF, 0x00800000, 0x80800000, 0x3F800000, 0xBF800000),
    *(0x4F000000, 0xCF000000, 0x4F800000, 0x4EFFFFFF, 0x7F7FFFFF),
    *(0x33800000, 0x3F000000, 0x3FC00000),
)
POOL_WORDS = 4096


def _pick(source: random.Random, *kinds: list[str]) -> list[str]:
    return [source.choice(kind) for kind in kinds]


def _registers(source: random.Random) -> str:
    names = "add sub sll slt sltu xor srl sra or and mul mulh mulhsu mulhu div divu rem remu"
    rd, a, b = _pick(source, _FREE, _READABLE, _READABLE)
    return f"{source.choice(names.split())} {rd}, {a}, {b}"


def _numbers(source: random.Random) -> str:
    rd, a = _pick(source, _FREE, _READABLE)
    name = source.choice(["addi", "slti", "sltiu", "xori", "ori", "andi", "slli", "srli", "srai"])
    shift = name in ("slli", "srli", "srai")
    number = source.randrange(32) if shift else source.randint(-2048, 2047)
    return f"{name} {rd}, {a}, {number}"


def _upper(source: random.Random) -> str:
    return f"{source.choice(['lui', 'auipc'])} {source.choice(_FREE)}, {source.randrange(1 << 20)}"


def _memory(source: random.Random) -> str:
    offset = source.randint(-1024, 1020)
    if source.random() < 0.6:
        name = source.choice(["lb", "lh", "lw", "lbu", "lhu"])
        return f"{name} {source.choice(_FREE)}, {offset}(gp)"
    return f"{source.choice(['sb', 'sh', 'sw'])} {source.choice(_READABLE)}, {offset}(gp)"


def _float_memory(source: random.Random) -> str:
    name = source.choice(["flw", "fsw"])
    return f"{name} {source.choice(_FLOATS)}, {4 * source.randint(-256, 255)}(gp)"


def _compressed(source: random.Random) -> str:
    free = source.choice(_FREE)
    short, other = _pick(source, _SHORT, _SHORT)
    number = source.choice([i for i in range(-32, 32) if i])
    stack, place = 4 * source.randrange(64), 4 * source.randrange(32)
    return source.choice(
        [
            f"c.addi {free}, {number}",
            f"c.li {free}, {number}",
            f"c.lui {free}, {source.choice([1, 5, 31, 0xFFFE0, 0xFFFFF])}",
            f"c.slli {free}, {source.randint(1, 31)}",
            f"c.srli {short}, {source.randint(1, 31)}",
            f"c.srai {short}, {source.randint(1, 31)}",
            f"c.andi {short}, {number}",
            f"c.{source.choice(['sub', 'xor', 'or', 'and'])} {short}, {other}",
            f"c.mv {free}, {source.choice(_FREE)}",
            f"c.add {free}, {source.choice(_FREE)}",
            f"c.addi4spn {short}, sp, {4 * source.randint(1, 255)}",
            f"c.lwsp {free}, {stack}(sp)",
            f"c.swsp {source.choice(_READABLE)}, {stack}(sp)",
            f"c.lw {short}, {place}(s1)",
            f"c.sw {short}, {place}(s1)",
            f"c.flwsp {source.choice(_FLOATS)}, {stack}(sp)",
            f"c.fswsp {source.choice(_FLOATS)}, {stack}(sp)",
            f"c.flw {source.choice(_SHORT_FLOATS)}, {place}(s1)",
            f"c.fsw {source.choice(_SHORT_FLOATS)}, {place}(s1)",
        ]
    )


def _float_arithmetic(source: random.Random) -> str:
    rd, a, b, c = _pick(source, _FLOATS, _FLOATS, _FLOATS, _FLOATS)
    rounding = source.choice(_ROUNDINGS)
    name = source.choice(
        ["fadd", "fsub", "fmul", "fdiv", "fsqrt", "fmadd", "fmsub", "fnmadd", "fnmsub"]
    )
    if name == "fsqrt":
        return f"fsqrt.s {rd}, {a}, {rounding}"
    if len(name) > 4:
        return f"{name}.s {rd}, {a}, {b}, {c}, {rounding}"
    return f"{name}.s {rd}, {a}, {b}, {rounding}"


def _float_moves(source: random.Random) -> str:
    x, readable = _pick(source, _FREE, _READABLE)
    rd, a, b = _pick(source, _FLOATS, _FLOATS, _FLOATS)
    rounding = source.choice(_ROUNDINGS)
    return source.choice(
        [
            f"{source.choice(['fsgnj', 'fsgnjn', 'fsgnjx', 'fmin', 'fmax'])}.s {rd}, {a}, {b}",
            f"{source.choice(['feq', 'flt', 'fle'])}.s {x}, {a}, {b}",
            f"{source.choice(['fcvt.w.s', 'fcvt.wu.s'])} {x}, {a}, {rounding}",
            f"{source.choice(['fcvt.s.w', 'fcvt.s.wu'])} {rd}, {readable}, {rounding}",
            f"fclass.s {x}, {a}",
            f"fmv.x.w {x}, {a}",
            f"fmv.w.x {rd}, {readable}",
        ]
    )


def _control(source: random.Random) -> str:
    x, readable = _pick(source, _FREE, _READABLE)
    return source.choice(
        [
            f"csrrw {x}, mscratch, {readable}",
            f"csrrs {x}, mscratch, {readable}",
            f"csrrci {x}, mscratch, {source.randrange(32)}",
            f"frflags {x}",
            f"fsflagsi {x}, {source.randrange(32)}",
            f"fsrmi {x}, {source.randrange(5)}",
            "fence",
        ]
    )


def _forward(source: random.Random) -> str:
    """A branch or jump over an instruction, or to the next one."""
    x, a, b = _pick(source, _FREE, _READABLE, _READABLE)
    skipped = _numbers(source)
    name = source.choice(["beq", "bne", "blt", "bge", "bltu", "bgeu"])
    short = source.choice(_SHORT)
    return source.choice(
        [
            f"{name} {a}, {b}, 1f\n{skipped}\n1:",
            f"{source.choice(['c.beqz', 'c.bnez'])} {short}, 1f\n{skipped}\n1:",
            f"jal {x}, 1f\n{skipped}\n1:",
            f"c.j 1f\n{skipped}\n1:",
            f"c.jal 1f\n{skipped}\n1:",
            f"auipc {x}, 0\njalr x1, 8({x})",
        ]
    )


_KINDS: list[tuple[int, Callable[[random.Random], str]]] = [
    (20, _registers),
    (15, _numbers),
    (3, _upper),
    (10, _memory),
    (3, _float_memory),
    (15, _compressed),
    (18, _float_arithmetic),
    (8, _float_moves),
    (3, _control),
    (5, _forward),
]


def block(source: random.Random, instructions: int) -> str:
    weights = [weight for weight, _ in _KINDS]
    makers = source.choices([maker for _, maker in _KINDS], weights, k=instructions)
    return "\n".join(maker(source) for maker in makers)


def _pool(source: random.Random) -> str:
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
        for _ in range(POOL_WORDS)
    ]
    return "\n".join(f".word {word:#x}" for word in words)


_LOADED = [f"x{i}" for i in range(1, 32) if i not in (2, 3, 4, 9)]


def program(
    source: random.Random, blocks: int, instructions: int, repeats: int
) -> tuple[str, list[str]]:
    """The whole program, and the text of its blocks.

    Symbols to define: `output` (address of a byte to print), `finish` (address) and `finish_value`.
    """
    texts = [block(source, instructions) for _ in range(blocks)]
    body = "\n".join(f"call load_registers\n{text}\ncall print_checksum" for text in texts)
    loads = "\n".join(
        [f"flw f{i}, {4 * i}(x31)" for i in range(32)]
        + [f"lw {name}, {128 + 4 * i}(x31)" for i, name in enumerate(_LOADED) if name != "x1"]
    )
    saves = "\n".join([f"sw x{i}, {4 * i}(tp)" for i in range(2, 32)])
    float_saves = "\n".join([f"fsw f{i}, {128 + 4 * i}(tp)" for i in range(32)])
    return (
        f"""
.globl _start
_start:
  li t0, 0x2000
  csrs mstatus, t0
  la gp, scratch + 1024
  la sp, scratch
  la s1, scratch + 512
  la tp, saved
  li t0, {repeats}
  sw t0, 264(tp)
  sw zero, 268(tp)
again:
{body}
  lw t0, 264(tp)
  addi t0, t0, -1
  sw t0, 264(tp)
  beqz t0, done
  tail again
done:
  lui t0, %hi(finish)
  addi t0, t0, %lo(finish)
  lui t1, %hi(finish_value)
  addi t1, t1, %lo(finish_value)
  sw t1, 0(t0)
forever:
  j forever

load_registers:
  sw ra, 260(tp)
  lw t5, 268(tp)
  addi t5, t5, 212
  li t6, {4 * POOL_WORDS - 512}
  remu t5, t5, t6
  andi t5, t5, -4
  sw t5, 268(tp)
  la t6, pool
  add x31, t6, t5
  {loads}
  lw ra, 260(tp)
  ret

print_checksum:
  {saves}
  {float_saves}
  frflags t0
  sw t0, 256(tp)
  fsflagsi 0
  fsrmi 0
  li t0, 0x811C9DC5
  li t1, 16777619
  addi t2, tp, 8
  addi t3, tp, 260
sum:
  lw t4, 0(t2)
  xor t0, t0, t4
  mul t0, t0, t1
  addi t2, t2, 4
  bne t2, t3, sum
  lui t1, %hi(output)
  addi t1, t1, %lo(output)
  li t2, 4
print:
  sb t0, 0(t1)
  srli t0, t0, 8
  addi t2, t2, -1
  bnez t2, print
  ret

.data
.balign 16
pool:
{_pool(source)}
scratch:
.space 2304
saved:
.space 512
""",
        texts,
    )
