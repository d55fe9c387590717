"""Every CORE-V instruction: LLVM's encoding, read back by the simulator's decoder, is the text it came from."""

import random
from pathlib import Path

from corev_table import LOOP_ROWS, ROWS, LoopRow, Row
from support import disassemble, link, seeded

_REGISTERS = [
    "zero",
    "ra",
    "sp",
    "gp",
    "tp",
    "t0",
    "t1",
    "t2",
    "s0",
    "s1",
    "a0",
    "a1",
    "a2",
    "a3",
    "a4",
    "a5",
    "a6",
    "a7",
    "s2",
    "s3",
    "s4",
    "s5",
    "s6",
    "s7",
    "s8",
    "s9",
    "s10",
    "s11",
    "t3",
    "t4",
    "t5",
    "t6",
]
_TEXT = 0x1C008000
_VARIANTS = 8


def _operand(kind: str, source: random.Random, pc: int) -> str:
    if kind.startswith("number:"):
        _, low, high = kind.split(":")
        return str(source.choice([int(low), int(high), source.randint(int(low), int(high))]))
    if kind == "target":
        return f"{pc + 2 * source.randint(-2048, 2047):#x}"
    return source.choice(_REGISTERS)


def _text(row: Row, source: random.Random, pc: int) -> str:
    operands = [_operand(kind, source, pc) for kind in row.operands]
    form = row.form or ", ".join(f"{{{i}}}" for i in range(len(operands)))
    return f"{row.name} {form.format(*operands)}"


def _loop_text(row: LoopRow, loop: int, register: int, numbers: tuple[int, int], pc: int) -> str:
    upper, lower = numbers
    counts = row.name in ("cv.counti", "cv.setupi")
    words = {
        "L": str(loop),
        "s": _REGISTERS[register],
        "upper": str(upper) if counts else f"0x{pc + 4 * upper:08x}",
        "lower": f"0x{pc + 4 * lower:08x}",
    }
    return f"{row.name} {', '.join(words[kind] for kind in row.operands)}"


def _canonical(text: str) -> str:
    """Addresses in hexadecimal without leading zeros."""
    return " ".join(
        hex(int(word.rstrip(","), 16)) + ("," if word.endswith(",") else "")
        if word.startswith("0x")
        else word
        for word in text.split()
    )


def test_the_table_has_every_row_of_the_manual() -> None:
    assert len(ROWS) + len(LOOP_ROWS) == 320
    assert len({(row.name, row.form, row.operands) for row in ROWS}) == len(ROWS)


def test_decoder_reads_back_what_llvm_encodes(tmp_path: Path) -> None:
    source = seeded()
    expected: list[str] = []
    lines = [".globl _start", "_start:", ".option norvc"]
    for row in ROWS:
        for _ in range(_VARIANTS):
            expected.append(_text(row, source, _TEXT + 4 * len(expected)))
            # A number for a target would be taken as an absolute symbol: say it relative to here.
            pc = _TEXT + 4 * (len(expected) - 1)
            head, _, last = expected[-1].rpartition(" ")
            relative = last.startswith("0x")
            lines.append(f"{head} . + ({int(last, 16) - pc})" if relative else expected[-1])
    elf = link("\n".join(lines) + "\n", tmp_path, symbols={})
    found = disassemble(elf)
    assert [_canonical(text) for text in found] == [_canonical(text) for text in expected]


def test_decoder_reads_hardware_loops(tmp_path: Path) -> None:
    source = seeded()
    expected: list[str] = []
    lines = [".globl _start", "_start:"]
    for row in LOOP_ROWS:
        for _ in range(_VARIANTS):
            loop, register = source.randint(0, 1), source.randint(0, 31)
            numbers = (source.randint(0, 4095), source.randint(0, 31))
            lines.append(f".word {row.encode(loop, register, *numbers):#x}")
            pc = _TEXT + 4 * len(expected)
            expected.append(_loop_text(row, loop, register, numbers, pc))
    found = disassemble(link("\n".join(lines) + "\n", tmp_path, symbols={}))
    assert [_canonical(text) for text in found] == [_canonical(text) for text in expected]
