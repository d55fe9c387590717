"""Run random networks on a board in memory of random size, where rows have to stream.

    python driver/tools/random_split_networks.py --networks 500 [--first 0] [--target cortex-m4] [--flash-waits 5]

A network is one of `random_images`; of every third one the input is asked for. Its memory is a random share of what
whole tensors take. Its outputs have to equal the evaluator's, byte by byte, within the budget. One that is refused has
to be right with the memory that the refusal says is needed, and refused with a byte less.
With wait states of flash, constants are copied to what memory is left.
Prints which networks fail; exit status 1 if one did.
"""

import argparse
import pathlib
import sys
import time
from dataclasses import dataclass

import numpy as np
from random_images import RandomNetwork
from tinsmith_driver.build import built
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions, Waits
from tinsmith_driver.passes import PassChoice
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.running import compare, run_samples
from tinsmith_ir import TinsmithError
from tinsmith_ir.errors import DoesNotFitError

_SECONDS = 120.0


@dataclass
class Counts:
    """Of networks. split: rows streamed. refused: the budget was too small."""

    split: int = 0
    refused: int = 0
    faults: int = 0


class Trial:
    """A network on a target, its input given or asked for. flash_waits: of a load from there."""

    def __init__(self, seed: int, target: str, flash_waits: float = 0.0) -> None:
        graph = RandomNetwork(seed).graph()
        self._model = Model(pathlib.Path(f"{graph.name}.tsm"), "tsm", "", graph)
        self._target = target
        self._waits = Waits(flash_waits, 0.0, may_grow=True)
        self._passes = (PassChoice("stream-inputs"),) if seed % 3 == 0 else ()
        self._random = np.random.default_rng(seed + 1_000_000)

    def tried(self, counts: Counts) -> str:
        """What is wrong; "" if nothing is."""
        whole = compile_model(self._model, CompileOptions(self._target, passes=self._passes))
        budget = max(1, int(whole.bytes_shared * self._random.uniform(0.2, 1.0)))
        needed = self._refused(budget)
        if needed is None:
            counts.split += budget < whole.bytes_shared
            return self._fault(budget)
        counts.refused += 1
        if needed <= budget:
            return f"{budget} bytes: refused, as {needed} are needed"
        if fault := self._fault(needed):
            return fault
        if self._refused(needed - 1) is None:
            return f"{needed} bytes are needed, but one less are not refused"
        return ""

    def _options(self, ram_bytes: int) -> CompileOptions:
        return CompileOptions(
            self._target,
            ram_bytes=ram_bytes,
            passes=self._passes,
            verify_passes=True,
            waits=self._waits,
        )

    def _refused(self, ram_bytes: int) -> int | None:
        """What is needed; None if it is not refused."""
        try:
            compile_model(self._model, self._options(ram_bytes))
        except DoesNotFitError as error:
            return error.needed_bytes
        except TinsmithError:
            return None  # `_fault` says what is wrong
        return None

    def _fault(self, ram_bytes: int) -> str:
        """What is wrong with it in that memory."""
        try:
            compilation = compile_model(self._model, self._options(ram_bytes))
            groups = [random_samples(compilation.reference, 2, seed=1)]
            with built(compilation) as build:
                measured = run_samples(build, compilation.reference, groups, _SECONDS)
        except TinsmithError as error:
            reason = " ".join(str(error).split())[:600]
            return f"{ram_bytes} bytes: {type(error).__name__}: {reason}"
        compared = compare(measured, compilation.reference)
        if compilation.bytes_shared > ram_bytes:
            return f"{ram_bytes} bytes: the arena has {compilation.bytes_shared}"
        return "" if compared.bit_exact else f"{ram_bytes} bytes: not bit-exact: {compared.reason}"


def main() -> int:
    """Try all, print; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--networks", type=int, default=500, metavar="COUNT")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--target", default="cortex-m4")
    parser.add_argument("--flash-waits", type=float, default=0.0, metavar="CYCLES")
    arguments = parser.parse_args()
    start = time.monotonic()
    counts = Counts()
    for seed in range(arguments.first, arguments.first + arguments.networks):
        fault = Trial(seed, arguments.target, arguments.flash_waits).tried(counts)
        if fault:
            counts.faults += 1
            print(f"seed {seed}, {fault}", flush=True)
    print(
        f"{arguments.networks:,} networks, {counts.split:,} of them in less memory than whole tensors take, "
        f"{counts.refused:,} refused and right with what the refusal says; {counts.faults:,} wrong, "
        f"{time.monotonic() - start:.0f} s"
    )
    return 1 if counts.faults else 0


if __name__ == "__main__":
    sys.exit(main())
