"""The study of tiles: what they take by the model, and which one each rule chooses."""

import pytest
from study_tiles import (
    LAYERS,
    RULES,
    TILE_CYCLES,
    Layer,
    Tile,
    cycles,
    fewest,
    htvm,
    largest,
    lines,
)
from tinsmith_diana import jobs

_LAYER = Layer(16, 32, 8, 16, 3)
_IMAGE = 8 * 16


def _work(rows: tuple[int, int], channels: int, padding: tuple[int, int, int]) -> jobs.Convolution:
    """rows: of input and output."""
    source, result = ((count, 16) for count in rows)
    return jobs.Convolution((*source, 16), (*result, channels), (3, 3), 1, padding, 0, relu=False)


def test_a_whole_layer_is_one_job_and_two_copies() -> None:
    job = jobs.cycles(_work((8, 8), 32, (1, 1, 1)))
    copies = 2 * jobs.COPY_CYCLES + (16 + 32) * _IMAGE // 16
    assert cycles(_LAYER, Tile(32, 8, 16)) == TILE_CYCLES + job + copies


def test_tiles_of_rows_copy_plane_by_plane_and_read_rows_twice() -> None:
    job = jobs.cycles(_work((5, 4), 32, (1, 0, 1))) + jobs.cycles(_work((5, 4), 32, (0, 1, 1)))
    # Five rows of 16 bytes are rounded up to 96 bytes.
    copies = 16 * (jobs.COPY_CYCLES + 6) + 32 * (jobs.COPY_CYCLES + 4)
    assert cycles(_LAYER, Tile(32, 4, 16)) == 2 * (TILE_CYCLES + copies) + job


def test_tiles_of_channels_copy_the_input_again_unless_it_is_kept() -> None:
    job = jobs.cycles(_work((8, 8), 16, (1, 1, 1)))
    copy = jobs.COPY_CYCLES + 16 * _IMAGE // 16
    assert cycles(_LAYER, Tile(16, 8, 16)) == 2 * (TILE_CYCLES + job + 2 * copy)
    assert cycles(_LAYER, Tile(16, 8, 16), kept=True) == cycles(_LAYER, Tile(16, 8, 16)) - copy


def test_tiles_of_columns_copy_row_by_row() -> None:
    # Columns of the image's end have no column of zeros on their other side.
    job = 2 * jobs.cycles(
        jobs.Convolution((8, 9, 16), (8, 8, 32), (3, 3), 1, (1, 1, 1), 0, relu=False)
    )
    copies = (16 + 32) * 8 * (jobs.COPY_CYCLES + 2)
    assert cycles(_LAYER, Tile(32, 8, 8)) == job + 2 * (TILE_CYCLES + copies)


@pytest.mark.parametrize("layer", LAYERS, ids=str)
@pytest.mark.parametrize("budget", [256 * 1024, 48 * 1024, 16 * 1024])
def test_no_tile_of_whole_columns_takes_less_than_the_fewest(layer: Layer, budget: int) -> None:
    best = fewest(layer, budget)
    assert best is not None
    for rule in RULES.values():
        tile = rule(layer, budget)
        assert tile is not None
        assert tile.channels * tile.rows * tile.columns <= budget
        assert cycles(layer, tile) >= cycles(layer, best)
        assert cycles(layer, tile, kept=True) <= cycles(layer, tile)


def test_rules_choose_as_they_say() -> None:
    layer = Layer(32, 128, 32, 32, 3)
    # (32 * 32 + 64 * 32) * 32 bytes, and 120 channels of 20 columns that read 21.
    assert largest(layer, 96 * 1024) == Tile(64, 32, 32)
    assert largest(layer, 96 * 1024, worst=True) == Tile(120, 32, 20)
    assert htvm(layer, 48 * 1024) == Tile(16, 32, 32)
    assert fewest(layer, 32 * 1024) == Tile(48, 11, 32)
    assert htvm(layer, 512) is None
    assert [*lines([layer], [512])] == []
    assert [len(line) for line in lines([layer], [1 << 18])] == [7]
