"""Encodings that do nothing on any RISC-V core do nothing here."""

import re
from pathlib import Path

import pytest
from support import HEAD, link, simulate

_OPERANDS = ("x0, x0", "x0, a1", "x0, x31")
_IMMEDIATES = ("-2048", "-1", "0", "31", "2047")
_REGISTERS = [
    *("ra", "sp", "gp", "tp", "t0", "t1", "t2"),
    *(f"s{i}" for i in range(12)),
    *(f"a{i}" for i in range(8)),
    *("t3", "t4", "t5", "t6"),
]
_VALUES = {name: 0x1234567 * (i + 1) for i, name in enumerate(_REGISTERS)}

# Of each sort of RV32C: c.nop, c.addi, c.li, c.lui, c.mv, c.add, c.slli, c.srli and c.srai of x0, or by 0.
_COMPRESSED = (0x0005, 0x1001, 0x0501, 0x0181, 0x4005, 0x507D, 0x7001, 0x6005, 0x8006, 0x802E, 0x902A,
               0x0002, 0x0006, 0x000A, 0x0502, 0x8001, 0x8401)  # fmt: skip


def _base() -> list[str]:
    lines = [
        f"{name} {operands}, {immediate}"
        for name in ("addi", "slti", "sltiu", "xori", "ori", "andi")
        for operands in _OPERANDS
        for immediate in _IMMEDIATES
    ]
    lines += [
        f"{name} {operands}, {last}"
        for names, last in (
            (("slli", "srli", "srai"), "0"),
            (("slli", "srli", "srai"), "31"),
            (("add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and"), "a2"),
        )
        for name in names
        for operands in _OPERANDS
    ]
    fences = [".word 0x0000000F", ".word 0x0F00000F", ".word 0x000F000F", ".word 0x8330000F"]
    return [*lines, "lui x0, 5", "auipc x0, 5", *fences]


@pytest.mark.parametrize(
    ("hints", "size"),
    [(_base(), 4), ([f".half {word:#06x}" for word in _COMPRESSED], 2)],
    ids=["rv32i", "rv32c"],
)
def test_hints_change_nothing_and_go_on(hints: list[str], size: int, tmp_path: Path) -> None:
    loads = "".join(f" li {name}, {value}\n" for name, value in _VALUES.items())
    code = ".option norvc\n" + "\n".join(hints)
    source = f"{HEAD}{loads}.globl hints\nhints:\n{code}\n.globl after\nafter:\n exit_with 0\n"
    log = tmp_path / "log"
    elf = link(source, tmp_path, symbols={})
    run = simulate(elf, "--log", str(log), "--log-function", "hints")
    assert run.status == 0, run.messages
    lines = [line for line in log.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    assert len(lines) == len(hints)
    assert {len(line.split()[3]) for line in lines} == {2 * size}
    for name, value in re.findall(r" (\S+)=([0-9a-f]+)", "\n".join(lines)):
        assert int(value, 16) == _VALUES[name]
