"""Prints what the same network costs from each side: `python tests/three_sides/measure.py [NETWORK ...]`.

Networks: those of `networks.py`; MLPerf Tiny's only where the files are. PyTorch's side only where that is.
"""

import importlib.util
import sys
from collections.abc import Iterator, Sequence

from as_onnx import NEW, OLD, as_onnx
from figures import compiled, measured
from networks import MLPERF_TINY, OWN, mlperf_tiny
from steps import channels_first
from tinsmith_driver.table import table, thousands
from tinsmith_ir import Graph
from tinsmith_onnx import import_onnx


def main(chosen: Sequence[str]) -> None:
    """Print a row for each network and side."""
    header = ["network", "side", "arena", "weights", "code", "instructions"]
    rows: list[list[str]] = []
    for name in chosen or [*OWN, *MLPERF_TINY]:
        graph = OWN[name]() if name in OWN else mlperf_tiny(name)
        if graph is None:
            print(f"{name}: MLPerf Tiny models absent", file=sys.stderr)
            continue
        for side, each in _sides(graph):
            figures = measured(compiled(each))
            numbers = (figures.arena, figures.weights, figures.code, figures.instructions)
            rows.append([name, side, *map(thousands, numbers)])
    print(table(header, rows))


def _sides(graph: Graph) -> Iterator[tuple[str, Graph]]:
    steps = channels_first(graph)
    yield "TFLite", graph
    yield "ONNX", import_onnx(as_onnx(steps, NEW))
    yield "ONNX, old", import_onnx(as_onnx(steps, OLD))
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        print("PyTorch is absent; third_party/README.md says how to have it", file=sys.stderr)
        return
    from as_torch import Network, example_inputs
    from tinsmith_torch import import_torch

    yield "PyTorch", import_torch(Network(steps).eval(), example_inputs(steps))


if __name__ == "__main__":
    main(sys.argv[1:])
