"""What the command says to wrong use, to files that are not what they should be, and to programs without an end."""

import subprocess
from pathlib import Path

import pytest
from support import CHIP, EXIT_OUT_OF_CYCLES, EXIT_USE, HEAD, link, program, simulate


def _soc(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program("soc"), *words], capture_output=True, text=True, check=False)


@pytest.fixture
def elf(tmp_path: Path) -> Path:
    """A program that prints a letter and ends."""
    body = "  li t0, STDOUT\n  li t1, 'x'\n  sw t1, 0(t0)\n  exit_with 0\n"
    return link(f"{HEAD}{body}", tmp_path, symbols={})


def test_help_is_no_error() -> None:
    done = _soc("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--most-cycles N" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no program"),
        (("a.elf",), "no chip"),
        (("--chip", CHIP, "a.elf", "b.elf"), "one program at a time: a.elf, then b.elf"),
        (("--chip", CHIP, "-x", "a.elf"), "no option is called -x"),
        (("--chip", CHIP, "--log-core", "1", "a.elf"), "nothing without --log"),
        (("--chip", CHIP, "--gdb-core", "1", "a.elf"), "nothing without --gdb"),
        (("--chip", CHIP, "--log", "l", "--log-range", "9:5", "a.elf"), "no address lies in '9:5'"),
    ],
)
def test_wrong_use_is_one_line(words: tuple[str | Path, ...], message: str) -> None:
    done = _soc(*words)
    assert (done.returncode, done.stdout) == (EXIT_USE, "")
    (line,) = done.stderr.splitlines()
    assert message in line
    assert "--help" in line


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "found no ELF file, of 0 bytes"),
        (b"#!/bin/sh\n" + bytes(60), "found no ELF file, of 70 bytes"),
        (
            b"\x7fELF\2\1" + bytes(12) + b"\x3e" + bytes(60),
            "64 bits, little-endian, for machine 62",
        ),
        (b"\x7fELF\1\1" + bytes(10) + b"\1\0\xf3" + bytes(60), "not linked to an executable"),
    ],
)
def test_file_that_is_no_program_is_told_apart(
    content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    done = _soc("--chip", CHIP, path)
    assert done.returncode == EXIT_USE
    assert str(path) in done.stderr
    assert message in done.stderr


def test_program_that_is_cut_off_is_named(elf: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.elf"
    path.write_bytes(elf.read_bytes()[:100])
    done = _soc("--chip", CHIP, path)
    assert done.returncode == EXIT_USE
    assert f"the file has {path.stat().st_size}; it is cut off or damaged" in done.stderr


def test_program_for_another_memory_map_is_told_where_the_memories_are(tmp_path: Path) -> None:
    elf = link(f"{HEAD}  nop\n", tmp_path, symbols={}, text=0x20000000)
    done = _soc("--chip", CHIP, elf)
    assert done.returncode == EXIT_USE
    assert "segment at 0x20000000" in done.stderr
    assert "L1 of 65536 bytes from 0x10000000, L2 of 1638400 bytes from 0x1c000000" in done.stderr


def test_folders_are_neither_programs_nor_chips(elf: Path, tmp_path: Path) -> None:
    for words in (("--chip", CHIP, tmp_path), ("--chip", tmp_path, elf)):
        done = _soc(*words)
        assert done.returncode == EXIT_USE
        assert f"{tmp_path}: cannot be read" in done.stderr


@pytest.mark.parametrize("option", ["--json", "--trace", "--log"])
def test_files_that_cannot_be_written_are_told_before_the_run(
    option: str, elf: Path, tmp_path: Path
) -> None:
    done = _soc("--chip", CHIP, option, tmp_path / "nowhere" / "file", elf)
    assert (done.returncode, done.stdout) == (EXIT_USE, "")
    assert "nowhere/file: cannot be written" in done.stderr


def test_running_out_of_cycles_says_where_every_core_is(tmp_path: Path) -> None:
    elf = link(f"{HEAD}forever:\n  j forever\n", tmp_path, symbols={})
    run = simulate(elf, "--most-cycles", "100")
    assert run.status == EXIT_OUT_OF_CYCLES
    first, place = run.messages.splitlines()
    assert first.startswith("stopped after ")
    assert "--most-cycles" in first
    assert place.startswith("fabric controller at 0x1c008000 in ")
    assert place.endswith(": jal zero, 0x1c008000")
