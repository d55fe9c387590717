"""RV32IMC, F and Zicsr: all registers after each of many random blocks, against QEMU's.

$TINSMITH_SOC_BLOCKS and $TINSMITH_SOC_REPEATS set how much: blocks of 100 instructions, each run so
often on new values.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
from random_blocks import program
from support import count, link, seeded, simulate

_INSTRUCTIONS = 100
_RAM = 0x80000000
_QEMU = {"output": 0x10000000, "finish": 0x100000, "finish_value": 0x5555}
_SOC = {"output": 0x1A10F000, "finish": 0x1A1040A0, "finish_value": 0x80000000}


def _run_qemu(elf: Path, output: Path) -> bytes:
    qemu = shutil.which("qemu-system-riscv32")
    if qemu is None:
        pytest.skip("qemu-system-riscv32 is not installed")
    machine = ["-M", "virt", "-m", "32M", "-bios", "none", "-display", "none", "-monitor", "none"]
    command = [qemu, *machine, "-serial", f"file:{output}", "-kernel", str(elf)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stderr
    return output.read_bytes()


def test_registers_after_random_blocks_are_those_of_qemu(tmp_path: Path) -> None:
    blocks, repeats = count("BLOCKS", 200), count("REPEATS", 10)
    source, texts = program(seeded(), blocks, _INSTRUCTIONS, repeats)
    expected = _run_qemu(link(source, tmp_path, text=_RAM, symbols=_QEMU), tmp_path / "qemu.out")
    elf = link(source, tmp_path, text=_RAM, symbols=_SOC)
    ram = [f"l2_base={_RAM}", f"l2_bytes={32 << 20}", "cluster_cores=1"]
    run = simulate(elf, *[word for constant in ram for word in ("--set", constant)])
    assert run.status == 0, run.messages
    found = run.bytes_out
    assert len(expected) == 4 * blocks * repeats
    for index in range(blocks * repeats):
        place = slice(4 * index, 4 * index + 4)
        assert found[place] == expected[place], (
            f"block {index % blocks}, repeat {index // blocks}:\n{texts[index % blocks]}"
        )
    assert len(found) == len(expected)
