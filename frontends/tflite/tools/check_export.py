"""Compare exported files with TFLite's reference kernels: the table of small graphs, random networks, files.

    python frontends/tflite/tools/check_export.py --oracle VENV/bin/python --networks 300 [FILE.tflite ...]

Each graph is exported, imported again, and run by TFLite, on random inputs. Our evaluator and the imported graph must
agree in every bit; so must TFLite, but for float32, which may differ by `_TOLERANCE`. Of files, TFLite runs the
original, too, but of those with int8 weights beside float32: these are widened, since an exported graph cannot tell
TFLite to quantize anew in each run.
The oracle is a Python with TFLite, see oracle.py. Prints what differs and how many graphs TFLite cannot say; exit
status 1 if anything differs.
"""

import argparse
import pathlib
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import TinsmithError, UnsupportedError
from tinsmith_ir.evaluate import evaluate_frames, varied_frames
from tinsmith_ir.graph import Array, Node
from tinsmith_ir.operators import Cast, Ceil, CumSum, DynamicScale, Elu, Round
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import random_inputs
from tinsmith_tflite import export_tflite, import_tflite

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))

from case_builder import KINDS, CaseBuilder
from cases_recurrent import unidirectional_sequence_lstm
from oracle import Oracle, OracleError
from written_graphs import GRAPHS

_RUNS = 3
_LSTMS = 20
_TOLERANCE = 1e-5
_DATA = ("Rsqrt is only defined for positive values", "gather index out of bounds")
"""What TFLite ends a run for; to our evaluator it has a meaning."""
_OPTIMISED = (Ceil, CumSum, Elu, Round)
"""Operators that are not among the reference kernels; beside one of them all run with others, which round otherwise."""
_DTYPES = (DType.INT8, DType.INT16, DType.FLOAT32)


@dataclass
class Checks:
    """What was compared. counts: of graphs by what came of them. reasons: of refusals, by kind of node."""

    oracle: Oracle
    counts: Counter[str] = field(default_factory=Counter[str])
    reasons: Counter[str] = field(default_factory=Counter[str])

    def check(self, name: str, graph: Graph, original: bytes | None = None) -> None:
        """Export and compare one graph."""
        try:
            model = export_tflite(graph)
        except UnsupportedError as error:
            self.counts["refused"] += 1
            reasons = {problem.rsplit(": ", 1)[-1] for problem in error.problems}
            self.reasons.update(sorted(reasons))
            return
        if any(_is_of_the_machine(node) for node in graph.nodes):
            self.counts["with casts that TFLite leaves to the machine"] += 1
            return
        if len(graph.nodes) > 1 and any(isinstance(n.operator, _OPTIMISED) for n in graph.nodes):
            self.counts["that run with optimised kernels"] += 1
            return
        frames = varied_frames(random_inputs(graph, seed=1), _RUNS)
        try:
            self._compare(name, graph, model, original, [dict(frame) for frame in frames])
        except (OracleError, TinsmithError) as error:
            if any(text in str(error) for text in _DATA):
                self.counts["ended by TFLite for their data"] += 1
                return
            self._differs(name, f"{type(error).__name__}: {' '.join(str(error).split())[:600]}")

    def _compare(
        self,
        name: str,
        graph: Graph,
        model: bytes,
        original: bytes | None,
        frames: Sequence[dict[str, Array]],
    ) -> None:
        given = [[*frame.values()] for frame in frames]
        ours = [[*run.values()] for run in evaluate_frames(graph, frames)]
        again = [[*run.values()] for run in evaluate_frames(import_tflite(model), given)]
        theirs = self.oracle.outputs(model, given)
        found = [_difference("imported", ours, again, 0.0)]
        found.append(_difference("TFLite", ours, theirs, _tolerance(graph)))
        if original is not None:
            first = self.oracle.outputs(original, given)
            found.append(_difference("TFLite's of the original", theirs, first, _tolerance(graph)))
        told = [text for text in found if text]
        self.counts["equal"] += not told
        if told:
            self._differs(name, "; ".join(told))

    def _differs(self, name: str, what: str) -> None:
        self.counts["different"] += 1
        print(f"{name}: {what}")


def _is_of_the_machine(node: Node) -> bool:
    """Of a cast from float32 to integers, which beyond their range and of NaN TFLite leaves to the machine."""
    dtypes = [value.type.dtype for value in (*node.present_inputs, *node.outputs)]
    return isinstance(node.operator, Cast) and dtypes[0] is DType.FLOAT32 and dtypes[1].is_integer


def _tolerance(graph: Graph) -> float:
    """0 where nothing is float32 but what is quantized at the beginning and the results of DEQUANTIZE."""
    return _TOLERANCE if any(v.type.dtype is DType.FLOAT32 for v in graph.values.values()) else 0.0


def _difference(
    what: str, ours: Sequence[Sequence[Array]], theirs: Sequence[Sequence[Array]], tolerance: float
) -> str:
    """What differs of several runs; empty if nothing does."""
    for run, (mine, others) in enumerate(zip(ours, theirs, strict=True)):
        for at, (a, b) in enumerate(zip(mine, others, strict=True)):
            if (a.shape, a.dtype) != (b.shape, b.dtype):
                return f"{what}: run {run}, output {at}: {a.dtype}{a.shape} and {b.dtype}{b.shape}"
            if not _are_equal(a, b, tolerance if a.dtype == np.float32 else 0.0):
                far = np.abs(a.astype(np.float64) - b.astype(np.float64)).max()
                count = int((a != b).sum())
                return f"{what}: run {run}, output {at}: {count} of {a.size} differ, at most by {far:g}"
    return ""


def _are_equal(a: Array, b: Array, tolerance: float) -> bool:
    if a.tobytes() == b.tobytes():
        return True
    if not tolerance:
        return False
    wide = a.astype(np.float64), b.astype(np.float64)
    return bool(np.isclose(*wide, rtol=tolerance, atol=tolerance, equal_nan=True).all())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--oracle", required=True, help="a Python with TFLite")
    parser.add_argument(
        "--networks", type=int, default=200, help="random networks that can be exported"
    )
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    checks = Checks(Oracle(arguments.oracle))
    for name, text in GRAPHS.items():
        checks.check(name, parse_graph(text))
    for index in range(_LSTMS):
        for kind in KINDS:
            case = unidirectional_sequence_lstm(CaseBuilder(f"lstm {kind} {index}"), kind, index)
            if case is not None:
                checks.check(case.name, import_tflite(case.model), case.model)
    _told("small graphs", checks)
    _check_networks(checks, arguments.networks)
    _told("with random networks", checks)
    for path in arguments.files:
        graph, original = import_tflite(path, widen_weights=True), path.read_bytes()
        is_hybrid = any(isinstance(n.operator, DynamicScale) for n in import_tflite(path).nodes)
        checks.check(path.name, graph, None if is_hybrid else original)
    _told("with files", checks)
    for reason, count in checks.reasons.most_common():
        print(f"  refused {count} times: {reason}")
    return int(checks.counts["different"] > 0)


def _check_networks(checks: Checks, wanted: int) -> None:
    """Try networks until as many as wanted could be written."""
    end = checks.counts["equal"] + checks.counts["different"] + wanted
    seed = 0
    while checks.counts["equal"] + checks.counts["different"] < end:
        dtype = _DTYPES[seed % len(_DTYPES)]
        graph = random_graph(seed, dtype=dtype, nodes=4, roundings=(Rounding.TFLITE,))
        checks.check(f"random network {seed}", graph)
        seed += 1


def _told(what: str, checks: Checks) -> None:
    print(what, *(f"{count} {name}" for name, count in sorted(checks.counts.items())), sep=", ")


if __name__ == "__main__":
    sys.exit(main())
