"""The kernels compile for CORE-V without a warning, with hardware loops as short as they should be."""

import struct
from pathlib import Path

import pytest
from cluster_program import build
from tinsmith_toolchains import read_sections, read_symbols

# cv.setup 0 and 1, rs1, end: everything but the register and the distance.
SETUP_MASK = 0x00007FFF
SETUP = 0x0000472B
SETUP_OUTER = 0x000047AB
# Instructions of 4 bytes in a core's own instruction cache.
CACHED_INSTRUCTIONS = 512 // 4
CACHE_LINE_BYTES = 16


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    elf = tmp_path_factory.mktemp("corev") / "random.elf"
    assert build(elf, seed=1, calls=1) == ""
    return elf


def loop_lengths(elf: Path, setup: int = SETUP) -> set[int]:
    """Instructions in the bodies of all hardware loops, inner or outer ones."""
    text = next(section for section in read_sections(elf) if section.name == ".text")
    code = elf.read_bytes()[text.offset : text.offset + text.size_bytes]
    words = struct.unpack(f"<{len(code) // 4}I", code[: len(code) // 4 * 4])
    return {(word >> 20) - 1 for word in words if word & SETUP_MASK == setup}


@pytest.mark.parametrize(
    ("kernel", "instructions"),
    [
        ("4x4", 24),
        ("4x2", 14),
        ("4x1", 9),
        ("depthwise 3x3, truncating", 30),
        ("sum, weighted", 7),
        ("sum, requantized", 13),
        ("four of a sum by tables", 29),
        ("four of a lookup", 12),
        ("largest of a window", 4),
        ("sums of a window", 10),
    ],
)
def test_inner_loop_has_no_more_instructions(kernel: str, instructions: int, program: Path) -> None:
    assert instructions in loop_lengths(program), kernel


def test_panels_fit_the_instruction_cache(program: Path) -> None:
    assert max(loop_lengths(program, SETUP_OUTER)) <= CACHED_INSTRUCTIONS


def test_kernels_begin_with_a_line_of_the_instruction_cache(program: Path) -> None:
    code = [symbol for symbol in read_symbols(program) if symbol.section == ".text"]
    kernels = [symbol for symbol in code if symbol.name.startswith("tinsmith_pulp_")]
    assert len(kernels) > 5
    assert [kernel.name for kernel in kernels if kernel.address % CACHE_LINE_BYTES != 0] == []
