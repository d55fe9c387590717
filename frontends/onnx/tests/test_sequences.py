"""Sequences and optional values: models in ONNX's own text, results by hand."""

import numpy as np
import pytest
from models import computed
from onnx import parser
from tinsmith_ir import Array, ModelError, UnsupportedError

X = np.arange(12, dtype=np.float32).reshape(3, 4)


def results(text: str, outputs: str = "y") -> list[Array]:
    head = '<ir_version: 10, opset_import: ["" : 21]>'
    made = parser.parse_model(f"{head}\nm (float[3,4] x) => ({outputs}) {{ n = Neg (x)  {text} }}")
    return computed(made, {"x": X})


@pytest.mark.parametrize(("index", "expected"), [(0, X), (1, -X), (-1, -X)])
def test_an_element_is_what_was_put_there(index: int, expected: Array) -> None:
    text = (
        f"i = Constant <value_int={index}> ()  s = SequenceConstruct (x, n)  e = SequenceAt (s, i)"
    )
    (found,) = results(f"{text}  y = Identity (e)")
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s = SequenceInsert (a, x)", [-X, -X, X]),
        ("s = SequenceInsert (a, x, zero)", [X, -X, -X]),
        ("s = SequenceInsert (a, x, one)", [-X, X, -X]),
        ("b = SequenceInsert (a, x)  s = SequenceErase (b, zero)", [-X, X]),
        ("b = SequenceInsert (a, x)  s = SequenceErase (b)", [-X, -X]),
        ("e = SequenceEmpty ()  s = SequenceInsert (e, x)", [X]),
        ("b = SequenceInsert (a, x)  s = Identity (b)", [-X, -X, X]),
        ("b = SequenceInsert (a, x)  o = Optional (b)  s = OptionalGetElement (o)", [-X, -X, X]),
    ],
)
def test_sequences_grow_and_shrink(text: str, expected: list[Array]) -> None:
    known = "zero = Constant <value_int=0> ()  one = Constant <value_int=1> ()"
    text = f"{known}  a = SequenceConstruct (n, n)  {text}"
    found, length = results(
        f"{text}  y = ConcatFromSequence <axis=0, new_axis=1> (s)  l = SequenceLength (s)", "y, l"
    )
    np.testing.assert_array_equal(found, np.stack(expected))
    assert length == len(expected)


@pytest.mark.parametrize(
    ("split", "attributes", "expected"),
    [
        ("", "axis=1", [X[:, i : i + 1] for i in range(4)]),
        ("", "axis=1, keepdims=0", [X[:, i] for i in range(4)]),
        ("value_int=3", "axis=1", [X[:, :3], X[:, 3:]]),
        ("value_ints=[1, 2]", "axis=0", [X[:1], X[1:]]),
    ],
)
def test_parts_of_a_tensor_are_a_sequence(
    split: str, attributes: str, expected: list[Array]
) -> None:
    sizes = f"p = Constant <{split}> ()  s = SplitToSequence <{attributes}> (x, p)"
    text = sizes if split else f"s = SplitToSequence <{attributes}> (x)"
    for index, part in enumerate(expected):
        at = f"i = Constant <value_int={index}> ()  e = SequenceAt (s, i)  y = Neg (e)"
        (found,) = results(f"{text}  l = SequenceLength (s)  {at}")
        np.testing.assert_array_equal(found, np.negative(part.astype(np.float32)))


def test_a_body_for_each_element() -> None:
    (found,) = results("""
      s = SequenceConstruct (x, n)
      t = SequenceMap (s, x) <body = b (float[3,4] e, float[3,4] o) => (float[3,4] r) { r = Sub (e, o) }>
      y = ConcatFromSequence <axis=-1> (t)
    """)
    np.testing.assert_array_equal(found, np.concatenate([X * 0, -2 * X], -1))


def test_loops_carry_sequences() -> None:
    (found,) = results("""
      k = Constant <value_int=3> ()
      a = SequenceEmpty ()
      s = Loop (k, , a) <body = b (int64 i, bool go, seq(float[3,4]) v) => (bool go, seq(float[3,4]) w) {
        f = Cast <to=1> (i)
        z = Mul (x, f)
        w = SequenceInsert (v, z)
      }>
      y = ConcatFromSequence <axis=0, new_axis=1> (s)
    """)
    np.testing.assert_array_equal(found, np.stack([X * 0, X, X * 2]))


def test_of_a_computed_condition_sequences_are_selected_element_by_element() -> None:
    (found,) = results("""
      zero = Constant <value_float=0.0> ()
      m = ReduceSum <keepdims=0> (n)
      c = Less (m, zero)
      s = If (c) <
        then_branch = t () => (r) { r = SequenceConstruct (x, n) },
        else_branch = e () => (r) { r = SequenceConstruct (n, n) }
      >
      y = ConcatFromSequence <axis=0> (s)
    """)
    np.testing.assert_array_equal(found, np.concatenate([X, -X]))


def test_whether_an_optional_value_is_there_is_known() -> None:
    (found, other) = results(
        "o = Optional (n)  y = OptionalHasElement (o)  z = OptionalHasElement ()", "y, z"
    )
    assert found
    assert not other


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y = SequenceConstruct (x, n)", "output 'y' to be a tensor with elements, got a sequence"),
        ("s = SequenceConstruct (x, n)  y = Neg (s)", "expected a tensor as operand 0, got a seq"),
        ("y = SequenceLength (x)", "expected a sequence as operand 0, got a tensor"),
        (
            "i = Constant <value_int=2> ()  s = SequenceConstruct (x, n)  y = SequenceAt (s, i)",
            "expected an index into a sequence of 2 tensors, got 2",
        ),
        ("e = SequenceEmpty ()  s = SequenceErase (e)  y = Neg (x)", "at least one tensor"),
        ("e = SequenceEmpty ()  y = ConcatFromSequence <axis=0> (e)", "at least one tensor"),
        (
            "k = Constant <value_ints=[100000, 1, 1]> ()  b = Expand (x, k)  s = SplitToSequence (b)  y = Neg (x)",
            "expected at most 65,536 parts, got 100,000",
        ),
        ("o = Optional ()  y = OptionalGetElement (o)", "got an empty one"),
    ],
)
def test_what_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises((ModelError, UnsupportedError), match=message):
        results(text)
