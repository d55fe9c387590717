"""Inputs and outputs that are integers."""

import numpy as np
import pytest
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_quantization import integer_ends

ENDS = """graph 2 "g" {
  input %x: f32[1,4]
  %x_integers: i8[1,4]<0.5, 3> = quantize(%x) {halves_to_even=true}
  %rectified: i8[1,4]<0.5, 3> = relu(%x_integers)
  %y: f32[1,4] = dequantize(%rectified)
  output %y
}"""


def ends(graph: Graph) -> list[tuple[str, str]]:
    return [(value.name, value.type.dtype.value) for value in (*graph.inputs, *graph.outputs)]


def test_what_is_quantized_at_once_is_given_as_integers() -> None:
    graph = integer_ends(parse_graph(ENDS))
    assert [node.operator.mnemonic for node in graph.nodes] == ["relu"]
    assert ends(graph) == [("x", "i8"), ("y", "i8")]
    assert (
        graph.inputs[0].type.quantization == parse_graph(ENDS).nodes[0].outputs[0].type.quantization
    )
    integers = np.array([[-5, 3, 4, 100]], np.int8)
    (found,) = evaluate_graph(graph, [integers]).values()
    (real,) = evaluate_graph(parse_graph(ENDS), [(integers.astype(np.float32) - 3) / 2]).values()
    assert np.array_equal((found.astype(np.float32) - 3) / 2, real)


@pytest.mark.parametrize(
    "more",
    [
        "%again: f32[1,4] = relu(%x)\n  output %again",
        "%other: i8[1,4]<0.25, 0> = quantize(%x) {halves_to_even=true}\n  output %other",
        "output %x",
    ],
)
def test_inputs_that_are_read_otherwise_too_stay_real(more: str) -> None:
    text = ENDS.replace("output %y", f"{more}\n  output %y")
    graph = integer_ends(parse_graph(text))
    assert ends(graph)[0] == ("x", "f32")
    assert ends(graph)[-1] == ("y", "i8")


@pytest.mark.parametrize(
    ("outputs", "kept"),
    [
        ("%again: f32[1,4] = relu(%y)\n  output %again\n  output %y", ["f32", "f32"]),
        ("output %y\n  output %rectified", ["f32", "i8"]),
    ],
)
def test_outputs_that_are_read_otherwise_too_stay_real(outputs: str, kept: list[str]) -> None:
    graph = integer_ends(parse_graph(ENDS.replace("output %y", outputs)))
    assert [value.type.dtype.value for value in graph.outputs] == kept


def test_integers_that_two_outputs_are_made_of_have_one_name() -> None:
    text = ENDS.replace(
        "output %y", "%z: f32[1,4] = dequantize(%rectified)\n  output %y\n  output %z"
    )
    graph = integer_ends(parse_graph(text))
    assert ends(graph)[1:] == [("y", "i8"), ("z", "f32")]


def test_networks_of_floats_stay_what_they_are() -> None:
    text = """graph 2 "g" {
  input %x: f32[1,4]
  %y: f32[1,4] = relu(%x)
  output %y
}"""
    graph = integer_ends(parse_graph(text))
    assert ends(graph) == [("x", "f32"), ("y", "f32")]
