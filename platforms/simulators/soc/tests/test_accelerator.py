"""An accelerator's way into the chip, by the smallest one."""

from pathlib import Path

from support import check, read_trace, run_checked


def test_accelerator_runs_a_job_and_raises_its_event(tmp_path: Path) -> None:
    body = """
  li t0, EVENT_UNIT
  li t1, 1 << 12
  sw t1, 0(t0)
  li a0, L1
  li a1, 16
  mv a2, a0
1:
  sw a1, 0(a2)
  slli a3, a1, 8
  sw a3, 256(a2)
  addi a2, a2, 4
  addi a1, a1, -1
  bnez a1, 1b
  li s0, ACCELERATOR
  sw a0, 0x20(s0)
  addi a3, a0, 256
  sw a3, 0x24(s0)
  addi a3, a0, 512
  sw a3, 0x28(s0)
  li a3, 16
  sw a3, 0x2C(s0)
  csrr s1, mcycle
  sw zero, 0(s0)
  lw a4, 0x0C(s0)
  cv.elw a5, EU_WAIT_CLEAR(t0)
  csrr s2, mcycle
  sub s1, s2, s1
  lw a6, 512(a0)
  lw a7, 572(a0)
  li s2, 48
  sltu s1, s1, s2      // three cycles a word at least
"""
    checks = (("a4", "1"), ("a5", "1 << 12"), ("a6", "0x1010"), ("a7", "0x101"), ("s1", "0"))
    body += "".join(check(register, value, i + 1) for i, (register, value) in enumerate(checks))
    trace = tmp_path / "trace.json"
    run_checked(body, tmp_path, "--toy-accelerator", "--trace", str(trace))
    (job,) = read_trace(trace)["accelerator"]
    assert job.name == "add 16 words"
    assert job.ended - job.began >= 48
