"""Views in layouts that no strides say: text, places, what the verifier refuses, and the evaluator."""

import re
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import (
    DType,
    ElementLayout,
    GraphError,
    TensorType,
    UsageError,
    View,
    evaluate_program,
    parse_program,
    places,
    print_program,
    verify_program,
)
from tinsmith_ir.boxes import Box
from tinsmith_ir.byte_places import byte_range, copied_places
from tinsmith_ir.expressions import Counter, Expression, Term
from tinsmith_ir.layouts import LAYOUTS, Lines, element_offsets, find_layout, layout_bytes


class PairsOfChannels(ElementLayout):
    """Two channels of all pixels, then the next two; the last channel of an odd number beside padding."""

    name: ClassVar[str] = "test_pairs"

    def size_bytes(self, type_: TensorType) -> int:
        if type_.dtype is not DType.INT8:
            raise GraphError(f"test_pairs takes i8, got {type_.dtype.value}")
        return -(-type_.shape[-1] // 2) * 2 * (type_.elements // type_.shape[-1])

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        pixels = type_.elements // type_.shape[-1]
        pixel, channel = np.divmod(np.arange(type_.elements), type_.shape[-1])
        return (channel // 2 * 2 * pixels + 2 * pixel + channel % 2).reshape(type_.shape)


class Colliding(ElementLayout):
    """No bijection."""

    name: ClassVar[str] = "test_colliding"

    def size_bytes(self, type_: TensorType) -> int:
        return type_.size_bytes

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        return np.zeros(type_.shape, np.int64)


class InTwoBanks(ElementLayout):
    """Elements by turns in two banks of 32 bytes, whose rest is others'; each bank's own bytes are a multiple of 8."""

    name: ClassVar[str] = "test_banks"

    def size_bytes(self, type_: TensorType) -> int:
        return 32 + self._own(type_)

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        number = np.arange(type_.elements)
        return (number % 2 * 32 + number // 2).reshape(type_.shape)

    def own_runs(self, type_: TensorType) -> tuple[tuple[int, ...], int]:
        return (0, 32), self._own(type_)

    def _own(self, type_: TensorType) -> int:
        return -(-type_.elements // 16) * 8


class BeyondItsOwn(InTwoBanks):
    """Its own bytes do not hold its elements."""

    name: ClassVar[str] = "test_beyond"

    def own_runs(self, type_: TensorType) -> tuple[tuple[int, ...], int]:
        return (0,), 32


PROGRAM = """program 2 "p" for "t" {
  memory "m" size 128 align 4
  buffer %x: i8[2,3] in "m" at 0
  buffer %b: 16 bytes in "m" at 8
  view %pairs: i8[2,3] of %b layout "test_pairs"
  buffer %y: i8[2,3] in "m" at 24
  input %x
  copy %x -> %pairs
  copy %pairs -> %y
  output %y
}
"""


def test_text_places_and_evaluator() -> None:
    program = parse_program(PROGRAM)
    verify_program(program)
    assert print_program(program) == PROGRAM
    found = places(program.view["pairs"])
    assert (found.starts.tolist(), found.length) == ([0, 1, 4, 2, 3, 6], 1)
    data = np.array([[1, -2, 3], [-4, 5, -6]], np.int8)
    np.testing.assert_array_equal(evaluate_program(program, {"x": data})["y"], data)


def test_runs_are_as_long_as_they_can_be() -> None:
    four = places(View("v", TensorType((3, 2), DType.INT8), "b", layout="test_pairs"))
    assert (four.starts.tolist(), four.length) == ([0], 6)
    pairs = places(View("v", TensorType((3, 4), DType.INT8), "b", layout="test_pairs"))
    assert (pairs.starts.tolist(), pairs.length) == ([0, 6, 2, 8, 4, 10], 2)


ON_ENGINE = """program 2 "p" for "t" {
  memory "m" size 128 align 8
  engine "dma" reaches "m" align 8
  buffer %x: i8[2,3] in "m" at 0
  buffer %b: 16 bytes in "m" at 8
  view %pairs: i8[2,3] of %b layout "test_pairs"
  buffer %c: 16 bytes in "m" at 24
  view %others: i8[2,3] of %c start 8 layout "test_pairs"
  buffer %y: i8[2,3] in "m" at 40
  input %x
  copy %x -> %pairs
  copy %pairs -> %others on "dma" token 0
  wait 0
  copy %others -> %y
  output %y
}
"""


def test_a_copy_within_one_layout_is_one_run_with_its_padding() -> None:
    program = parse_program(ON_ENGINE)
    verify_program(program)  # eight bytes at a multiple of eight
    pairs, others = (program.view[name] for name in ("pairs", "others"))
    one, other = copied_places(pairs, others)
    assert (one.starts.tolist(), one.length) == ([0], 8)
    assert (other.starts.tolist(), other.length) == ([8], 8)
    one, other = copied_places(program.view["x"], pairs)
    assert (one.length, other.length) == (6, 1)
    data = np.arange(6, dtype=np.int8).reshape(2, 3)
    np.testing.assert_array_equal(evaluate_program(program, {"x": data})["y"], data)
    with pytest.raises(GraphError, match="copies multiples of 8 bytes, not those of %others"):
        parse_program(ON_ENGINE.replace("start 8", "start 4"))


IN_BANKS = """program 2 "p" for "t" {
  memory "m" size 128 align 8
  engine "dma" reaches "m" align 8
  buffer %x: i8[2,3] in "m" at 0
  buffer %both: 56 bytes in "m" at 8
  view %one: i8[2,3] of %both layout "test_banks"
  view %other: i8[2,3] of %both start 8 layout "test_banks"
  buffer %y: i8[2,3] in "m" at 64
  input %x
  copy %x -> %one
  copy %one -> %other on "dma" token 0
  wait 0
  copy %other -> %y
  output %y
}
"""


def test_what_a_layout_leaves_to_others_is_theirs() -> None:
    program = parse_program(IN_BANKS)
    verify_program(program)
    one, other = (program.view[name] for name in ("one", "other"))
    assert (byte_range(one), byte_range(other)) == ((0, 40), (8, 48))
    copied = copied_places(one, other)
    assert [(found.starts.tolist(), found.length) for found in copied] == [
        ([0, 32], 8),
        ([8, 40], 8),
    ]
    data = np.arange(6, dtype=np.int8).reshape(2, 3)
    for completion in ("earliest", "latest"):
        found = evaluate_program(program, {"x": data}, completion=completion)["y"]
        np.testing.assert_array_equal(found, data)
    with pytest.raises(GraphError, match="padding included, are its own"):
        parse_program(IN_BANKS.replace("start 8", "start 4"))
    # In the second bank of the other one.
    with pytest.raises(GraphError, match="padding included, are its own"):
        parse_program(IN_BANKS.replace("start 8", "start 32").replace("56 bytes", "72 bytes"))


def test_elements_beyond_the_bytes_of_their_own_are_refused() -> None:
    with pytest.raises(GraphError, match="bijection"):
        element_offsets("test_beyond", TensorType((4,), DType.INT8))


def test_padding_and_gaps_count_among_the_bytes_of_a_view() -> None:
    program = parse_program(ON_ENGINE)
    assert byte_range(program.view["x"]) == (0, 6)
    assert byte_range(program.view["others"]) == (8, 16)  # of six elements
    assert byte_range(replace(program.view["x"], strides=(5, 1))) == (0, 8)
    with pytest.raises(GraphError, match="counter"):
        byte_range(replace(program.view["others"], start=Expression(0, (Term(8, Counter("i")),))))


def test_a_layout_is_found_by_its_name() -> None:
    assert find_layout("test_pairs") is LAYOUTS["test_pairs"]
    assert layout_bytes("test_pairs", TensorType((2, 3), DType.INT8)) == 8
    assert layout_bytes("", TensorType((2, 3), DType.INT8)) == 6
    with pytest.raises(GraphError, match="got 'nobodys'; load the plug-in that has it"):
        layout_bytes("nobodys", TensorType((2, 3), DType.INT8))
    with pytest.raises(GraphError, match=r"'test_colliding' is no bijection of i8\[2, 3\] to 6"):
        element_offsets("test_colliding", TensorType((2, 3), DType.INT8))


def test_names_are_words_that_nobody_has() -> None:
    with pytest.raises(UsageError, match="got 'Two words'"):
        type("Wrong", (PairsOfChannels,), {"name": "Two words"})
    with pytest.raises(UsageError, match=r"got 'test_pairs', which .*PairsOfChannels has"):
        type("Second", (PairsOfChannels,), {"name": "test_pairs"})


WRONG = [
    ('"test_pairs"', '"nobodys"', "expected a layout that is known ("),
    ('"test_pairs"', '"test_colliding"', "'test_colliding' is no bijection of i8[2, 3] to 6 bytes"),
    ("%pairs: i8[2,3] of", "%pairs: i16[2,3] of", "test_pairs takes i8, got i16"),
    (' layout "test', ' strides [3,1] layout "test', "no strides and no ring beside a layout"),
    (' layout "test', ' ring axis 0 of 3 layout "test', "no strides and no ring beside a layout"),
    ("%b: 16", "%b: 7", "bytes 0 to 7 of the 7 of %b"),
    ("of %b layout", "of %b start 9 layout", "bytes 9 to 16 of the 16 of %b"),
    ("%pairs: i8[2,3]", "%pairs: i8[9999,9999]", "more than 16777216 elements"),
    (
        "  buffer %y",
        "  view %mine: i8[1] of %b start 5\n  buffer %y",
        "the bytes of a view in a layout, padding included, are its own",
    ),
    ("output %y", "output %pairs", "lie densely"),
    ("input %x", "input %pairs", "lie densely"),
]


@pytest.mark.parametrize(("right", "wrong", "message"), WRONG)
def test_a_wrong_layout_is_refused(right: str, wrong: str, message: str) -> None:
    text = PROGRAM.replace(right, wrong, 1)
    with pytest.raises(GraphError, match=re.escape(message)):
        parse_program(text)


def test_views_of_one_tensor_and_those_behind_it_share_no_padding() -> None:
    views = (
        '  view %again: i8[2,3] of %b layout "test_pairs"\n  view %behind: i8[8] of %b start 8\n'
    )
    verify_program(parse_program(PROGRAM.replace("  buffer %y", f"{views}  buffer %y")))


class LinesOf4(ElementLayout):
    """Rows of bytes, each padded to a multiple of 4."""

    name: ClassVar[str] = "test_lines_of_4"
    family: ClassVar[str] = "test lines"
    least: ClassVar[int] = 4

    def size_bytes(self, type_: TensorType) -> int:
        rows, columns = type_.shape
        return rows * -(-columns // self.least) * self.least

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        rows, columns = type_.shape
        starts = np.arange(rows)[:, None] * (self.size_bytes(type_) // rows)
        return starts + np.arange(columns)

    def lines(self, whole: TensorType, box: Box) -> Lines | None:
        rows, columns = whole.shape
        if not box.is_whole(whole.shape, 1):
            return None
        line, length = self.size_bytes(whole) // rows, -(-columns // 4) * 4
        (begin, end), _ = box.ranges
        return Lines(np.arange(begin, end) * line, length, line - length, line - length)


class LinesOf8(LinesOf4):
    """The same, padded to a multiple of 8."""

    name: ClassVar[str] = "test_lines_of_8"
    least: ClassVar[int] = 8


PARTS = """program 2 "p" for "t" {
  memory "m" size 128 align 4
  memory "n" size 128 align 8 remote
  engine "dma" reaches "m", "n" align 4 lengths 8
  buffer %x: i8[3,3] in "m" at 0
  buffer %b: 16 bytes in "m" at 12
  view %rows: i8[3,3] of %b layout "test_lines_of_4"
  view %last: i8[2,3] of %b layout "test_lines_of_4" from [1,0] of [3,3]
  buffer %c: 16 bytes in "n" at 0
  view %near: i8[2,3] of %c layout "test_lines_of_8"
  buffer %y: i8[2,3] in "m" at 28
  input %x
  copy %x -> %rows
  copy %last -> %near on "dma" token 0
  wait 0
  copy %last -> %y
  output %y
}
"""


def test_a_part_of_a_tensor_in_a_layout_is_copied_line_by_line() -> None:
    program = parse_program(PARTS)
    verify_program(program)
    assert print_program(program) == PARTS
    assert places(program.view["last"]).indices().tolist() == [4, 5, 6, 8, 9, 10]
    source, destination = copied_places(program.view["last"], program.view["near"])
    # Padding behind the destination's lines is written with what lies behind those of the source.
    assert (source.starts.tolist(), source.length) == ([4, 8], 8)
    assert (destination.starts.tolist(), destination.length) == ([0, 8], 8)
    data = np.arange(9, dtype=np.int8).reshape(3, 3)
    np.testing.assert_array_equal(evaluate_program(program, {"x": data})["y"], data[1:])


def test_lines_shorter_than_the_engine_copies_are_refused() -> None:
    program = parse_program(PARTS.replace('"test_lines_of_8"', '"test_lines_of_4"'))
    taken = replace(program.view["near"], type=TensorType((1, 3), DType.INT8))
    one = replace(program.view["last"], type=taken.type)
    views = [{"near": taken, "last": one}.get(view.name, view) for view in program.views]
    views = [replace(v, type=taken.type) if v.name == "y" else v for v in views]
    with pytest.raises(GraphError, match="copies multiples of 8 bytes from multiples of 4, not"):
        verify_program(replace(program, views=tuple(views)))


@pytest.mark.parametrize("begin", ["[2,0]", "[0,1]", "[0]"])
def test_a_part_lies_within_its_tensor(begin: str) -> None:
    text = PARTS.replace("from [1,0]", f"from {begin}")
    with pytest.raises(GraphError, match="larger tensor"):
        verify_program(parse_program(text))
