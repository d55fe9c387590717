"""What must not happen stops the run, and says where and why."""

from pathlib import Path

import pytest
from support import EXIT_FAULT, EXIT_OUT_OF_CYCLES, EXIT_USE, link, simulate

_HEAD = '#include "cluster.inc"\n.globl _start\n_start:\n'
_ONE_CORE = ("--start-cluster", "--set", "cluster_cores=1")

_START_TRANSFER = """
  li s0, DMA
  li t1, 64 | (1 << 17) | (1 << 18)
  li a0, L1
  li a1, L2_DATA
  lw t0, 0(s0)
  sw t1, 0(s0)
  sw a0, 0(s0)
  sw a1, 0(s0)
"""

_FAULTS = {
    "illegal instruction 0xffffffff": ".word 0xffffffff",
    "illegal instruction 0x00000000": ".half 0",
    "CSR 0x7c0": ".word 0x7c0022f3",
    "load of 4 bytes at 0x10010000": "li a0, L1 + 0x10000\n lw t0, 0(a0)",
    "store of 2 bytes at 0x1c190000": "li a0, 0x1C190000\n sh t0, 0(a0)",
    "load of 4 bytes at 0x1000fffe": "li a0, L1 + 0xFFFE\n lw t0, 0(a0)",
    "misaligned test-and-set": "li a0, L1 + 0x100002\n lw t0, 0(a0)",
    "ebreak": "ebreak",
    "ecall, but mtvec": "ecall",
    "wfi on a core of the cluster": "wfi",
    "reserved rounding mode": ".word 0x00005053",
    "without cv.elw": "li a0, EVENT_UNIT\n lw t0, EU_WAIT_CLEAR(a0)",
    "given back by a core that does not hold it": "li a0, EVENT_UNIT\n sw t0, EU_MUTEX(a0)",
    "every core sleeps": "li a0, EVENT_UNIT\n cv.elw t0, EU_WAIT_CLEAR(a0)",
    "a running DMA transfer writes": _START_TRANSFER + "lw t2, 60(a0)",
    "DMA: a transfer leaves L1": _START_TRANSFER.replace("li a0, L1", "li a0, L1 + 0xFFE0"),
    "DMA: a command before an identifier": "li s0, DMA\n sw t0, 0(s0)",
    "of a running transfer is given back": _START_TRANSFER + "li t2, 1\n sw t2, 4(s0)",
    "ends before it began": "region_end 5",
}

_LOOP = ".balign 4\n.option norvc\n li a5, 5\n loop_setup 0, a5, 1f\n"

_LOOP_FAULTS = {
    "three instructions or more": _LOOP + "nop\n nop\n1:\n",
    "in the body of a hardware loop": _LOOP + "nop\n .word 0x00000263\n nop\n nop\n1:\n",
    "compressed, branch, jump or system": _LOOP
    + "nop\n .option rvc\n c.nop\n c.nop\n nop\n nop\n1:\n",
    "set up again while it runs": _LOOP + "nop\n .word 0x0050442b\n nop\n nop\n1:\n",
    "8 bytes or more behind loop 0": (
        ".balign 4\n.option norvc\n li a5, 5\n loop_setup 1, a5, 1f\n loop_setup 0, a5, 1f\n"
        "nop\n nop\n nop\n1:\n"
    ),
    "aligned to 4 bytes": "la a0, _start + 2\n li a1, 3\n.balign 4\n.word 0x0005412b\n.word 0x0200422b\n"
    ".word 0x0030442b\n",
}


@pytest.mark.parametrize("reason", [*_FAULTS, *_LOOP_FAULTS])
def test_fault_is_reported(reason: str, tmp_path: Path) -> None:
    body = (_FAULTS | _LOOP_FAULTS)[reason]
    elf = link(f"{_HEAD}{body}\n exit_with 0\n", tmp_path, symbols={})
    run = simulate(elf, *_ONE_CORE)
    assert run.status == EXIT_FAULT, run.messages
    assert reason in run.messages
    assert "core 0 at 0x1c0080" in run.messages
    assert " in _start: " in run.messages
    assert "sp 0x" in run.messages


def test_jump_to_nowhere_is_reported_where_it_led(tmp_path: Path) -> None:
    elf = link(f"{_HEAD} li a0, 0x30000000\n jr a0\n", tmp_path, symbols={})
    run = simulate(elf, *_ONE_CORE)
    assert run.status == EXIT_FAULT
    assert "instructions are fetched from outside the memories" in run.messages
    assert "core 0 at 0x30000000 in (no symbol)" in run.messages


def test_fault_names_instruction_function_and_registers(tmp_path: Path) -> None:
    source = f"{_HEAD} li s2, 0x1234\n call wrong\n.globl wrong\nwrong:\n li a0, 0x50000000\n cv.lw t0, (a0), 4\n"
    run = simulate(link(source, tmp_path, symbols={}))
    assert run.status == EXIT_FAULT
    assert "in wrong: cv.lw t0, (a0), 4" in run.messages
    assert "fabric controller at" in run.messages
    assert "s2 0x00001234" in run.messages


_TWO_WRITERS = f"""{_HEAD}
  barrier_setup 2
  csrr a1, mhartid
  li a0, L1
  {{offset}}
  barrier_wait
  sb a1, 0(a0)
  {{between}}
  beqz a1, 1f
  sb a1, 0(a0)
1:
  barrier_wait
  exit_with 0
2: j 2b
"""


@pytest.mark.parametrize(
    ("offset", "between", "status"),
    [("", "", EXIT_FAULT), ("add a0, a0, a1", "", 0)],
)
def test_race_check(offset: str, between: str, status: int, tmp_path: Path) -> None:
    elf = link(_TWO_WRITERS.format(offset=offset, between=between), tmp_path, symbols={})
    options = ("--start-cluster", "--set", "cluster_cores=2")
    assert simulate(elf, *options).status == 0
    checked = simulate(elf, "--race-check", *options)
    assert checked.status == status
    assert ("race: core 0 wrote the byte at 0x10000000" in checked.messages) == (status != 0)


def test_run_ends_when_its_cycles_are_used_up(tmp_path: Path) -> None:
    run = simulate(link(f"{_HEAD}1: j 1b\n", tmp_path, symbols={}), "--most-cycles", "1000")
    assert run.status == EXIT_OUT_OF_CYCLES
    assert "stopped after" in run.messages


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--set", "l1_bank=3"), "no constant is called 'l1_bank'"),
        (("--set", "l1_banks=3"), "power of two"),
        (("--set", "l1_banks=x"), "expected a number"),
        (("--frobnicate",), "no option is called --frobnicate"),
        (("--set", "l2_base=0x40000000"), "outside the chip's memories"),
    ],
)
def test_wrong_use_is_told(options: tuple[str, ...], message: str, tmp_path: Path) -> None:
    run = simulate(link(f"{_HEAD} exit_with 0\n", tmp_path, symbols={}), *options)
    assert run.status == EXIT_USE
    assert message in run.messages


def test_files_that_are_no_programs_are_refused(tmp_path: Path) -> None:
    for name, content in (
        ("empty", b""),
        ("text", b"hello" * 40),
        ("cut", b"\x7fELF\x01\x01" + b"\0" * 20),
    ):
        path = tmp_path / f"{name}.elf"
        path.write_bytes(content)
        assert simulate(path).status == EXIT_USE
