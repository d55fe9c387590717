"""Linker scripts follow the board's data."""

import re
from dataclasses import replace

import pytest
from tinsmith_boards import linker_script
from tinsmith_target import target, targets

_WITH_SCRIPT = [item.name for item in targets() if item.board.memories]


@pytest.mark.parametrize("name", _WITH_SCRIPT)
def test_every_memory_is_declared_with_its_range(name: str) -> None:
    board = target(name).board
    script = linker_script(board)

    for memory in board.memories:
        pattern = rf"{memory.name} \(\w+\) : ORIGIN = 0x{memory.origin:08x}, LENGTH = "
        assert re.search(pattern + str(memory.size_bytes), script)


def test_weights_are_taken_before_other_constants() -> None:
    script = linker_script(target("cortex-m4").board)

    assert script.index(".rodata.*_weights_*") < script.index("*(.rodata .rodata.*")


def test_weights_of_the_m55_leave_the_itcm() -> None:
    script = linker_script(target("cortex-m55").board)
    weights = script[script.index("  .weights :") :]

    found = re.search(r"\} > (\w+)", weights)

    assert found is not None
    assert found[1] == "sram"


def test_constants_of_an_accelerators_memory_lie_there_before_other_weights() -> None:
    script = linker_script(target("siracusa").board)

    assert (
        "  .in_weights : ALIGN(16) {\n    *(.rodata.tinsmith_in_weights)\n    . = ALIGN(4);\n  } > weights\n"
        in script
    )
    assert script.index(".rodata.tinsmith_in_weights") < script.index("  .weights :")
    assert ".in_" not in linker_script(target("cortex-m55").board)


def test_memories_of_a_program_lie_in_the_rams_called_so() -> None:
    script = linker_script(target("pulp-open").board)

    assert "*(.arena.l1)\n  } > l1\n" in script
    assert script.index("*(.arena.l1)") < script.index("*(.arena .arena.*)")
    assert ".arena_l2_code" not in script


def test_arenas_lie_in_the_memory_that_the_board_has_for_them() -> None:
    script = linker_script(target("diana").board)

    assert re.search(r"\*\(\.arena \.arena\.\*\)\n  \} > l2_arena\n", script)
    assert re.search(r"__stack_top = \.;\n  \} > l2_data\n", script)
    assert "*(.arena.l2_data)\n  } > l2_data\n" in script
    assert ".arena_l2_arena" not in script


def test_stack_has_the_boards_size() -> None:
    assert ". = . + 4096;" in linker_script(target("cortex-m0").board)


def test_stacks_of_a_cluster_lie_in_front_of_its_arena() -> None:
    board = target("siracusa").board
    script = linker_script(board, cluster=True)
    near = [
        re.escape(name)
        for name in ("__stack_limit = .;", "__worker_stacks = .;", ".bss.tinsmith_near")
    ]
    places = [re.search(rf"{name}[^}}]*\}} > l1\n", script, re.DOTALL) for name in near]
    assert all(places)
    assert script.index("__near_bss_end") < script.index("*(.arena.l1)")
    assert script.index("__near_bss_end") < script.index("*(.bss .bss.*")
    assert ". = . + 8960;" in script


def test_a_board_without_a_cluster_has_no_script_of_one() -> None:
    with pytest.raises(ValueError, match="mps2-an386 has no cluster"):
        linker_script(target("cortex-m4").board, cluster=True)


def test_entry_is_that_of_the_architecture() -> None:
    assert "ENTRY(Reset_Handler)" in linker_script(target("cortex-m0").board)
    assert "ENTRY(_start)" in linker_script(target("riscv32").board)


def test_host_has_no_linker_script() -> None:
    with pytest.raises(ValueError, match="host has no memories"):
        linker_script(target("host").board)


def test_what_no_core_loads_lies_in_the_remote_memory_and_everything_else_does_not() -> None:
    board = target("gap9").board
    script = linker_script(board)
    assert re.search(r"\.in_l3 : [^}]*\*\(\.rodata\.tinsmith_in_l3\)[^}]*\} > l3\n", script)
    assert script.count("> l3") == 1
    assert script.index("tinsmith_in_l3") < script.index("*tinsmith_harness*(")
    far = replace(board, weight_memory="l3")
    assert linker_script(far) == linker_script(replace(board, weight_memory=board.code_memory))
    assert "l3" not in linker_script(target("siracusa").board)
