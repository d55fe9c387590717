"""Calls for the host's files: what they do, and that they need to be asked for."""

from pathlib import Path

from support import EXIT_FAULT, HEAD, link, simulate

_COPY = """
  host_call 0x01, open_in
  sw a0, handle, t0
  host_call 0x0C, handle
  mv s0, a0                  // length: 10
  la t0, seek_to
  lw t1, handle
  sw t1, 0(t0)
  host_call 0x0A, seek_to
  la t0, transfer
  lw t1, handle
  sw t1, 0(t0)
  host_call 0x06, transfer
  mv s1, a0                  // 20 bytes asked for, 6 there: 14 are missing
  host_call 0x02, handle
  host_call 0x06, transfer
  mv s2, a0                  // all 20 are missing: the file is closed
  host_call 0x01, open_out
  la t0, transfer
  sw a0, 0(t0)
  host_call 0x05, transfer
  host_call 0x02, transfer
  host_call 0x04, text
  slli s0, s0, 2             // each in its own place of the exit status
  add s0, s0, s1
  add s0, s0, s2
  la t0, end
  sw s0, 4(t0)
  host_call 0x20, end
1: j 1b
.data
.balign 4
handle: .word 0
open_in: .word in_name, 1, in_end - in_name - 1
open_out: .word out_name, 5, out_end - out_name - 1
seek_to: .word 0, 4
transfer: .word 0, buffer, 20
end: .word 0x20026, 0
buffer: .fill 20, 1, 0x2D
text: .asciz "copied\\n"
in_name: .asciz "{folder}/in.txt"
in_end:
out_name: .asciz "{folder}/out.txt"
out_end:
"""


def test_program_reads_and_writes_files_prints_and_ends(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes(b"0123456789")
    elf = link(HEAD + _COPY.format(folder=tmp_path), tmp_path, symbols={})

    run = simulate(elf, "--semihosting")

    assert (run.status, run.output) == (10 * 4 + 14 + 20, "copied\n"), run.messages
    assert (tmp_path / "out.txt").read_bytes() == b"456789" + b"-" * 14


def test_file_that_is_not_there_is_no_handle_and_says_why(tmp_path: Path) -> None:
    source = """
  host_call 0x01, open
  addi a0, a0, 1             // -1: no handle
  sw a0, 0(sp)
  host_call 0x13, open
  lw t0, 0(sp)
  bnez t0, 1f
  la t0, end
  sw a0, 4(t0)               // ENOENT is 2 everywhere
1:host_call 0x20, end
.data
open: .word name, 1, 4
end: .word 0x20026, 99
name: .asciz "none"
"""
    head = HEAD + "  la sp, end + 64\n"
    run = simulate(link(head + source + ".fill 64\n", tmp_path, symbols={}), "--semihosting")
    assert run.status == 2, run.messages


def test_breakpoint_is_a_fault_without_the_option_or_its_neighbours(tmp_path: Path) -> None:
    elf = link(HEAD + "  host_call 0x18, 0x20026\n", tmp_path, symbols={})
    assert simulate(elf, "--semihosting").status == 0
    refused = simulate(elf)
    assert refused.status == EXIT_FAULT
    assert "ebreak" in refused.messages
    alone = simulate(link(HEAD + "  ebreak\n", tmp_path, symbols={}), "--semihosting")
    assert alone.status == EXIT_FAULT


def test_unknown_call_and_block_in_no_memory_are_faults(tmp_path: Path) -> None:
    unknown = simulate(link(HEAD + "  host_call 0x77, 0\n", tmp_path, symbols={}), "--semihosting")
    assert "semihosting has no operation 119" in unknown.messages
    outside = simulate(
        link(HEAD + "  host_call 0x01, 0x50000000\n", tmp_path, symbols={}), "--semihosting"
    )
    assert outside.status == EXIT_FAULT
    assert "4 bytes at 0x50000004 lie in no memory" in outside.messages


def test_data_is_put_where_it_is_loaded_not_where_it_runs(tmp_path: Path) -> None:
    moved = ".moved 0x1C030000 : AT(0x1C040000) { *(.moved) }"
    source = """
  li a0, 0x1C030000
  lw a0, 0(a0)
  li a1, 0x1C040000
  lw a1, 0(a1)
  add a0, a0, a1
  la t0, end
  sw a0, 4(t0)
  host_call 0x20, end
.data
end: .word 0x20026, 0
.section .moved, "aw"
.word 42
"""
    elf = link(HEAD + source, tmp_path, symbols={}, sections=moved)
    assert simulate(elf, "--semihosting").status == 42
