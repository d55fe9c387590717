"""Weights of two bits: their bytes, their text, and where they may be."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import DType, GraphError, TensorType, parse_graph, print_graph
from tinsmith_ir.few_bits import packed, unpacked
from tinsmith_ir.operators import Conv2D
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization

Run = Callable[..., list[object]]

LAYER = """
      input %x: i8[1,3]<0.5, 1>
      const %w: i2[2,3]<0.5, 0> = [-2, 1, 0, -1, 1, 1]
      const %b: i32[2] = [4, -4]
      %y: i8[1,2]<0.25, 3> = fully_connected(%x, %w, %b)
      output %y"""


def test_the_first_integer_is_in_the_lowest_bits() -> None:
    data = np.array([[-2, 1, 0, -1], [1, 1, 0, 0]], np.int8)
    assert packed(data, DType.INT2).tolist() == [0b11000110, 0b00000101]


def test_the_last_byte_may_hold_fewer_than_four() -> None:
    data = packed(np.array([1, 0, -1, -2, -1], np.int8), DType.INT2)
    assert data.tolist() == [0b10110001, 0b11]
    assert unpacked(data, (5,), DType.INT2).tolist() == [1, 0, -1, -2, -1]
    assert TensorType((5,), DType.INT2).size_bytes == 2


def test_all_fours_are_packed_and_unpacked() -> None:
    fours = np.stack(np.meshgrid(*[np.arange(-2, 2)] * 4)).astype(np.int8)
    assert (unpacked(packed(fours, DType.INT2), fours.shape, DType.INT2) == fours).all()


@pytest.mark.parametrize("beyond", [2, -3])
def test_integers_beyond_two_bits_are_not_packed(beyond: int) -> None:
    with pytest.raises(ValueError, match=r"expected integers in \[-2, 1\]"):
        packed(np.array([beyond], np.int8), DType.INT2)


def test_a_layer_of_them_by_hand(run: Run) -> None:
    # Sums of (x - 1) * w: 9 * -2 + 19 + 4 = 5, -9 + 19 + 29 - 4 = 35; times 0.25 / 0.25.
    assert run(LAYER, [10, 20, 30]) == [8, 38]


def test_text_holds_four_in_a_byte() -> None:
    builder = GraphBuilder("conv")
    x = builder.input("x", TensorType((1, 1, 1, 25), DType.INT8, Quantization.per_tensor(0.5, 0)))
    data = np.arange(75).reshape(3, 1, 1, 25).astype(np.int8) % 4 - 2
    w = builder.constant("w", data, Quantization.per_tensor(0.5, 0), DType.INT2)
    graph = builder.build(builder.add(Conv2D(), [x, w], "y", Quantization.per_tensor(0.5, 0)))

    text = print_graph(graph)
    read = parse_graph(text)

    assert print_graph(read) == text
    assert (read.constants[0].data == data).all()
    assert len(text.split('"')[3]) == 28  # base64 of 19 bytes


@pytest.mark.parametrize(
    ("given", "wanted", "message"),
    [
        ("[-2, 1, 0", "[-2, 2, 0", "holds integers beyond i2"),
        ("i8[1,3]<0.5, 1>", "i2[1,3]<0.5, 1>", "no input, state or output is of i4 or i2"),
        ("i2[2,3]<0.5, 0>", "i2[2,3]<0.5, 1>", "zero points 0, got"),
        ("output %y", "%z: i2[6,1] = reshape(%w) {shape=[6,1]}\n output %y", "i2 only of weights"),
        ("output %y", "%z: i8[2,3] = cast(%w) {dtype=i8}\n output %y", "i2 only of weights"),
    ],
)
def test_other_places_and_numbers_are_refused(given: str, wanted: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{{LAYER.replace(given, wanted)}\n}}\n')


def test_beside_int16_they_are_refused() -> None:
    wide = LAYER.replace("i8[1,3]<0.5, 1>", "i16[1,3]<0.5, 0>").replace(
        "i8[1,2]<0.25, 3>", "i16[1,2]<0.25, 0>"
    )
    with pytest.raises(GraphError, match="expected weights of dtype i8, got i2"):
        parse_graph(f'graph 2 "g" {{{wide}\n}}\n')
