"""What the analog array costs a network of images in accuracy: as it is, and mapped with gains of several choices.

python backends/diana/tools/measure_analog.py NETWORK.tsm TEST.npz CALIBRATION.npz

Both .npz files hold real inputs, `x_float`; the first one `label`, too. The network has one input and one output, of
int8.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tinsmith_diana.analog import AnalogMapping, MapAnalog
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_ir.graph import Array, Node, Value
from tinsmith_ir.operators import Quantize
from tinsmith_ir.types import DType, TensorType

_GAINS = (2, 4, 8, 16, 32)


def main() -> int:
    """Print a row for each choice."""
    network, test, calibration = map(Path, sys.argv[1:])
    graph = parse_graph(network.read_text(encoding="utf-8"))
    with np.load(test) as file:
        images, labels = inputs_of(graph, file["x_float"]), file["label"]
    with np.load(calibration) as file:
        samples = inputs_of(graph, file["x_float"])
    print("gain          layers  least dB  right")
    print(f"not analog         -         -  {right(graph, images, labels)} of {len(labels)}")
    choices = {"by drawn": MapAnalog(), "by samples": MapAnalog(samples=samples)}
    choices |= {str(gain): MapAnalog(gain=gain, samples=samples) for gain in _GAINS}
    for name, pass_ in choices.items():
        outcome = pass_.run_in_detail(graph)
        assert isinstance(outcome.facts, AnalogMapping)
        layers = outcome.facts.layers
        least = min((layer.sqnr_db for layer in layers), default=float("nan"))
        count = right(outcome.ir, images, labels)
        print(f"{name:12}  {len(layers):6}  {least:8.1f}  {count} of {len(labels)}")
    return 0


def inputs_of(graph: Graph, images: Array) -> list[dict[str, Array]]:
    """Each image as integers of the network's input."""
    (value,) = graph.inputs
    real = Value("real", TensorType(value.type.shape, DType.FLOAT32))
    quantized = Graph("input", (real,), (value,), nodes=(Node(Quantize(), (real,), (value,)),))
    shape = value.type.shape
    return [evaluate_graph(quantized, [image.reshape(shape)]) for image in images]


def right(graph: Graph, images: Sequence[dict[str, Array]], labels: NDArray[np.int64]) -> int:
    """How many of the images are what they are taken for."""
    (output,) = graph.outputs
    found = [int(np.argmax(evaluate_graph(graph, image)[output.name])) for image in images]
    return int((np.array(found) == labels).sum())


if __name__ == "__main__":
    sys.exit(main())
