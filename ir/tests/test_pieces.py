"""Inputs in pieces, and passes after which they come so."""

from typing import ClassVar

import numpy as np
import pytest
from tinsmith_ir import (
    BIT_EXACT,
    Contract,
    DType,
    Graph,
    GraphError,
    InPieces,
    Pass,
    Pipeline,
    Quantization,
    TensorType,
    Value,
    parse_graph,
)
from tinsmith_ir.pieces import check_pieces, cut_in_pieces, last_rows, piece_axis

WHOLE = TensorType((1, 5, 2), DType.INT8, Quantization.per_tensor(0.5, 3))


def test_pieces_are_counted_from_the_end_and_the_first_is_filled_with_zero() -> None:
    array = np.arange(10, dtype=np.int8).reshape(1, 5, 2)
    whole, piece = Value("x", WHOLE), Value("x", WHOLE.with_shape((1, 2, 2)))
    runs = cut_in_pieces([whole], [piece], {"x": array})
    assert [run["x"].tolist() for run in runs] == [
        [[[3, 3], [0, 1]]],
        [[[2, 3], [4, 5]]],
        [[[6, 7], [8, 9]]],
    ]


def test_inputs_without_pieces_come_whole_each_time() -> None:
    whole = [Value("x", WHOLE), Value("z", WHOLE)]
    piece = [Value("x", WHOLE.with_shape((1, 1, 2))), Value("z", WHOLE)]
    array = np.arange(10, dtype=np.int8).reshape(1, 5, 2)
    runs = cut_in_pieces(whole, piece, {"x": array, "z": array})
    assert len(runs) == 5
    assert all(run["z"] is array for run in runs)


def test_last_rows_are_what_the_last_piece_is() -> None:
    array = np.arange(10, dtype=np.int8).reshape(1, 5, 2)
    whole, piece = Value("y", WHOLE), Value("y", WHOLE.with_shape((1, 5, 1)))
    assert last_rows(array, whole, piece).tolist() == [[[1], [3], [5], [7], [9]]]
    assert last_rows(array, whole, whole) is array


@pytest.mark.parametrize(
    "other",
    [
        WHOLE.with_shape((1, 6, 2)),
        WHOLE.with_shape((1, 4, 1)),
        WHOLE.with_shape((5, 2)),
        TensorType((1, 4, 2), DType.INT8, Quantization.per_tensor(0.5, 4)),
        TensorType((1, 4, 2), DType.INT16, Quantization.per_tensor(0.5, 3)),
    ],
)
def test_pieces_are_less_along_one_axis_and_else_the_same(other: TensorType) -> None:
    assert piece_axis(WHOLE, WHOLE.with_shape((1, 4, 2))) == 1
    with pytest.raises(GraphError, match="or less of it along one axis"):
        piece_axis(WHOLE, other)


def test_pieces_have_the_names_of_what_they_are_pieces_of() -> None:
    with pytest.raises(GraphError, match="expected %x, got %z"):
        check_pieces([Value("x", WHOLE)], [Value("z", WHOLE)])


TEXT = """graph 2 "g" {
  input %x: f32[4]
  const %one: f32[1] = [1.0]
  %y: f32[4] = add(%x, %one)
  output %y
}"""
CUT = TEXT.replace("f32[4]", "f32[2]")
INPUTS = {"x": np.arange(4, dtype=np.float32)}


def cut(text: str, promise: Contract = InPieces(), called: str = "cut") -> Pass[Graph, Graph]:  # noqa: B008 (frozen)
    class Cut:
        name: ClassVar[str] = called
        contract: ClassVar[Contract] = promise

        def run(self, graph: Graph) -> Graph:
            del graph
            return parse_graph(text)

    return Cut()


def test_the_last_piece_gives_what_the_whole_gave() -> None:
    result = Pipeline([cut(CUT)]).run(parse_graph(TEXT), verify_inputs=INPUTS)
    assert [record.verified for record in result.records] == [True]
    wrong = CUT.replace("[1.0]", "[2.0]")
    message = "'cut' promised .*last piece.* but changed %y in 2 of 2 elements of run 2"
    with pytest.raises(GraphError, match=message):
        Pipeline([cut(wrong)]).run(parse_graph(TEXT), verify_inputs=INPUTS)


def test_pieces_are_the_measure_of_what_follows() -> None:
    same = cut(CUT, BIT_EXACT, "same")
    Pipeline([cut(CUT), same]).run(parse_graph(TEXT), verify_inputs=INPUTS)
    other = cut(CUT.replace("[1.0]", "[2.0]"), BIT_EXACT, "other")
    with pytest.raises(GraphError, match="'other' promised bit_exact but changed %y in 2 of 2"):
        Pipeline([cut(CUT), other]).run(parse_graph(TEXT), verify_inputs=INPUTS)


@pytest.mark.parametrize(("old", "new"), [("%x", "%z"), ("f32[2]", "f32[8]")])
def test_inputs_and_outputs_are_pieces(old: str, new: str) -> None:
    with pytest.raises(GraphError, match="pass 'cut': inputs and outputs: "):
        Pipeline([cut(CUT.replace(old, new))]).run(parse_graph(TEXT))
