"""Start and wait for a core of the cluster: they build without a warning, and take few cycles."""

from pathlib import Path

import numpy as np
from places import build
from tinsmith_emulators import run

# In the order of costs.c. A wait lasts until the job ends, which takes 197 of what start and wait take together.
_MOST_CYCLES = {
    "encode": 415,
    "place": 50,
    "start": 235,
    "wait": 200,
    "wait again": 20,
    "start and wait": 455,
}
_JOB_CYCLES = 197


def test_driver_is_built_for_the_cluster_without_a_warning(tmp_path: Path) -> None:
    assert build("siracusa", "neureka", tmp_path).warnings == ""


def test_driver_takes_few_cycles(tmp_path: Path) -> None:
    """Of 6x6 pixels of 32 channels to as many by 1x1; in a second run, for which everything has been fetched."""
    firmware = build("siracusa", "neureka", tmp_path, "costs.c")
    _, output = run(firmware, firmware.target, [b"", b""]).outputs
    counts = np.frombuffer(output, np.uint32).tolist()
    cycles = dict(zip(_MOST_CYCLES, counts, strict=True))
    too_many = {what: count for what, count in cycles.items() if count > _MOST_CYCLES[what]}
    assert too_many == {}
    assert cycles["start and wait"] > _JOB_CYCLES
