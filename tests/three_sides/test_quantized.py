"""The same network of int8 as a TFLite file and as an ONNX file that quantizes and dequantizes every tensor: the same
integers, if those of TFLite are rounded to the nearest as well, and halves of its averages to even.
"""

import numpy as np
import pytest
from as_onnx import as_onnx
from canonical import assert_same
from figures import NEAREST, after_passes, averaged_to_even, compiled
from networks import QUANTIZED, quantized
from steps import channels_first
from tinsmith_ir import Graph, evaluate_graph
from tinsmith_ir.testing import random_inputs
from tinsmith_onnx import import_onnx


def _sides(name: str) -> tuple[Graph, Graph]:
    graph = quantized(name)
    if graph is None:
        pytest.skip("MLPerf Tiny models absent")
    return graph, import_onnx(as_onnx(channels_first(graph)))


@pytest.mark.parametrize("name", QUANTIZED)
def test_onnx_gives_the_integers_of_tflite(name: str) -> None:
    graph, other = _sides(name)
    result = after_passes(other)
    assert_same(after_passes(averaged_to_even(graph), NEAREST), result)
    assert {node.outputs[0].type.dtype.value for node in result.nodes} == {"i8"}


def test_onnx_takes_the_arena_of_tflite() -> None:
    graph, other = _sides("digits")
    assert compiled(other).arena_bytes == compiled(graph, NEAREST).arena_bytes


def test_what_is_written_computes_in_floats_what_tflite_does_in_integers() -> None:
    """Before any pass: within two steps of rounding, on nearly all elements the same."""
    graph, other = _sides("digits")
    given = random_inputs(graph, seed=2)
    (source,) = other.inputs
    (one,) = evaluate_graph(graph, given).values()
    (two,) = evaluate_graph(other, {source.name: next(iter(given.values()))}).values()
    apart = np.abs(one.astype(np.int64) - two.astype(np.int64))
    assert int(apart.max()) <= 2
