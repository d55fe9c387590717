"""Write random layers at the borders of what an array of DIANA takes: each as a graph, `layer_SEED.tsm`, and as inputs
that reach the ends, `layer_SEED.npz`.

python backends/diana/tools/write_diana_layers.py FOLDER [COUNT [digital|analog]]
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from tinsmith_diana.analog.border_layers import analog_border_inputs, analog_border_layer
from tinsmith_diana.border_layers import border_inputs, border_layer
from tinsmith_ir import Graph, print_graph
from tinsmith_ir.graph import Array

_COUNT = 200
_DIGITAL = "digital"
_ARRAYS: Mapping[
    str, tuple[Callable[[int], Graph], Callable[[Graph, int], list[dict[str, Array]]]]
] = {
    _DIGITAL: (border_layer, border_inputs),
    "analog": (analog_border_layer, analog_border_inputs),
}
"""By array: a layer, and inputs for it, of a seed."""


def main() -> int:
    """Write them, and print how many."""
    folder = Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else _COUNT
    layer, inputs = _ARRAYS[sys.argv[3] if len(sys.argv) > 3 else _DIGITAL]
    for seed in range(count):
        graph = layer(seed)
        path = folder / f"layer_{seed}.tsm"
        path.write_text(print_graph(graph), encoding="utf-8")
        _write_samples(path.with_suffix(".npz"), graph, inputs(graph, seed))
    print(count)
    return 0


def _write_samples(path: Path, graph: Graph, samples: list[dict[str, Array]]) -> None:
    """Each input as an array `x`, or `x0` and so on where there are several; first axis the samples."""
    arrays = [np.stack([sample[value.name] for sample in samples]) for value in graph.inputs]
    with ZipFile(path, "w") as archive:
        for index, array in enumerate(arrays):
            with archive.open(f"x{index if len(arrays) > 1 else ''}.npy", "w") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


if __name__ == "__main__":
    sys.exit(main())
