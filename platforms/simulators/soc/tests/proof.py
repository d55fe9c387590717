"""Measures what the README claims of the simulator, a line of JSON for each row, for `tinsmith bench pulp-kernels`.

    python proof.py timing
    python proof.py operands --each 100000

The rows come as they are measured. lockstep.py compares programs with QEMU.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from operands import compare
from support import seeded
from timing_page import TIMINGS, difference_percent

Record = dict[str, object]


def _timing(folder: Path) -> Iterator[Record]:
    for timing in TIMINGS:
        measured = timing.measure(folder)
        yield {
            "name": timing.name,
            "expected": timing.expected,
            "measured": measured,
            "difference_percent": round(difference_percent(timing, measured), 1),
            "expected_by": timing.source,
        }


def _operands(each: int, folder: Path) -> Iterator[Record]:
    return map(asdict, compare(each, seeded(), folder))


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures the simulator.")
    parser.add_argument("part", choices=("timing", "operands"))
    parser.add_argument("--each", type=int, default=100_000, help="operands of an instruction")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = {
            "timing": lambda: _timing(folder),
            "operands": lambda: _operands(arguments.each, folder),
        }
        for record in parts[arguments.part]():
            print(json.dumps(record), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
