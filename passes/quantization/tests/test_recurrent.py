"""Layers that remember, as integers."""

from dataclasses import replace

import numpy as np
import pytest
from recurrent_networks import Frames, decibels, frames, gru, lstm, mnemonics
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import FullyConnected, Lstm
from tinsmith_ir.printer import print_graph
from tinsmith_qdq import FoldQuantization, remaining
from tinsmith_quantization import Scheme, quantize, scheme


def integers(graph: Graph, chosen: Scheme, given: Frames | None = None) -> Graph:
    made = quantize(graph, given or frames(graph), chosen).graph
    return FoldQuantization().run(made)


def scale_of(graph: Graph, name: str) -> float:
    quantization = graph.values[name].type.quantization
    assert quantization is not None
    return quantization.scale


@pytest.mark.parametrize(
    ("graph", "least"),
    [
        (lstm(), 37),
        (lstm(20), 37),
        (lstm(1, keeps=True), 37),
        (lstm(4, has_peepholes=True), 37),
        (lstm(4, attributes="backwards=true"), 37),
        (lstm(4, attributes="cell_clip=0.4"), 37),
        (lstm(outputs=5), 35),
        (lstm(20, outputs=12, keeps=True), 35),
        (gru(), 37),
        (gru(20), 37),
        (gru(1, keeps=True), 35),
    ],
)
@pytest.mark.parametrize("name", ["int8", "uint8"])
def test_networks_keep_what_they_compute(graph: Graph, least: float, name: str) -> None:
    quantized = integers(graph, scheme(name))
    assert not remaining(quantized)
    assert decibels(graph, quantized, frames(graph)) > least


def test_an_lstm_has_cells_of_int16_and_gives_what_leaves_them() -> None:
    quantized = integers(lstm(), scheme("int8"))
    (node,) = quantized.nodes
    given, hidden, cells = (value.type for value in node.outputs)
    assert (given.dtype, hidden.dtype, cells.dtype) == (DType.INT8, DType.INT8, DType.INT16)
    assert cells.quantization is not None
    assert np.log2(cells.quantization.scale).is_integer()
    assert hidden.quantization is not None
    assert isinstance(node.operator, Lstm)
    assert node.operator.hidden_scale == hidden.quantization.scale
    weights = [value.type for value in node.present_inputs[3:11]]
    assert all(type_.dtype is DType.INT8 for type_ in weights)


@pytest.mark.parametrize(
    "graph", [lstm(), lstm(20), lstm(1, keeps=True), lstm(4, attributes="cell_clip=0.4")]
)
def test_an_lstm_of_int16x8_is_integers(graph: Graph) -> None:
    quantized = integers(graph, scheme("int16x8"))
    assert mnemonics(quantized) == ["lstm"]
    (node,) = quantized.nodes
    assert {value.type.dtype for value in node.outputs} == {DType.INT16}
    assert {value.type.dtype for value in node.present_inputs[11:15]} == {DType.INT64}
    weights = [value.type for value in node.present_inputs[3:11]]
    assert all(type_.dtype is DType.INT8 for type_ in weights)
    narrow = integers(graph, scheme("int8"))
    found = decibels(graph, quantized, frames(graph))
    assert found > max(43, decibels(graph, narrow, frames(graph)) + 3)


def test_what_int16_has_not_stays_float32() -> None:
    for graph in (lstm(has_peepholes=True), lstm(outputs=5)):
        quantized = integers(graph, scheme("int16x8"))
        assert [each.node.operator.mnemonic for each in remaining(quantized)] == ["lstm"]
    both = integers(lstm(has_peepholes=True, outputs=5), scheme("int8"))
    assert [each.node.operator.mnemonic for each in remaining(both)] == ["lstm"]


def test_cells_are_as_wide_as_any_step_makes_them() -> None:
    """Of three steps the second one fills the cells, and the last one leaves what is nearly nothing of them."""
    graph = parse_graph("""graph 2 "g" {
      input %x: f32[1,3,1]
      const %w: f32[1,1] = [3.0]
      const %f: f32[1,1] = [9.0]
      const %n: f32[1,1] = [0.0]
      const %b: f32[1] = [8.0]
      const %z: f32[1] = [0.0]
      const %s: f32[1,1] = [6.0]
      %y: f32[1,3,1], %h: f32[1,1], %c: f32[1,1] = lstm(%x, %n, %s, %w, %f, %w, %w, %n, %n, %n, %n, %b, %z, %z, %b,
          none, none, none, none, none)
      output %y
    }""")
    given: Frames = [{"x": np.array([[[2.0], [2.0], [-2.0]]], np.float32)}]
    quantized = integers(graph, scheme("int8"), given)
    assert scale_of(quantized, "c") == 2.0**-12  # up to 8: 6, and 1 in each of two steps


def test_a_gru_has_a_state_of_int16_and_gives_int8() -> None:
    quantized = integers(gru(1, keeps=True), scheme("int8"))
    (state,) = quantized.states
    assert state.value.type.dtype is DType.INT16
    assert {value.type.dtype for value in (*quantized.inputs, *quantized.outputs)} == {DType.INT8}


def test_a_state_of_int8_keeps_less() -> None:
    graph = gru(20)
    found = {
        gates: decibels(graph, integers(graph, Scheme(gates=gates)), frames(graph))
        for gates in ("int8", "sums", "products")
    }
    assert found["sums"] > found["int8"] + 5
    assert found["products"] > found["sums"]


def test_steps_share_constants() -> None:
    quantized = integers(gru(keeps=True), scheme("int8"))
    layers = [node for node in quantized.nodes if isinstance(node.operator, FullyConnected)]
    recurrent = [node for node in layers if node.present_inputs[0].type.shape == (1, 8)]
    for size in (8, 16):
        same = {
            tuple(
                quantized.constant_data[value.name].tobytes() for value in node.present_inputs[1:]
            )
            for node in recurrent
            if node.outputs[0].type.shape[1] == size
        }
        assert len(same) == 1


def test_products_of_a_gru_read_int8_unless_they_are_asked_to_read_more() -> None:
    for gates, dtype in (("sums", DType.INT8), ("products", DType.INT16)):
        quantized = integers(gru(keeps=True), Scheme(gates=gates))
        layers = [node for node in quantized.nodes if isinstance(node.operator, FullyConnected)]
        assert {node.present_inputs[0].type.dtype for node in layers} == {dtype}


def test_what_an_lstm_gives_is_read_by_other_layers() -> None:
    text = print_graph(lstm(3)).replace("  output %y\n", "").rstrip().removesuffix("}")
    graph = parse_graph(
        text
        + """  const %v: f32[2,8] = [0.5, -0.5, 0.25, 0.1, 0.2, 0.3, -0.1, 0.9,
                                    1.0, 0.5, -0.5, 0.4, 0.3, 0.2, 0.7, -0.6]
      %p: f32[1,2] = fully_connected(%hidden, %v, none)
      %q: f32[1,2] = fully_connected(%cells, %v, none)
      %k: f32[2,8] = concat(%cells, %cells) {axis=0}
      output %p
      output %q
      output %k
    }"""
    )
    quantized = integers(graph, scheme("int8"))
    assert not remaining(quantized)
    assert mnemonics(quantized).count("requantize") == 1  # cells of int16 for a layer of int8
    assert [value.type.dtype.value for value in quantized.outputs] == ["i8", "i8", "i16"]
    assert decibels(graph, quantized, frames(graph)) > 30


def test_lstms_of_float32_keep_states_of_float32() -> None:
    quantized = integers(lstm(2, keeps=True), replace(scheme("int8"), integer_lstms=False))
    assert {state.value.type.dtype for state in quantized.states} == {DType.FLOAT32}
    assert [each.node.operator.mnemonic for each in remaining(quantized)] == ["lstm"]


def test_samples_are_runs_of_one_sequence() -> None:
    """A state that adds up what comes grows from run to run, and so does its range."""
    graph = parse_graph("""graph 2 "g" {
      input %x: f32[1,2]
      state %s: f32[1,2] = [0.0, 0.0] next %y
      %y: f32[1,2] = add(%x, %s)
      output %y
    }""")
    given: Frames = [{"x": np.array([[1.0, -1.0]], np.float32) * (1 + run % 2)} for run in range(8)]
    quantized = integers(graph, Scheme(method="minmax"), given)
    (state,) = quantized.states
    assert state.value.type == quantized.outputs[0].type
    assert scale_of(quantized, "s") == pytest.approx(12 / 127)
    assert state.initial.tolist() == [[0, 0]]
    assert decibels(graph, quantized, given) > 40


def test_the_same_samples_give_the_same_bytes() -> None:
    for graph in (lstm(), gru()):
        first, second = (print_graph(integers(graph, scheme("int8"))) for _ in range(2))
        assert first == second


def test_sums_that_no_gate_multiplies_stay_int8() -> None:
    """A block that squeezes and excites multiplies by a gate, too, but what is added comes from elsewhere."""
    graph = parse_graph("""graph 2 "g" {
      input %x: f32[1,8]
      %g: f32[1,8] = logistic(%x)
      %r: f32[1,8] = relu(%x)
      %m: f32[1,8] = mul(%g, %r)
      %y: f32[1,8] = add(%m, %x)
      output %y
    }""")
    quantized = integers(graph, Scheme(tables=False))
    assert {value.type.dtype for node in quantized.nodes for value in node.outputs} == {DType.INT8}
