"""The log of executed instructions: what a line says, and which instructions have one."""

from pathlib import Path

import pytest
from support import EXIT_USE, link, simulate

_HEAD = '#include "cluster.inc"\n.globl _start\n_start:\n'
_ONE_CORE = ("--start-cluster", "--set", "cluster_cores=1")

_EFFECTS = f"""{_HEAD}
  li a0, L1
  li t0, 0x2000
  csrs mstatus, t0
.balign 4
.option norvc
  addi a1, zero, -2
  sb a1, 3(a0)
  lb a2, 3(a0)
  cv.lw a3, (a0), 4
  add a3, a3, zero
  fcvt.s.w fa0, a1, rtz
  fdiv.s fa1, fa0, fa0
  fmv.w.x fa2, zero
  fdiv.s fa1, fa0, fa2
  fsrmi 3
  bnez a1, 1f
  nop
1: exit_with 0
"""

_EXPECTED = """\
addi a1, zero, -2 a1=fffffffe
sb a1, 3(a0) [10000003]=fe
lb a2, 3(a0) [10000003]:fe a2=fffffffe
cv.lw a3, (a0), 4 [10000000]:fe000000 a0=10000004 a3=fe000000
add a3, a3, zero a3=fe000000
fcvt.s.w fa0, a1, rtz fa0=c0000000
fdiv.s fa1, fa0, fa0 fa1=3f800000
fmv.w.x fa2, zero fa2=00000000
fdiv.s fa1, fa0, fa2 fa1=ff800000 fflags=08
csrrwi zero, 2, 3 frm=3
"""


def _log(elf: Path, *options: str) -> list[str]:
    log = elf.with_suffix(".log")
    run = simulate(elf, "--log", str(log), *options)
    assert run.status == 0, run.messages
    return log.read_text(encoding="utf-8").splitlines()


def _instructions(lines: list[str]) -> list[str]:
    """Text and effects, with single spaces."""
    return [" ".join(line.split()[4:]) for line in lines if not line.startswith("#")]


def test_line_shows_instruction_access_and_registers_written(tmp_path: Path) -> None:
    lines = _log(link(_EFFECTS, tmp_path, symbols={}), *_ONE_CORE)
    instructions = _instructions(lines)
    first = instructions.index("addi a1, zero, -2 a1=fffffffe")
    expected = _EXPECTED.splitlines()
    assert instructions[first : first + len(expected)] == expected
    assert instructions[first + len(expected)].startswith("bne a1, zero, 0x1c008")
    assert "nop" not in instructions


def test_line_begins_with_cycle_core_address_and_encoding(tmp_path: Path) -> None:
    source = f"{_HEAD} c.li a0, 1\n lui a1, 65\n mulh a2, a1, a1\n nop\n exit_with 0\n"
    lines = _log(link(source, tmp_path, symbols={}), *_ONE_CORE)
    assert lines[0] == "# 0 _start"
    heads = [line.split()[:4] for line in lines[1:5]]
    cycle = int(heads[0][0])
    assert heads == [
        [str(cycle), "0", "1c008000", "4505"],
        [str(cycle + 1), "0", "1c008002", "000415b7"],
        [str(cycle + 2), "0", "1c008006", "02b59633"],
        [str(cycle + 7), "0", "1c00800a", "0001"],
    ]


def test_hardware_loop_is_counted_down(tmp_path: Path) -> None:
    body = ".balign 4\n.option norvc\n li a5, 2\n loop_setup 0, a5, 1f\n nop\n nop\n nop\n1: exit_with 0\n"
    lines = _log(link(_HEAD + body, tmp_path, symbols={}), *_ONE_CORE)
    loop = [line.split("  ")[-1].strip() for line in lines if " lp" in line]
    assert loop == [
        "lpstart0=1c008008 lpend0=1c008014 lpcount0=00000002",
        "lpcount0=00000001",
        "lpcount0=00000000",
    ]


_CALL = f"""{_HEAD}
  csrr a0, mhartid
  call helper
  bnez a0, 2f
  li t2, 2000
1: addi t2, t2, -1
  bnez t2, 1b
  exit_with 0
2: j 2b
.globl helper
.type helper, @function
helper:
  li a1, 7
  ret
.size helper, . - helper
"""


@pytest.mark.parametrize(
    ("options", "cores"),
    [((), {"0", "1"}), (("--log-core", "1"), {"1"}), (("--log-core", "0"), {"0"})],
)
def test_log_of_one_core_or_function(
    options: tuple[str, ...], cores: set[str], tmp_path: Path
) -> None:
    elf = link(_CALL, tmp_path, symbols={})
    both = ("--start-cluster", "--set", "cluster_cores=2", *options)
    assert {line.split()[1] for line in _log(elf, *both)} == cores
    helper = _log(elf, *both, "--log-function", "helper")
    assert sorted(line for line in helper if line.startswith("#")) == [
        f"# {core} helper" for core in sorted(cores)
    ]
    assert _instructions(helper) == sorted(["addi a1, zero, 7 a1=00000007"] * len(cores)) + [
        "jalr zero, 0(ra)"
    ] * len(cores)


def test_log_of_an_address_range(tmp_path: Path) -> None:
    elf = link(
        f"{_HEAD} c.li a0, 1\n c.li a1, 2\n c.li a2, 3\n exit_with 0\n", tmp_path, symbols={}
    )
    lines = _log(elf, *_ONE_CORE, "--log-range", "0x1c008002:0x1c008004")
    assert _instructions(lines) == ["addi a1, zero, 2 a1=00000002"]


def test_logging_does_not_change_the_run(tmp_path: Path) -> None:
    """Neither counters nor the trace, which shows the second core asleep."""
    work = "  beqz a0, 1f\n barrier_wait\n exit_with 0\n1: li t2, 99\n2: addi t2, t2, -1\n bnez t2, 2b\n"
    source = f"{_HEAD} csrr a0, mhartid\n barrier_setup 2\n{work} barrier_wait\n3: j 3b\n"
    elf = link(source, tmp_path, symbols={})
    options = ("--start-cluster", "--set", "cluster_cores=2", "--trace")
    plain = simulate(elf, *options, str(tmp_path / "plain"))
    logged = simulate(elf, *options, str(tmp_path / "logged"), "--log", str(tmp_path / "log"))
    assert plain.status == 0
    assert plain.cores == logged.cores
    assert plain.cores[1].total.stalls["barrier"] > 0
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "logged").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--log-core", "9"), "no core is called 9"),
        (("--log-range", "5"), "expected BEGIN:END, found '5'"),
        (("--log-range", "5:x"), "expected a number, found 'x'"),
        (("--log-function", "absent"), "no function is called absent"),
    ],
)
def test_limits_that_fit_nothing_are_told(
    options: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    elf = link(f"{_HEAD} exit_with 0\n", tmp_path, symbols={})
    run = simulate(elf, *_ONE_CORE, "--log", str(tmp_path / "log"), *options)
    assert run.status == EXIT_USE
    assert message in run.messages


def test_log_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    elf = link(f"{_HEAD} exit_with 0\n", tmp_path, symbols={})
    run = simulate(elf, "--log", str(tmp_path / "absent" / "log"))
    assert run.status == EXIT_USE
    assert "cannot be written" in run.messages
