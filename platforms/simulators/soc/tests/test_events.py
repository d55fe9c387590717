"""The event unit and the cluster's timers, by programs that check themselves."""

from pathlib import Path

from support import check, run_checked


def test_barrier_holds_until_the_last_core_comes(tmp_path: Path) -> None:
    body = (
        """
  barrier_setup 8
  csrr a0, mhartid
  li a1, L1
  slli a2, a0, 5
1:
  addi a2, a2, -1     // later for higher numbers
  bgtz a2, 1b
  slli a3, a0, 2
  add a3, a3, a1
  li a4, 1
  sw a4, 0(a3)
  barrier_wait
  li a5, 8
  li a6, 0
2:
  cv.lw a4, (a1), 4
  add a6, a6, a4
  addi a5, a5, -1
  bnez a5, 2b
"""
        + check("a6", "8", 1)
        + """
  barrier_wait
  csrr a0, mhartid
3:
  bnez a0, 3b
"""
    )
    run_checked(body, tmp_path, "--race-check", cores=8)


def test_mutex_lets_one_core_in_at_a_time(tmp_path: Path) -> None:
    body = (
        """
  barrier_setup 8
  li a1, L1
  li a5, 20
1:
  cv.elw a2, EU_MUTEX(t0)
  lw a3, 0(a1)
  addi a3, a3, 1
  nop
  sw a3, 0(a1)
  sw zero, EU_MUTEX(t0)
  addi a5, a5, -1
  bnez a5, 1b
  barrier_wait
  lw a3, 0(a1)
"""
        + check("a3", "160", 1)
        + """
  csrr a0, mhartid
2:
  bnez a0, 2b
"""
    )
    run_checked(body, tmp_path, "--race-check", cores=8)


def test_software_event_wakes_the_cores_it_names(tmp_path: Path) -> None:
    body = (
        """
  li t0, EVENT_UNIT
  li t1, 1 << 3
  sw t1, 0(t0)
  csrr a0, mhartid
  li a1, L1
  bnez a0, 1f
  li a2, 200
3:
  addi a2, a2, -1
  bnez a2, 3b
  li a2, 77
  sw a2, 0(a1)
  li t1, 1 << 1
  sw t1, 0x10C(t0)     // software event 3, for core 1
4:
  j 4b
1:
  cv.elw a3, EU_WAIT_CLEAR(t0)
  lw a2, 0(a1)
  lw a4, 0x1C(t0)
"""
        + check("a3", "8", 1)
        + check("a2", "77", 2)
        + check("a4", "0", 3)
    )
    run_checked(body, tmp_path, cores=2)


def test_timer_counts_and_wakes(tmp_path: Path) -> None:
    body = (
        """
  li s0, TIMER
  li t0, EVENT_UNIT
  li t1, 1 << 10
  sw t1, 0(t0)
  li t1, 500
  sw t1, 0x10(s0)
  li t1, 1 | 2 | 4
  sw t1, 0(s0)
  cv.elw a3, EU_WAIT_CLEAR(t0)
  lw a4, 8(s0)
  li a5, 530
  sltu a6, a4, a5
  li a5, 500
  sltu a7, a4, a5
"""
        + check("a3", "1 << 10", 1)
        + check("a6", "1", 2)
        + check("a7", "0", 3)
    )
    run_checked(body, tmp_path)


def test_trigger_and_wait_raises_the_event_for_the_cores_of_its_mask(tmp_path: Path) -> None:
    """Core 0 triggers event 2 for itself and core 1, and sleeps until it comes: at once."""
    body = (
        """
  barrier_setup 2
  li t1, (1 << 2) | (1 << 16)
  sw t1, EU_MASK(t0)
  csrr a0, mhartid
  bnez a0, 1f
  li t1, 1
  sw t1, EU_SOFTWARE_MASK(t0)
  li t1, 2
  sw t1, EU_SOFTWARE_MASK + 8(t0)
  lw a1, EU_SOFTWARE_MASK(t0)
  cv.elw a2, EU_SOFTWARE_WAIT_CLEAR + 8(t0)
  lw a3, EU_BUFFER(t0)
"""
        + check("a1", "3", 1)
        + check("a2", "4", 2)
        + check("a3", "0", 3)
        + """
  barrier_wait
  exit_with 0
1:
  cv.elw a2, EU_WAIT_CLEAR(t0)
"""
        + check("a2", "4", 4)
        + """
  barrier_wait
2:
  j 2b
"""
    )
    run_checked(body, tmp_path, cores=2)


def test_other_cores_registers_are_reached_through_the_interconnect(tmp_path: Path) -> None:
    """Core 0 lets event 5 wake core 1, triggers it, and reads core 1's buffer and a barrier's members."""
    body = (
        """
  csrr a0, mhartid
  li t0, EVENT_UNIT
  bnez a0, 1f
  li t2, EVENT_UNIT_PERIPHERAL
  li t1, 1 << 5
  sw t1, 0x40 + EU_MASK(t2)
  lw a1, 0x40 + EU_MASK(t2)
  li t1, 2
  sw t1, EU_BARRIER_MEMBERS(t0)
  lw a2, 0x400(t2)
  sw t1, 0x600 + 20(t2)
  lw a3, 0x40 + EU_BUFFER_MASKED(t2)
  lw a4, EU_BUFFER(t0)
"""
        + check("a1", "1 << 5", 1)
        + check("a2", "2", 2)
        + check("a3", "1 << 5", 3)
        + check("a4", "0", 4)
        + """
  li t2, 0
3:
  j 3b
1:
  cv.elw a1, EU_WAIT_CLEAR(t0)
"""
        + check("a1", "1 << 5", 5)
    )
    run_checked(body, tmp_path, cores=2)
