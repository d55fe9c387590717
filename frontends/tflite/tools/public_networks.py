"""Import every .tflite under a folder and compare three frames with TFLite's reference kernels.

    python frontends/tflite/tools/public_networks.py DIR --oracle VENV/bin/python [--json FILE]

The oracle is a Python with TFLite, see oracle.py. Each network has its own process, with limits of time and memory.
Prints a line for each network that is not equal, and how many there are of each kind; exit status 1 if a network
differs, crashes or exceeds a limit.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence

import numpy as np
from oracle import Oracle, OracleError
from tinsmith_driver.table import table
from tinsmith_ir import DType, Graph, TensorType
from tinsmith_ir.errors import TinsmithError
from tinsmith_ir.evaluate import evaluate_frames
from tinsmith_ir.graph import Array
from tinsmith_ir.tolerance import shares
from tinsmith_tflite import import_tflite
from tinsmith_tflite.model_file import ModelFile

_FRAMES = 3
_TIMEOUT_SECONDS = 120.0
_MEMORY_BYTES = 4 << 30
_FLOAT_TOLERANCE = 1e-4
_MOST_INDEX = 4
"""int32 and int64 are mostly indices, of which few are in any range."""
_GOOD = ("equal", "floats close", "refused", "refused by TFLite")


def one(path: pathlib.Path, oracle: Oracle) -> tuple[str, str]:
    """What comes of a network: a kind, and the reason or the largest difference."""
    data = path.read_bytes()
    try:
        graph = import_tflite(data, source=path.name)
    except TinsmithError as error:
        return "refused", str(error)
    shapes = shapes_asked(data)
    frames = [
        [shapes.get(at, array) for at, array in enumerate(frame)] for frame in random_frames(graph)
    ]
    try:
        wanted = oracle.outputs(data, frames)
    except OracleError as error:
        return "refused by TFLite", str(error)
    # By value: a network may give one tensor as several of its outputs.
    found = [
        [outputs[value.name] for value in graph.outputs]
        for outputs in evaluate_frames(graph, frames)
    ]
    return judged(found, wanted)


def shapes_asked(data: bytes) -> dict[int, Array]:
    """By the place among the inputs: those that say what shape a TRANSPOSE_CONV gives, which is the result's."""
    file = ModelFile(data, "")
    return {
        file.inputs.index(operator.inputs[0]): np.array(
            file.tensor(operator.outputs[0]).shape, np.int32
        )
        for operator in file.operators()
        if operator.kind == "TRANSPOSE_CONV" and operator.inputs[0] in file.inputs
    }


def random_frames(graph: Graph) -> list[list[Array]]:
    """Inputs of any values."""
    random = np.random.RandomState(0)
    return [[_random(value.type, random) for value in graph.inputs] for _ in range(_FRAMES)]


def _random(type_: TensorType, random: np.random.RandomState) -> Array:
    numpy = type_.dtype.numpy
    if type_.dtype is DType.FLOAT32:
        return np.asarray(random.standard_normal(type_.shape), np.float32)
    if type_.dtype in (DType.INT32, DType.INT64):
        return np.asarray(random.randint(0, _MOST_INDEX, type_.shape), numpy)
    low, high = (0, 1) if type_.dtype is DType.BOOL else type_.dtype.integer_range
    return np.asarray(random.randint(low, high + 1, type_.shape), numpy)


def judged(found: Sequence[Sequence[Array]], wanted: Sequence[Sequence[Array]]) -> tuple[str, str]:
    """Integers must be equal, floats close."""
    share, different = 0.0, 0
    for outputs, expected in zip(found, wanted, strict=True):
        for output, reference in zip(outputs, expected, strict=True):
            reference = reference.reshape(output.shape)
            if output.dtype.kind == "f":
                share = max(share, float(shares(reference, output).max(initial=0.0)))
            else:
                different += int(np.count_nonzero(output != reference))
    if different:
        return "differs", f"{different} integers"
    if share > _FLOAT_TOLERANCE:
        return "differs", f"floats by {share:.2g} of the largest"
    return ("floats close", f"by {share:.2g} of the largest") if share else ("equal", "")


def in_a_process(path: pathlib.Path, oracle: str) -> tuple[str, str]:
    """`one`, whatever the network does."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))

    command = [sys.executable, __file__, str(path), "--one", "--oracle", oracle]
    try:
        ended = subprocess.run(
            command, capture_output=True, timeout=_TIMEOUT_SECONDS, preexec_fn=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return "too slow", f"more than {_TIMEOUT_SECONDS:g} s"
    if ended.returncode != 0:
        lines = ended.stderr.decode(errors="replace").strip().splitlines()
        return "crashed", lines[-1] if lines else f"exit status {ended.returncode}"
    kind, reason = json.loads(ended.stdout)
    return kind, reason


def main() -> int:
    """Compare, print; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--oracle", default=sys.executable, metavar="PYTHON", help="see oracle.py")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write kind and reason")
    parser.add_argument("--one", action="store_true", help="DIR is a network: print its kind")
    arguments = parser.parse_args()
    if arguments.one:
        oracle = Oracle(arguments.oracle)
        print(json.dumps(one(arguments.folder, oracle)))
        oracle.close()
        return 0
    paths = sorted(arguments.folder.rglob("*.tflite"))
    found = {
        str(path.relative_to(arguments.folder)): in_a_process(path, arguments.oracle)
        for path in paths
    }
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    rows = [
        [name, kind, " ".join(reason.split())[:110]]
        for name, (kind, reason) in found.items()
        if kind != "equal"
    ]
    print(table(["network", "", "reason"], rows))
    counts = Counter(kind for kind, _ in found.values())
    print(
        f"\n{len(found)} networks: " + ", ".join(f"{n} {kind}" for kind, n in counts.most_common())
    )
    return 0 if counts.keys() <= {*_GOOD} else 1


if __name__ == "__main__":
    sys.exit(main())
