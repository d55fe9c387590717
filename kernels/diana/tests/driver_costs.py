"""What layers and copies cost the chip's core: `python kernels/diana/tests/driver_costs.py` prints a table of cycles.

Of core 0 on the simulated chip, for the second time in a run. What lies between two jobs of a layer is what the
accelerator stands still, from the simulator's trace.
"""

import json
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from diana_places import ANALOG_DRIVER, DRIVER, build
from tinsmith_emulators import run, trace
from tinsmith_toolchains import Firmware

ENCODE, START, WAIT_AGAIN, CONVOLVE, START_COPY, COPY, DEPTHWISE, CONNECT = (
    "`tinsmith_diana_digital_encode`",
    "`tinsmith_diana_start` of a convolution",
    "`tinsmith_diana_wait` for what has ended",
    "start and wait, of 3x3 16x16x16 to 16",
    "`tinsmith_diana_copy_in`",
    "copy and wait, of 64 bytes",
    "start and wait, of depthwise 3x3 16x16x16",
    "start and wait, of fully connected 64 to 128",
)
ANALOG_ENCODE, ANALOG_START, ANALOG_CONVOLVE, ANALOG_AGAIN = (
    "`tinsmith_diana_analog_encode`",
    "`tinsmith_diana_analog_start` of a convolution",
    "analog start and wait, of 3x3 16x16x16 to 16, weights loaded",
    "the same, weights in the array",
)
BETWEEN = "between two jobs of a layer, at most"
_DIGITAL = (ENCODE, START, WAIT_AGAIN, CONVOLVE, START_COPY, COPY, DEPTHWISE, CONNECT)
_IN_ORDER = (*_DIGITAL, ANALOG_ENCODE, ANALOG_START, ANALOG_CONVOLVE, ANALOG_AGAIN)


@dataclass(frozen=True)
class Cost:
    """cycles: from begin to end. accelerator: in which the accelerator worked, 0 of what does not wait for it."""

    cycles: int
    accelerator: int = 0


@dataclass(frozen=True)
class _Job:
    """When it began and ended, in cycles."""

    began: int
    ended: int


def costs(folder: Path) -> dict[str, Cost]:
    """By what is done. folder: for the program."""
    firmware = build(DRIVER, folder, "costs.c", also=ANALOG_DRIVER)
    _, output = run(firmware, firmware.target, [b"", b""]).outputs
    cycles = dict(zip(_IN_ORDER, np.frombuffer(output, np.uint32).tolist(), strict=True))
    jobs, analog_jobs = _jobs(firmware, "digital"), _jobs(firmware, "analog")
    # Of the second turn: one copy, two convolutions, then the jobs of the other two layers.
    of_layers = {
        COPY: jobs[-27:-26],
        CONVOLVE: jobs[-25:-24],
        DEPTHWISE: jobs[-24:-8],
        CONNECT: jobs[-8:],
        ANALOG_CONVOLVE: analog_jobs[-2:-1],
        ANALOG_AGAIN: analog_jobs[-1:],
    }
    worked = {name: sum(it.ended - it.began for it in some) for name, some in of_layers.items()}
    table = {name: Cost(count, worked.get(name, 0)) for name, count in cycles.items()}
    gaps = [_longest_gap(of_layers[name]) for name in (DEPTHWISE, CONNECT)]
    return table | {BETWEEN: Cost(max(gaps))}


def _longest_gap(jobs: list[_Job]) -> int:
    return max(after.began - before.ended for before, after in pairwise(jobs))


def _jobs(firmware: Firmware, accelerator: str) -> list[_Job]:
    """Of the accelerator, in order. A job's parts begin with it or later, and are shorter."""
    events = json.loads(trace(firmware, firmware.target, b""))["traceEvents"]
    (track,) = {
        it["tid"]
        for it in events
        if it["name"] == "thread_name" and it["args"]["name"] == accelerator
    }
    slices = [
        _Job(it["ts"], it["ts"] + it["dur"])
        for it in events
        if it["ph"] == "X" and it["tid"] == track
    ]
    jobs: list[_Job] = []
    for it in sorted(slices, key=lambda it: (it.began, -it.ended)):
        if not jobs or it.began >= jobs[-1].ended:
            jobs.append(it)
    return jobs


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = costs(Path(folder))
    sys.stdout.write("| what | cycles | of which the accelerator's |\n|---|---|---|\n")
    for name, cost in table.items():
        sys.stdout.write(f"| {name} | {cost.cycles} | {cost.accelerator or ''} |\n")


if __name__ == "__main__":
    main()
