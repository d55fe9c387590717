# pyright: basic, reportMissingImports=false
"""Compare networks that ONNX Runtime's quantizer makes with what ONNX Runtime computes of them.

    pip install onnxruntime
    python frontends/onnx/tools/quantized_networks.py [--inputs 32] [--only TEXT]

Each network of float_networks.py is quantized in several ways, folded into integers, and evaluated on random inputs.
A row says how many steps of its scale, at most, an integer is from ONNX Runtime's, and how many integers are:

- each: every tensor of int8 inside the network, computed from ONNX Runtime's own operands (uint8 is int8 there);
- as written: outputs, where ONNX Runtime computes operator by operator what the file says;
- optimized: outputs, where it fuses operators into its own ones of integers;
- these two: the last two of ONNX Runtime's, from each other. A float32 beside a half becomes either integer, and one
  such integer moves others behind it, so this is how well its outputs are known.

Exit status 1 if an integer of the first kind is more than a step away.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from float_networks import INPUT, NETWORKS
from numpy.typing import NDArray
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process
from tinsmith_driver.table import table, thousands
from tinsmith_ir import Graph, evaluate_graph
from tinsmith_ir.operators import Dequantize
from tinsmith_onnx import import_onnx
from tinsmith_qdq import FoldQuantization

Inputs = Mapping[str, NDArray[np.float32]]
Steps = NDArray[np.float64]
Integers = NDArray[np.integer]
_INTEGERS = ("int8",)
_CALIBRATIONS = 16
_S8, _U8, _S4 = QuantType.QInt8, QuantType.QUInt8, QuantType.QInt4
_SYMMETRIC = {"ActivationSymmetric": True}
STATIC: Mapping[str, Mapping[str, object]] = {
    "int8": {"activation_type": _S8, "weight_type": _S8},
    "int8 per channel": {"activation_type": _S8, "weight_type": _S8, "per_channel": True},
    "int8 symmetric": {"activation_type": _S8, "weight_type": _S8, "extra_options": _SYMMETRIC},
    "int8 by int4": {"activation_type": _S8, "weight_type": _S4},
    "uint8 by int8": {"activation_type": _U8, "weight_type": _S8, "per_channel": True},
    "uint8": {"activation_type": _U8, "weight_type": _U8},
    "QOperator uint8": {
        "quant_format": QuantFormat.QOperator,
        "activation_type": _U8,
        "weight_type": _S8,
    },
    "QOperator int8": {
        "quant_format": QuantFormat.QOperator,
        "activation_type": _S8,
        "weight_type": _S8,
        "per_channel": True,
    },
}
DYNAMIC = "dynamic"
_COLUMNS = ("as written", "optimized", "these two")


@dataclass(frozen=True)
class Apart:
    """How many elements of two answers differ, of how many, and by how many steps at most."""

    most: int
    differing: int
    elements: int

    @classmethod
    def of(cls, pairs: Sequence[tuple[Steps, Steps]]) -> "Apart":
        """Of answers in steps."""
        apart = [np.rint(np.abs(one - other)).ravel() for one, other in pairs]
        joined = np.concatenate([np.zeros(0), *apart])
        return cls(int(joined.max(initial=0)), int((joined > 0).sum()), joined.size)

    def __str__(self) -> str:
        """As the table has it."""
        if not self.elements:
            return "-"
        return f"{self.most}, {100 * self.differing / self.elements:.3f} %"


class Calibration(CalibrationDataReader):
    """Random inputs."""

    def __init__(self, shape: Sequence[int]) -> None:
        self._inputs = iter(inputs(shape, _CALIBRATIONS, 0))

    def get_next(self) -> Mapping[str, NDArray[np.float32]] | None:
        """The next, or None."""
        return next(self._inputs, None)


def inputs(shape: Sequence[int], count: int, seed: int) -> list[dict[str, NDArray[np.float32]]]:
    """Normal ones, the same at each run."""
    made = (np.random.default_rng(seed + at).normal(size=shape) for at in range(count))
    return [{INPUT: array.astype(np.float32)} for array in made]


def quantized(path: Path, shape: Sequence[int]) -> Iterator[tuple[str, Path]]:
    """The network in each way, by its name."""
    for name, choice in STATIC.items():
        made = path.with_name(f"{path.stem} {name}.onnx")
        options = {"quant_format": QuantFormat.QDQ, **choice}
        quantize_static(path, made, Calibration(shape), **options)
        yield name, made
    made = path.with_name(f"{path.stem} {DYNAMIC}.onnx")
    quantize_dynamic(path, made, weight_type=_S8)
    yield DYNAMIC, made


def session(path: Path, *, optimized: bool) -> onnxruntime.InferenceSession:
    """ONNX Runtime's."""
    levels = onnxruntime.GraphOptimizationLevel
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = (
        levels.ORT_ENABLE_ALL if optimized else levels.ORT_DISABLE_ALL
    )
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def integers_inside(path: Path, given: Sequence[Inputs]) -> list[dict[str, Integers]]:
    """All tensors of integers of a network by their names, as ONNX Runtime computes them of each input."""
    model = onnx.load(path)
    written = {value.name for value in model.graph.output}
    names = [name for node in model.graph.node for name in node.output if name not in written]
    model.graph.output.extend([onnx.ValueInfoProto(name=name) for name in names])
    made = path.with_name(f"{path.stem} inside.onnx")
    onnx.save(model, made)
    runtime = session(made, optimized=False)
    asked = [value.name for value in runtime.get_outputs()]
    found: list[dict[str, Integers]] = []
    for each in given:
        arrays = [np.asarray(array) for array in runtime.run(None, each)]
        pairs = zip(asked, arrays, strict=True)
        found.append({name: array for name, array in pairs if array.dtype.name in _INTEGERS})
    return found


def each_apart(graph: Graph, path: Path, given: Sequence[Inputs]) -> Apart:
    """Integers computed of ONNX Runtime's, and its own of them, wherever both have a tensor of that name."""
    (source,) = graph.inputs
    pairs: list[tuple[Steps, Steps]] = []
    for each, inside in zip(given, integers_inside(path, given), strict=True):
        known = {**graph.constant_data, source.name: each[INPUT]}
        for node in graph.nodes:
            operands = [None if value is None else known[value.name] for value in node.inputs]
            types = [None if value is None else value.type for value in node.inputs]
            results = node.operator.evaluate(operands, types, [v.type for v in node.outputs])
            for value, result in zip(node.outputs, results, strict=True):
                other = inside.get(value.name)
                known[value.name] = result
                if other is None or other.dtype != result.dtype:
                    continue
                # A pass may move a Quantize, with its name, over what only chooses among elements.
                if other.shape == result.shape:
                    pairs.append((result.astype(np.float64), other.astype(np.float64)))
                    known[value.name] = other
    return Apart.of(pairs)


def step_of(graph: Graph) -> float | None:
    """The scale of the integers that the output stands for, None if it is of no integers."""
    producer = graph.producer(graph.outputs[0])
    if producer is None or not isinstance(producer.operator, Dequantize):
        return None
    quantization = producer.present_inputs[0].type.quantization
    assert quantization is not None
    return quantization.scale


def compared(graph: Graph, path: Path, given: Sequence[Inputs]) -> tuple[Apart, Apart, Apart]:
    """Tinsmith and ONNX Runtime as written, Tinsmith and the optimized one, and these two."""
    sessions = [session(path, optimized=optimized) for optimized in (False, True)]
    step = step_of(graph)
    answers: list[list[Steps]] = []
    for one_run in given:
        (source,), (result,) = graph.inputs, graph.outputs
        ours = evaluate_graph(graph, {source.name: one_run[INPUT]})[result.name]
        found = [ours, *(np.asarray(each.run(None, one_run)[0]) for each in sessions)]
        # Of floats a step is that of eight bits.
        scale = step or float(np.abs(found[1]).max()) / 255
        answers.append([each.astype(np.float64) / scale for each in found])
    pairs = ((0, 1), (0, 2), (1, 2))
    one, other, apart = (Apart.of([(a[i], a[j]) for a in answers]) for i, j in pairs)
    return one, other, apart


def main() -> int:
    """Print a row for each network and way."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--inputs", type=int, default=32, help="random inputs of each (32)")
    parser.add_argument("--only", default="", help="networks whose name has this")
    arguments = parser.parse_args()
    rows: list[list[str]] = []
    found: list[Apart] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, build in NETWORKS.items():
            if arguments.only not in name:
                continue
            model = build()
            shape = [size.dim_value for size in model.graph.input[0].type.tensor_type.shape.dim]
            given = inputs(shape, arguments.inputs, 100)
            path = Path(folder) / f"{name}.onnx"
            onnx.save(model, path)
            quant_pre_process(path, path)
            for way, made in quantized(path, shape):
                graph = FoldQuantization().run(import_onnx(made, channels_last=False))
                each = each_apart(graph, made, given)
                outputs = compared(graph, made, given)
                rows.append([name, way, thousands(each.elements), *map(str, (each, *outputs))])
                found.append(each)
    print(table(["network", "way", "integers", "each", *_COLUMNS], rows))
    most = max((each.most for each in found), default=0)
    differing = thousands(sum(each.differing for each in found))
    elements = thousands(sum(each.elements for each in found))
    print(f"each: {differing} of {elements} integers differ, by {most} at most")
    return 0 if most <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
