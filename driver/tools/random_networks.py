"""Compile random networks for several targets, every pass checked by evaluating what it makes.

    python driver/tools/random_networks.py --graphs 1000 [--first 0] [--targets host cortex-m4 cortex-m55 riscv32]

A network has 5 to 40 nodes of int8, int16 or float32, and is compiled for one of the targets, one after the other. A
pass breaks its contract where a graph or program is not valid, has other results, or its text does not read back.
Prints which networks fail, and how often each pass was checked; exit status 1 if one failed.
"""

import argparse
import pathlib
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_ir import DType, TinsmithError
from tinsmith_ir.testing import random_graph

TARGETS = ("host", "cortex-m4", "cortex-m55", "riscv32")
DTYPES = (DType.INT8, DType.INT16, DType.FLOAT32)
NODES = range(5, 41)


@dataclass
class Tried:
    """What became of networks. checked: how often the results of a pass were compared, by its name."""

    compiled: int = 0
    nodes: int = 0
    checked: Counter[str] = field(default_factory=Counter[str])
    failures: list[str] = field(default_factory=list[str])

    def compile(self, seed: int, targets: Sequence[str]) -> None:
        """Compile the network of a seed with every pass checked."""
        count = NODES[seed % len(NODES)]
        dtype = DTYPES[seed % len(DTYPES)]
        chosen = targets[seed // len(DTYPES) % len(targets)]
        graph = random_graph(seed, dtype=dtype, nodes=count)
        model = Model(pathlib.Path(f"random_{seed}.tsm"), "tsm", "", graph)
        try:
            found = compile_model(model, CompileOptions(chosen, verify_passes=True))
        except TinsmithError as error:
            reason = " ".join(str(error).split())
            self.failures.append(
                f"seed {seed}, {count} nodes, {dtype.value}, {chosen}: "
                f"{type(error).__name__}: {reason}"
            )
            return
        self.compiled += 1
        self.nodes += len(graph.nodes)
        self.checked.update(record.name for record in found.pass_records if record.verified)


def main() -> int:
    """Try all, print; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--graphs", type=int, default=100, metavar="COUNT")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--targets", nargs="+", default=TARGETS, metavar="TARGET")
    arguments = parser.parse_args()
    start = time.monotonic()
    tried = Tried()
    for seed in range(arguments.first, arguments.first + arguments.graphs):
        before = len(tried.failures)
        tried.compile(seed, arguments.targets)
        for failure in tried.failures[before:]:
            print(failure, flush=True)
    for name, count in tried.checked.items():
        print(f"{count:8,} times {name}")
    print(
        f"{tried.compiled:,} networks of {tried.nodes:,} nodes compiled, {len(tried.failures):,} failed,"
        f" {time.monotonic() - start:.0f} s"
    )
    return 1 if tried.failures else 0


if __name__ == "__main__":
    sys.exit(main())
