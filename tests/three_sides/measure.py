"""Prints what the same network costs from each side: `python tests/three_sides/measure.py [NETWORK ...]`.

Networks: those of `networks.py`; MLPerf Tiny's only where the files are. PyTorch's side only where that is. Those of
integers are called `digits_int8` and so on; what TFLite rounds of them is rounded to the nearest and halves of averages
to even, as in the others.
"""

import importlib.util
import sys
from collections.abc import Iterator, Sequence

from as_onnx import NEW, OLD, as_onnx
from figures import NEAREST, averaged_to_even, compiled, measured
from networks import MLPERF_TINY, OWN, QUANTIZED, mlperf_tiny, quantized
from steps import channels_first
from tinsmith_driver.table import table, thousands
from tinsmith_ir import Graph
from tinsmith_onnx import import_onnx

_INT8 = "_int8"


def main(chosen: Sequence[str]) -> None:
    """Print a row for each network and side."""
    header = ["network", "side", "arena", "weights", "code", "instructions"]
    rows: list[list[str]] = []
    of_integers = [f"{name}{_INT8}" for name in QUANTIZED]
    for name in chosen or [*OWN, *MLPERF_TINY, *of_integers]:
        graph = _network(name)
        if graph is None:
            print(f"{name}: MLPerf Tiny models absent", file=sys.stderr)
            continue
        for side, each in _sides(graph, is_integer=name.endswith(_INT8)):
            options = NEAREST if side == "TFLite" and name.endswith(_INT8) else None
            figures = measured(compiled(each, options))
            numbers = (figures.arena, figures.weights, figures.code, figures.instructions)
            rows.append([name, side, *map(thousands, numbers)])
    print(table(header, rows))


def _network(name: str) -> Graph | None:
    """None where its file is absent."""
    if name.endswith(_INT8):
        found = quantized(name.removesuffix(_INT8))
        return None if found is None else averaged_to_even(found)
    return OWN[name]() if name in OWN else mlperf_tiny(name)


def _sides(graph: Graph, *, is_integer: bool) -> Iterator[tuple[str, Graph]]:
    steps = channels_first(graph)
    yield "TFLite", graph
    yield "ONNX", import_onnx(as_onnx(steps, NEW))
    if not is_integer:
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
