"""The hardware data holds together."""

from itertools import pairwise

import pytest
from tinsmith_target import Board, Counter, SocSimulator, UnknownTargetError, target, targets

BOARDS = [item.board for item in targets() if item.board.memories]


def test_all_promised_targets_are_there_in_order() -> None:
    assert [item.name for item in targets()] == [
        "host",
        "cortex-m0",
        "cortex-m3",
        "cortex-m4",
        "cortex-m7",
        "cortex-m33",
        "cortex-m55",
        "riscv32",
        "pulp-open",
        "siracusa",
        "gap9",
        "diana",
        "diana-images",
    ]


def test_target_is_found_by_name() -> None:
    assert target("cortex-m55").features == {"dsp", "fpu", "mve"}
    assert target("cortex-m3").features == frozenset()


def test_unknown_target_error_lists_the_known_ones() -> None:
    with pytest.raises(UnknownTargetError, match=r"'cortex-m99'.*cortex-m4.*riscv32"):
        target("cortex-m99")


def test_a_target_is_named_with_features_that_nobody_has_published() -> None:
    """Order among the target's names is one; the simulator is told of each."""
    board = target("diana+whole-vectors+channel-loops").board
    assert board.accelerator_features == {"channel-loops", "whole-vectors"}
    assert isinstance(board.emulator, SocSimulator)
    found = [(it.name, it.value) for it in board.emulator.constants]
    assert found == [("digital.depthwise_loop", 1), ("digital.fully_connected_outputs", 0)]
    assert target("diana").board.accelerator_features == frozenset()
    assert target("host+instruction-lists").board.accelerator_features == {"instruction-lists"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("diana+wings", r"'diana\+wings'.*\(channel-loops, .*, each once\), got wings"),
        ("diana+whole-vectors+whole-vectors", "got whole-vectors, whole-vectors"),
        ("diana+", "got $"),
        ("gap9+whole-vectors", r"features of gap9 behind it \(none\)"),
        ("dian+whole-vectors", "unknown target 'dian'; known targets: host"),
    ],
)
def test_features_that_a_target_may_not_have_are_refused(name: str, message: str) -> None:
    with pytest.raises(UnknownTargetError, match=message):
        target(name)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_memories_do_not_overlap(board: Board) -> None:
    ordered = sorted(board.memories, key=lambda memory: memory.origin)
    for lower, upper in pairwise(ordered):
        assert lower.end <= upper.origin


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_sections_are_placed_in_fitting_memories(board: Board) -> None:
    assert board.memory(board.code_memory).kind == "flash"
    assert board.memory(board.weight_memory).kind == "flash"
    data = board.memory(board.data_memory)
    assert data.kind == "ram"
    assert 0 < board.stack_bytes < data.size_bytes
    assert board.memory(board.arena_home).kind == "ram"


def test_arenas_have_a_memory_of_their_own_or_what_a_stack_leaves() -> None:
    board, other = target("diana").board, target("cortex-m0").board
    assert board.arena_home == "l2_arena"
    assert board.home("arena") == board.memory("l2_arena")
    assert board.arena_room("l2_arena") == 88 * 1024
    assert board.arena_room("l2_data") == 8 * 1024
    assert other.arena_home == "ram"
    assert other.arena_room("ram") == 28 * 1024


def test_unknown_memory_names_the_board() -> None:
    with pytest.raises(KeyError, match=r"mps2-an386 has no memory 'disk'"):
        target("cortex-m4").board.memory("disk")


def test_host_has_no_emulator() -> None:
    assert [item.name for item in targets() if item.board.emulator is None] == ["host"]


def test_ticks_become_instructions() -> None:
    # 25 MHz is 40 ns a tick; at shift 6 an instruction takes 64 ns.
    assert Counter("memory", 0, 25_000_000).instructions_per_tick(6) == 0.625
    assert Counter("memory", 0, 20_000_000).instructions_per_tick(6) == 0.78125
    assert Counter("minstret", 0, 0).instructions_per_tick(0) == 1.0


def test_every_counter_resolves_single_instructions() -> None:
    for item in targets():
        if emulator := item.board.emulator:
            assert 0.0 < emulator.instructions_per_tick <= 1.0


def test_cycles_are_counted_by_the_simulator_alone() -> None:
    counted = [
        item.name for item in targets() if item.board.emulator and item.board.emulator.counts_cycles
    ]
    assert counted == ["pulp-open", "siracusa", "gap9", "diana", "diana-images"]


def test_nothing_lies_below_a_stack_without_memory_protection_behind_it() -> None:
    """Start-up code cannot guard the code there: what the stack overflows into must be no memory."""
    for board in BOARDS:
        if board.architecture == "riscv" and not board.has_memory_protection:
            below = board.memory(board.data_memory).origin
            assert all(memory.end != below for memory in board.memories), board.name


def test_every_memory_can_be_one_array() -> None:
    for board in BOARDS:
        assert max(memory.size_bytes for memory in board.memories) <= board.largest_array_bytes
    assert target("cortex-m4").board.largest_array_bytes < 2**32
    assert target("host").board.largest_array_bytes > 2**32


def test_clusters_leave_a_network_what_stacks_and_variables_do_not_take() -> None:
    clusters = [board.cluster for board in BOARDS if board.cluster is not None]
    assert [cluster.cores for cluster in clusters] == [8, 8, 9]
    for board in BOARDS:
        if (cluster := board.cluster) is not None:
            memory = board.memory(cluster.memory)
            assert memory.kind == "ram"
            assert cluster.reserved_bytes + cluster.network_bytes == memory.size_bytes
            assert cluster.reserved_bytes % 16 == 0


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_what_no_core_reaches_has_something_that_copies_from_it(board: Board) -> None:
    remote = [memory for memory in board.memories if memory.is_remote]
    assert bool(remote) == (board.fetch is not None) == (board.name == "gap9")
    assert bool(remote) == (board.fetch_bytes_per_cycle > 0) == (board.fetch_setup_cycles > 0)
    homes = [board.memory(name) for name in (board.code_memory, board.data_memory)]
    assert not any(home.is_remote for home in homes)
    assert board.has_remote_weights == bool(remote)
