from collections.abc import Mapping

import numpy as np
import pytest
from composed import Reals, assert_close, composed, numbers, result, results
from tinsmith_ir import UnsupportedError
from tinsmith_ir.operators import FullyConnected, Lstm
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.recurrent import (
    MOST_STEPS,
    Curve,
    LstmForm,
    Walk,
    Weights,
    gru,
    lstm,
    rnn,
    sigmoid,
    tanh,
    time_first,
)

STEPS, BATCH, DEPTH, CELLS = 4, 2, 3, 5


def logistic(x: Reals) -> Reals:
    return 1 / (1 + np.exp(-x))


def layer(gates: int) -> tuple[Reals, ...]:
    """A sequence, a state, and weights, recurrent weights and both biases."""
    return (
        numbers(1, STEPS, BATCH, DEPTH),
        numbers(2, BATCH, CELLS),
        numbers(3, gates * CELLS, DEPTH),
        numbers(4, gates * CELLS, CELLS),
        numbers(5, gates * CELLS),
        numbers(6, gates * CELLS),
    )


def plain(c: Composer, x: Tensor, h: Tensor, *w: Tensor) -> tuple[Tensor, ...]:
    return rnn(c, x, Weights(*w), h)


def times(steps: int, is_backwards: bool) -> list[int]:
    return [*reversed(range(steps))] if is_backwards else [*range(steps)]


def expected_lstm(
    arrays: tuple[Reals, ...],
    cells: Reals,
    *,
    order: str = "iofg",
    is_backwards: bool = False,
    peepholes: Mapping[str, Reals] | None = None,
    limit: float = np.inf,
    is_coupled: bool = False,
) -> tuple[Reals, Reals, Reals]:
    """By definition, step after step."""
    x, hidden, weights, recurrent, bias, other = arrays
    looks = peepholes or {}
    results = np.zeros((len(x), *hidden.shape))
    for time in times(len(x), is_backwards):
        sums = x[time] @ weights.T + hidden @ recurrent.T + bias + other
        parts = dict(zip(order, np.split(sums, 4, axis=1), strict=True))

        def at(gate: str, cells: Reals, parts: Mapping[str, Reals] = parts) -> Reals:
            return np.clip(parts[gate] + looks.get(gate, np.zeros(1)) * cells, -limit, limit)

        taken = logistic(at("i", cells))
        kept = 1 - taken if is_coupled else logistic(at("f", cells))
        cells = kept * cells + taken * np.tanh(at("g", cells))
        hidden = logistic(at("o", cells)) * np.tanh(cells)
        results[time] = hidden
    return results, hidden, cells


@pytest.mark.parametrize("is_backwards", [False, True])
@pytest.mark.parametrize("order", ["iofg", "ifgo"])
def test_an_lstm_is_one_operator(order: str, is_backwards: bool) -> None:
    arrays, cells = layer(4), numbers(7, BATCH, CELLS)

    def build(c: Composer, x: Tensor, h: Tensor, s: Tensor, *w: Tensor) -> tuple[Tensor, ...]:
        return lstm(
            c, x, Weights(*w), h, s, form=LstmForm(order), walk=Walk(is_backwards=is_backwards)
        )

    inputs = (*arrays[:2], cells, *arrays[2:])
    graph = composed(build, *inputs, known=(3, 4, 5, 6))
    assert [type(node.operator) for node in graph.nodes].count(Lstm) == 1
    found = results(build, *inputs, known=(3, 4, 5, 6))
    expected = expected_lstm(arrays, cells, order=order, is_backwards=is_backwards)
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other)


@pytest.mark.parametrize(
    ("limit", "is_coupled", "is_backwards"),
    [(None, False, False), (0.5, False, True), (None, True, False), (0.7, True, True)],
)
def test_lstms_with_peepholes_limits_or_coupled_gates(
    limit: float | None, is_coupled: bool, is_backwards: bool
) -> None:
    arrays, cells = layer(4), numbers(7, BATCH, CELLS)
    looks = {gate: numbers(8 + place, CELLS) for place, gate in enumerate("iof")}

    def build(c: Composer, x: Tensor, h: Tensor, s: Tensor, *w: Tensor) -> tuple[Tensor, ...]:
        return lstm(
            c,
            x,
            Weights(*w),
            h,
            s,
            form=LstmForm(limit=limit, is_coupled=is_coupled),
            walk=Walk(is_backwards=is_backwards),
            peepholes={gate: c.known(array) for gate, array in looks.items()},
        )

    found = results(build, *arrays[:2], cells, *arrays[2:], known=(3, 4, 5, 6))
    expected = expected_lstm(
        arrays,
        cells,
        peepholes=looks,
        limit=np.inf if limit is None else limit,
        is_coupled=is_coupled,
        is_backwards=is_backwards,
    )
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other)


@pytest.mark.parametrize("curves", [(sigmoid, tanh, tanh), (tanh, tanh, tanh)])
def test_an_lstm_projects_what_it_gives(curves: tuple[Curve, Curve, Curve]) -> None:
    x, cells, matrix = numbers(1, 1, BATCH, DEPTH), numbers(2, BATCH, CELLS), numbers(3, 2, CELLS)
    hidden = numbers(4, BATCH, 2)
    weights, recurrent = numbers(5, 4 * CELLS, DEPTH), numbers(6, 4 * CELLS, 2)

    def build(
        c: Composer, x: Tensor, h: Tensor, s: Tensor, p: Tensor, *w: Tensor
    ) -> tuple[Tensor, ...]:
        return lstm(c, x, Weights(*w), h, s, form=LstmForm(curves=curves), projection=p)

    found, _, after = results(build, x, hidden, cells, matrix, weights, recurrent, known=(3, 4, 5))
    of_gate = logistic if curves[0] is sigmoid else np.tanh
    i, o, f, g = np.split(x[0] @ weights.T + hidden @ recurrent.T, 4, axis=1)
    expected = of_gate(f) * cells + of_gate(i) * np.tanh(g)
    assert_close(after, expected)
    assert_close(found[0], of_gate(o) * np.tanh(expected) @ matrix.T)


@pytest.mark.parametrize("resets_after", [False, True])
@pytest.mark.parametrize("order", ["zrn", "rzn"])
def test_a_gru_resets_before_or_after_the_product(order: str, resets_after: bool) -> None:
    arrays = layer(3)

    def build(c: Composer, x: Tensor, h: Tensor, *w: Tensor) -> tuple[Tensor, ...]:
        return gru(c, x, Weights(*w), h, order=order, resets_after=resets_after)

    found, last = results(build, *arrays, known=(2, 3, 4, 5))
    x, hidden, weights, recurrent, bias, other = arrays
    for time in range(STEPS):
        read = dict(zip(order, np.split(x[time] @ weights.T + bias, 3, axis=1), strict=True))
        again = dict(zip(order, np.split(hidden @ recurrent.T + other, 3, axis=1), strict=True))
        kept, reset = (logistic(read[gate] + again[gate]) for gate in "zr")
        rest = other[2 * CELLS :]
        inner = (
            reset * again["n"]
            if resets_after
            else (reset * hidden) @ recurrent[2 * CELLS :].T + rest
        )
        hidden = (1 - kept) * np.tanh(read["n"] + inner) + kept * hidden
        assert_close(found[time], hidden)
    assert_close(last, hidden)


def test_products_with_the_input_are_computed_for_all_steps_at_once() -> None:
    arrays = layer(1)
    graph = composed(plain, *arrays, known=(2, 3, 4, 5))
    layers = [node for node in graph.nodes if isinstance(node.operator, FullyConnected)]
    assert len(layers) == 1 + STEPS
    found, _ = results(plain, *arrays)
    x, hidden, weights, recurrent, bias, other = arrays
    for time in range(STEPS):
        hidden = np.tanh(x[time] @ weights.T + hidden @ recurrent.T + bias + other)
        assert_close(found[time], hidden)


@pytest.mark.parametrize("is_backwards", [False, True])
@pytest.mark.parametrize("lengths", [(3, 1), (2, 2), (4, 0)])
def test_sequences_may_be_shorter_than_the_tensor(
    lengths: tuple[int, ...], is_backwards: bool
) -> None:
    arrays, cells = layer(4), numbers(7, BATCH, CELLS)

    def build(c: Composer, x: Tensor, h: Tensor, s: Tensor, *w: Tensor) -> tuple[Tensor, ...]:
        return lstm(c, x, Weights(*w), h, s, walk=Walk(is_backwards, lengths))

    found, *states = results(build, *arrays[:2], cells, *arrays[2:], known=(3, 4, 5, 6))
    for batch, length in enumerate(lengths):
        own = slice(batch, batch + 1)
        alone = (arrays[0][:length, own], arrays[1][own], *arrays[2:])
        expected = expected_lstm(alone, cells[own], is_backwards=is_backwards)
        assert_close(found[:length, own], expected[0])
        assert not found[length:, own].any()
        for state, other in zip(states, expected[1:], strict=True):
            assert_close(state[own], other)


def test_axes_of_time_and_batch_change_places() -> None:
    x = numbers(1, 2, 3, 4)
    assert np.array_equal(result(time_first, x), x.transpose(1, 0, 2))
    assert np.array_equal(result(time_first, x[:1]), x[:1].transpose(1, 0, 2))


def test_what_does_not_fit_is_refused() -> None:
    x, hidden, *weights = layer(1)

    def of_lengths(c: Composer, x: Tensor, h: Tensor, *w: Tensor) -> tuple[Tensor, ...]:
        return rnn(c, x, Weights(*w), h, walk=Walk(lengths=(STEPS + 1, 1)))

    with pytest.raises(UnsupportedError, match=r"of at most 4 steps, got \[5, 1\]"):
        composed(of_lengths, x, hidden, *weights)
    with pytest.raises(UnsupportedError, match=f"at most {MOST_STEPS} steps"):
        composed(
            plain,
            np.zeros((MOST_STEPS + 1, BATCH, DEPTH)),
            hidden,
            *weights,
        )
