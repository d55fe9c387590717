"""The simulator's command line, and that its boards are its chips."""

import re
from pathlib import Path

import pytest
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_emulators.machine import command, crash_reason
from tinsmith_soc import chip, simulator
from tinsmith_target import Board, SocSimulator, target, targets

BOARDS = [item.board for item in targets() if isinstance(item.board.emulator, SocSimulator)]


def _constants(board: Board) -> dict[str, int]:
    """Of the description of the board's chip."""
    assert isinstance(board.emulator, SocSimulator)
    return _read(chip(board.emulator.chip))


def _read(path: Path) -> dict[str, int]:
    """The numbers of a description, those of the one that it starts from below them."""
    text = path.read_text(encoding="utf-8")
    base = re.search(r"^base (\S+)", text, re.MULTILINE)
    found = re.findall(r"^(\w+) *= *(\w+)", text, re.MULTILINE)
    own = {key: int(value, 0) for key, value in found}
    return _read(path.parent / base[1]) | own if base else own


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_memories_are_the_chips(board: Board) -> None:
    constants = _constants(board)
    l1 = [(memory.origin, memory.size_bytes) for memory in board.memories if memory.name == "l1"]
    assert l1 == [(constants["l1_base"], constants["l1_bytes"])]
    # What cores do not reach is a scratchpad of accelerators.
    scratchpad = board.scratchpad
    assert (scratchpad is not None and scratchpad.memory == "l1") == (constants["l1_private"] == 1)
    l2 = [memory for memory in board.memories if memory.name.startswith("l2")]
    ordered = sorted(l2, key=lambda m: m.origin)
    assert ordered[0].origin == constants["l2_base"]
    assert ordered[-1].end == constants["l2_base"] + constants["l2_bytes"]
    assert sum(memory.size_bytes for memory in ordered) == constants["l2_bytes"]


def test_what_accelerators_touch_lies_where_they_get() -> None:
    board = target("diana").board
    constants = _constants(board)
    shared = constants["l2_base"] + constants["l2_private_bytes"]
    assert board.memory(board.weight_memory).origin >= shared
    assert board.memory(board.arena_home).origin >= shared
    assert board.memory(board.data_memory).end <= shared


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_further_memories_are_the_chips(board: Board) -> None:
    assert isinstance(board.emulator, SocSimulator)
    text = chip(board.emulator.chip).read_text(encoding="utf-8")
    lines = re.findall(r"^memory (\w+) base=(\w+) bytes=(\w+) (.*)$", text, re.MULTILINE)
    others = [memory for memory in board.memories if not memory.name.startswith(("l1", "l2"))]
    assert [(m.name, m.origin, m.size_bytes, m.is_remote) for m in others] == [
        (name, int(base, 0), int(size, 0), "remote=1" in how) for name, base, size, how in lines
    ]
    names = {"gap9": ["l3"], "siracusa": ["weights"]}
    assert [memory.name for memory in others] == names.get(board.name, [])


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_command_serves_files(
    board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "soc").write_text("", encoding="utf-8")
    monkeypatch.setenv("TINSMITH_SOC_DIR", str(tmp_path))
    simulator.cache_clear()
    words = command(board, Path("/x/firmware.elf"))
    simulator.cache_clear()

    assert isinstance(board.emulator, SocSimulator)
    expected = [str(tmp_path / "soc"), "--chip", str(chip(board.emulator.chip))]
    assert words == [*expected, "--semihosting", "/x/firmware.elf"]


@pytest.mark.parametrize(
    ("address", "is_overflow"),
    [(0x1BFF_FFFC, True), (0x1BFF_C000, True), (0x1BFF_0000, False), (0xFFFF_FF00, False)],
)
def test_accesses_right_below_the_stack_are_its_overflow(address: int, is_overflow: bool) -> None:
    report = f"fault at cycle 5: store of 4 bytes at 0x{address:08x}: nothing is there\n"
    assert bool(crash_reason(BOARDS[0], report)) == is_overflow


def test_other_faults_speak_for_themselves() -> None:
    assert crash_reason(BOARDS[0], "fault at cycle 5: illegal instruction 0x00000000") == ""
    assert crash_reason(target("cortex-m4").board, "harness: fault pc=0x00000000") == ""


def test_missing_simulator_is_a_missing_emulator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TINSMITH_SOC_DIR", str(tmp_path))
    simulator.cache_clear()
    with pytest.raises(MissingEmulatorError, match="TINSMITH_SOC_DIR"):
        need_emulator(BOARDS[0])
    simulator.cache_clear()
