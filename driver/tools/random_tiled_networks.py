"""Run random networks on a simulated cluster whose first-level memory is of random size, under its race check.

    python driver/tools/random_tiled_networks.py --networks 200 [--first 0] [--target siracusa] [--engines both]

A network is a chain of convolutions, depthwise convolutions and pools, with sums and concatenations of branches, of
int8 images of random sizes, and mostly a classifier; every third one rounds to nearest or down. Its outputs have to
equal the evaluator's, byte by byte, and those of the tiled program evaluated with copies that end as soon as they may
and as late. One that does not fit has to be refused with the least memory that would do: with that it has to be right,
and with four bytes less it has to be refused again, for the same memory. Both are tried.
Prints which networks fail; exit status 1 if one did.
"""

import argparse
import pathlib
import re
import sys
import time
from dataclasses import dataclass, replace

import numpy as np
from random_images import RandomNetwork
from tinsmith_driver.build import built
from tinsmith_driver.engines import engines_for
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions, PassChoice
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.running import compare, run_samples
from tinsmith_ir import Graph, TinsmithError
from tinsmith_ir.errors import DoesNotFitError

_SECONDS = 120.0
_FOR_ENGINES = "set-rounding{mode=floor,narrow=yes,one_shift=yes}"
_LEAST = re.compile(r"would fit into (\d+) B")
_LESS = 4
"""Near memory is given out in words: what is refused with a word less is the least."""


@dataclass(frozen=True)
class Tried:
    """What became of a network. fault: "" if there is none. is_least: it was refused, was right with the memory that
    would do, and was refused with a word less.
    """

    fault: str = ""
    was_refused: bool = False
    is_least: bool = False


class Trial:
    """A network on a cluster with memory of some size."""

    def __init__(self, graph: Graph, target: str, engines: str | None = None) -> None:
        self._model = Model(pathlib.Path(f"{graph.name}.tsm"), "tsm", "", graph)
        chosen = engines_for(target, None, engines)
        passes = (*chosen.passes, *([] if engines is None else [PassChoice.parse(_FOR_ENGINES)]))
        self._options = CompileOptions(target, backend=chosen.backend, passes=passes)

    def tried(self, l1_bytes: int) -> Tried:
        """With that much memory or, where it is refused, with what would do."""
        least = self._refused(l1_bytes)
        if least is None:
            return Tried(self._fault(l1_bytes))
        found = Tried(was_refused=True)
        if isinstance(least, str):
            return replace(found, fault=f"{l1_bytes} bytes: {least}")
        if least <= l1_bytes:
            return replace(found, fault=f"{l1_bytes} bytes: refused, as {least} would do")
        if fault := self._fault(least):
            return replace(found, fault=fault)
        less = least - _LESS
        again = self._refused(less)
        if again != least:
            what = "are not refused" if again is None else f"{again} would do"
            return replace(found, fault=f"{least} bytes are the least, but {less}: {what}")
        return replace(found, is_least=True)

    def _refused(self, l1_bytes: int) -> int | str | None:
        """The memory that would do; None if it is not refused, a text if none is named."""
        try:
            compile_model(self._model, replace(self._options, l1_bytes=l1_bytes))
        except DoesNotFitError as error:
            found = _LEAST.search(str(error))
            return f"refused without the least memory: {error}" if found is None else int(found[1])
        except TinsmithError:
            return None  # not refused: `_fault` says what is wrong
        return None

    def _fault(self, l1_bytes: int) -> str:
        """What is wrong with it on a cluster with that memory; "" if nothing is."""
        options = replace(self._options, verify_passes=True, l1_bytes=l1_bytes)
        try:
            compilation = compile_model(self._model, options)
            groups = [random_samples(compilation.reference, 1, seed=1)]
            with built(compilation) as build:
                measured = run_samples(build, compilation.reference, groups, _SECONDS)
        except TinsmithError as error:
            reason = " ".join(str(error).split())[:600]
            return f"{l1_bytes} bytes: {type(error).__name__}: {reason}"
        compared = compare(measured, compilation.reference)
        if compared.bit_exact:
            return ""
        return f"{l1_bytes} bytes: not bit-exact: {compared.reason}"


def main() -> int:
    """Try all, print; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--networks", type=int, default=200, metavar="COUNT")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--target", default="siracusa")
    parser.add_argument("--engines", metavar="cluster|NAME|both", help="rounded as engines want it")
    arguments = parser.parse_args()
    start = time.monotonic()
    found: list[Tried] = []
    for seed in range(arguments.first, arguments.first + arguments.networks):
        l1_bytes = int(2 ** np.random.default_rng(seed + 1_000_000).uniform(8.0, 16.0))
        found.append(
            Trial(RandomNetwork(seed).graph(), arguments.target, arguments.engines).tried(l1_bytes)
        )
        if found[-1].fault:
            print(f"seed {seed}, {found[-1].fault}", flush=True)
    refused = sum(one.was_refused for one in found)
    least = sum(one.is_least for one in found)
    faults = sum(bool(one.fault) for one in found)
    print(
        f"{len(found):,} networks, {refused:,} of them refused, {least:,} of these right with the memory that would do "
        f"and refused with {_LESS} bytes less; {faults:,} wrong, {time.monotonic() - start:.0f} s"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
