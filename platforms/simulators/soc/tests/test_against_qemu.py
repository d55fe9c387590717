"""RV32IMC, F, Zicsr and Zifencei: every register after every instruction of random programs, against QEMU's.

$TINSMITH_SOC_INSTRUCTIONS sets how many, $TINSMITH_SOC_SEED which; `lockstep.py` does the same as a command.
"""

import os
import random
from pathlib import Path

import pytest
from lockstep import compare, compare_random, dumps, find_qemu
from random_blocks import program
from support import count

if find_qemu() is None:
    pytest.skip("qemu-system-riscv32 is not installed", allow_module_level=True)


def test_every_instruction_of_random_programs_does_what_it_does_on_qemu(tmp_path: Path) -> None:
    wanted = count("INSTRUCTIONS", 60_000)
    seed = int(os.environ.get("TINSMITH_SOC_SEED", "20"))
    result = compare_random(wanted, seed, tmp_path)
    assert result.differences == 0, result.report
    assert result.instructions >= wanted


@pytest.mark.parametrize(
    ("planted", "expected"),
    [
        ("addi a0, a0, %lo(planted)", "a0 is "),
        ("lui a1, %hi(planted)\nfmv.w.x fa3, a1", "a1 is "),
        ("lw a0, %lo(planted)(s1)", "a0 is "),
    ],
)
def test_an_instruction_that_does_something_else_is_found(
    planted: str, expected: str, tmp_path: Path
) -> None:
    """The programs of both differ in a symbol's value, which one instruction uses."""
    text = program(random.Random(1), 2, 10, 1)
    before, begin, after = text.partition("\nbegin:\n")
    assert compare(before + begin + after, tmp_path).differences == 0
    changed = f".option norelax\n{before}{begin}{planted}\n{after}"
    result = compare(changed, tmp_path, qemu={"planted": 4}, soc={"planted": 0x1008})
    assert (result.instructions, result.differences) == (1, 1)
    assert "after instruction 1:\n" in result.report
    assert planted.split(",")[0] in result.report
    assert f"\n{expected}" in result.report


@pytest.mark.parametrize("blanks", [1, 6, 12])
def test_states_begin_with_the_digits_of_the_pc_however_far_qemu_moves_them(
    blanks: int, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    pc = " pc" + " " * blanks
    log.write_text(f"----\n{pc}80000000\n x0/zero  00000000\n{pc}80000004\n x0/zero  00000000")
    with log.open("rb") as stream:
        assert [dump[:8] for dump in dumps(stream)] == [b"80000000", b"80000004"]
