"""float32 as integers whose scale each run chooses: DynamicScale and DynamicQuantize."""

import numpy as np
import pytest
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.operators import DynamicQuantize, DynamicScale
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import TensorType

ROWS = np.array([[0, 1, 2.55], [-1.27, 0.5, 1.28], [0, 0, 0], [-4, -2, -1]], np.float32)


def result(operator: DynamicScale | DynamicQuantize, rows: np.ndarray) -> np.ndarray:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType(rows.shape, DType.FLOAT32))
    (found,) = evaluate_graph(builder.build(builder.add(operator, [x])), [rows]).values()
    return found


def test_a_step_is_a_255th_of_what_lies_between_the_ends() -> None:
    scale = result(DynamicScale(), ROWS)
    assert scale.shape == (4, 1)
    assert scale.ravel().tolist() == pytest.approx([0.01, 0.01, 1, 4 / 255])


def test_a_symmetric_step_is_a_127th_of_the_largest_magnitude() -> None:
    scale = result(DynamicScale(symmetric=True), ROWS)
    assert scale.ravel().tolist() == pytest.approx([2.55 / 127, 1.28 / 127, 1, 4 / 127])


def test_integers_count_from_the_one_that_stands_for_zero() -> None:
    assert result(DynamicQuantize(), ROWS).tolist() == [
        [0, 100, 255],
        [-127, 50, 128],
        [0, 0, 0],
        [-255, -127, -64],
    ]


def test_symmetric_integers_end_at_127() -> None:
    assert result(DynamicQuantize(symmetric=True), ROWS).tolist() == [
        [0, 50, 127],
        [-126, 50, 127],
        [0, 0, 0],
        [-127, -64, -32],
    ]


def test_numbers_that_are_none_become_zero() -> None:
    rows = np.array([[np.nan, 1, -1]], np.float32)
    assert result(DynamicQuantize(symmetric=True), rows).tolist() == [[0, 127, -127]]
    assert result(DynamicScale(symmetric=True), rows).item() == pytest.approx(1 / 127)


@pytest.mark.parametrize("operator", [DynamicScale(), DynamicQuantize()])
def test_operands_that_are_refused(operator: DynamicScale | DynamicQuantize) -> None:
    with pytest.raises(GraphError, match="expected input of dtype f32, got i32"):
        operator.infer([TensorType((2, 3), DType.INT32)])
    with pytest.raises(GraphError, match="at least one dimension"):
        operator.infer([TensorType((), DType.FLOAT32)])
