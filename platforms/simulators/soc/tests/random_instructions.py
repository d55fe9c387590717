"""Random instructions of RV32IMC, F, Zicsr and Zifencei, as assembly.

Register sp, gp and s1 point into scratch memory, tp to variables; these four are left alone. Whatever may raise
floating-point flags is followed by an instruction that reads them, so that registers show every flag.
"""

import random
from collections.abc import Callable

FREE = [f"x{i}" for i in range(1, 32) if i not in (2, 3, 4, 9)]
_READABLE = [f"x{i}" for i in range(32)]
_FLOATS = [f"f{i}" for i in range(32)]
_SHORT = [f"x{i}" for i in (8, 10, 11, 12, 13, 14, 15)]
_SHORT_FLOATS = [f"f{i}" for i in range(8, 16)]
_ROUNDINGS = ["rne", "rtz", "rdn", "rup", "rmm", "dyn"]


def _pick(source: random.Random, *kinds: list[str]) -> list[str]:
    return [source.choice(kind) for kind in kinds]


def _registers(source: random.Random) -> str:
    names = "add sub sll slt sltu xor srl sra or and mul mulh mulhsu mulhu div divu rem remu"
    rd, a, b = _pick(source, FREE, _READABLE, _READABLE)
    return f"{source.choice(names.split())} {rd}, {a}, {b}"


def _numbers(source: random.Random) -> str:
    rd, a = _pick(source, FREE, _READABLE)
    name = source.choice(["addi", "slti", "sltiu", "xori", "ori", "andi", "slli", "srli", "srai"])
    shift = name in ("slli", "srli", "srai")
    number = source.randrange(32) if shift else source.randint(-2048, 2047)
    return f"{name} {rd}, {a}, {number}"


def _upper(source: random.Random) -> str:
    return f"{source.choice(['lui', 'auipc'])} {source.choice(FREE)}, {source.randrange(1 << 20)}"


def _memory(source: random.Random) -> str:
    offset = source.randint(-1024, 1020)
    if source.random() < 0.6:
        name = source.choice(["lb", "lh", "lw", "lbu", "lhu"])
        return f"{name} {source.choice(FREE)}, {offset}(gp)"
    return f"{source.choice(['sb', 'sh', 'sw'])} {source.choice(_READABLE)}, {offset}(gp)"


def _float_memory(source: random.Random) -> str:
    name = source.choice(["flw", "fsw"])
    return f"{name} {source.choice(_FLOATS)}, {4 * source.randint(-256, 255)}(gp)"


def _compressed(source: random.Random) -> str:
    free = source.choice(FREE)
    short, other = _pick(source, _SHORT, _SHORT)
    number = source.choice([i for i in range(-32, 32) if i])
    stack, place = 4 * source.randrange(64), 4 * source.randrange(32)
    block = 16 * source.choice([i for i in range(-31, 32) if i])
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
            f"c.mv {free}, {source.choice(FREE)}",
            f"c.add {free}, {source.choice(FREE)}",
            f"c.addi4spn {short}, sp, {4 * source.randint(1, 255)}",
            f"c.addi16sp sp, {block}\nc.addi16sp sp, {-block}",
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


def _read_flags(source: random.Random) -> str:
    """Mostly clears them, too: a flag that is up hides that it should have been raised."""
    rd = source.choice(FREE)
    return f"fsflagsi {rd}, 0" if source.random() < 0.8 else f"frcsr {rd}"


def _float_arithmetic(source: random.Random) -> str:
    return f"{_float_operation(source)}\n{_read_flags(source)}"


def _float_operation(source: random.Random) -> str:
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
    x, readable = _pick(source, FREE, _READABLE)
    rd, a, b = _pick(source, _FLOATS, _FLOATS, _FLOATS)
    rounding = source.choice(_ROUNDINGS)
    operation = source.choice(
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
    return f"{operation}\n{_read_flags(source)}"


def _control(source: random.Random) -> str:
    x, readable = _pick(source, FREE, _READABLE)
    return source.choice(
        [
            f"csrrw {x}, mscratch, {readable}",
            f"csrrs {x}, mscratch, {readable}",
            f"csrrci {x}, mscratch, {source.randrange(32)}",
            f"frflags {x}",
            f"frrm {x}",
            f"fsflagsi {x}, {source.randrange(32)}",
            f"fsrmi {x}, {source.randrange(5)}\nfrcsr {x}",
            f"andi {x}, {readable}, {source.choice([0x7F, 0x9F])}\nfscsr {x}, {x}\nfrcsr {x}",
            "fence",
            "fence.i",
            "ecall",
        ]
    )


def _branch(source: random.Random) -> str:
    """A branch or jump over an instruction, or to the next one."""
    x, a, b = _pick(source, FREE, _READABLE, _READABLE)
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
            f"la {x}, 1f\n{source.choice(['c.jr', 'c.jalr'])} {x}\n{skipped}\n1:",
        ]
    )


def _backwards(source: random.Random) -> str:
    """A loop of a few rounds, or a jump back and forth."""
    counter, other = source.sample(_SHORT, 2)
    body = f"{_float_operation(source)}\nadd {other}, {other}, {source.choice(_READABLE)}"
    back = source.choice(
        [
            f"bnez {counter}, 1b",
            f"c.bnez {counter}, 1b",
            f"blt zero, {counter}, 1b",
            f"beqz {counter}, 2f\nj 1b\n2:",
        ]
    )
    return source.choice(
        [
            f"li {counter}, {source.randint(1, 4)}\n1:\n{body}\naddi {counter}, {counter}, -1\n{back}",
            f"j 2f\n1:\n{body}\nj 3f\n2:\njal {other}, 1b\n3:",
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
    (5, _branch),
    (2, _backwards),
]


def block(source: random.Random, length: int) -> str:
    weights = [weight for weight, _ in _KINDS]
    makers = source.choices([maker for _, maker in _KINDS], weights, k=length)
    return "\n".join(maker(source) for maker in makers)
