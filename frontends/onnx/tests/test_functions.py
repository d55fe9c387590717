"""Functions of models, and operators that the onnx package defines by others."""

import numpy as np
import onnx
import pytest
from models import assert_close, computed, expected, one
from onnx import parser
from tinsmith_ir import Array, ModelError, UnsupportedError

X = np.array([1, -2, 3], np.float32)
HEAD = '<ir_version: 10, opset_import: ["" : 21, "own" : 1]>'
DOMAIN = '<domain: "own", opset_import: ["" : 21, "own" : 1]>'


def parsed(graph: str, *functions: str) -> onnx.ModelProto:
    """A model of x. functions: each without its head."""
    texts = [
        f"{HEAD}\nm (float[3] x) => (y) {{ {graph} }}",
        *(f"{DOMAIN}\n{each}" for each in functions),
    ]
    return parser.parse_model("\n".join(texts))


def result(graph: str, *functions: str) -> Array:
    (found,) = computed(parsed(graph, *functions), {"x": X})
    return found


def test_a_function_is_its_nodes() -> None:
    assert (
        result("y = own.f (x, x)", "f (a, b) => (c) { n = Neg (a)  c = Sub (n, b) }") == -2 * X
    ).all()


def test_names_inside_of_a_function_are_its_own() -> None:
    found = result("n = Add (x, x)  z = own.f (x)  y = Add (z, n)", "f (x) => (n) { n = Neg (x) }")
    assert (found == X).all()


def test_a_function_sees_nothing_around_it() -> None:
    with pytest.raises(
        ModelError, match="expected operand 'x' to be an input, a constant or the result"
    ):
        result("y = own.f (x)", "f (a) => (c) { c = Neg (x) }")


def test_attributes_of_the_caller_are_those_of_the_nodes() -> None:
    concat = "f <axis> (a) => (c) { c = Concat <axis : int = @axis> (a, a) }"
    assert (result("y = own.f <axis=0> (x)", concat) == [*X, *X]).all()


def test_attributes_that_a_caller_leaves_out_have_the_functions_default() -> None:
    leaky = "f <alpha : float = 0.5> (a) => (c) { c = LeakyRelu <alpha : float = @alpha> (a) }"
    assert (result("y = own.f (x)", leaky) == [1, -1, 3]).all()
    assert (result("y = own.f <alpha = 2.0> (x)", leaky) == [1, -4, 3]).all()


def test_attributes_that_nobody_says_have_the_operators_default() -> None:
    leaky = "f <alpha> (a) => (c) { c = LeakyRelu <alpha : float = @alpha> (a) }"
    assert_close(result("y = own.f (x)", leaky), np.array([1, -0.02, 3]))


def test_attributes_reach_into_graphs_inside() -> None:
    function = """f <alpha : float = 0.5> (a) => (c) {
      t = Constant <value_int=1> ()  k = Cast <to=9> (t)
      c = If (k) <
        then_branch = t () => (r) { r = LeakyRelu <alpha : float = @alpha> (a) },
        else_branch = e () => (r) { r = Neg (a) }
      >
    }"""
    assert (result("y = own.f <alpha = 2.0> (x)", function) == [1, -4, 3]).all()


def test_functions_call_functions() -> None:
    functions = ("f (a) => (c) { b = own.g (a)  c = own.g (b) }", "g (a) => (c) { c = Add (a, a) }")
    assert (result("y = own.f (x)", *functions) == 4 * X).all()


@pytest.mark.parametrize(
    "functions",
    [
        ("f (a) => (c) { c = own.f (a) }",),
        ("f (a) => (c) { c = own.g (a) }", "g (a) => (c) { c = own.f (a) }"),
        ("f (a) => (c) { b = own.f (a)  c = own.f (b) }",),
    ],
)
def test_a_function_that_calls_itself_is_damage(functions: tuple[str, ...]) -> None:
    with pytest.raises(ModelError, match="expected calls that end, got one in itself"):
        result("y = own.f (x)", *functions)


def test_functions_of_one_name_differ_by_their_overloads() -> None:
    made = parsed("z = own.f (x)  y = own.f (z)", "f (a) => (c) { c = Neg (a) }")
    other = onnx.FunctionProto()
    other.CopyFrom(made.functions[0])
    other.overload, other.node[0].op_type = "absolute", "Abs"
    made.functions.append(other)
    made.graph.node[1].overload = "absolute"
    (found,) = computed(made, {"x": X})
    assert (found == np.abs(X)).all()


def test_operands_that_a_caller_leaves_out_are_left_out_inside() -> None:
    clip = "f (a, low, high) => (c) { c = Clip (a, low, high) }"
    one_ = "k = Constant <value_float=1.0> ()"
    assert (result(f"{one_}  y = own.f (x, , k)", clip) == [1, -2, 1]).all()
    assert (result(f"{one_}  y = own.f (x, k)", clip) == [1, 1, 3]).all()


def test_operands_that_are_left_out_are_so_in_graphs_inside() -> None:
    function = """f (a, low) => (c) {
      t = Constant <value_int=1> ()  k = Cast <to=9> (t)
      c = If (k) <
        then_branch = t () => (r) { r = Clip (a, low) },
        else_branch = e () => (r) { r = Neg (a) }
      >
    }"""
    assert (result("y = own.f (x)", function) == X).all()


def test_a_function_of_a_name_that_operators_have_is_the_functions() -> None:
    made = parsed("y = own.Neg (x)", "Neg (a) => (c) { c = Add (a, a) }")
    (found,) = computed(made, {"x": X})
    assert (found == 2 * X).all()


def test_problems_inside_of_a_function_are_told() -> None:
    with pytest.raises(UnsupportedError, match="Nonsense is not supported"):
        result("y = own.f (x)", "f (a) => (c) { c = Nonsense (a) }")


SIZE = np.array(10, np.int32)


@pytest.mark.parametrize("kind", ["BlackmanWindow", "HammingWindow", "HannWindow"])
@pytest.mark.parametrize("attributes", [{}, {"periodic": 0}])
def test_defaults_of_defined_operators_reach_their_nodes(
    kind: str, attributes: dict[str, object]
) -> None:
    made = one(kind, [SIZE], attributes, known=[0], opset=17)
    (found,) = computed(made, {})
    assert_close(found, expected(made, {})[0])


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("has_weights", [False, True])
def test_losses_are_what_they_are_defined_by(reduction: str, has_weights: bool) -> None:
    random = np.random.default_rng(3)
    scores = random.standard_normal((3, 5, 2)).astype(np.float32)
    labels = random.integers(0, 5, (3, 2))
    weights = random.random(5).astype(np.float32) if has_weights else None
    made = one("SoftmaxCrossEntropyLoss", [scores, labels, weights], {"reduction": reduction})
    given: dict[str, Array] = {"x0": scores, "x1": labels}
    if weights is not None:
        given["x2"] = weights
    (found,) = computed(made, given)
    assert_close(found, expected(made, given)[0])
