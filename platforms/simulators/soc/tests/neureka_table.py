"""Layers on N-EUREKA, measured on GVSoC and here: a line for each, `MODE HxW INPUTS->OUTPUTS BITS PREFETCH THERE HERE`.

    python platforms/simulators/soc/tests/neureka_table.py

From the trigger to the instruction behind cv.elw, instructions cached, a bank for every word, as if weights came from
the weight memory.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from neureka_model import Layer, draw, registers
from neureka_programs import Image, place, run_jobs

NO_CONFLICTS = ("--set", "l1_banks=65536")

GVSOC = (
    (Layer("1x1", 6, 6, 32, 32), 197),
    (Layer("1x1", 12, 12, 64, 64), 2189),
    (Layer("1x1", 12, 12, 64, 64, prefetch=True), 1695),
    (Layer("1x1", 18, 18, 64, 64), 4911),
    (Layer("1x1", 18, 18, 64, 64, prefetch=True), 3715),
    (Layer("3x3", 6, 6, 28, 32), 445),
    (Layer("3x3", 6, 6, 28, 32, weight_bits=4), 319),
    (Layer("3x3", 6, 6, 28, 32, weight_bits=2), 253),
    (Layer("3x3", 12, 12, 56, 64), 6165),
    (Layer("3x3", 12, 12, 56, 64, prefetch=True), 5311),
    (Layer("depthwise", 6, 6, 28, 28), 427),
    (Layer("1x1", 1, 1, 128, 128), 1687),
)
"""Cycles of layers there, dispatch and poll included."""


def cycles_of(layer: Layer, folder: Path, *options: str) -> int:
    """Of the second of two runs."""
    image = Image()
    addresses = place(image, layer, draw(layer, np.random.default_rng(1)))
    jobs = [registers(layer, addresses)]
    (time,) = run_jobs(image, jobs, folder, *NO_CONFLICTS, *options, times=2).cycles
    return time


def main() -> int:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        for layer, there in GVSOC:
            here = cycles_of(layer, Path(folder))
            shape = f"{layer.height}x{layer.width} {layer.inputs}->{layer.outputs}"
            prefetch = "prefetch" if layer.prefetch else "-"
            print(layer.mode, shape, layer.weight_bits, prefetch, there, here)
    return 0


if __name__ == "__main__":
    sys.exit(main())
