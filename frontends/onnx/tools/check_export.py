# pyright: basic, reportMissingImports=false
"""Compare what ONNX Runtime computes of exported networks with what the graph says.

    python frontends/onnx/tools/check_export.py --oracle PYTHON [--networks 100] [MODEL[=INPUTS.npz] ...]
        [--noisy 20]

`PYTHON` is that of a venv with `pip install onnxruntime`. Compared are the table of the tests, one graph for each
operator; random networks, node by node and as a whole; and model files (`.tflite`, `.onnx`, or IR text), which are
imported first. Their inputs are those of a file, in its array `x_real` or `x_float`, or random; with --noisy these and
as many copies of each, with noise of 2 % of what they span. Of a model
each node is compared by itself, too; and "rounded once" says how far ONNX Runtime's outputs are from those of the same
graph whose operators round once, as float32 between QuantizeLinear and DequantizeLinear does it.

Integers are compared in steps, floats in parts of the largest. A row for each file, a line for each other graph that
is further away than --steps and --share. Exit status 1 if there is one.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from runtime_oracle import Oracle, OracleError
from tinsmith_driver.table import table
from tinsmith_ir import (
    Array,
    DType,
    Graph,
    Node,
    Rounding,
    UnsupportedError,
    evaluate_graph,
    parse_graph,
)
from tinsmith_ir.operators import AveragePool2D, Rescaling
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_onnx import export_onnx, import_onnx
from tinsmith_tflite import import_tflite

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from export_cases import CASES, graph_of, is_coarse, single_nodes


@dataclass(frozen=True)
class Apart:
    """How far two arrays are apart: in steps of integers, or in parts of the largest float; and how many elements."""

    steps: int = 0
    share: float = 0.0
    differing: int = 0
    elements: int = 0

    @classmethod
    def of(cls, found: Array, wanted: Array) -> "Apart":
        """Of one output."""
        if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
            raise AssertionError(
                f"expected {wanted.dtype}{list(wanted.shape)}, got {found.dtype}{list(found.shape)}"
            )
        one, other = found.astype(np.float64), wanted.astype(np.float64)
        if wanted.dtype.kind == "f":
            one, other = (_finite(each) for each in (one, other))
            far = np.abs(one - other)
            share = float(far.max(initial=0)) / max(1.0, float(np.abs(other).max(initial=0)))
            return cls(0, share, 0, found.size)
        far = np.abs(one - other)
        return cls(int(far.max(initial=0)), 0.0, int((far > 0).sum()), found.size)

    def __or__(self, other: "Apart") -> "Apart":
        """Of both."""
        return Apart(
            max(self.steps, other.steps),
            max(self.share, other.share),
            self.differing + other.differing,
            self.elements + other.elements,
        )


def _finite(array: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = float(np.finfo(np.float32).max)
    return np.clip(np.nan_to_num(array, nan=0.0), -largest, largest)


class Checker:
    """ONNX Runtime beside the evaluator."""

    def __init__(self, python: str, folder: Path) -> None:
        self._oracle = Oracle(python)
        self._path = folder / "model.onnx"

    def outputs(self, graph: Graph, inputs: Mapping[str, Array]) -> list[Array]:
        """Of the exported graph, in the order of its outputs."""
        content = export_onnx(graph)
        onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
        self._path.write_bytes(content)
        return self._oracle.outputs(self._path, inputs)

    def apart(self, graph: Graph, inputs: Mapping[str, Array]) -> Apart:
        """How far all outputs are apart, of one run."""
        states = {state.value.name: state.initial for state in graph.states}
        found = self.outputs(graph, {**inputs, **states})[: len(graph.outputs)]
        wanted = evaluate_graph(graph, inputs)
        total = Apart()
        for value, array in zip(graph.outputs, found, strict=True):
            total |= Apart.of(array, wanted[value.name])
        return total

    def close(self) -> None:
        """End the process."""
        self._oracle.close()


def kind_of(node: Node) -> str:
    """The mnemonic, and whether scales are rounded to a few bits, which a file does not say."""
    return f"{node.operator.mnemonic}{_COARSE if is_coarse(node) else ''}"


_COARSE = " of coarse scales"


class Judge:
    """Counts what is too far apart, and tells of it. steps, share: what is not."""

    def __init__(self, checker: Checker, steps: int, share: float) -> None:
        self._checker, self._steps, self._share = checker, steps, share
        self.refused: Counter[str] = Counter()
        self.wrong = 0
        self.compared = 0
        self.worst: dict[str, Apart] = {}

    def judge(self, name: str, kind: str, graph: Graph, inputs: Mapping[str, Array]) -> None:
        """Compare one graph."""
        try:
            apart = self._checker.apart(graph, inputs)
        except UnsupportedError as error:
            self.refused[_reason(error)] += 1
            return
        except (OracleError, AssertionError, onnx.checker.ValidationError) as error:
            self._tell(name, str(error))
            return
        self.compared += 1
        self.worst[kind] = self.worst.get(kind, Apart()) | apart
        most = 1 << 16 if kind.endswith(_COARSE) else self._steps
        if apart.steps > most or apart.share > self._share:
            self._tell(name, f"{apart.steps} steps, {apart.share:.2g} of the largest")

    def _tell(self, name: str, text: str) -> None:
        self.wrong += 1
        print(f"{name}: {text}", flush=True)


def _reason(error: UnsupportedError) -> str:
    """Of the first node."""
    return error.problems[0].rsplit("): ", 1)[-1].rsplit("}: ", 1)[-1]


def check_table(checker: Checker, arguments: argparse.Namespace) -> int:
    """Compare the table of the tests; how many are wrong."""
    judge = Judge(checker, arguments.steps, arguments.share)
    for name, text in CASES.items():
        graph = graph_of(name, text)
        for seed in range(3):
            judge.judge(name, name.split()[0], graph, random_inputs(graph, seed))
    print(f"table: {judge.compared} runs of {len(CASES)} graphs, {judge.wrong} wrong")
    return judge.wrong + judge.refused.total()


def check_networks(checker: Checker, arguments: argparse.Namespace) -> int:
    """Compare random networks, each node by itself and, where ONNX can say all, the whole; how many nodes are wrong."""
    single = Judge(checker, arguments.steps, arguments.share)
    whole = Judge(checker, 1 << 16, float("inf"))
    for seed in range(arguments.seed, arguments.seed + arguments.networks):
        graph = random_graph(seed, dtype=arguments.dtype, roundings=arguments.rounding)
        for node, inputs in single_nodes(graph, seed):
            kind = kind_of(node.nodes[0])
            single.judge(f"seed {seed}, {kind}", kind, node, inputs)
        whole.judge(f"seed {seed}", "whole", graph, random_inputs(graph, seed))
    rows = [
        [kind, str(apart.elements), str(apart.differing), str(apart.steps), f"{apart.share:.1e}"]
        for kind, apart in sorted(single.worst.items())
    ]
    print(table(["operator", "elements", "differ", "steps", "share"], rows))
    print(f"nodes: {single.compared} compared, {single.wrong} wrong")
    print(f"networks: {whole.compared} of {arguments.networks} compared, {whole.wrong} wrong")
    for reason, count in single.refused.most_common():
        print(f"refused {count}: {reason}")
    return single.wrong + whole.wrong


def samples_of(graph: Graph, path: str, count: int) -> list[dict[str, Array]]:
    """Real inputs of a file, or random ones."""
    if not path:
        return [dict(random_inputs(graph, seed)) for seed in range(count)]
    (source,) = graph.inputs
    with np.load(path) as arrays:
        dtype = source.type.dtype.numpy
        name = next(each for each in ("x_real", "x_float") if arrays[each].dtype == dtype)
        return [{source.name: each.reshape(source.type.shape)} for each in arrays[name]]


def with_noise(samples: list[dict[str, Array]], copies: int) -> list[dict[str, Array]]:
    """The samples, and behind them each `copies` times with noise of 2 % of what it spans, the same in each run."""
    random = np.random.default_rng(0)
    return samples + [
        {name: _noisy(value, random) for name, value in sample.items()}
        for sample in samples
        for _ in range(copies)
    ]


def _noisy(value: Array, random: np.random.Generator) -> Array:
    least, most = float(value.min()), float(value.max())
    noisy = value.astype(np.float64) + random.normal(0.0, (most - least) / 50, value.shape)
    rounded = noisy if value.dtype.kind == "f" else np.rint(noisy)
    return np.clip(rounded, least, most).astype(value.dtype)


def read(path: Path) -> Graph:
    """The network in a model file."""
    match path.suffix:
        case ".onnx":
            return import_onnx(path)
        case ".tflite":
            return import_tflite(path)
        case _:
            return parse_graph(path.read_text(encoding="utf-8"))


def rounded_once(graph: Graph) -> Graph:
    """The graph whose operators of integers round once, halves to even where they can."""
    nodes: list[Node] = []
    for node in graph.nodes:
        operator, types = node.operator, [value.type for value in node.outputs]
        if isinstance(operator, Rescaling) and operator.rescales(types):
            operator = replace(operator, rounding=Rounding.NEAREST)
        if isinstance(operator, AveragePool2D) and types[0].quantization is not None:
            operator = replace(operator, halves_to_even=True, halves_up=False)
        nodes.append(replace(node, operator=operator))
    return graph.rebuilt(nodes=nodes)


def check_file(
    checker: Checker, file: str, arguments: argparse.Namespace
) -> tuple[list[str], bool]:
    """A row about a model file, and whether all is near."""
    name, _, given = file.partition("=")
    path = Path(name)
    graph = read(path)
    total, once, agreeing = Apart(), Apart(), 0
    nearest = rounded_once(graph)
    alone = Judge(checker, arguments.steps, arguments.share)
    for node, operands in single_nodes(graph, 0):
        name = f"{path.stem}, {node.outputs[0].name}"
        alone.judge(name, kind_of(node.nodes[0]), node, operands)
    samples = with_noise(samples_of(graph, given, arguments.count), arguments.noisy)
    for inputs in samples:
        states = {state.value.name: state.initial for state in graph.states}
        found = checker.outputs(graph, {**inputs, **states})[: len(graph.outputs)]
        wanted = [*evaluate_graph(graph, inputs).values()]
        agreeing += all(
            int(a.argmax()) == int(b.argmax()) for a, b in zip(found, wanted, strict=True)
        )
        exact = [*evaluate_graph(nearest, inputs).values()]
        for one, other, another in zip(found, wanted, exact, strict=True):
            total |= Apart.of(one, other)
            once |= Apart.of(one, another)
    kinds = Counter(node.op_type for node in onnx.load_from_string(export_onnx(graph)).graph.node)
    row = [path.stem, str(len(samples)), str(total.elements), str(total.differing)]
    row += [str(total.steps), f"{total.share:.1e}", f"{agreeing}/{len(samples)}"]
    steps = max((apart.steps for apart in alone.worst.values()), default=0)
    row += [str(once.steps), str(steps), str(kinds.total()), str(kinds["Transpose"])]
    return row, total.share <= arguments.share and not alone.wrong


def check_files(checker: Checker, arguments: argparse.Namespace) -> int:
    """Compare files; how many are wrong."""
    rows = [check_file(checker, path, arguments) for path in arguments.files]
    titles = ["file", "inputs", "elements", "differ", "steps", "share", "argmax"]
    if rows:
        print(
            table(
                [*titles, "rounded once", "of a node", "nodes", "transposes"],
                [row for row, _ in rows],
            )
        )
    return sum(not is_near for _, is_near in rows)


def main(given: Sequence[str] | None = None) -> int:
    """Compare the table, networks and files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", metavar="MODEL[=INPUTS.npz]")
    parser.add_argument("--oracle", required=True, metavar="PYTHON", help="has onnxruntime")
    parser.add_argument("--networks", type=int, default=100, help="random networks (100)")
    parser.add_argument("--seed", type=int, default=0, help="of the first network (0)")
    parser.add_argument("--dtype", type=DType, help="of networks, such as i16 (i8 and f32)")
    parser.add_argument("--rounding", type=Rounding, nargs="+", help="of networks (all modes)")
    parser.add_argument("--count", type=int, default=3, help="random inputs of a file (3)")
    parser.add_argument("--noisy", type=int, default=0, help="noisy copies of each of these (0)")
    parser.add_argument("--steps", type=int, default=1, help="that integers may differ by (1)")
    parser.add_argument("--share", type=float, default=1e-4, help="of the largest float (1e-4)")
    arguments = parser.parse_args(given)
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(arguments.oracle, Path(folder))
        wrong = check_table(checker, arguments)
        wrong += check_networks(checker, arguments) if arguments.networks else 0
        wrong += check_files(checker, arguments)
        checker.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
