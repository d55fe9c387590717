"""What TFLite Micro alone can run equals its kernels, to every bit."""

import pathlib

import numpy as np
import pytest
from case_builder import Case
from cases_recurrent import micro_cases
from tinsmith_ir import Graph
from tinsmith_ir.evaluate import evaluate_frames
from tinsmith_tflite import export_tflite, import_tflite

_PATH = pathlib.Path(__file__).parent / "micro_goldens.npz"
CASES = {case.name: case for case in micro_cases()}


def assert_right(graph: Graph, case: Case) -> None:
    with np.load(_PATH) as goldens:
        expected = goldens[case.name]
    found = [next(iter(each.values())) for each in evaluate_frames(graph, case.frames)]
    np.testing.assert_array_equal(np.stack(found), expected)


@pytest.mark.parametrize("name", sorted(CASES))
def test_lstm_of_int16(name: str) -> None:
    assert_right(import_tflite(CASES[name].model), CASES[name])


@pytest.mark.parametrize("name", sorted(CASES))
def test_lstm_of_int16_comes_back_from_our_file(name: str) -> None:
    graph = import_tflite(CASES[name].model)
    assert_right(import_tflite(export_tflite(graph)), CASES[name])


def test_there_is_a_golden_for_each_case() -> None:
    with np.load(_PATH) as goldens:
        assert set(goldens.files) == CASES.keys()
