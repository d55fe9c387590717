"""Control and status registers, as CV32E40P's manual has them, by programs that check themselves."""

from pathlib import Path

import pytest
from handlers import with_handler
from support import checks, run_checked

_ALONE = ("--set", "float_reset=0", "--set", "counters_stopped_reset=0xD")


def _write_all_ones(number: int) -> str:
    return f"  li t0, -1\n  csrw {number:#x}, t0\n  csrr a0, {number:#x}\n"


@pytest.mark.parametrize(
    ("number", "kept"),
    [
        (0x300, "0x80007888"),  # mstatus: SD, FS, MPP, MPIE, MIE
        (0x301, "0x40801124"),  # misa
        (0x305, "0xFFFFFF01"),  # mtvec
        (0x320, "0xD"),  # mcountinhibit
        (0x323, "0xFFFF"),  # mhpmevent3
        (0x324, "0"),
        (0x33F, "0"),
        (0x340, "0xFFFFFFFF"),  # mscratch
        (0x341, "0xFFFFFFFE"),  # mepc
        (0x342, "0x8000001F"),  # mcause
        (0x343, "0"),  # mtval
        (0x344, "0"),  # mip
        (0x7A0, "0"),  # tselect
        (0x7A1, "0x28001040"),  # tdata1
        (0x7A2, "0"),  # tdata2
        (0x7A3, "0"),  # tdata3
        (0x7A4, "4"),  # tinfo
        (0x7A8, "0"),  # mcontext
        (0x7AA, "0"),  # scontext
        (0xB03, "0xFFFFFFFF"),  # mhpmcounter3
        (0xB04, "0"),
        (0xB1F, "0"),
        (0xB83, "0xFFFFFFFF"),
        (0xB9F, "0"),
    ],
)
def test_written_register_keeps_the_bits_it_has(number: int, kept: str, tmp_path: Path) -> None:
    run_checked(_write_all_ones(number) + checks(("a0", kept)), tmp_path)


def test_read_only_registers(tmp_path: Path) -> None:
    wanted = {0xCD0: "1", 0xCD1: "3", 0xCD2: "0", 0xF11: "0x602", 0xF12: "4", 0xF13: "1", 0xF14: "1",
              0xC03: "0", 0xC1F: "0", 0xC83: "0", 0xC9F: "0"}  # fmt: skip
    reads = "".join(
        f"  csrr a0, {number:#x}\n" + checks(("a0", value)) for number, value in wanted.items()
    )
    only_core_1 = "  csrr t0, mhartid\n  bnez t0, 1f\n2:\n  j 2b\n1:\n"
    run_checked(only_core_1 + reads, tmp_path, cores=2)


def test_reset_values_of_cv32e40p_alone(tmp_path: Path) -> None:
    main = "  csrr a0, mstatus\n  csrr a1, mcountinhibit\n  csrr a2, mcycle\n  csrr a3, minstret\n"
    wanted = {"a0": "0x1800", "a1": "0xD", "a2": "0", "a3": "0"}
    run_checked(main + checks(*wanted.items()), tmp_path, *_ALONE)


def test_minstret_counts_neither_what_writes_it_nor_environment_calls(tmp_path: Path) -> None:
    handler = "handler:\n  csrr s2, mepc\n  addi s2, s2, 4\n  csrw mepc, s2\n  mret\n"
    main = """
  trap_table table, 0
  csrwi minstret, 0
  csrr a0, minstret
  li t0, -1
  csrw minstret, t0
  csrw minstreth, t0
  nop
  csrr a1, minstret
  csrr a2, minstreth
  csrwi minstret, 0
  ecall
  csrr a3, minstret
  csrr a4, instret
"""
    wanted = {"a0": "0", "a1": "0", "a2": "0", "a3": "5", "a4": "6"}
    run_checked(with_handler(handler, main) + checks(*wanted.items()), tmp_path)


def test_counters_stand_still_while_mcountinhibit_says_so(tmp_path: Path) -> None:
    main = """
  csrsi mcountinhibit, 5
  csrwi mcycle, 7
  csrwi mcycleh, 1
  csrwi minstret, 9
  nop
  csrr a0, mcycle
  csrr a1, cycleh
  csrr a2, instret
  csrci mcountinhibit, 4
  nop
  nop
  csrsi mcountinhibit, 4
  nop
  csrr a3, minstret
  csrr a4, mcycle
"""
    wanted = {"a0": "7", "a1": "1", "a2": "9", "a3": "12", "a4": "7"}
    run_checked(main + checks(*wanted.items()), tmp_path)


@pytest.mark.parametrize(
    ("event", "count"),
    [(1, 13), (2, 1), (5, 2), (6, 1), (7, 1), (8, 3), (9, 2), (10, 2), (3, 0), (15, 0)],
)
def test_events_are_counted(event: int, count: int, tmp_path: Path) -> None:
    """Instructions, load-use stalls, loads, stores, jumps, branches, those taken, compressed ones."""
    main = f"""
.option norvc
  li a0, L1
  csrwi mhpmcounter3, 0
  li t1, 1 << {event}
  csrw mhpmevent3, t1
  lw t2, 0(a0)
  addi t2, t2, 1
  lw t2, 4(a0)
  sw a0, 0(a0)
  beqz zero, 1f
  nop
1:
  cv.beqimm zero, 0, 2f
  nop
2:
  bnez zero, 2b
.option rvc
  c.nop
  c.nop
.option norvc
  j 3f
  nop
3:
  nop
  nop
  csrwi mhpmevent3, 0
  csrr a1, mhpmcounter3
  csrr a2, hpmcounter3
"""
    run_checked(main + checks(("a1", str(count)), ("a2", str(count))), tmp_path)


def test_a_loop_that_polls_the_dma_is_counted_as_what_it_is(tmp_path: Path) -> None:
    """Though the report calls it a wait: as many loads by mhpmcounter3 as the loop has rounds."""
    main = """
  li s0, DMA
  li t1, 512 | (1 << 17) | (1 << 18)
  li a0, L1
  li a1, L2_DATA
  lw t0, 0(s0)
  sw t1, 0(s0)
  sw a0, 0(s0)
  sw a1, 0(s0)
  li a2, 0
  li t1, 1 << 5
  csrw mhpmevent3, t1
1:
  lw t2, 4(s0)
  slli t2, t2, 16
  addi a2, a2, 1
  bnez t2, 1b
  csrr a3, mhpmcounter3
  sub a3, a3, a2
  sltiu a2, a2, 5
"""
    run_checked(main + checks(("a3", "0"), ("a2", "0")), tmp_path)


def test_state_of_floating_point(tmp_path: Path) -> None:
    """Off makes its instructions and registers illegal; what changes a register or a flag makes it dirty."""
    handler = """
handler:
  csrr s2, mcause
  csrr s3, mepc
  addi s3, s3, 4
  csrw mepc, s3
  addi s7, s7, 1
  mret
"""
    main = """
.option norvc
  trap_table table, 0
  li a6, L1
  li s0, 0x6000
  li s1, 0x2000
  csrc mstatus, s0
  fadd.s f0, f1, f2
  flw f0, 0(a6)
  fsw f0, 0(a6)
  csrr a0, fcsr
  csrwi frm, 1
  csrr a1, mstatus
  csrs mstatus, s1
  fsw f0, 0(a6)
  csrr a2, mstatus
  flw f0, 0(a6)
  csrr a3, mstatus
  csrc mstatus, s0
  csrs mstatus, s1
  csrwi fflags, 0
  csrr a4, mstatus
"""
    wanted = {
        "s2": "2",
        "s7": "5",
        "a1": "0x1880",
        "a2": "0x3880",
        "a3": "0x80007880",
        "a4": "0x80007880",
    }
    run_checked(with_handler(handler, main) + checks(*wanted.items()), tmp_path)
