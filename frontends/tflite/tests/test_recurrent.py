"""Layers that change variable tensors, which become states."""

import numpy as np
import pytest
from case_builder import activation_code
from small_models import assert_refused
from tflite_builder import ModelBuilder, OptionValue, options
from tinsmith_ir import Graph
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.evaluate import evaluate_frames, evaluate_graph
from tinsmith_ir.types import Quantization
from tinsmith_tflite import import_tflite


def filters(
    *,
    layers: int = 1,
    features: np.ndarray | None = None,
    scales: Quantization | None = None,
    is_variable: int = 1,
    data: bytes | None = None,
    **table: OptionValue,
) -> bytes:
    """As many layers of one filter over three steps, with one memory."""
    b = ModelBuilder()
    value = x = b.tensor("x", (1, 1))
    memory = b.tensor("memory", (1, 3), data=data, IsVariable=is_variable)
    over_features = np.array([[2]], np.float32) if features is None else features
    w = b.constant("w", over_features, quantization=scales)
    over_time = b.constant("t", np.array([[100, 10, 1]], np.float32))
    for index in range(layers):
        y = b.tensor(f"y{index}", (1, 1))
        chosen = options("SVDFOptions", **{"Rank": 1, **table})
        b.operator("SVDF", [value, w, over_time, -1, memory], [y], chosen, version=1)
        value = y
    return b.finish([x], [value])


def results(graph: Graph, *inputs: float) -> list[float]:
    frames = [[np.array([[number]], np.float32)] for number in inputs]
    return [float(found[graph.outputs[0].name].item()) for found in evaluate_frames(graph, frames)]


def test_variable_tensor_becomes_a_state() -> None:
    graph = import_tflite(filters())
    (state,) = graph.states
    assert (state.value.name, state.next) == ("memory", graph.nodes[0].outputs[0])
    assert not state.initial.any()
    assert results(graph, 1, 2, 3, 4) == [2, 24, 246, 468]


def test_two_layers_change_one_memory_in_turn() -> None:
    graph = import_tflite(filters(layers=2))
    assert len(graph.states) == 1
    # The second finds [0, 0, 2] and leaves [0, 2, 4], of which the first makes [2, 4, 0], and the second [4, 0, 480].
    assert results(graph, 1, 0) == [24, 880]


def test_small_weights_beside_floats_become_float() -> None:
    warnings: list[str] = []
    quantized = np.array([[4]], np.int8)
    model = filters(features=quantized, scales=Quantization.per_tensor(0.5, 0))
    assert results(import_tflite(model, on_warning=warnings.append), 1, 2) == [2, 24]
    assert "1 weight tensor(s) of int8 beside float32 activations" in warnings[0]
    assert "Convert the model with full integer quantization" in warnings[0]


def test_memory_that_is_no_variable() -> None:
    assert_refused(ModelError, filters(is_variable=0), "expected a variable tensor, got tensor 1")


def test_memory_with_data() -> None:
    model = filters(data=bytes(12))
    assert_refused(UnsupportedError, model, "a variable tensor without data")


def test_rank_that_divides_nothing() -> None:
    assert_refused(ModelError, filters(Rank=0), "a rank that divides 1 filters, got 0")


def test_variable_tensor_elsewhere_is_refused() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (1,), IsVariable=1), b.tensor("y", (1,))
    b.operator("ABS", [x], [y])
    with pytest.raises(UnsupportedError, match="variables"):
        import_tflite(b.finish([x], [y]))


def cells(
    kind: str = "UNIDIRECTIONAL_SEQUENCE_LSTM",
    *,
    activation: str = "TANH",
    extra: int = -1,
    count: int = 20,
    ways: int = 1,
    **table: OptionValue,
) -> bytes:
    """An LSTM of one cell whose weights are all 1. extra: an operand that is there, too."""
    b = ModelBuilder()
    x = b.tensor("x", (1, 2, 1))
    one = b.constant("one", np.ones((1, 1), np.float32))
    bias = b.constant("bias", np.zeros(1, np.float32))
    operands = [x]
    for _ in range(ways):
        operands += [one] * 8 + [-1] * 3 + [bias] * 4 + [-1] * 2
    for name in "hcij"[: 2 * ways]:
        operands.append(b.tensor(name, (1, 1), IsVariable=1))
    operands += [-1] * (count - len(operands))
    if extra >= 0:
        operands[extra] = bias
    results = [b.tensor(f"y{way}", (1, 2, 1)) for way in range(ways)]
    if table.get("MergeOutputs"):
        results = [b.tensor("y", (1, 2, 2))]
    name = "Unidirectional" if ways == 1 else "Bidirectional"
    fields = {"FusedActivationFunction": activation_code(activation), "TimeMajor": False}
    chosen: dict[str, OptionValue] = {**fields, **table}
    b.operator(kind, operands, results, options(f"{name}SequenceLSTMOptions", **chosen))
    return b.finish([x], results)


def test_lstm_keeps_its_result_and_its_cells() -> None:
    graph = import_tflite(cells())
    (node,) = graph.nodes
    assert [state.next for state in graph.states] == [*node.outputs[1:]]
    frames = [[np.full((1, 2, 1), number, np.float32)] for number in (1, 0)]
    first, second = (found[graph.outputs[0].name] for found in evaluate_frames(graph, frames))
    assert second[0, 0, 0] != first[0, 0, 0]


def test_lstm_of_both_ways() -> None:
    frame = [np.array([1, -2], np.float32).reshape(1, 2, 1)]
    kind = "BIDIRECTIONAL_SEQUENCE_LSTM"
    apart = import_tflite(cells(kind, ways=2, count=48))
    forward, back = (evaluate_graph(apart, frame)[value.name] for value in apart.outputs)
    assert [node.operator.mnemonic for node in apart.nodes] == ["lstm", "lstm"]
    assert len(apart.states) == 4
    merged = import_tflite(cells(kind, ways=2, count=48, MergeOutputs=True))
    (together,) = evaluate_graph(merged, frame).values()
    np.testing.assert_array_equal(together, np.concatenate([forward, back], axis=2))
    (other,) = evaluate_graph(import_tflite(cells()), [frame[0][:, ::-1]]).values()
    np.testing.assert_array_equal(back, other[:, ::-1])


def test_lstms_that_are_refused() -> None:
    assert_refused(UnsupportedError, cells(count=24, extra=21), "no layer normalization in an LSTM")
    assert_refused(UnsupportedError, cells(activation="RELU"), "an LSTM with TANH, got RELU")
    both = cells("BIDIRECTIONAL_SEQUENCE_LSTM", ways=2, count=48, extra=39)
    assert_refused(UnsupportedError, both, "an LSTM without an auxiliary input")
    assert_refused(ModelError, cells(CellClip=-1.0), "finite clips of at least 0, got -1")
