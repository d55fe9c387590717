from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from models import computed, expected, one
from numeric import Reals, assert_close, numbers, reals
from tinsmith_ir import Array, ModelError, UnsupportedError
from tinsmith_ir.operators import Lstm
from tinsmith_onnx import import_onnx

STEPS, BATCH, DEPTH, CELLS = 4, 2, 3, 5
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def operands(kind: str, directions: int = 1) -> list[Array | None]:
    """Sequence, weights, recurrent weights, biases, no lengths, and states."""
    rows = GATES[kind] * CELLS
    states = [numbers(seed, directions, BATCH, CELLS) for seed in (5, 6)]
    return [
        numbers(1, STEPS, BATCH, DEPTH),
        numbers(2, directions, rows, DEPTH),
        numbers(3, directions, rows, CELLS),
        numbers(4, directions, 2 * rows),
        None,
        *states[: 2 if kind == "LSTM" else 1],
    ]


def given(arrays: Sequence[Array | None], known: Sequence[int]) -> dict[str, Array]:
    return {
        f"x{place}": each
        for place, each in enumerate(arrays)
        if each is not None and place not in known
    }


def run(
    kind: str,
    arrays: Sequence[Array | None],
    attributes: Mapping[str, object] | None = None,
    known: Sequence[int] = (1, 2, 3, 4),
) -> list[Reals]:
    known = [place for place in known if place < len(arrays) and arrays[place] is not None]
    choices = {"hidden_size": CELLS, **(attributes or {})}
    outputs = 3 if kind == "LSTM" else 2
    made = one(kind, arrays, choices, known=known, outputs=outputs)
    return [reals(array) for array in computed(made, given(arrays, known))]


def assert_same(found: Sequence[Array], wanted: Sequence[Array]) -> None:
    for one_, other in zip(found, wanted, strict=True):
        assert_close(one_, other)


@pytest.mark.parametrize("known", [(), (1, 2, 3)])
@pytest.mark.parametrize(
    ("kind", "attributes"),
    [("LSTM", {}), ("GRU", {}), ("GRU", {"linear_before_reset": 1}), ("RNN", {})],
)
def test_a_layer_of_one_direction(
    kind: str, attributes: Mapping[str, object], known: tuple[int, ...]
) -> None:
    arrays = operands(kind)
    made = one(
        kind,
        arrays,
        {"hidden_size": CELLS, **attributes},
        known=known,
        outputs=3 if kind == "LSTM" else 2,
    )
    inputs = given(arrays, known)
    found, wanted = computed(made, inputs), expected(made, inputs)
    assert_same(found, wanted)


@pytest.mark.parametrize("kind", [*GATES])
def test_biases_and_states_may_be_left_out(kind: str) -> None:
    arrays = operands(kind)
    zeros = [
        each if place < 3 or each is None else np.zeros_like(each)
        for place, each in enumerate(arrays)
    ]
    assert_same(run(kind, arrays[:3]), run(kind, zeros))


@pytest.mark.parametrize("kind", [*GATES])
def test_both_directions_are_two_layers_side_by_side(kind: str) -> None:
    arrays = operands(kind, 2)
    both = run(kind, arrays, {"direction": "bidirectional"})
    assert both[0].shape == (STEPS, 2, BATCH, CELLS)
    for place, backwards in enumerate((False, True)):
        own: list[Array | None] = [
            each if each is None or index == 0 else each[place : place + 1]
            for index, each in enumerate(arrays)
        ]
        alone = run(kind, own, {"direction": "reverse" if backwards else "forward"})
        assert_same([both[0][:, place : place + 1]], alone[:1])
        assert_same([state[place : place + 1] for state in both[1:]], alone[1:])
        if backwards and own[0] is not None:
            own[0] = own[0][::-1]
            turned = run(kind, own)
            assert_same([alone[0][::-1]], turned[:1])
            assert_same(alone[1:], turned[1:])


@pytest.mark.parametrize("kind", [*GATES])
def test_batches_may_come_first(kind: str) -> None:
    arrays = operands(kind, 2)
    swapped = [
        each if each is None or place in (1, 2, 3) else each.swapaxes(0, 1)
        for place, each in enumerate(arrays)
    ]
    results, *states = run(kind, arrays, {"direction": "bidirectional"})
    turned, *others = run(kind, swapped, {"direction": "bidirectional", "layout": 1})
    assert_same([turned], [results.transpose(2, 0, 1, 3)])
    assert_same(others, [state.swapaxes(0, 1) for state in states])


@pytest.mark.parametrize("kind", [*GATES])
@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_lengths_of_sequences(kind: str, direction: str) -> None:
    arrays = operands(kind)
    arrays[4] = np.array([2, STEPS], np.int32)
    results, *states = run(kind, arrays, {"direction": direction})
    short: list[Array | None] = [*arrays]
    assert arrays[0] is not None
    short[0], short[4] = arrays[0][:2], None
    wanted, *last = run(kind, short, {"direction": direction})
    assert_same([results[:2, :, :1]], [wanted[:, :, :1]])
    assert not results[2:, :, 0].any()
    assert_same([state[:, :1] for state in states], [state[:, :1] for state in last])


def test_peepholes_of_zeros_cost_nothing() -> None:
    arrays = [*operands("LSTM"), np.zeros((1, 3 * CELLS), np.float32)]
    made = one("LSTM", arrays, {"hidden_size": CELLS}, known=(1, 2, 3, 7))
    graph = import_onnx(made.SerializeToString())
    (node,) = [node for node in graph.nodes if isinstance(node.operator, Lstm)]
    assert node.inputs[15:18] == (None, None, None)


def test_peepholes() -> None:
    arrays = [*operands("LSTM"), numbers(7, 1, 3 * CELLS)]
    made = one("LSTM", arrays, {"hidden_size": CELLS}, outputs=3)
    inputs = given(arrays, ())
    assert_same(computed(made, inputs), expected(made, inputs))


def curve(name: str, x: Reals, alpha: float, beta: float) -> Reals:
    curves: dict[str, Callable[[], Reals]] = {
        "Affine": lambda: alpha * x + beta,
        "Elu": lambda: np.where(x > 0, x, alpha * np.expm1(x)),
        "HardSigmoid": lambda: np.clip(alpha * x + beta, 0, 1),
        "LeakyRelu": lambda: np.where(x > 0, x, alpha * x),
        "Relu": lambda: np.maximum(x, 0),
        "ScaledTanh": lambda: alpha * np.tanh(beta * x),
        "Sigmoid": lambda: 1 / (1 + np.exp(-x)),
        "Softplus": lambda: np.log1p(np.exp(x)),
        "Softsign": lambda: x / (1 + abs(x)),
        "Tanh": lambda: np.tanh(x),
        "ThresholdedRelu": lambda: np.where(x > alpha, x, 0),
    }
    return curves[name]()


@pytest.mark.parametrize(
    ("name", "alpha", "beta"),
    [
        ("Affine", 0.5, 0.25),
        ("Elu", 0.5, None),
        ("HardSigmoid", 0.25, 0.75),
        ("LeakyRelu", 0.125, None),
        ("Relu", None, None),
        ("ScaledTanh", 1.5, 0.5),
        ("Sigmoid", None, None),
        ("Softplus", None, None),
        ("Softsign", None, None),
        ("Tanh", None, None),
        ("ThresholdedRelu", 0.25, None),
    ],
)
def test_activations_with_their_constants(
    name: str, alpha: float | None, beta: float | None
) -> None:
    arrays = operands("RNN")
    attributes: dict[str, object] = {"activations": [name]}
    attributes |= {} if alpha is None else {"activation_alpha": [alpha]}
    attributes |= {} if beta is None else {"activation_beta": [beta]}
    results, _ = run("RNN", arrays, attributes)
    x, weights, recurrent, biases, _, hidden = (
        np.zeros(1) if each is None else reals(each) for each in arrays
    )
    hidden = hidden[0]
    for step in range(STEPS):
        sums = x[step] @ weights[0].T + hidden @ recurrent[0].T + biases[0].reshape(2, -1).sum(0)
        hidden = curve(name, sums, alpha or 0.0, beta or 0.0)
        assert_same([results[step, 0]], [hidden])


def test_constants_are_those_of_the_functions_that_have_some() -> None:
    arrays = operands("RNN", 2)
    attributes = {"direction": "bidirectional", "activations": ["Tanh", "LeakyRelu"]}
    some = run("RNN", arrays, {**attributes, "activation_alpha": [0.5]})
    default = run("RNN", arrays, attributes)
    assert_same([some[0][:, 0]], [default[0][:, 0]])
    own: list[Array | None] = [
        each if each is None or index == 0 else each[1:] for index, each in enumerate(arrays)
    ]
    alone = run(
        "RNN",
        own,
        {"direction": "reverse", "activations": ["LeakyRelu"], "activation_alpha": [0.5]},
    )
    assert_same([some[0][:, 1:]], alone[:1])


def test_a_bound_holds_for_what_curves_read() -> None:
    arrays = operands("RNN")
    attributes = {"activations": ["Affine"], "activation_alpha": [1.0], "activation_beta": [0.0]}
    results, _ = run("RNN", arrays, {**attributes, "clip": 0.5})
    assert abs(results).max() == 0.5
    assert (abs(results) < 0.5).any()


def test_coupled_gates_share_what_is_kept_and_taken() -> None:
    arrays = operands("LSTM")
    biases = numbers(4, 1, 8 * CELLS)
    biases[:, :CELLS] = 50.0  # the input gate takes all, so a coupled forget gate keeps nothing
    arrays[3] = biases
    coupled = run("LSTM", arrays, {"input_forget": 1})
    biases = biases.copy()
    biases[:, 2 * CELLS : 3 * CELLS] = -50.0
    arrays[3] = biases
    assert_same(coupled, run("LSTM", arrays))


@pytest.mark.parametrize(
    ("attributes", "kind", "message"),
    [
        ({"direction": "sideways"}, ModelError, "forward, reverse, bidirectional, got 'sideways'"),
        ({"direction": "bidirectional"}, ModelError, "for 2 directions, got"),
        ({"activations": ["Tanh", "Tanh"]}, ModelError, "expected 1 activations, got Tanh, Tanh"),
        ({"activations": ["Sine"]}, UnsupportedError, "activation of .*softsign.*, got 'sine'"),
    ],
)
def test_layers_that_do_not_fit_are_refused(
    attributes: Mapping[str, object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        run("RNN", operands("RNN"), attributes)


def test_lengths_that_are_computed_are_refused() -> None:
    arrays = operands("GRU")
    arrays[4] = np.array([2, STEPS], np.int32)
    with pytest.raises(UnsupportedError, match="operand 4 'x4' to be known"):
        run("GRU", arrays, known=())
