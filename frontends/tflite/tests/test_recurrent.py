"""Layers that change variable tensors, which become states."""

import numpy as np
import pytest
from small_models import assert_refused
from tflite_builder import ModelBuilder, OptionValue, options
from tinsmith_ir import Graph
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.evaluate import evaluate_frames
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
