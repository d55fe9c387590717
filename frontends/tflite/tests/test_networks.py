"""Whole networks: the digits example, and MLPerf Tiny where it is present."""

import pathlib

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.graph import Graph
from tinsmith_ir.testing import mlperf_tiny_dir, mlperf_tiny_inputs_dir
from tinsmith_tflite import import_tflite

DIGITS = pathlib.Path(__file__).parents[3] / "examples" / "digits"
FEW = 3
FLOAT_TOLERANCE = 1e-6  # of probabilities: the last bits of softmax's exp
INT8_FILES = {
    "kws": "kws_ref_model.tflite",
    "vww": "vww_96_int8.tflite",
    "ic": "pretrainedResnet_quant.tflite",
    "ad": "ad01_int8.tflite",
    "sww": "str_ww_ref_model.tflite",
}
FLOAT_FILES = {
    "vww": "vww_96_float.tflite",
    "ic": "pretrainedResnet.tflite",
    "ad": "ad01_fp32.tflite",
}


def _run(graph: Graph, x: NDArray[np.generic]) -> NDArray[np.generic]:
    rows = [next(iter(evaluate_graph(graph, [row[None]]).values())) for row in x]
    return np.concatenate(rows)


def _assert_close(y: NDArray[np.generic], expected: NDArray[np.generic]) -> None:
    wide = y.astype(np.float64), expected.astype(np.float64)
    assert np.isclose(*wide, rtol=FLOAT_TOLERANCE, atol=1e-12).all()


def _mlperf_tiny(name: str, file: str) -> tuple[Graph, dict[str, NDArray[np.generic]]]:
    models, inputs = mlperf_tiny_dir(), mlperf_tiny_inputs_dir()
    if models is None or not (models / file).exists():
        pytest.skip(f"MLPerf Tiny models absent: {file}")
    if inputs is None or not (inputs / f"{name}.npz").exists():
        pytest.skip(f"MLPerf Tiny samples absent: {name}.npz")
    with np.load(inputs / f"{name}.npz") as samples:
        return import_tflite(models / file), {key: samples[key][:FEW] for key in samples}


def test_digits_int8_equals_the_reference_in_every_byte() -> None:
    graph = import_tflite(DIGITS / "digits_int8.tflite")
    with np.load(DIGITS / "digits_test.npz") as samples:
        y = _run(graph, samples["x"])
        np.testing.assert_array_equal(y, samples["y"])
        assert np.mean(y.argmax(axis=1) == samples["label"]) > 0.97


def test_digits_float_equals_the_reference_but_for_the_last_bits_of_softmax() -> None:
    graph = import_tflite(DIGITS / "digits_float.tflite")
    with np.load(DIGITS / "digits_test.npz") as samples:
        y = _run(graph, samples["x_float"][:60])
        _assert_close(y, samples["y_float"][:60])


@pytest.mark.parametrize(("name", "file"), INT8_FILES.items())
def test_mlperf_tiny_int8_equals_the_reference_in_every_byte(name: str, file: str) -> None:
    graph, samples = _mlperf_tiny(name, file)
    for kind in ("real", "random"):
        np.testing.assert_array_equal(_run(graph, samples[f"x_{kind}"]), samples[f"y_{kind}"])


@pytest.mark.parametrize(("name", "file"), FLOAT_FILES.items())
def test_mlperf_tiny_float_equals_the_reference_but_for_softmax(name: str, file: str) -> None:
    graph, samples = _mlperf_tiny(name, file)
    y = _run(graph, samples["x_float"])
    if name == "ad":  # no softmax
        np.testing.assert_array_equal(y, samples["y_float"])
    else:
        _assert_close(y, samples["y_float"])


def test_mlperf_tiny_kws_with_dynamic_range_weights_equals_the_reference_but_for_softmax() -> None:
    """This network's activations become integers in each run."""
    graph, samples = _mlperf_tiny("kws", "kws_ref_model_float32.tflite")
    _assert_close(_run(graph, samples["x_float"]), samples["y_float"])
