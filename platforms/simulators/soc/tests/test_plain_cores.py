"""Cores without CORE-V, in the cluster or beside it: RV32IMCF runs, everything else is illegal."""

from pathlib import Path

import pytest
from handlers import with_handler
from support import EXIT_FAULT, EXIT_USE, HEAD, checks, link, run_checked, simulate

_SKIP = """
handler:
  csrr s2, mcause
  csrr s3, mepc
  addi s5, s3, 4
  csrw mepc, s5
  addi s7, s7, 1
  mret
"""
_PLACES = pytest.mark.parametrize(
    ("constant", "cores"), [("fc_corev", 0), ("cluster_corev", 1)], ids=["fc", "cluster"]
)


@_PLACES
def test_instructions_of_corev_enter_the_handler(constant: str, cores: int, tmp_path: Path) -> None:
    """And the others do what they did; misa says what there is."""
    main = """
  trap_table table, 1
  li a0, -5
  li a1, 3
1:
  cv.min a1, a0, a1
  la a2, 1b
  sub s3, s3, a2
  mul a3, a0, a1
  fcvt.s.w fa0, a1
  fmul.s fa0, fa0, fa0
  fcvt.w.s a4, fa0
  csrr a5, misa
"""
    wanted = {"s2": "2", "s3": "0", "s7": "1", "a1": "3", "a3": "-15", "a4": "9"}
    body = with_handler(_SKIP, main) + checks(*wanted.items(), ("a5", "0x40001124"))
    run_checked(body, tmp_path, "--set", f"{constant}=0", cores=cores)


@_PLACES
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("cv.lw a0, (sp), 4", ": this core has no CORE-V"),
        ("loop_setup 0, a5, 1f\n 1:", ": this core has no CORE-V"),
        ("cv.sdotsp.b a0, a1, a2", ": this core has no CORE-V"),
        ("csrr a0, 0xCC0", "illegal instruction: CSR 0xcc0 cannot be accessed so"),
        ("csrr a0, 0xCD1", "illegal instruction: CSR 0xcd1 cannot be accessed so"),
    ],
)
def test_without_a_handler_they_are_faults(
    code: str, reason: str, constant: str, cores: int, tmp_path: Path
) -> None:
    elf = link(f"{HEAD}{code}\n exit_with 0\n", tmp_path, symbols={})
    flags = ("--start-cluster", "--set", "cluster_cores=1") if cores else ()
    run = simulate(elf, *flags, "--set", f"{constant}=0")
    assert (run.status, reason in run.messages) == (EXIT_FAULT, True), run.messages


# The fabric controller and core 0 of the cluster call `shared`, which puts the minimum of 3 and 5 at a4, or -1 if
# cv.min traps. L2_DATA: 1 as long as the cluster is at it; behind it are the cluster's result and the other's.
_SHARED = """
  j main
.option norvc
handler:
  csrr t1, mepc
  addi t1, t1, 4
  csrw mepc, t1
  li a1, -1
  mret
.balign 256
table:
.rept 32
  j handler
.endr
worker:
  trap_table table, 0
  li a2, L2_DATA
1:
  lw a3, 0(a2)
  beqz a3, 1b
  addi a4, a2, 4
  jal ra, shared
  sw zero, 0(a2)
  j 1b
shared:
  li a0, 3
  li a1, 5
changed:
  cv.min a1, a1, a0
  sw a1, 0(a4)
  ret
main:
  trap_table table, 0
  start_cluster 1
"""
_ON_FABRIC = " li a4, L2_DATA + 8\n jal ra, shared\n"
_ON_CLUSTER = " li a2, L2_DATA\n li a3, 1\n sw a3, 0(a2)\n1:\n lw a3, 0(a2)\n bnez a3, 1b\n"
_RESULTS = " li a2, L2_DATA\n lw a5, 4(a2)\n lw a6, 8(a2)\n"

_EACH_TYPE_PLAIN = pytest.mark.parametrize(
    ("plain", "on_cluster", "on_fabric"),
    [("fc_corev", "3", "-1"), ("cluster_corev", "-1", "3")],
    ids=["fc", "cluster"],
)


@_EACH_TYPE_PLAIN
@pytest.mark.parametrize("fabric_first", [True, False], ids=["fc-first", "cluster-first"])
def test_one_core_traps_where_another_computes(
    plain: str, on_cluster: str, on_fabric: str, fabric_first: bool, tmp_path: Path
) -> None:
    """At the same address, whichever of them comes there first, and again when both have been there."""
    calls = [_ON_FABRIC, _ON_CLUSTER] if fabric_first else [_ON_CLUSTER, _ON_FABRIC]
    body = "".join([_SHARED, *calls, *calls, _RESULTS])
    results = checks(("a5", on_cluster), ("a6", on_fabric))
    run_checked(body + results, tmp_path, "--set", f"{plain}=0", cores=0)


@_EACH_TYPE_PLAIN
def test_stores_change_an_instruction_for_all_types_of_cores(
    plain: str, on_cluster: str, on_fabric: str, tmp_path: Path
) -> None:
    """From CORE-V to RV32I, with which both compute, and back."""
    both = _ON_FABRIC + _ON_CLUSTER
    exchange = """
  la a0, changed
  lw a1, 0(a0)
  la a2, other
  lw a3, 0(a2)
  sw a3, 0(a0)
  sw a1, 0(a2)
  fence.i
"""
    data = " j 2f\nother:\n addi a1, a0, 4\n2:\n"
    on_all = checks(("a5", "7"), ("a6", "7"))
    on_each = checks(("a5", on_cluster), ("a6", on_fabric))
    computing = both + exchange + both + _RESULTS + on_all
    body = _SHARED + data + computing + exchange + both + _RESULTS + on_each
    run_checked(body, tmp_path, "--set", f"{plain}=0", cores=0)


@pytest.mark.parametrize(
    ("plain", "culprit"), [("fc_corev", "fabric controller"), ("cluster_corev", "core 0")]
)
def test_the_core_without_it_stops_the_run_if_asked_for(
    plain: str, culprit: str, tmp_path: Path
) -> None:
    """Though it has a handler, and the other core runs the same code."""
    source = f"{HEAD}{_SHARED}{_ON_FABRIC}{_ON_CLUSTER} exit_with 0\n"
    elf = link(source, tmp_path, symbols={})
    assert simulate(elf, "--set", f"{plain}=0").status == 0
    run = simulate(elf, "--set", f"{plain}=0", "--stop-at-exceptions")
    assert run.status == EXIT_FAULT
    assert f"{culprit} at 0x" in run.messages
    assert "in changed: cv.min a1, a1, a0" in run.messages


def test_a_core_has_corev_or_not(tmp_path: Path) -> None:
    elf = link(f"{HEAD} exit_with 0\n", tmp_path, symbols={})
    run = simulate(elf, "--set", "fc_corev=2")
    assert (run.status, "fc_corev may be 1 at most, not 2" in run.messages) == (EXIT_USE, True)
