"""The cycle model against numbers measured on GVSoC and stated by the manuals, and against the page that lists them."""

from pathlib import Path

import pytest
from timing_page import PAGE, TIMINGS, row_of, rows_on_page
from timings import TOLERANCE, Timing


@pytest.mark.parametrize("timing", TIMINGS, ids=[timing.name for timing in TIMINGS])
def test_takes_the_cycles_measured_and_the_page_says_so(timing: Timing, tmp_path: Path) -> None:
    found = timing.measure(tmp_path)
    assert found == pytest.approx(timing.expected, rel=TOLERANCE)
    assert row_of(timing, found) in PAGE.read_text(encoding="utf-8").splitlines()


def test_page_lists_these_and_no_others() -> None:
    assert rows_on_page() == [timing.name for timing in TIMINGS]
