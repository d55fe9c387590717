"""Places and starts of blocks: by hand, and on random ones against the rules."""

import random
from collections.abc import Sequence
from itertools import product

import pytest
from tinsmith_staging import Block, Placed, least_room, schedule


def test_all_start_at_once_where_all_fit() -> None:
    blocks = [Block(30, 0, 2), Block(20, 3, 4), Block(50, 4, 9)]
    assert schedule(blocks, 100) == [Placed(0, 0), Placed(30, 0), Placed(50, 0)]


def test_a_place_is_taken_once_its_bytes_are_wanted_no_more() -> None:
    blocks = [Block(60, 0, 2), Block(40, 3, 4), Block(60, 5, 6), Block(40, 7, 9)]
    # The third lies where the first did, the fourth where the second did.
    assert schedule(blocks, 100) == [Placed(0, 0), Placed(60, 0), Placed(0, 3), Placed(60, 5)]


def test_starts_keep_the_order_of_use() -> None:
    """The third would have room at once, but its fetch ends behind that of the second."""
    blocks = [Block(80, 0, 1), Block(90, 2, 2), Block(10, 3, 3)]
    assert schedule(blocks, 100) == [Placed(0, 0), Placed(0, 2), Placed(90, 2)]


def test_what_stays_long_is_gone_around() -> None:
    blocks = [Block(20, 0, 9), Block(40, 1, 1), Block(40, 2, 2), Block(60, 3, 3), Block(30, 4, 4)]
    found = schedule(blocks, 100)
    assert found is not None
    assert found[3:] == [Placed(20, 3), Placed(20, 4)]


@pytest.mark.parametrize(("room", "fits"), [(99, False), (100, True)])
def test_too_little_room(room: int, fits: bool) -> None:
    blocks = [Block(60, 0, 1), Block(40, 1, 1)]
    assert least_room(blocks) == 100
    assert (schedule(blocks, room) is not None) == fits


def test_an_engine_holds_so_many() -> None:
    """The third may start when the first is waited for, the fourth when the second is."""
    blocks = [Block(10, 2, 2), Block(10, 5, 5), Block(10, 7, 7), Block(10, 8, 9)]
    found = schedule(blocks, 100, depth=2)
    assert found is not None
    assert [placed.start for placed in found] == [0, 0, 2, 5]


def test_edges_leave_no_holes() -> None:
    """Of three in a row, two are wanted at once: the third lies in the middle, and the fourth finds nothing."""
    blocks = [Block(50, 0, 1), Block(50, 1, 2), Block(35, 2, 3), Block(50, 3, 4), Block(50, 4, 5)]
    assert least_room(blocks) == 100
    assert schedule(blocks, 100) is None
    found = schedule(blocks, 100, from_edges=True)
    assert found is not None
    assert [placed.offset for placed in found] == [0, 50, 0, 50, 0]


def test_nothing_takes_no_room() -> None:
    assert schedule([], 0) == []
    assert least_room([]) == 0


def is_apart(blocks: Sequence[Block], placed: Sequence[Placed]) -> bool:
    """Of each pair, the later one starts after the earlier is wanted no more, or lies elsewhere."""
    ends = [found.offset + block.size_bytes for block, found in zip(blocks, placed, strict=True)]
    return all(
        placed[later].start > blocks[earlier].last
        or placed[later].offset >= ends[earlier]
        or placed[earlier].offset >= ends[later]
        for later in range(len(blocks))
        for earlier in range(later)
    )


@pytest.mark.parametrize("seed", range(200))
def test_random_blocks_keep_the_rules(seed: int) -> None:
    generator = random.Random(seed)
    firsts = sorted(generator.randrange(40) for _ in range(generator.randint(1, 30)))
    blocks = [
        Block(generator.choice([8, 16, 24, 64]), first, first + generator.choice([0, 0, 1, 3, 15]))
        for first in firsts
    ]
    least = least_room(blocks)
    whole = sum(block.size_bytes for block in blocks)
    for room, from_edges in product((least, least + 40, whole), (True, False)):
        placed = schedule(blocks, room, from_edges=from_edges)
        if placed is None:
            assert room < whole
            continue
        assert is_apart(blocks, placed)
        starts = [found.start for found in placed]
        assert starts == sorted(starts)
        for block, found in zip(blocks, placed, strict=True):
            assert 0 <= found.offset <= room - block.size_bytes
            assert found.start <= block.first
    at_once = schedule(blocks, whole)
    assert at_once is not None
    assert {found.start for found in at_once} == {0}
