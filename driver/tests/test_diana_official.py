"""MLPerf Tiny's networks, made for DIANA's digital array: which layers are its jobs, and what is said of bounds."""

from dataclasses import replace

import pytest
from tinsmith_driver.benchmarks.diana_official import (
    Judgement,
    OfficialRow,
    official_misses,
    official_networks,
    official_row,
    official_text,
)
from tinsmith_driver.benchmarks.mlperf_tiny import float_files
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import UsageError
from tinsmith_target import target

_ANSWERS = Judgement(30.0, 10)
_SCORES = Judgement(30.0, None, 0.05)
ROW = OfficialRow("ic", 16, 15, 180_000, 0.7, True, 3.0, 10, _ANSWERS, _ANSWERS, _ANSWERS)


def test_what_keeps_its_bounds_is_no_miss() -> None:
    assert list(official_misses([ROW, replace(ROW, network="ad", ms=0.1, made=_SCORES)])) == []


@pytest.mark.parametrize(
    ("row", "miss"),
    [
        (replace(ROW, bit_exact=False), "outputs differ from the evaluator's"),
        (replace(ROW, ms=9.0), "9.000 ms, must be 0.730 or less"),
        (replace(ROW, seconds=61.0), "quantizing took 61 s, at most 60"),
        (
            replace(ROW, made=Judgement(50.0, 9)),
            "9 right answers, the official network of int8 has 10",
        ),
        (
            replace(ROW, made=Judgement(50.0, None, 0.07), official=_SCORES),
            "scores are off by 7.0%, the official network's by 5.0%",
        ),
    ],
)
def test_a_missed_bound_is_told(row: OfficialRow, miss: str) -> None:
    assert list(official_misses([row])) == [f"ic, digital, from its file of floats: {miss}"]


def test_the_table_has_answers_or_scores() -> None:
    text = official_text([ROW, replace(ROW, network="ad", made=_SCORES)])
    assert "10 of 10" in text
    assert "off by 5.0%" in text
    assert official_text([]) == ""


def test_networks_without_a_file_of_floats_have_no_row() -> None:
    assert official_networks(["kws", "sww", "ad"]) == ["kws", "ad"]


@pytest.mark.parametrize(("name", "layers", "jobs"), [("ic", 16, 15), ("ad", 10, 10)])
def test_networks_are_the_arrays(name: str, layers: int, jobs: int) -> None:
    """All but the last layer of a classifier, whose input has four axes."""
    try:
        need_emulator(target("diana").board)
        float_files(name)
    except (MissingEmulatorError, UsageError) as error:
        pytest.skip(str(error))
    row = official_row(name)
    assert (row.layers, row.jobs) == (layers, jobs)
    assert list(official_misses([replace(row, seconds=0.0)])) == []
