"""The kernels compile for CORE-V without a warning, with hardware loops as short as they should be."""

import struct
from pathlib import Path

import pytest
from cluster_program import L1_BYTES, LIBRARY, SIMULATORS, build
from tinsmith_toolchains import build_cluster_program, read_sections, read_symbols

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
        ("a product", 15),
        ("a product that rounds once", 13),
        ("a sum of rows", 9),
        ("the smaller of two", 4),
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


def code_bytes(folder: Path, entry: str) -> int:
    """Code and constants of a program that calls only main(), and the same with an entry point: the difference."""
    sizes: list[int] = []
    for name, statement in (("without", ""), ("with", f"kept = (void *)&{entry};")):
        source = folder / f"{name}.c"
        source.write_text(
            f"void {entry}(void);\nvoid *volatile kept;\nint main(void) {{ {statement} return 0; }}\n",
            encoding="utf-8",
        )
        elf = folder / f"{name}.elf"
        build_cluster_program(
            [source, *sorted((LIBRARY / "src").glob("*.c"))],
            elf,
            runtime=SIMULATORS / "runtime",
            include_directories=[LIBRARY, LIBRARY / "include"],
            l1_bytes=L1_BYTES,
        )
        sections = read_sections(elf)
        sizes.append(sum(s.size_bytes for s in sections if s.name in (".text", ".rodata")))
    return sizes[1] - sizes[0]


@pytest.mark.parametrize(
    ("entry", "at_most"),
    [
        ("conv2d_packed_tflite_s8", 4096),
        ("conv2d_packed_truncate_s8", 4096),
        ("conv2d_packed_scale_s8", 4096),
        ("conv2d_packed_scale_high_s8", 4096),
        ("depthwise_3x3_tflite_s8", 4096),
        ("depthwise_3x3_truncate_s8", 4096),
        ("depthwise_3x3_scale_s8", 4096),
        ("depthwise_3x3_scale_high_s8", 4096),
        ("depthwise_tflite_s8", 6000),
        ("depthwise_truncate_s8", 6000),
        ("linear_packed_tflite_s8", 1200),
        ("linear_packed_truncate_s8", 1200),
        ("linear_packed_scale_s8", 1200),
        ("linear_packed_scale_high_s8", 1200),
        ("add_tflite_s8", 700),
        ("add_weighted_s8", 500),
        ("max_pool_s8", 1000),
        ("average_pool_tflite_s8", 2300),
        ("softmax_by_table", 1300),
        ("lookup", 300),
        ("copy", 700),
        ("mul_tflite_s8", 600),
        ("mul_scaled_s8", 600),
        ("sum_by_tables", 560),
        ("minimum_s8", 520),
        ("mean_s8", 700),
        ("move", 1000),
    ],
)
def test_a_function_of_one_kind_brings_little_code(
    entry: str, at_most: int, tmp_path: Path
) -> None:
    assert 0 < code_bytes(tmp_path, f"tinsmith_pulp_{entry}") <= at_most
