"""Files that are written, and read again as what they were."""

import numpy as np
import pytest
from golden_cases import all_cases
from numpy.typing import NDArray
from tinsmith_ir import DType, Graph, evaluate_graph, parse_graph
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import Cos, Operator, Sum
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_tflite import export_tflite, import_tflite, is_tflite
from tinsmith_tflite.exported import EXPORTS

LAYERS = """graph 2 "g" {
  input %x: i8[1,5,5,2]<0.0625, 3>
  const %w: i8[3,3,3,2]<[0.015625, 0.03125, 0.046875], [0, 0, 0], axis 0> = RANDOM54
  const %b: i32[3] = [100, -200, 300]
  %c: i8[1,5,5,3]<0.125, -128> = conv2d(%x, %w, %b) {padding=[1,1,1,1], activation=relu}
  const %d: i8[1,2,2,3]<0.03125, 0> = RANDOM12
  %e: i8[1,5,5,3]<0.25, 4> = depthwise_conv2d(%c, %d, none) {padding=[1,0,0,1]}
  %m: i8[1,3,3,3]<0.25, 4> = max_pool2d(%e) {window=[2,2], stride=[2,2], padding=[1,0,1,0]}
  %a: i8[1,1,1,3]<0.25, 4> = average_pool2d(%m) {window=[3,3]}
  %f: i8[1,3]<0.25, 4> = reshape(%a) {shape=[1,3]}
  const %v: i8[4,3]<0.0625, 0> = RANDOM12
  %y: i8[1,4]<0.125, 0> = fully_connected(%f, %v, none)
  %z: i8[1,4]<0.00390625, -128> = softmax(%y)
  output %z
  output %e
}"""


def network(text: str = LAYERS) -> Graph:
    random = np.random.default_rng(6)
    for count in (54, 12):
        while f"RANDOM{count}" in text:
            numbers = random.integers(-127, 128, count).tolist()
            text = text.replace(f"RANDOM{count}", str(numbers), 1)
    return parse_graph(text)


def assert_same(graph: Graph, again: Graph, seed: int = 0) -> None:
    """Every output, to the bit."""
    inputs = random_inputs(graph, seed=seed)
    arrays: list[NDArray[np.generic]] = [inputs[value.name] for value in graph.inputs]
    wanted = evaluate_graph(graph, arrays).values()
    got = evaluate_graph(again, arrays).values()
    for expected, found in zip(wanted, got, strict=True):
        assert expected.dtype == found.dtype
        assert np.array_equal(expected, found, equal_nan=expected.dtype.kind == "f")


def test_a_network_is_read_again_as_it_was() -> None:
    graph = network()
    data = export_tflite(graph)
    assert is_tflite(data)
    again = import_tflite(data)
    assert [value.name for value in again.inputs] == ["x"]
    assert [value.name for value in again.outputs] == ["z", "e"]
    assert [value.type for value in again.outputs] == [value.type for value in graph.outputs]
    for seed in range(3):
        assert_same(graph, again, seed)


def test_the_same_graph_gives_the_same_bytes() -> None:
    assert export_tflite(network()) == export_tflite(network())


def test_what_was_imported_is_written_and_read_again() -> None:
    """Models of one operator, of all that TFLite has: what a file can hold keeps every bit."""
    said: set[type[Operator]] = set()
    for case in all_cases():
        try:
            graph = import_tflite(case.model, on_warning=lambda _: None)
            data = export_tflite(graph)
        except UnsupportedError:
            continue
        assert_same(graph, import_tflite(data))
        said |= {type(node.operator) for node in graph.nodes}
    assert EXPORTS.keys() - said <= {Sum, Cos}


def test_most_random_networks_that_can_be_said_keep_their_results() -> None:
    said = 0
    for seed in range(40):
        for dtype in (DType.INT8, DType.FLOAT32):
            graph = random_graph(seed, dtype=dtype)
            try:
                data = export_tflite(graph)
            except UnsupportedError:
                continue
            said += 1
            assert_same(graph, import_tflite(data), seed)
    assert said > 3


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("relu(%x) {rounding=nearest}", r"set-rounding\{mode=tflite\} lets it round as TFLite"),
        ("lookup(%x) {values=VALUES}", "TFLite has no lookup"),
        ("tanh(%x)", "TFLite gives it a scale of 0.0078125 and zero point 0"),
    ],
)
def test_what_a_file_cannot_hold_is_named(line: str, reason: str) -> None:
    values = str([0] * 256)
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,4,4,1]<0.5, 3>
      %y: i8[1,4,4,1]<0.25, 1> = {line.replace("VALUES", values)}
      output %y
    }}""")
    with pytest.raises(UnsupportedError, match=reason) as error:
        export_tflite(graph)
    assert "1 of 1 operators cannot be in a TFLite file" in str(error.value)
    assert "%y: i8[1,4,4,1]" in str(error.value)


def test_all_that_cannot_be_said_is_named_at_once() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: f32[1,4,4,1]
      %q: i8[1,4,4,1]<0.5, 3> = quantize(%x) {halves_to_even=true}
      %p: i8[1,2,2,1]<0.5, 3> = average_pool2d(%q) {window=[2,2], stride=[2,2], halves_to_even=true}
      %s: i8[1,1,1,1]<0.5, 3> = sum(%p) {axes=[1,2], keep_dims=true}
      output %s
    }""")
    with pytest.raises(UnsupportedError, match="3 of 3 operators") as error:
        export_tflite(graph)
    assert "halves of real numbers go to the even integer" in str(error.value)
    assert "halves of its means go to the even integer" in str(error.value)


def test_states_are_refused() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: f32[1,4]
      state %s: f32[1,4] = [0.0, 0.0, 0.0, 0.0] next %y
      %y: f32[1,4] = add(%x, %s)
      output %y
    }""")
    with pytest.raises(UnsupportedError, match=r"expected a network without states .*, got s"):
        export_tflite(graph)
