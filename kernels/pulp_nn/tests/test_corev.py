"""The kernels compile for CORE-V without a warning, and link with the cluster's runtime."""

import struct
from pathlib import Path

from cluster_program import KERNELS, TESTS, build
from tinsmith_toolchains import read_sections, read_symbols

L1_START = 0x10000000
HELPERS = [
    TESTS / "random_calls.c",
    TESTS / "named_calls.c",
    TESTS / "random_data.c",
    TESTS / "oracle.c",
    KERNELS / "reference" / "softmax_s8.c",
]

# cv.setup 0, rs1, end: everything but the register and the distance.
SETUP_MASK = 0x00007FFF
SETUP = 0x0000472B


def test_random_calls_are_a_program_for_the_cluster(tmp_path: Path) -> None:
    elf = tmp_path / "random.elf"
    main = TESTS / "cluster/random_main.c"
    objects = build(main, HELPERS, ["SEED=1", "CALLS=20"], elf, l1_bytes=65536)
    assert "".join(item.warnings for item in objects) == ""
    names = {symbol.name for symbol in read_symbols(elf)}
    assert {"_start", "tinsmith_pulp_conv2d", "tinsmith_pulp_depthwise", "main"} <= names
    l1 = next(section for section in read_sections(elf) if section.name == ".l1")
    assert l1.address == L1_START


def test_inner_loops_are_hardware_loops(tmp_path: Path) -> None:
    elf = tmp_path / "random.elf"
    main = TESTS / "cluster/random_main.c"
    build(main, HELPERS, ["SEED=1", "CALLS=20"], elf, l1_bytes=65536)
    text = next(section for section in read_sections(elf) if section.name == ".text")
    code = elf.read_bytes()[text.offset : text.offset + text.size_bytes]
    words = struct.unpack(f"<{len(code) // 4}I", code[: len(code) // 4 * 4])
    lengths = [word >> 20 for word in words if word & SETUP_MASK == SETUP]
    # Words between the set-up and the end: 4x4 has 24 instructions, 4x2 14, 4x1 9.
    assert {24, 14, 9} <= {length - 1 for length in lengths}
