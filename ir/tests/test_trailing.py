"""Distances of bytes that come to life over bytes that die, against looking at each byte."""

import numpy as np
import pytest
from tinsmith_ir.trailing import Pieces, Trail


def pieces(random: np.random.Generator) -> Pieces:
    count = int(random.integers(1, 7))
    edges = np.append(0, random.integers(1, 5, count).cumsum())
    steps = random.integers(0, 6, count)
    return Pieces(edges, np.sort(steps) if random.random() < 0.5 else steps)


def allowed(trail: Trail, distance: int) -> bool:
    comes = np.repeat(trail.comes.steps, np.diff(trail.comes.edges))
    dies = np.repeat(trail.dies.steps, np.diff(trail.dies.edges))
    places = [at + distance for at in range(len(comes))]
    return all(
        comes[at] >= dies[place] for at, place in enumerate(places) if 0 <= place < len(dies)
    )


@pytest.mark.parametrize("seed", range(300))
def test_every_distance(seed: int) -> None:
    random = np.random.default_rng(seed)
    trail = Trail(pieces(random), pieces(random))
    distances = range(-trail.comes.size - 2, trail.dies.size + 3)
    for distance in distances:
        assert trail.allows(distance) == allowed(trail, distance)
        if distance <= trail.at_most() or distance >= trail.at_least():
            assert allowed(trail, distance)
    # As far as one rule for all pieces goes, no further distance is left out.
    assert trail.at_most() >= -trail.comes.size
    assert trail.at_least() <= trail.dies.size


def test_a_row_that_dies_makes_room_for_one_that_comes() -> None:
    rows = np.arange(8)
    trail = Trail(Pieces.equal(rows, 80), Pieces.equal(rows + 1, 80))
    assert trail.at_most() == -10
    assert not trail.allows(-9)
    assert trail.at_least() == 80
