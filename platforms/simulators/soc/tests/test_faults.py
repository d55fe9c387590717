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

_LONG_TRANSFER = _START_TRANSFER.replace("64 |", "4096 |")
_SECOND_TRANSFER = "lw t0, 0(s0)\n sw t1, 0(s0)\n sw a0, 0(s0)\n sw a1, 0(s0)\n"

_FAULTS = {
    "illegal instruction 0xffffffff": ".word 0xffffffff",
    "illegal instruction 0x00000000": ".half 0",
    "CSR 0x7c0": ".word 0x7c0022f3",
    "CSR 0xb01": "csrr t0, 0xB01",
    "CSR 0xc00": "csrw 0xC00, t0",
    "CSR 0xcc1": "csrwi 0xCC1, 5",
    "CSR 0x7b1": "csrr t0, dpc",
    "floating point is off": "li t0, 0x6000\n csrc mstatus, t0\n fadd.s f0, f1, f2",
    "load of 4 bytes at 0x10010000": "li a0, L1 + 0x10000\n lw t0, 0(a0)",
    "store of 2 bytes at 0x1c190000": "li a0, 0x1C190000\n sh t0, 0(a0)",
    "load of 4 bytes at 0x1000fffe": "li a0, L1 + 0xFFFE\n lw t0, 0(a0)",
    "misaligned test-and-set": "li a0, L1 + 0x100002\n lw t0, 0(a0)",
    "ebreak": "ebreak",
    "ecall, but mtvec": "ecall",
    "interrupt 5, but mtvec points nowhere": (
        "interrupt_on 5\n csrsi mstatus, MIE\n sw zero, EU_SOFTWARE + 20(t0)"
    ),
    "mtvec is not aligned to 256 bytes": "la t0, _start + 16\n csrw mtvec, t0\n ecall",
    "the event unit has no register at offset 768": "li a0, EVENT_UNIT\n lw t0, 0x300(a0)",
    "the interrupt controller has no register": "li a0, FC_INTERRUPTS\n lw t0, 4(a0)",
    "the generator of events has no register": "li a0, SOC_EVENTS\n lw t0, 0x44(a0)",
    "reserved rounding mode": ".word 0x00005053",
    "without cv.elw": "li a0, EVENT_UNIT\n lw t0, EU_WAIT_CLEAR(a0)",
    "given back by a core that does not hold it": "li a0, EVENT_UNIT\n sw t0, EU_MUTEX(a0)",
    "every core sleeps": "li a0, EVENT_UNIT\n cv.elw t0, EU_WAIT_CLEAR(a0)",
    "read of L1 bytes at 0x1000003c that a running DMA transfer writes": _START_TRANSFER
    + "lw t2, 60(a0)",
    "write of L1 bytes at 0x10000000 that a running DMA transfer writes": _START_TRANSFER
    + "sb t2, 0(a0)",
    "write of L2 bytes at 0x1c020003 that a running DMA transfer reads": _START_TRANSFER
    + "sb t2, 3(a1)",
    "write of L1 bytes at 0x10000020 that a running DMA transfer reads": _START_TRANSFER.replace(
        "(1 << 17) |", ""
    )
    + "sw t2, 32(a0)",
    "read of L2 bytes at 0x1c02003c that a running DMA transfer writes": _START_TRANSFER.replace(
        "(1 << 17) |", ""
    )
    + "lw t2, 60(a1)",
    "to 0x10000000) write the same bytes": _LONG_TRANSFER
    + "addi a0, a0, 60\n li a1, L2_DATA + 0x10000\n"
    + _SECOND_TRANSFER,
    "to 0x10000000): one writes what the other reads": (
        _LONG_TRANSFER + "li t1, 64 | (1 << 18)\n li a1, L2_DATA + 0x10000\n" + _SECOND_TRANSFER
    ),
    "DMA: a transfer leaves L1: 64 bytes from 0x1000ffe0 on": _START_TRANSFER.replace(
        "li a0, L1", "li a0, L1 + 0xFFE0"
    ),
    "DMA: a command before an identifier": "li s0, DMA\n sw t0, 0(s0)",
    "of a running transfer is given back": _START_TRANSFER + "li t2, 1\n sw t2, 4(s0)",
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
    "must be aligned to 4 bytes": ".balign 4\n c.nop\n.word 0x0200402b\n",
    "a compressed, branch, jump or system": _LOOP + "nop\n fence\n nop\n1:\n",
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


_LINES = f"""{_HEAD}
  li s0, DMA
  li t1, 32 | (1 << 17) | (1 << 18) | (1 << 23)
  li a0, L1
  li a1, L2_DATA
  li a2, 8
  li a3, 24
  lw t0, 0(s0)
  sw t1, 0(s0)
  sw a0, 0(s0)
  sw a1, 0(s0)
  sw a2, 0(s0)
  sw a3, 0(s0)
  {{access}}
1:
  lw t2, 4(s0)
  slli t2, t2, 16
  bnez t2, 1b
  exit_with 0
"""


@pytest.mark.parametrize(("offset", "is_written"), [(0, 1), (4, 1), (6, 1), (8, 0), (20, 0), (22, 1),
                                                    (24, 1), (76, 1), (80, 0), (96, 0)])  # fmt: skip
def test_only_the_lines_of_a_transfer_are_its_bytes(
    offset: int, is_written: int, tmp_path: Path
) -> None:
    """Four lines of 8 bytes, 24 apart."""
    source = _LINES.format(access=f"lw t2, {offset}(a0)")
    run = simulate(link(source, tmp_path, symbols={}), *_ONE_CORE)
    assert run.status == (EXIT_FAULT if is_written else 0), run.messages


def test_transfers_side_by_side_and_reads_of_the_same_bytes_are_right(tmp_path: Path) -> None:
    body = (
        _START_TRANSFER
        + "addi a0, a0, 64\n"
        + _SECOND_TRANSFER
        + "lw t2, 0(a1)\n lw t2, 64(a0)\n sw t2, 64(a0)\n"
    )
    run = simulate(link(f"{_HEAD}{body}\n exit_with 0\n", tmp_path, symbols={}), *_ONE_CORE)
    assert run.status == 0, run.messages


# Two cores meet, do something to L1 with a0 = L1 and a1 = their number, and meet again.
_TWO_CORES = f"""{_HEAD}
  barrier_setup 2
  csrr a1, mhartid
  li a0, L1
  barrier_wait
  bnez a1, 1f
  {{first}}
  j 2f
1:
  {{second}}
2:
  barrier_wait
  {{after}}
  exit_with 0
2: j 2b
"""

_DISTANCE = "nop\n" * 20


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("sb a1, 3(a0)", _DISTANCE + "sw a1, 0(a0)", "core 0 wrote the byte at 0x10000003"),
        ("sw a1, 0(a0)", _DISTANCE + "lb a2, 1(a0)", "core 0 wrote the byte at 0x10000001"),
        (_DISTANCE + "sw a1, 0(a0)", "lhu a2, 2(a0)", "core 1 read the byte at 0x10000002"),
        ("lw a2, 0(a0)", "lw a2, 0(a0)", ""),
        ("sb a1, 0(a0)", "sb a1, 1(a0)", ""),
        ("sw a1, 0(a0)\n lw a2, 0(a0)", "sw a1, 4(a0)\n lw a2, 4(a0)", ""),
    ],
)
def test_race_check(first: str, second: str, reason: str, tmp_path: Path) -> None:
    source = _TWO_CORES.format(first=first, second=second, after="lw a2, 0(a0)\n lw a2, 4(a0)")
    elf = link(source, tmp_path, symbols={})
    options = ("--start-cluster", "--set", "cluster_cores=2")
    assert simulate(elf, *options).status == 0
    checked = simulate(elf, "--race-check", *options)
    assert checked.status == (EXIT_FAULT if reason else 0), checked.messages
    assert f"race: {reason}" in checked.messages or not reason


def test_what_a_lock_of_test_and_set_guards_is_no_race(tmp_path: Path) -> None:
    add = """
  li a4, L1 + 0x100000
3:
  lw a5, 64(a4)
  bnez a5, 3b
  lw a2, 0(a0)
  addi a2, a2, 1
  nop
  sw a2, 0(a0)
  sw zero, 64(a0)
"""
    source = _TWO_CORES.format(first=add, second=add, after="")
    options = ("--start-cluster", "--set", "cluster_cores=2", "--race-check")
    run = simulate(link(source, tmp_path, symbols={}), *options)
    assert run.status == 0, run.messages


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
        (("--set", "l1_banks=-18446744073709551600"), "expected a number"),
        (("--set", "l1_banks=0x80000000"), "l1_banks may be 65536 at most"),
        (("--set", "icache_l1_sets=0x80000000"), "may be 1048576 at most"),
        (("--set", "l2_bytes=0xC0000000"), "l2_bytes may be 268435456 at most"),
        (("--set", "l2_base=0xFFFFF000"), "the end of L2"),
        (("--set", "cluster_alias_bytes=1024"), "multiple of 4096"),
        (("--most-cycles", "-1"), "expected a number, found '-1'"),
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


@pytest.mark.parametrize(
    ("offset", "message"),
    [(24, "entry is at an odd address"), (42, "headers have another size"), (46, "headers have")],
    ids=["entry", "segments", "sections"],
)
def test_programs_with_impossible_headers_are_refused(
    offset: int, message: str, tmp_path: Path
) -> None:
    elf = link(f"{_HEAD} exit_with 0\n", tmp_path, symbols={})
    content = bytearray(elf.read_bytes())
    content[offset] += 1
    elf.write_bytes(content)
    run = simulate(elf)
    assert run.status == EXIT_USE
    assert message in run.messages
