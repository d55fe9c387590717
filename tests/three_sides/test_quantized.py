"""The same network of int8 as a TFLite file and as an ONNX file that quantizes and dequantizes every tensor: the same
integers, if those of TFLite are rounded to the nearest as well, and halves of its averages to even.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from as_onnx import as_onnx
from canonical import assert_same
from figures import TARGET, after_passes, compiled
from networks import QUANTIZED, quantized
from steps import channels_first
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.passes import PassChoice
from tinsmith_ir import Graph, evaluate_graph
from tinsmith_ir.operators import AveragePool2D
from tinsmith_ir.testing import random_inputs
from tinsmith_onnx import import_onnx

_NEAREST = CompileOptions(TARGET, passes=(PassChoice("set-rounding", {"mode": "nearest"}),))


def _sides(name: str) -> tuple[Graph, Graph]:
    graph = quantized(name)
    if graph is None:
        pytest.skip("MLPerf Tiny models absent")
    return graph, import_onnx(as_onnx(channels_first(graph)))


def _averaged_to_even(graph: Graph) -> Graph:
    """The graph with average pools of an even number of elements as ONNX means them."""
    nodes = tuple(
        replace(node, operator=replace(node.operator, halves_to_even=True))
        if isinstance(node.operator, AveragePool2D) and math.prod(node.operator.window) % 2 == 0
        else node
        for node in graph.nodes
    )
    return replace(graph, nodes=nodes)


@pytest.mark.parametrize("name", QUANTIZED)
def test_onnx_gives_the_integers_of_tflite(name: str) -> None:
    graph, other = _sides(name)
    result = after_passes(other)
    assert_same(after_passes(_averaged_to_even(graph), _NEAREST), result)
    assert {node.outputs[0].type.dtype.value for node in result.nodes} == {"i8"}


def test_onnx_takes_the_arena_of_tflite() -> None:
    graph, other = _sides("digits")
    assert compiled(other).arena_bytes == compiled(graph, _NEAREST).arena_bytes


def test_what_is_written_computes_in_floats_what_tflite_does_in_integers() -> None:
    """Before any pass: within two steps of rounding, on nearly all elements the same."""
    graph, other = _sides("digits")
    given = random_inputs(graph, seed=2)
    (source,) = other.inputs
    (one,) = evaluate_graph(graph, given).values()
    (two,) = evaluate_graph(other, {source.name: next(iter(given.values()))}).values()
    apart = np.abs(one.astype(np.int64) - two.astype(np.int64))
    assert int(apart.max()) <= 2
