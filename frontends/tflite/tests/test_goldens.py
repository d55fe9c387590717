"""Every golden case, imported and evaluated, equals TFLite 2.14's reference kernels."""

import pathlib
from itertools import chain

import numpy as np
import pytest
from case_builder import Array, Case
from golden_cases import all_cases
from numpy.typing import NDArray
from tinsmith_ir.evaluate import evaluate_frames
from tinsmith_tflite import import_tflite
from tinsmith_tflite.operators import NOT_IN_TFLITE, RULES

# TFLite takes exp and log from the C library, Tinsmith from arithmetic of its own: they differ in the last bits.
EXP_TOLERANCE = 2.0**-21

# Of these, TFLite has vector kernels alone, which add in another order.
OTHER_ORDER = (
    "bidirectional_sequence_lstm_float32",
    "svdf_float32",
    "unidirectional_sequence_lstm_float32",
)
ORDER_TOLERANCE = 1e-5

OWN_ARITHMETIC = (
    "gelu_float32",
    "softmax_float32",
    "logistic_float32",
    "exp_float32",
    "local_response_normalization_float32",
    "of_floats_float32_2",
    "of_floats_float32_10",
    "power_computed_float32",
    "power_float32",
)


def _goldens() -> dict[str, bytes]:
    with np.load(pathlib.Path(__file__).parent / "goldens.npz") as stored:
        data, ends = stored["data"].tobytes(), [int(end) for end in stored["ends"]]
        starts = [0, *ends[:-1]]
        places = zip(stored["names"], starts, ends, strict=True)
        return {str(name): data[start:end] for name, start, end in places}


GOLDENS = _goldens()
CASES = {case.name: case for case in all_cases() if case.name in GOLDENS}


def _evaluated(case: Case) -> NDArray[np.generic]:
    """The only output in each run."""
    graph = import_tflite(case.model)
    return np.stack([*chain(*(found.values() for found in evaluate_frames(graph, case.frames)))])


def test_all_goldens_have_a_case() -> None:
    assert CASES.keys() == GOLDENS.keys()


def test_the_table_says_what_each_operator_becomes() -> None:
    made = {
        type(node.operator) for name in CASES for node in import_tflite(CASES[name].model).nodes
    }
    assert made == {made for rule in RULES.values() for made in rule.makes} - NOT_IN_TFLITE.keys()


@pytest.mark.parametrize("name", sorted(CASES))
def test_single_operator_equals_the_reference_kernel(name: str) -> None:
    output = _evaluated(CASES[name])
    expected = np.frombuffer(GOLDENS[name], output.dtype).reshape(output.shape)
    assert_right(name, output, expected)


def assert_right(name: str, output: Array, expected: Array) -> None:
    """A case's result is TFLite's, but for the last bits of what Tinsmith computes by arithmetic of its own."""
    if name.startswith("gelu_by_tanh_float32"):
        # Far below zero 1 + tanh(x) has but the last bits of tanh.
        found, wanted = output.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)
    elif name.startswith(OTHER_ORDER):
        found, wanted = output.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_allclose(found, wanted, rtol=ORDER_TOLERANCE, atol=ORDER_TOLERANCE)
    elif name.startswith("detections"):
        # Sides of boxes, which are differences; TFLite computes them in double precision.
        found, wanted = output.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)
    elif name.startswith(("log_softmax_float32", "trigonometry_float32")):
        # The largest elements come near 0, or all do now and then.
        found, wanted = output.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_allclose(found, wanted, rtol=EXP_TOLERANCE, atol=EXP_TOLERANCE)
    elif name.startswith(OWN_ARITHMETIC):
        assert np.isclose(
            output.astype(np.float64),
            expected.astype(np.float64),
            rtol=EXP_TOLERANCE,
            atol=0,
            equal_nan=True,
        ).all()
    else:
        np.testing.assert_array_equal(output, expected)
