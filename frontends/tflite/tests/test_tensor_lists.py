"""Lists of tensors, as TensorFlow's recurrent layers write them, leave no operator of their own."""

import numpy as np
import pytest
from small_models import assert_refused
from tflite_builder import ModelBuilder, options
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_tflite import import_tflite


class Lists:
    """A network of x (3, 2) with lists of rows of two numbers."""

    def __init__(self) -> None:
        self.model = ModelBuilder()
        self.x = self.model.tensor("x", (3, 2))
        self.row_shape = self.ints(2)

    def ints(self, *elements: int) -> int:
        return self.model.constant("c", np.array(elements, np.int32))

    def scalar(self, element: int) -> int:
        return self.model.constant("c", np.array(element, np.int32))

    def operator(self, name: str, inputs: list[int], result: int) -> int:
        self.model.operator("CUSTOM", inputs, [result], custom=f"FlexTensorList{name}")
        return result

    def listed(self, name: str, *inputs: int) -> int:
        return self.operator(name, [*inputs], self.model.tensor(name, (), "VARIANT"))

    def reserved(self, count: int, shape: int | None = None) -> int:
        shape = self.row_shape if shape is None else shape
        return self.listed("Reserve", shape, self.scalar(count))

    def rows(self) -> int:
        return self.listed("FromTensor", self.x, self.row_shape)

    def item(self, of: int, at: int) -> int:
        row = self.model.tensor("row", (2,))
        return self.operator("GetItem", [of, self.scalar(at), self.row_shape], row)

    def with_item(self, of: int, at: int, row: int) -> int:
        return self.listed("SetItem", of, self.scalar(at), row)

    def stacked(self, of: int, count: int) -> bytes:
        y = self.model.tensor("y", (count, 2))
        return self.finish(self.operator("Stack", [of, self.row_shape], y))

    def finish(self, y: int) -> bytes:
        return self.model.finish([self.x], [y])


def result(model: bytes) -> list[list[float]]:
    x = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    (found,) = evaluate_graph(import_tflite(model), [x]).values()
    return found.tolist()


def test_rows_are_stacked_in_the_order_of_their_places() -> None:
    s = Lists()
    rows, found = s.rows(), s.reserved(2)
    found = s.with_item(found, 1, s.item(rows, 0))
    found = s.with_item(found, 0, s.item(rows, 2))
    assert result(s.stacked(found, 2)) == [[5, 6], [1, 2]]


def test_a_list_does_not_change_when_another_is_made_of_it() -> None:
    s = Lists()
    rows = s.rows()
    s.with_item(rows, 0, s.item(rows, 2))
    assert result(s.stacked(rows, 3)) == [[1, 2], [3, 4], [5, 6]]


def test_what_is_in_a_list_costs_no_operator() -> None:
    s = Lists()
    row = s.model.tensor("sum", (3, 2))
    s.model.operator("ADD", [s.x, s.x], [row], options("AddOptions"))
    found = s.item(s.with_item(s.reserved(1), 0, row), 0)
    graph = import_tflite(s.finish(found))
    assert [node.operator.mnemonic for node in graph.nodes] == ["add"]


def test_nothing_in_a_place_is_zeros() -> None:
    s = Lists()
    found = s.with_item(s.reserved(3), 1, s.item(s.rows(), 0))
    assert result(s.stacked(found, 3)) == [[0, 0], [1, 2], [0, 0]]


def test_the_length_of_a_list_is_known() -> None:
    s = Lists()
    length = s.operator("Length", [s.reserved(2)], s.model.tensor("length", (), "INT32"))
    shape = s.model.tensor("shape", (2,), "INT32")
    s.model.operator("PACK", [length, s.scalar(3)], [shape], options("PackOptions", ValuesCount=2))
    y = s.model.tensor("y", (2, 3))
    s.model.operator("RESHAPE", [s.x, shape], [y], options("ReshapeOptions"))
    assert result(s.finish(y)) == [[1, 2, 3], [4, 5, 6]]


def test_nothing_in_a_place_of_unknown_shape() -> None:
    s = Lists()
    s.row_shape = s.ints(-1)
    message = "expected elements of known shape where nothing was put into the list"
    assert_refused(UnsupportedError, s.stacked(s.reserved(3), 3), message)


@pytest.mark.parametrize("at", [-1, 3])
def test_an_index_that_is_not_in_the_list(at: int) -> None:
    s = Lists()
    model = s.finish(s.item(s.rows(), at))
    assert_refused(UnsupportedError, model, f"expected an index into a list of 3, got {at}")


def test_an_index_that_only_the_run_knows() -> None:
    s = Lists()
    at = s.model.tensor("at", (), "INT32")
    row = s.model.tensor("row", (2,))
    rows = s.rows()
    s.operator("GetItem", [rows, at, s.row_shape], row)
    message = "tensor 2 'at': expected a constant, got what is computed at run time"
    assert_refused(UnsupportedError, s.model.finish([s.x, at], [row]), message)


def test_what_is_no_list() -> None:
    s = Lists()
    message = "expected a list that another operator gives, got tensor 0 'x'"
    assert_refused(ModelError, s.stacked(s.x, 3), message)


@pytest.mark.parametrize("count", [0, -1, 1025])
def test_lists_of_impossible_length(count: int) -> None:
    s = Lists()
    message = "expected a list of 1 to 1,024 tensors, got"
    assert_refused(UnsupportedError, s.stacked(s.reserved(count), 1), message)


def test_operands_that_are_missing() -> None:
    s = Lists()
    model = s.finish(s.operator("Stack", [s.reserved(1)], s.model.tensor("y", (1, 2))))
    assert_refused(ModelError, model, "expected 2 inputs and 1 output, got 1 and 1")
