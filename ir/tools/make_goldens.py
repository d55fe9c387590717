"""Write tests/golden/tflite_2_14.json: single operators as IR text, inputs, and what TFLite 2.14 gives.

A development-time script. The models, and the outputs that TFLite's reference kernels gave for them,
are those of frontends/tflite/tests (see tools/make_goldens.py there); this keeps a few small ones of
each operator in a form that needs no TFLite file to test the evaluator with.
Run with the libraries tinsmith_ir and tinsmith_tflite on the path: `python ir/tools/make_goldens.py`.
"""

import base64
import json
import pathlib
import re
import sys
import tempfile
from collections.abc import Iterator

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMPORTER_TESTS = ROOT / "frontends" / "tflite" / "tests"
TARGET = ROOT / "ir" / "tests" / "golden" / "tflite_2_14.json"
sys.path.insert(0, str(IMPORTER_TESTS))

from golden_cases import Case, all_cases  # noqa: E402 (needs the path set above)
from tinsmith_ir import TinsmithError, evaluate_frames, print_graph  # noqa: E402
from tinsmith_tflite import import_tflite  # noqa: E402

INT8_CASES = 2
OTHER_CASES = 1
LARGEST_CASE_BYTES = 1400
OWN_ARITHMETIC = (
    "detections_plain",
    "gelu_float32",
    "gelu_by_tanh_float32",
    "softmax_float32",
    "logistic_float32",
    "exp_float32",
    "local_response_normalization_float32",
    "of_floats_float32",
    "power_float32",
    "svdf_float32",
    "bidirectional_sequence_lstm_float32",
    "unidirectional_sequence_lstm_float32",
)
# Of these no case has the very bits; how far they may be off, absolutely and as a share.
TOLERANCES = {"log_softmax_float32": 1e-6, "trigonometry_float32": 1e-6}


def reference_outputs() -> dict[str, bytes]:
    """Name of a case -> the bytes of TFLite's output."""
    archive = np.load(IMPORTER_TESTS / "goldens.npz")
    data, ends = archive["data"].tobytes(), [int(end) for end in archive["ends"]]
    starts = [0, *ends]
    return {
        str(name): data[start:end]
        for name, start, end in zip(archive["names"], starts, ends, strict=False)
    }


def text(content: bytes) -> str:
    """Bytes as base64."""
    return base64.b64encode(content).decode()


def one_line_each(printed: str) -> str:
    """A printed graph without the breaks of its long statements."""
    return printed.replace('"\n      "', "").replace("\n      ", " ")


def record(case: Case, output: bytes) -> dict[str, object] | None:
    """A case as JSON, or None if the importer refuses it; the output of all runs, one behind the other."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "case.tflite"
        path.write_bytes(case.model)
        try:
            graph = import_tflite(path)
        except TinsmithError:
            return None
    printed = re.sub(r' loc\("[^"]*", "(?:[^"\\]|\\.)*"\)', "", one_line_each(print_graph(graph)))
    inputs = [text(array.astype(array.dtype.newbyteorder("<")).tobytes()) for array in case.inputs]
    found: dict[str, object] = {
        "name": case.name,
        "graph": printed,
        "inputs": inputs,
        "output": text(output),
    }
    tolerance = TOLERANCES.get(case.name.rpartition("_")[0])
    if tolerance is not None:
        found["tolerance"] = tolerance
    return found if case.runs == 1 else {**found, "runs": case.runs}


def is_evaluated(case: Case, output: bytes) -> bool:
    """Whether the evaluator gives the same bytes."""
    found = evaluate_frames(import_tflite(case.model), case.frames)
    return b"".join(array.tobytes() for run in found for array in run.values()) == output


def chosen() -> Iterator[dict[str, object]]:
    """The first small cases of each operator and dtype; without those of floats that differ in their last bits,
    which exponential and logarithm of our own have.
    """
    outputs = reference_outputs()
    counts: dict[str, int] = {}
    for case in all_cases():
        if case.name not in outputs:
            continue
        found = record(case, outputs[case.name])
        if found is None or len(json.dumps(found)) > LARGEST_CASE_BYTES:
            continue
        if case.name.startswith(OWN_ARITHMETIC) and not is_evaluated(case, outputs[case.name]):
            continue
        operators = re.findall(r"= (\w+)\(", str(found["graph"]))
        family = " ".join([*dict.fromkeys(operators), case.name.split("_")[-2]])
        counts[family] = counts.get(family, 0) + 1
        if counts[family] <= (INT8_CASES if "_int8_" in case.name else OTHER_CASES):
            yield found


def main() -> None:
    """Write the file, one case a line."""
    lines = [json.dumps(found) for found in chosen()]
    TARGET.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{len(lines)} cases, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
