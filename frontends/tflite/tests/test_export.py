"""Exported graphs: read back they evaluate to the same bits; what TFLite cannot say is refused, all at once."""

import re

import pytest
from case_builder import CaseBuilder, Kind
from cases_recurrent import unidirectional_sequence_lstm
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.evaluate import evaluate_frames, evaluate_graph
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import random_inputs
from tinsmith_tflite import export_tflite, import_tflite, is_tflite
from written_graphs import GRAPHS


def assert_returns(graph: Graph) -> None:
    inputs = random_inputs(graph, seed=1)
    read = import_tflite(export_tflite(graph))
    expected = evaluate_graph(graph, inputs)
    got = evaluate_graph(read, list(inputs.values()))
    for (name, wanted), found in zip(expected.items(), got.values(), strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), name
        assert found.tobytes() == wanted.tobytes(), name


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_comes_back_with_the_same_bits(name: str) -> None:
    assert_returns(parse_graph(GRAPHS[name]))


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16, DType.FLOAT32])
def test_random_networks_come_back_with_the_same_bits(dtype: DType) -> None:
    written = 0
    for seed in range(40):
        graph = random_graph(seed, dtype=dtype, nodes=4, roundings=(Rounding.TFLITE,))
        try:
            export_tflite(graph)
        except UnsupportedError:
            continue
        written += 1
        assert_returns(graph)
    assert written >= 5


@pytest.mark.parametrize("kind", ["INT8", "FLOAT32"])
@pytest.mark.parametrize("index", range(6))
def test_an_lstm_comes_back_with_its_states(kind: Kind, index: int) -> None:
    case = unidirectional_sequence_lstm(CaseBuilder(f"lstm {kind} {index}"), kind, index)
    assert case is not None
    graph = import_tflite(case.model)
    read = import_tflite(export_tflite(graph))
    assert len(read.states) == len(graph.states) == 2
    frames = case.frames
    for expected, got in zip(
        evaluate_frames(graph, frames), evaluate_frames(read, frames), strict=True
    ):
        for wanted, found in zip(expected.values(), got.values(), strict=True):
            assert found.tobytes() == wanted.tobytes()


def test_states_that_no_lstm_keeps_are_refused() -> None:
    error = refused(
        "input %x: f32[2]",
        "state %s: f32[2] = [0.0, 0.0] next %y",
        "%y: f32[2] = add(%x, %s)",
        "output %y",
    )
    assert "only an lstm keeps its states" in str(error)


def test_the_same_graph_gives_the_same_bytes_which_are_a_tflite_file() -> None:
    text = next(iter(GRAPHS.values()))
    first, second = (export_tflite(parse_graph(text)) for _ in range(2))
    assert first == second
    assert is_tflite(first)
    assert b"Written by Tinsmith." in first


def refused(*statements: str) -> UnsupportedError:
    lines = "\n".join(f"  {statement}" for statement in statements)
    with pytest.raises(UnsupportedError) as caught:
        export_tflite(parse_graph(f'graph 2 "net" {{\n{lines}\n}}\n'))
    return caught.value


def test_all_nodes_that_tflite_cannot_say_are_told_at_once() -> None:
    error = refused(
        "input %x: f32[2,3]",
        "%a: f32[2,3] = erf(%x)",
        "%b: f32[2,3] = tan(%a)",
        "output %b",
    )
    assert len(error.problems) == 2
    assert re.search(
        r"net: %a: f32\[2,3\] = erf\(%x\): TFLite has no operator for erf", error.problems[0]
    )
    assert "tan" in error.problems[1]


@pytest.mark.parametrize(
    ("result", "application", "message"),
    [
        ("i8[2,3]<0.125, 0>", "requantize(%x) {rounding=nearest}", "set-rounding{mode=tflite}"),
        (
            "i16[2,3]<0.125, 0>",
            "requantize(%x) {dtype=i16}",
            "exact for the same scale and no activation",
        ),
        ("i8[2]<0.125, 0>", "sum(%x) {axes=[1]}", "use a mean and a mul"),
        ("i8[2,3]<0.125, 0>", "tanh(%x)", "gives scale 0.0078125, zero point 0"),
        ("i8[2,3]<0.1, 0>", "relu(%x)", "scale 0.1 of %y is not; quantize to 0.10000000149011612"),
        ("i8[4,3]<0.125, 0>", "concat(%x, %x)", "requantize it in front"),
    ],
)
def test_what_tflite_would_compute_otherwise_is_refused(
    result: str, application: str, message: str
) -> None:
    error = refused("input %x: i8[2,3]<0.0625, -3>", f"%y: {result} = {application}", "output %y")
    assert message in str(error)


def test_quantize_with_halves_to_even_is_refused() -> None:
    node = "%y: i8[2,3]<0.0625, -3> = quantize(%x) {halves_to_even=true}"
    assert "without halves_to_even" in str(refused("input %x: f32[2,3]", node, "output %y"))


def test_average_pool_with_padding_that_would_count_is_refused() -> None:
    node = "%y: f32[1,3,3,1] = average_pool2d(%x) {window=[2,2], stride=[2,2], padding=[1,0,1,0]}"
    error = refused("input %x: f32[1,5,5,1]", node, "output %y")
    assert "SAME or VALID padding alone, got [1, 0, 1, 0]" in str(error)


@pytest.mark.parametrize(
    ("layer", "operator", "stored"),
    [
        ("i2[2,3,3,1]<0.5, 0>", "conv2d", DType.INT4),
        ("i2[2,3,3,1]<[0.5, 0.25], [0, 0], axis 0>", "conv2d", DType.INT4),
        ("i2[1,3,3,1]<0.5, 0>", "depthwise_conv2d", DType.INT4),
        ("i2[2,9]<0.5, 0>", "fully_connected", DType.INT4),
        ("i2[2,9]<[0.5, 0.25], [0, 0], axis 0>", "fully_connected", DType.INT8),
    ],
)
def test_weights_of_two_bits_are_written_in_more(layer: str, operator: str, stored: DType) -> None:
    given = "i8[1,9]" if operator == "fully_connected" else "i8[1,3,3,1]"
    units = 1 if operator == "depthwise_conv2d" else 2
    result = f"[1,{units}]" if operator == "fully_connected" else f"[1,1,1,{units}]"
    integers = ", ".join(str(index % 4 - 2) for index in range(9 * units))
    graph = parse_graph(
        f"""graph 2 "net" {{
          input %x: {given}<0.5, 3>
          const %w: {layer} = [{integers}]
          const %b: i32[{units}] = [{", ".join(["5"] * units)}]
          %y: i8{result}<2.0, 1> = {operator}(%x, %w, %b)
          output %y
        }}"""
    )
    read = import_tflite(export_tflite(graph))
    weights = next(each for each in read.constants if len(each.value.type.shape) > 1)
    assert weights.value.type.dtype is stored
    assert_returns(graph)


def test_constants_are_aligned_to_16_bytes() -> None:
    model = export_tflite(parse_graph(GRAPHS["conv2d 0,0,0,0 %b"]))
    weights = bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 255, 254, 253, 252, 251, 250, 249, 248, 247])
    assert model.index(weights) % 16 == 0
