"""The evaluator's interface, and what networks as a whole must give."""

import numpy as np
import pytest
from tinsmith_ir import DType, EvaluationError, evaluate_graph, parse_graph
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_ir.testing import mlperf_tiny_dir, random_graph, random_inputs

TEXT = """graph 2 "g" {
  input %x: f32[2]
  input %z: f32[2]
  const %c: f32[2] = [10.0, 20.0]
  %a: f32[2] = add(%x, %c)
  %y: f32[2] = sub(%a, %z)
  output %y
}"""
ONES, TWOS = np.ones(2, np.float32), np.full(2, 2, np.float32)


def test_inputs_are_taken_by_name_or_in_order() -> None:
    graph = parse_graph(TEXT)
    assert evaluate_graph(graph, [ONES, TWOS])["y"].tolist() == [9, 19]
    assert evaluate_graph(graph, {"z": TWOS, "x": ONES})["y"].tolist() == [9, 19]


def test_keep_gives_every_value_but_constants() -> None:
    kept = evaluate_graph(parse_graph(TEXT), [ONES, TWOS], keep=True)
    assert list(kept) == ["x", "z", "a", "y"]
    assert kept["a"].tolist() == [11, 21]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([ONES], "expected 2 inputs, got 1"),
        ({"x": ONES}, "z is missing"),
        ({"x": ONES, "z": ONES, "w": ONES}, r"got also \['w'\]"),
        ([ONES, np.ones(3, np.float32)], r"%z: expected f32\[2\], got float32 of shape \(3,\)"),
        ([ONES, np.ones(2, np.float64)], "got float64"),
    ],
)
def test_wrong_inputs_are_named(inputs: object, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        evaluate_graph(parse_graph(TEXT), inputs)  # type: ignore[arg-type]


def test_an_output_may_be_an_input_or_a_constant() -> None:
    graph = parse_graph('graph 2 "g" { input %x: i8[1] const %c: i8[1] = [7] output %x output %c }')
    got = evaluate_graph(graph, [np.array([3], np.int8)])
    assert {name: array.tolist() for name, array in got.items()} == {"x": [3], "c": [7]}


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16, DType.FLOAT32])
def test_random_networks_give_the_same_bits_each_time(dtype: DType) -> None:
    for seed in range(20):
        graph = random_graph(seed, dtype=dtype)
        first = evaluate_graph(graph, random_inputs(graph, seed), keep=True)
        second = evaluate_graph(random_graph(seed, dtype=dtype), random_inputs(graph, seed))
        for name, array in second.items():
            assert equal_arrays(array, first[name])
        assert all(np.isfinite(a).all() for a in first.values() if a.dtype == np.float32)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
def test_random_networks_do_not_saturate_everywhere(dtype: DType) -> None:
    spread = 0
    for seed in range(40):
        graph = random_graph(seed, dtype=dtype)
        kept = evaluate_graph(graph, random_inputs(graph, seed), keep=True)
        spread += sum(len(np.unique(kept[node.name])) > 3 for node in graph.nodes)
    assert spread > 200


def test_equal_arrays_tells_zeros_and_types_apart() -> None:
    assert not equal_arrays(np.array([0.0]), np.array([-0.0]))
    assert equal_arrays(np.array([np.nan]), np.array([np.nan]))
    assert not equal_arrays(np.zeros(2, np.int8), np.zeros(2, np.int16))
    assert not equal_arrays(np.zeros((2, 1)), np.zeros((1, 2)))


def test_mlperf_tiny_dir_is_none_or_has_models(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = mlperf_tiny_dir()
    assert folder is None or list(folder.glob("*.tflite"))
    monkeypatch.setenv("TINSMITH_MLPERF_TINY_DIR", "/nowhere")
    again = mlperf_tiny_dir()
    assert again is None or list(again.glob("*.tflite"))
