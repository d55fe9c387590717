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
        ("cv.lw a0, (sp), 4", "illegal instruction: this core has no CORE-V"),
        ("loop_setup 0, a5, 1f\n 1:", "illegal instruction: this core has no CORE-V"),
        ("cv.sdotsp.b a0, a1, a2", "illegal instruction: this core has no CORE-V"),
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


@pytest.mark.parametrize("plain_first", [True, False])
def test_cores_of_both_kinds_take_the_same_code_each_in_its_own_way(
    plain_first: bool, tmp_path: Path
) -> None:
    """Whichever of them comes there first."""
    on_cluster = """
  start_cluster 1
  li a2, L2_DATA
1:
  lw a3, 0(a2)
  beqz a3, 1b
"""
    on_fabric = " jal ra, shared\n"
    main = f"""
  trap_table table, 1
  li a0, -5
  li a1, 3
  {on_fabric if plain_first else on_cluster}
  {on_cluster if plain_first else on_fabric}
  mv a4, a1
  j end
shared:
  cv.min a1, a0, a1
  ret
worker:
  li a0, -5
  li a1, 3
  jal ra, shared
  li a2, L2_DATA
  sw a1, 0(a2)
2:
  j 2b
end:
"""
    wanted = {"s2": "2", "s7": "1", "a3": "-5"}
    run_checked(
        with_handler(_SKIP, main) + checks(*wanted.items()),
        tmp_path,
        "--set",
        "fc_corev=0",
        cores=0,
    )


def test_a_core_has_corev_or_not(tmp_path: Path) -> None:
    elf = link(f"{HEAD} exit_with 0\n", tmp_path, symbols={})
    run = simulate(elf, "--set", "fc_corev=2")
    assert (run.status, "fc_corev may be 1 at most, not 2" in run.messages) == (EXIT_USE, True)
