"""Weights of four bits: their bytes, their text, and where they may be."""

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
      const %w: i4[2,3]<0.5, 0> = [-8, 7, 1, 0, -1, 2]
      const %b: i32[2] = [4, -4]
      %y: i8[1,2]<0.25, 3> = fully_connected(%x, %w, %b)
      output %y"""


def test_the_first_integer_is_in_the_lower_half() -> None:
    assert packed(np.array([[-8, 7, 1], [0, -1, 2]], np.int8), DType.INT4).tolist() == [
        0x78,
        0x01,
        0x2F,
    ]


def test_the_last_byte_of_an_odd_number_holds_one() -> None:
    data = packed(np.array([3, -4, -5], np.int8), DType.INT4)
    assert data.tolist() == [0xC3, 0x0B]
    assert unpacked(data, (3,), DType.INT4).tolist() == [3, -4, -5]
    assert TensorType((3,), DType.INT4).size_bytes == 2


def test_all_pairs_are_packed_and_unpacked() -> None:
    pairs = np.stack(np.meshgrid(np.arange(-8, 8), np.arange(-8, 8))).astype(np.int8)
    assert (unpacked(packed(pairs, DType.INT4), pairs.shape, DType.INT4) == pairs).all()


def test_integers_beyond_four_bits_are_not_packed() -> None:
    with pytest.raises(ValueError, match=r"expected integers in \[-8, 7\]"):
        packed(np.array([8], np.int8), DType.INT4)


def test_a_layer_of_them_by_hand(run: Run) -> None:
    # Sums of (x - 1) * w: 9 * -8 + 19 * 7 + 29 * 1 + 4 = 94, 9 * 0 - 19 + 29 * 2 - 4 = 35; times 0.25 / 0.25.
    assert run(LAYER, [10, 20, 30]) == [97, 38]


def test_text_holds_two_in_a_byte() -> None:
    builder = GraphBuilder("conv")
    x = builder.input("x", TensorType((1, 1, 1, 25), DType.INT8, Quantization.per_tensor(0.5, 0)))
    data = np.arange(75).reshape(3, 1, 1, 25).astype(np.int8) % 16 - 8
    w = builder.constant("w", data, Quantization.per_tensor(0.5, 0), DType.INT4)
    graph = builder.build(builder.add(Conv2D(), [x, w], "y", Quantization.per_tensor(0.5, 0)))

    text = print_graph(graph)
    read = parse_graph(text)

    assert print_graph(read) == text
    assert (read.constants[0].data == data).all()
    assert len(text.split('"')[3]) == 52  # base64 of 38 bytes


@pytest.mark.parametrize(
    ("given", "wanted", "message"),
    [
        ("[-8, 7, 1", "[-9, 7, 1", "holds integers beyond i4"),
        ("i8[1,3]<0.5, 1>", "i4[1,3]<0.5, 1>", "no input, state or output is of i4"),
        ("i4[2,3]<0.5, 0>", "i4[2,3]<0.5, 1>", "zero points 0, got"),
        ("output %y", "%z: i4[6,1] = reshape(%w) {shape=[6,1]}\n output %y", "only of weights"),
        ("output %y", "%z: i8[2,3] = cast(%w) {dtype=i8}\n output %y", "only of weights"),
    ],
)
def test_other_places_and_numbers_are_refused(given: str, wanted: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{{LAYER.replace(given, wanted)}\n}}\n')


def test_beside_int16_they_are_refused() -> None:
    wide = LAYER.replace("i8[1,3]<0.5, 1>", "i16[1,3]<0.5, 0>").replace(
        "i8[1,2]<0.25, 3>", "i16[1,2]<0.25, 0>"
    )
    with pytest.raises(GraphError, match="expected weights of dtype i8, got i4"):
        parse_graph(f'graph 2 "g" {{{wide}\n}}\n')
