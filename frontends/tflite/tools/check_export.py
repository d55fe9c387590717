# pyright: basic
"""Compares files that are written with TFLite's reference kernels, which run them: integers to the bit.

    python frontends/tflite/tools/check_export.py --oracle PYTHON [--networks N] [--first SEED] [FILE.tflite ...]

PYTHON is one of a venv with `pip install tflite-runtime==2.14.0 "numpy<2"` (Python 3.11). Each FILE is imported,
written and run on random inputs, beside the FILE itself; then N random networks of int8, int16 and float32 are. What a
file cannot hold is counted. Real numbers may be a share of 0.0001 apart; they are more behind functions that jump,
which a last bit decides. Exit status 1 if integers differ in networks of integers.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from oracle import Oracle, OracleError
from tinsmith_ir import DType, Graph, UnsupportedError, evaluate_graph
from tinsmith_ir.graph import Array
from tinsmith_ir.operators.base import Rescaling
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_tflite import export_tflite, import_tflite

SHARE = 1e-4
RUNS = 3


@dataclass
class Comparison:
    """Counts of what was run, was not said, or is refused by TFLite."""

    oracle: Oracle
    counts: Counter[str] = field(default_factory=Counter)

    def of(self, name: str, graph: Graph, seed: int, original: bytes | None = None) -> None:
        """Write a graph, and run it in TFLite."""
        try:
            data = export_tflite(graph)
        except UnsupportedError as error:
            self.counts["not said"] += 1
            if original is not None:
                print(f"{name}: {error}")
            return
        inputs = random_inputs(graph, seed=seed)
        arrays = [inputs[value.name] for value in graph.inputs]
        wanted = list(evaluate_graph(graph, inputs).values())
        try:
            runs = [self.oracle.outputs(each, [arrays])[0] for each in (data, original) if each]
        except OracleError as error:
            self.counts["refused by TFLite"] += 1
            print(f"{name}: TFLite: {str(error)[:200]}")
            return
        same = all(_same(wanted, got) for got in runs)
        is_real = any(value.type.dtype is DType.FLOAT32 for value in graph.inputs)
        word = "same" if same else "apart" if is_real else "different"
        self.counts[word] += 1
        if not same:
            print(f"{name}: {word}")


def _same(wanted: Sequence[Array], got: Sequence[Array]) -> bool:
    for expected, found in zip(wanted, got, strict=True):
        if expected.dtype.kind != "f":
            if not np.array_equal(expected, found):
                return False
        elif np.isfinite(expected).all():
            largest = float(np.abs(expected).max(initial=1e-30))
            if float(np.abs(expected - found).max(initial=0.0)) > SHARE * largest:
                return False
    return True


def rounded_as_tflite(graph: Graph) -> Graph:
    """The graph with TFLite's rounding in every operator."""
    nodes = (
        node
        if not isinstance(node.operator, Rescaling)
        else type(node)(node.operator.unrounded(), node.inputs, node.outputs, node.location)
        for node in graph.nodes
    )
    return graph.rebuilt(nodes=nodes)


def main() -> int:
    """Compare all that was named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--networks", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    comparison = Comparison(Oracle(arguments.oracle))
    for path in arguments.files:
        data = path.read_bytes()
        graph = import_tflite(data, on_warning=lambda _: None)
        for seed in range(RUNS):
            comparison.of(f"{path.name}, inputs {seed}", graph, seed, data)
    for seed in range(arguments.first, arguments.first + arguments.networks):
        for dtype in (DType.INT8, DType.INT16, DType.FLOAT32):
            graph = rounded_as_tflite(random_graph(seed, dtype=dtype))
            comparison.of(f"random network {seed} of {dtype.value}", graph, seed)
    print(", ".join(f"{count} {what}" for what, count in sorted(comparison.counts.items())))
    return 1 if comparison.counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
