# pyright: basic, reportMissingImports=false
"""Make integers of what train.py wrote, and print a table of what that costs on the held-out images.

A development-time script, as train.py is; it needs PyTorch and our libraries, installed or on PYTHONPATH:

    python examples/quantization/evaluate.py [--json] FOLDER [SCHEME] [NETWORK ...]

Each number of an integer network is that of our evaluator, which firmware gives to the bit.
"""

import json
import pathlib
import sys
import time
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import graph_passes, passes_for
from tinsmith_ir import Graph, Value, evaluate_graph
from tinsmith_ir.pipeline import Pipeline
from tinsmith_qdq import FoldQuantization, remaining
from tinsmith_quantization import quantize, scheme, sqnr
from tinsmith_torch import import_pt2

NETWORKS = ("mobilenet_v2", "resnet18", "vit")
Array = NDArray[np.float32]


def prepared(graph: Graph) -> Graph:
    """Layers with batch normalization and activations fused: what is to be quantized."""
    passes = graph_passes(passes_for(CompileOptions(target="host")))
    chosen = [each for each in passes if each.name != "fold-quantization"]
    return Pipeline(chosen).run(graph).graph


def stored(value: Value, array: Array) -> NDArray[np.generic]:
    """Real numbers as an input of the network takes them."""
    quantization = value.type.quantization
    if quantization is None:
        return array.astype(value.type.dtype.numpy)
    steps = np.rint(array / np.float32(quantization.scale)) + quantization.zero_point
    return np.clip(steps, *value.type.dtype.integer_range).astype(value.type.dtype.numpy)


def scores(graph: Graph, images: Array) -> NDArray[np.float64]:
    """(images, classes): what the network gives, as real numbers. images: (N, 16, 16, 1)."""
    (value,), (output,) = graph.inputs, graph.outputs
    found: list[NDArray[np.float64]] = []
    for image in images:
        given = stored(value, image.reshape(value.type.shape))
        result = evaluate_graph(graph, [given])[output.name].astype(np.float64).reshape(-1)
        if (quantization := output.type.quantization) is not None:
            result = (result - quantization.zero_point) * quantization.scale
        found.append(result)
    return np.stack(found)


def row(folder: pathlib.Path, name: str, scheme_name: str) -> dict[str, Any]:
    """What a network of floats and the one of integers give. float_operators: how many of each are left."""
    graph = prepared(import_pt2((folder / f"{name}.pt2").read_bytes(), name=name))
    held_out = np.load(folder / "held_out.npz")
    images, labels = held_out["x"].transpose(0, 2, 3, 1), held_out["label"]
    calibration = np.load(folder / "calibration.npz")["x"].transpose(0, 2, 3, 1)
    samples = [{graph.inputs[0].name: image[None]} for image in calibration]
    start = time.monotonic()
    quantized = quantize(graph, samples, scheme(scheme_name)).graph
    integers = FoldQuantization().run(quantized)
    seconds = time.monotonic() - start
    wanted, got = scores(graph, images), scores(integers, images)
    right_float, right = (int((each.argmax(1) == labels).sum()) for each in (wanted, got))
    floats = Counter(node.operator.mnemonic for node in integers.nodes if _is_real(node.outputs[0]))
    for each in remaining(integers):
        print(f"  {name}: {each}", file=sys.stderr)
    return {
        "network": name,
        "scheme": scheme_name,
        "constants": sum(
            each.data.size for each in graph.constants if each.value.type.elements > 1
        ),
        "images": len(labels),
        "right_float": right_float,
        "right": right,
        "sqnr_db": sqnr(list(wanted), list(got)),
        "float_operators": dict(sorted(floats.items())),
        "seconds": seconds,
    }


def _is_real(value: Value) -> bool:
    return value.type.dtype.value == "f32"


def line(found: dict[str, Any]) -> str:
    """A row as a line of the table."""
    shares = [100 * found[each] / found["images"] for each in ("right_float", "right")]
    floats = found["float_operators"]
    left = ", ".join(f"{count} {each}" for each, count in floats.items()) or "none"
    return (
        f"| {found['network']} | {found['constants']} | {shares[0]:.2f} | {shares[1]:.2f} "
        f"| {found['sqnr_db']:.1f} | {left} | {found['seconds']:.1f} |"
    )


def main() -> None:
    """Print the rows of those that are named, or of all."""
    is_json = sys.argv[1] == "--json"
    folder, *rest = sys.argv[1 + is_json :]
    scheme_name = rest[0] if rest else "int8"
    rows = (row(pathlib.Path(folder), name, scheme_name) for name in rest[1:] or NETWORKS)
    if is_json:
        print(json.dumps(list(rows), indent=2))
        return
    print(
        f"| network | constants | float, % | {scheme_name}, % | SQNR, dB | float operators | seconds |"
    )
    print("|---|---|---|---|---|---|---|")
    for found in rows:
        print(line(found), flush=True)


if __name__ == "__main__":
    main()
