"""The table of TIMING.md: every micro-benchmark, what it must take and what it takes.

Running this file writes the table anew; test_timing.py holds the page to what is measured.
"""

import re
import tempfile
from pathlib import Path

from timings import INSTRUCTIONS, Timing
from timings_cluster import CLUSTER

TIMINGS = (*INSTRUCTIONS, *CLUSTER)
PAGE = Path(__file__).resolve().parents[1] / "TIMING.md"
_HEADER = "| what | expected | here | difference | expected by |\n|---|---|---|---|---|\n"


def row_of(timing: Timing, measured: float) -> str:
    """The page's line for a micro-benchmark that takes `measured` cycles."""
    difference = difference_percent(timing, measured)
    shown = "0" if abs(difference) < 0.05 else f"{difference:+.1f} %"
    return f"| {timing.name} | {timing.expected:g} | {measured:g} | {shown} | {timing.source} |"


def difference_percent(timing: Timing, measured: float) -> float:
    """How much more than expected."""
    return 100 * (measured / timing.expected - 1)


def rows_on_page() -> list[str]:
    """Names of the page's rows, in order."""
    table = PAGE.read_text(encoding="utf-8").split(_HEADER)[1].split("\n\n")[0]
    return re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)


def measure_all() -> list[float]:
    """Cycles of every micro-benchmark, in the order of TIMINGS."""
    with tempfile.TemporaryDirectory() as folder:
        return [timing.measure(Path(folder)) for timing in TIMINGS]


def main() -> None:
    before, rest = PAGE.read_text(encoding="utf-8").split(_HEADER)
    behind = rest[rest.index("\n\n") + 2 :]
    rows = [row_of(*pair) for pair in zip(TIMINGS, measure_all(), strict=True)]
    PAGE.write_text(before + _HEADER + "\n".join(rows) + "\n\n" + behind, encoding="utf-8")


if __name__ == "__main__":
    main()
