"""The driver for the chip's core: it builds without a warning, and takes few cycles."""

from pathlib import Path

import pytest
from diana_places import DRIVER, build
from driver_costs import (
    ANALOG_AGAIN,
    ANALOG_CONVOLVE,
    ANALOG_ENCODE,
    ANALOG_START,
    BETWEEN,
    CONNECT,
    CONVOLVE,
    COPY,
    DEPTHWISE,
    ENCODE,
    START,
    START_COPY,
    WAIT_AGAIN,
    Cost,
    costs,
)

_MOST_CYCLES = {
    **{ENCODE: 530, START: 190, WAIT_AGAIN: 30, START_COPY: 140, BETWEEN: 42},
    **{ANALOG_ENCODE: 530, ANALOG_START: 190},
}
_MOST_AROUND = {CONVOLVE: 190, COPY: 160, ANALOG_CONVOLVE: 190, ANALOG_AGAIN: 190}
"""Beside those of the accelerator."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Cost]:
    return costs(tmp_path_factory.mktemp("costs"))


def test_driver_is_built_for_the_chip_without_a_warning(tmp_path: Path) -> None:
    assert build(DRIVER, tmp_path).warnings == ""


def test_driver_takes_few_cycles(table: dict[str, Cost]) -> None:
    too_many = {
        what: table[what] for what, most in _MOST_CYCLES.items() if table[what].cycles > most
    }
    assert too_many == {}


def test_the_accelerator_rarely_stands_still(table: dict[str, Cost]) -> None:
    """Around a layer, and between its jobs: 15 times, 7 times."""
    around = {what: cost.cycles - cost.accelerator for what, cost in table.items()}
    assert {what: around[what] for what, most in _MOST_AROUND.items() if around[what] > most} == {}
    for what, gaps in ((DEPTHWISE, 15), (CONNECT, 7)):
        assert around[what] < _MOST_AROUND[CONVOLVE] + gaps * _MOST_CYCLES[BETWEEN]
    assert table[CONVOLVE].accelerator > 4000
