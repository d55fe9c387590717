"""Single operators give the bytes that TFLite 2.14's reference kernels gave (tools/make_goldens.py)."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from tinsmith_ir import Array, evaluate_graph, parse_graph

GOLDEN = Path(__file__).parent / "golden" / "tflite_2_14.json"
CASES: list[dict[str, str | list[str]]] = json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_bytes_are_those_of_the_reference_kernels(case: dict[str, str | list[str]]) -> None:
    graph = parse_graph(str(case["graph"]))
    inputs: list[Array] = [
        np.frombuffer(base64.b64decode(content), value.type.dtype.numpy).reshape(value.type.shape)
        for content, value in zip(case["inputs"], graph.inputs, strict=True)
    ]
    (output,) = evaluate_graph(graph, inputs).values()
    assert base64.b64encode(output.tobytes()).decode() == case["output"]
