"""Running IR text."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import Array, evaluate_graph, parse_graph

Run = Callable[..., list[object]]


@pytest.fixture
def run() -> Run:
    """The elements of the only output of a body (lines between the braces), flat."""
    return _run


def _run(body: str, *inputs: object) -> list[object]:
    graph = parse_graph(f'graph 2 "g" {{\n{body}\n}}')
    arrays: list[Array] = [
        np.array(value, declared.type.dtype.numpy).reshape(declared.type.shape)
        for value, declared in zip(inputs, graph.inputs, strict=True)
    ]
    (output,) = evaluate_graph(graph, arrays).values()
    return output.ravel().tolist()
