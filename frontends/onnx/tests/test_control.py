"""Branches, loops and scans: models in ONNX's own text, results by hand."""

import numpy as np
import onnx
import pytest
from models import computed
from onnx import parser
from tinsmith_ir import Array, ModelError, UnsupportedError
from tinsmith_onnx import import_onnx

X = np.array([1, -2, 3], np.float32)


def parsed(graph: str, opset: int = 21) -> onnx.ModelProto:
    return parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}]>\n{graph}')


def results(graph: str, **inputs: Array) -> list[Array]:
    return computed(parsed(graph), {"x": X, **inputs})


def branches(then: str, other: str, before: str = "") -> str:
    """A model of x and of c, a condition."""
    return f"""
    m (float[3] x, bool c) => (y) {{
      {before}
      y = If (c) < then_branch = t () => (r) {{ {then} }}, else_branch = e () => (r) {{ {other} }} >
    }}"""


BOTH = branches("r = Neg (x)", "r = Add (x, x)")


@pytest.mark.parametrize(("condition", "expected"), [(True, -X), (False, X + X)])
def test_of_a_computed_condition_both_branches_are_computed_and_one_is_selected(
    condition: bool, expected: Array
) -> None:
    (found,) = results(BOTH, c=np.array(condition))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("other", ["r = Add (x, x)", "r = Nonsense (x)"])
def test_of_a_known_condition_one_branch_is_left(other: str) -> None:
    made = parsed(branches("r = Neg (x)", other)).SerializeToString()
    graph = import_onnx(made, input_values={"c": np.array(True)})
    assert [node.operator.mnemonic for node in graph.nodes] == ["neg"]


def test_branches_of_a_computed_condition_have_results_of_one_shape() -> None:
    text = branches("r = Neg (x)", "r = Concat <axis=0> (x, x)")
    with pytest.raises(UnsupportedError, match=r"one type, got float32\[3\] and float32\[6\]"):
        results(text, c=np.array(True))


def test_a_name_inside_of_a_branch_hides_the_one_around_it_there_alone() -> None:
    then = "n = Neg (x)  s = Mul (n, n)  r = Add (s, n)"
    text = branches(then, "r = Identity (n)", before="n = Add (x, x)")
    for condition, expected in ((True, X * X - X), (False, X + X)):
        (found,) = results(text, c=np.array(condition))
        np.testing.assert_array_equal(found, expected)


def test_a_name_inside_may_be_that_of_what_was_refused_around_it() -> None:
    text = branches("n = Neg (x)  r = Add (n, n)", "r = Neg (x)", before="n = Nonsense (x)")
    with pytest.raises(UnsupportedError, match="Nonsense") as caught:
        results(text, c=np.array(True))
    assert len(caught.value.problems) == 1


def test_problems_inside_of_branches_are_told_once_each() -> None:
    text = branches("r = Nonsense (x)", "r = Neg (x)")
    with pytest.raises(UnsupportedError, match="Nonsense is not supported") as caught:
        results(text, c=np.array(True))
    assert len(caught.value.problems) == 1


def loop(
    limit: str = "4",
    condition: str = "1",
    go: str = "go = Identity (go_in)",
    outputs: str = "last, all",
    behind: str = "",
) -> str:
    """A model of x and of z, a number: x and 0, 1, 2... in a sum, and all that it was on the way, negated."""
    return f"""
    m (float[3] x, float z) => ({outputs}) {{
      n = Constant <value_int={limit}> ()
      k = Constant <value_int={condition}> ()
      c = Cast <to=9> (k)
      last, all = Loop (n, c, x) <
        body = b (int64 i, bool go_in, float[3] v) => (bool go, float[3] next, float[3] shown) {{
          f = Cast <to=1> (i)
          next = Add (v, f)
          shown = Neg (v)
          {go}
        }}
      >
      {behind}
    }}"""


ZERO = np.zeros((), np.float32)


def test_a_loop_of_a_known_number_is_written_out() -> None:
    last, every = results(loop(), z=ZERO)
    np.testing.assert_array_equal(last, X + 6)
    np.testing.assert_array_equal(every, -np.stack([X, X, X + 1, X + 3]))


@pytest.mark.parametrize("number", ["(n, c, x)", "(, c, x)"])
def test_a_loop_ends_with_a_condition_that_is_known_in_each_iteration(number: str) -> None:
    text = loop(go="two = Constant <value_int=2> ()  go = Less (i, two)")
    last, every = results(text.replace("(n, c, x)", number), z=ZERO)
    np.testing.assert_array_equal(last, X + 3)
    assert every.shape == (3, 3)


@pytest.mark.parametrize(("limit", "condition"), [("0", "1"), ("4", "0")])
def test_a_loop_without_iterations_gives_what_it_was_given(limit: str, condition: str) -> None:
    text = loop(limit, condition, outputs="y, sizes", behind="y = Neg (last)  sizes = Shape (all)")
    last, sizes = results(text, z=ZERO)
    np.testing.assert_array_equal(last, -X)
    np.testing.assert_array_equal(sizes, [0, 3])


@pytest.mark.parametrize(("bound", "expected"), [(0.0, X), (1.5, X + 3), (100.0, X + 6)])
def test_of_a_computed_condition_what_is_carried_stays_once_it_does_not_hold(
    bound: float, expected: Array
) -> None:
    text = loop(go="go = Less (f, z)", outputs="last").replace("last, all =", "last =")
    text = text.replace(", float[3] shown) {", ") {").replace("shown = Neg (v)", "")
    (found,) = results(text, z=np.array(bound, np.float32))
    np.testing.assert_array_equal(found, expected)


def test_of_a_computed_condition_results_of_all_iterations_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="since results of all iterations are stacked"):
        results(loop(go="go = Less (f, z)"), z=ZERO)


def test_a_loop_without_a_known_end_is_refused() -> None:
    text = loop(go="go = Less (f, z)", outputs="last").replace("last, all =", "last =")
    text = text.replace(", float[3] shown) {", ") {").replace("shown = Neg (v)", "")
    with pytest.raises(UnsupportedError, match="got a computed condition alone"):
        results(text.replace("(n, c, x)", "(, c, x)"), z=ZERO)


def test_a_computed_number_of_iterations_is_asked_for() -> None:
    text = (
        loop().replace("(n, c, x)", "(m, c, x)").replace("n = Con", "m = Cast <to=7> (z)  n = Con")
    )
    with pytest.raises(UnsupportedError, match="expected operand 0 'm' to be known"):
        results(text, z=ZERO)
    made = parsed(text).SerializeToString()
    assert import_onnx(made, input_values={"z": np.array(2, np.float32)}).outputs[1].type.shape == (
        2,
        3,
    )


@pytest.mark.parametrize("limit", ["70000", "9223372036854775807"])
@pytest.mark.parametrize("body", ["", "next = Identity (v)"])
def test_endless_loops_are_refused(limit: str, body: str) -> None:
    carried = "next" if body else "v"
    text = f"""
    m (float[3] x) => (y) {{
      n = Constant <value_int={limit}> ()
      y = Loop (n, , x) <
        body = b (int64 i, bool go, float[3] v) => (bool go, float[3] {carried}) {{ {body} }}
      >
    }}"""
    with pytest.raises(UnsupportedError, match=r"expected a (loop|network)"):
        results(text)


def test_constants_of_a_body_are_constants_once() -> None:
    made = parsed(loop(outputs="last"))
    body = made.graph.node[3].attribute[0].g
    body.initializer.append(onnx.numpy_helper.from_array(X, "weights"))
    body.node[1].input[1] = "weights"
    graph = import_onnx(made.SerializeToString())
    assert len([each for each in graph.constants if each.value.type.shape == (3,)]) == 1


SCAN = """
m (float[2] first, float[3,2] x) => (last, all) {{
  last, all = Scan <num_scan_inputs=1{attributes}, body = b (float[2] s, float[2] v) => (float[2] t, float[2] shown) {{
    t = Add (s, v)
    shown = Identity (t)
  }}> (first, x)
}}"""
ROWS = np.arange(6, dtype=np.float32).reshape(3, 2)
FIRST = np.array([10, 20], np.float32)
SUMS = FIRST + np.cumsum(ROWS, 0)


@pytest.mark.parametrize(
    ("attributes", "sums"),
    [
        ("", SUMS),
        (", scan_output_axes=[-1]", SUMS.T),
        (", scan_output_directions=[1]", SUMS[::-1]),
        (", scan_input_directions=[1]", FIRST + np.cumsum(ROWS[::-1], 0)),
    ],
)
def test_a_scan_is_written_out(attributes: str, sums: Array) -> None:
    text = SCAN.format(attributes=attributes)
    last, every = computed(parsed(text), {"first": FIRST, "x": ROWS})
    np.testing.assert_array_equal(last, SUMS[-1])
    np.testing.assert_array_equal(every, sums)


def test_a_scan_of_batches() -> None:
    text = SCAN.format(attributes="").replace(
        "(float[2] first, float[3,2] x)", "(float[2,2] f, float[2,3,2] x)"
    )
    text = text.replace("(first, x)", "(, f, x)")
    given = {"f": np.stack([FIRST, -FIRST]), "x": np.stack([ROWS, 2 * ROWS])}
    last, every = computed(parsed(text, opset=8), given)
    expected = np.stack([SUMS, -FIRST + np.cumsum(2 * ROWS, 0)])
    np.testing.assert_array_equal(every, expected)
    np.testing.assert_array_equal(last, expected[:, -1])


@pytest.mark.parametrize(
    ("before", "behind", "message"),
    [
        ("num_scan_inputs=1", "num_scan_inputs=3", "expected 1 to 2 scanned operands, got 3"),
        ("s, float[2] v)", "s)", "expected a body of 2 inputs, got one of 1"),
        ("(float[2] t, float[2] shown)", "(float[2] t)", "result 'all' is not supported"),
    ],
)
def test_scans_that_contradict_themselves_are_refused(
    before: str, behind: str, message: str
) -> None:
    made = parsed(SCAN.format(attributes="").replace(before, behind))
    with pytest.raises((ModelError, UnsupportedError), match=message):
        computed(made, {"first": FIRST, "x": ROWS})
