"""Loops and branches, which become the operators that they run."""

from collections.abc import Callable

import numpy as np
import pytest
from fuzzing import damaged
from small_models import assert_refused
from tflite_builder import ModelBuilder, options
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.types import Quantization
from tinsmith_tflite import import_tflite, unrolling

LOOP = options("WhileOptions", CondSubgraphIndex=1, BodySubgraphIndex=2)
BRANCHES = options("IfOptions", ThenSubgraphIndex=1, ElseSubgraphIndex=2)


def state(member: ModelBuilder) -> tuple[int, int]:
    return member.tensor("i", (), "INT32"), member.tensor("x", (2,))


def condition(limit: int, kind: str = "LESS") -> ModelBuilder:
    """i < limit."""
    member = ModelBuilder()
    i, x = state(member)
    bound = member.constant("limit", np.array(limit, np.int32))
    holds = member.tensor("holds", (), "BOOL")
    member.operator(kind, [i, bound], [holds], options(f"{kind.capitalize()}Options"))
    return member.called_with([i, x], [holds])


def body(kind: str = "ADD", step: int = 1) -> ModelBuilder:
    """i + step, x + x."""
    member = ModelBuilder()
    i, x = state(member)
    more = member.constant("step", np.array(step, np.int32))
    after, twice = member.tensor("after", (), "INT32"), member.tensor("twice", (2,))
    member.operator(kind, [x, x], [twice], options("AddOptions"))
    member.operator("ADD", [i, more], [after], options("AddOptions"))
    return member.called_with([i, x], [after, twice])


def looping(*called: ModelBuilder, counter: int | None = 0) -> bytes:
    """A model of one WHILE. counter: where it begins; None for an input of the network."""
    b = ModelBuilder()
    i, x = state(b)
    last, y = b.tensor("last", (), "INT32"), b.tensor("y", (2,))
    first = i if counter is None else b.constant("zero", np.array(counter, np.int32))
    b.operator("WHILE", [first, x], [last, y], LOOP)
    return b.finish([i, x] if counter is None else [x], [y], called=called)


def result(model: bytes, *inputs: np.ndarray) -> np.ndarray:
    (found,) = evaluate_graph(import_tflite(model), inputs).values()
    return found


@pytest.mark.parametrize(("limit", "expected"), [(1, [2, 4]), (3, [8, 16]), (0, [1, 2])])
def test_a_loop_becomes_its_body_as_often_as_it_runs(limit: int, expected: list[float]) -> None:
    model = looping(condition(limit), body())
    graph = import_tflite(model)
    assert [node.operator.mnemonic for node in graph.nodes] == ["add"] * limit
    assert result(model, np.array([1, 2], np.float32)).tolist() == expected


def test_nodes_of_a_loop_say_where_they_come_from() -> None:
    graph = import_tflite(looping(condition(2), body()))
    assert [str(node.location) for node in graph.nodes] == [
        "model.tflite: operator 0 ADD of subgraph 2 'twice'"
    ] * 2
    assert [node.name for node in graph.nodes] == ["twice", "twice_2"]


def test_constants_of_a_loop_are_there_once() -> None:
    member = ModelBuilder()
    i, x = state(member)
    one = member.constant("step", np.array(1, np.int32))
    weights = member.constant("weights", np.array([1, 2], np.float32))
    after, more = member.tensor("after", (), "INT32"), member.tensor("more", (2,))
    member.operator("ADD", [i, one], [after], options("AddOptions"))
    member.operator("ADD", [x, weights], [more], options("AddOptions"))
    graph = import_tflite(looping(condition(5), member.called_with([i, x], [after, more])))
    assert [constant.value.name for constant in graph.constants] == ["weights"]
    assert len(graph.nodes) == 5


def test_a_loop_that_counts_to_what_the_network_is_given() -> None:
    model = looping(condition(3), body(), counter=None)
    message = "whose number of iterations is known, got a condition, tensor 3 'holds' of subgraph 1"
    assert_refused(UnsupportedError, model, message)


ENDLESS = looping(condition(0, "EQUAL"), body(step=0))


@pytest.fixture
def _shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if fewer operators were too many, which takes less time to find out."""
    monkeypatch.setattr(unrolling, "MOST_UNROLLED", 400)


@pytest.mark.usefixtures("_shorter")
@pytest.mark.parametrize("model", [looping(condition(2**30), body()), ENDLESS])
def test_loops_of_too_many_operators(model: bytes) -> None:
    message = (
        "operator 0 WHILE: expected a network of at most 400 operators once its loops are "
        "unrolled, got more in iteration 100 of it"
    )
    assert_refused(UnsupportedError, model, message)


def test_a_loop_of_as_many_operators_as_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unrolling, "MOST_UNROLLED", 4 * 9 + 2)
    assert len(import_tflite(looping(condition(9), body())).nodes) == 9
    with pytest.raises(UnsupportedError, match="at most 38 operators"):
        import_tflite(looping(condition(10), body()))


def test_what_is_refused_in_a_loop_is_told_once() -> None:
    with pytest.raises(UnsupportedError, match="operator 0 COMPLEX_ABS of subgraph 2") as caught:
        import_tflite(looping(condition(3), body("COMPLEX_ABS")))
    assert len(caught.value.problems) == 1


WRONG: list[tuple[Callable[[], bytes], str]] = [
    (lambda: looping(condition(2)), "expected a subgraph from 1 to 1, got 2"),
    (lambda: looping(body(), body()), "expected 1 outputs of its subgraph, got 2"),
    (lambda: looping(condition(2), condition(2)), "expected 2 outputs of its subgraph, got 1"),
    (
        lambda: looping(condition(2).called_with([0], [3]), body()),
        "expected 2 inputs of its subgraph, got 1",
    ),
    (
        lambda: looping(condition(2).called_with([0, 1], [0]), body()),
        "tensor 4 'zero': expected a condition, one BOOL, got INT32",
    ),
    (
        lambda: looping(condition(2).called_with([1, 0], [3]), body()),
        "expected tensor 4 'zero' and tensor 1 'x' of subgraph 1, to which it is given, of one type",
    ),
]


@pytest.mark.parametrize(("model", "message"), WRONG)
def test_loops_that_contradict_themselves(model: Callable[[], bytes], message: str) -> None:
    assert_refused(ModelError, model(), message)


def test_a_subgraph_that_calls_itself() -> None:
    member = ModelBuilder()
    i, x = state(member)
    after = state(member)
    member.operator("WHILE", [i, x], after, LOOP)
    model = looping(condition(2), member.called_with([i, x], after))
    assert_refused(ModelError, model, "expected subgraphs that end, got 2, which calls itself")


def branch(kind: str) -> ModelBuilder:
    """Of two operands, `kind` of them."""
    member = ModelBuilder()
    x, y, found = (member.tensor(name, (2,)) for name in ("x", "y", "found"))
    member.operator(kind, [x, y], [found], options(f"{kind.capitalize()}Options"))
    return member.called_with([x, y], [found])


def choosing(*called: ModelBuilder, known: bool | None = None) -> bytes:
    """A model of one IF. known: the condition; None for an input of the network."""
    b = ModelBuilder()
    holds = b.tensor("holds", (), "BOOL") if known is None else b.constant("holds", np.array(known))
    x, y, z = (b.tensor(name, (2,)) for name in ("x", "y", "z"))
    b.operator("IF", [holds, x, y], [z], BRANCHES)
    return b.finish([holds, x, y] if known is None else [x, y], [z], called=called)


X, Y = np.array([5, 6], np.float32), np.array([1, 2], np.float32)


@pytest.mark.parametrize(("known", "kind"), [(True, "add"), (False, "sub")])
def test_a_known_condition_chooses_during_import(known: bool, kind: str) -> None:
    graph = import_tflite(choosing(branch("ADD"), branch("SUB"), known=known))
    assert [node.operator.mnemonic for node in graph.nodes] == [kind]


def test_of_a_condition_of_the_run_both_branches_are_computed() -> None:
    model = choosing(branch("ADD"), branch("SUB"))
    kinds = [node.operator.mnemonic for node in import_tflite(model).nodes]
    assert kinds == ["add", "sub", "select"]
    assert result(model, np.array(True), X, Y).tolist() == [6, 8]
    assert result(model, np.array(False), X, Y).tolist() == [4, 4]


def test_integers_mean_the_same_in_a_subgraph() -> None:
    b, member = ModelBuilder(), ModelBuilder()
    holds = b.constant("holds", np.array(True))
    scales = (Quantization.per_tensor(scale, 0) for scale in (0.5, 0.5, 0.25))
    x, y, given = (
        owner.tensor("t", (2,), "INT8", quantization=scale)
        for owner, scale in zip((b, b, member), scales, strict=True)
    )
    b.operator("IF", [holds, x], [y], BRANCHES)
    same = member.called_with([given], [given])
    assert_refused(
        ModelError,
        b.finish([x], [y], called=[same, same]),
        "of one type, got INT8 and INT8 or other",
    )


def test_a_variable_that_a_condition_of_the_run_would_change() -> None:
    member = branch("ADD")
    handle = member.tensor("handle", (), "RESOURCE")
    member.operator("VAR_HANDLE", [], [handle], options("VarHandleOptions", SharedName="v"))
    member.operator("ASSIGN_VARIABLE", [handle, 0], [])
    message = "operator 2 ASSIGN_VARIABLE of subgraph 1: expected no variable to change where"
    assert_refused(UnsupportedError, choosing(member, branch("SUB")), message)


@pytest.mark.usefixtures("_shorter")
@pytest.mark.parametrize("seed", range(3))
def test_damaged_loops_raise_nothing_else(seed: int) -> None:
    for model in (looping(condition(3), body()), choosing(branch("ADD"), branch("SUB"))):
        for variant in damaged(model, 60, seed):
            try:
                import_tflite(variant)
            except (ModelError, UnsupportedError):
                continue
