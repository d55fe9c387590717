"""Single operators give the bytes that TFLite 2.14's reference kernels gave (tools/make_goldens.py)."""

import base64
import json
from pathlib import Path
from typing import TypedDict

import numpy as np
import pytest
from tinsmith_ir import Array, evaluate_frames, parse_graph
from tinsmith_ir.evaluate import varied_frames


class _Always(TypedDict):
    name: str
    graph: str
    inputs: list[str]
    output: str


class Golden(_Always, total=False):
    """runs: of a network with a memory, whose inputs vary; the output is that of all, one behind the other.
    tolerance: of floats whose function is our own in the last bits, absolutely and as a share.
    """

    runs: int
    tolerance: float


GOLDEN = Path(__file__).parent / "golden" / "tflite_2_14.json"
CASES: list[Golden] = json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_bytes_are_those_of_the_reference_kernels(case: Golden) -> None:
    graph = parse_graph(case["graph"])
    inputs: list[Array] = [
        np.frombuffer(base64.b64decode(content), value.type.dtype.numpy).reshape(value.type.shape)
        for content, value in zip(case["inputs"], graph.inputs, strict=True)
    ]
    named = {str(index): array for index, array in enumerate(inputs)}
    frames = [[*run.values()] for run in varied_frames(named, case.get("runs", 1))]
    output = b"".join(
        array.tobytes() for run in evaluate_frames(graph, frames) for array in run.values()
    )
    if "tolerance" in case:
        found, expected = (
            np.frombuffer(content, "<f4") for content in (output, base64.b64decode(case["output"]))
        )
        np.testing.assert_allclose(found, expected, case["tolerance"], case["tolerance"])
    else:
        assert base64.b64encode(output).decode() == case["output"]
