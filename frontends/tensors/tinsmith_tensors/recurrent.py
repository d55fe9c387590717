"""Recurrent layers over one direction of a sequence, time first: LSTM, GRU and plain ones, of float32.

A direction is composed by itself; callers put directions side by side and layers one behind the other. States are
tensors as all others: inputs of the graph, states kept from run to run, or zeros.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import Logistic, Lstm, Tanh

from tinsmith_tensors.activations import clip
from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import add, mul, sub
from tinsmith_tensors.movement import concat, pad, part, reshape, stack, transpose
from tinsmith_tensors.products import linear

MOST_STEPS = 1 << 10
"""Of a sequence whose steps are composed one by one."""
Curve = Callable[[Composer, Tensor], Tensor]
"""A function of one number: of gates, of what is new, and of what cells give."""
_Step = Callable[[Sequence[Tensor], Sequence[Tensor]], tuple[Tensor, ...]]
"""From products of one step's input and the states before it, to the states behind it; the first one is given."""
_Run = Callable[[Tensor, Sequence[Tensor]], tuple[Tensor, ...]]
"""From a sequence and the states before it, to the sequence that is given and the states behind it."""


def sigmoid(c: Composer, x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)): what gates have if nothing is said."""
    return c.emit(Logistic(), x)


def tanh(c: Composer, x: Tensor) -> Tensor:
    """What all others have if nothing is said."""
    return c.emit(Tanh(), x)


@dataclass(frozen=True, eq=False)
class Weights:
    """Of all gates of a layer of C cells that gives N numbers, gate after gate in the order that the layer says:
    weights (gates * C, K) by the input, recurrent (gates * C, N) by what the layer gave, a bias (gates * C,) of each.
    """

    input: Tensor
    recurrent: Tensor
    input_bias: Tensor | None = None
    recurrent_bias: Tensor | None = None


@dataclass(frozen=True)
class Walk:
    """How a sequence is walked. is_backwards: from its last step to the first.

    lengths: of each sequence of the batch, if some are shorter than the tensor: what is behind is not read, the
    results there are zeros, and states are those behind the last step that counts.
    """

    is_backwards: bool = False
    lengths: tuple[int, ...] | None = None


FORWARD = Walk()


@dataclass(frozen=True)
class LstmForm:
    """What LSTMs differ in. order: of the gates: input, output, forget, and g for what is new.

    curves: of gates, of what is new, of cells. limit: bound of what the first two read. is_coupled: whether the forget
    gate is what the input gate leaves of 1.
    """

    order: str = "iofg"
    curves: tuple[Curve, Curve, Curve] = (sigmoid, tanh, tanh)
    limit: float | None = None
    is_coupled: bool = False


def lstm(
    c: Composer,
    x: Tensor,
    weights: Weights,
    hidden: Tensor,
    cells: Tensor,
    *,
    form: LstmForm = LstmForm(),
    walk: Walk = FORWARD,
    peepholes: Mapping[str, Tensor] | None = None,
    projection: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """x (T, B, K), hidden (B, N), cells (B, C) -> results (T, B, N), and both states behind the last step.

    peepholes: (C,) of the gates i, o and f, or of none. projection: (N, C), from cells to results.
    """
    looks = peepholes or {}
    if form == LstmForm(form.order):
        run = _whole_lstm(c, weights, form.order, looks, projection, walk.is_backwards)
    else:
        step = _lstm_step(c, weights, form, looks, projection)
        run = _unrolled(c, [(weights.input, _sum_of_biases(c, weights))], step, walk.is_backwards)
    results, hidden, cells = _walked(c, x, (hidden, cells), walk, run)
    return results, hidden, cells


def _whole_lstm(
    c: Composer,
    weights: Weights,
    order: str,
    peepholes: Mapping[str, Tensor],
    projection: Tensor | None,
    is_backwards: bool,
) -> _Run:
    """By one operator, whose code does not grow with the sequence."""
    bias = _sum_of_biases(c, weights)
    if bias is None:
        bias = c.known(np.zeros(weights.input.shape[0], np.float32))
    operands = [
        _rows(c, kind, order.index(gate), order.index(gate) + 1, len(order))
        for kind in (weights.input, weights.recurrent, bias)
        for gate in "ifgo"
    ]
    looks = [peepholes.get(gate) for gate in "ifo"]
    operator = Lstm(time_major=True, backwards=is_backwards)
    return lambda x, states: c.emit_all(operator, x, *states, *operands, *looks, projection, None)


def _lstm_step(
    c: Composer,
    weights: Weights,
    form: LstmForm,
    peepholes: Mapping[str, Tensor],
    projection: Tensor | None,
) -> _Step:
    of_gate, of_new, of_cells = form.curves

    def read(sums: Tensor, gate: str, cells: Tensor) -> Tensor:
        own = _columns(c, sums, form.order.index(gate), form.order.index(gate) + 1, 4)
        if gate in peepholes:
            own = add(c, own, mul(c, peepholes[gate], cells))
        return _limited(c, own, form.limit)

    def step(reads: Sequence[Tensor], before: Sequence[Tensor]) -> tuple[Tensor, ...]:
        hidden, cells = before
        sums = add(c, reads[0], linear(c, hidden, weights.recurrent, None))
        taken = of_gate(c, read(sums, "i", cells))
        rest = sub(c, c.number(1.0, taken), taken)
        kept = rest if form.is_coupled else of_gate(c, read(sums, "f", cells))
        fresh = of_new(c, read(sums, "g", cells))
        cells = add(c, mul(c, kept, cells), mul(c, taken, fresh))
        given = mul(c, of_gate(c, read(sums, "o", cells)), of_cells(c, cells))
        return given if projection is None else linear(c, given, projection, None), cells

    return step


def gru(
    c: Composer,
    x: Tensor,
    weights: Weights,
    hidden: Tensor,
    *,
    order: str = "zrn",
    resets_after: bool = True,
    curves: tuple[Curve, Curve] = (sigmoid, tanh),
    limit: float | None = None,
    walk: Walk = FORWARD,
) -> tuple[Tensor, Tensor]:
    """x (T, B, K), hidden (B, N) -> results (T, B, N), and the state behind the last step.

    order: of the gates: z, which keeps the state, and r, which resets it, then n for what is new. resets_after: whether
    r multiplies what the recurrent weights make of the state, or the state before. curves: of gates, of what is new.
    limit: bound of what they read.
    """
    of_gate, of_new = curves
    gates, new = _some_gates(c, weights, 0, 2), _some_gates(c, weights, 2, 3)

    def step(reads: Sequence[Tensor], before: Sequence[Tensor]) -> tuple[Tensor, ...]:
        (hidden,) = before
        sums = add(c, reads[0], linear(c, hidden, gates.recurrent, None))
        both = of_gate(c, _limited(c, sums, limit))
        kept, reset = (
            _columns(c, both, order.index(gate), order.index(gate) + 1, 2) for gate in "zr"
        )
        if resets_after:
            again = mul(c, reset, linear(c, hidden, new.recurrent, new.recurrent_bias))
        else:
            again = linear(c, mul(c, reset, hidden), new.recurrent, None)
        fresh = of_new(c, _limited(c, add(c, reads[1], again), limit))
        return (add(c, fresh, mul(c, kept, sub(c, hidden, fresh))),)

    bias = new.input_bias if resets_after else _sum_of_biases(c, new)
    products = [(gates.input, _sum_of_biases(c, gates)), (new.input, bias)]
    run = _unrolled(c, products, step, walk.is_backwards)
    results, hidden = _walked(c, x, (hidden,), walk, run)
    return results, hidden


def rnn(
    c: Composer,
    x: Tensor,
    weights: Weights,
    hidden: Tensor,
    *,
    curve: Curve = tanh,
    limit: float | None = None,
    walk: Walk = FORWARD,
) -> tuple[Tensor, Tensor]:
    """x (T, B, K), hidden (B, N) -> results (T, B, N), each curve(x @ W^T + hidden @ R^T + biases), and the last."""

    def step(reads: Sequence[Tensor], before: Sequence[Tensor]) -> tuple[Tensor, ...]:
        sums = add(c, reads[0], linear(c, before[0], weights.recurrent, None))
        return (curve(c, _limited(c, sums, limit)),)

    products = [(weights.input, _sum_of_biases(c, weights))]
    run = _unrolled(c, products, step, walk.is_backwards)
    results, hidden = _walked(c, x, (hidden,), walk, run)
    return results, hidden


def time_first(c: Composer, x: Tensor) -> Tensor:
    """(B, T, ...) as (T, B, ...), and the other way round."""
    axes = (1, 0, *range(2, x.rank))
    if 1 in x.shape[:2]:
        return reshape(c, x, [x.shape[axis] for axis in axes])
    return transpose(c, x, axes)


def _unrolled(
    c: Composer,
    products: Sequence[tuple[Tensor, Tensor | None]],
    step: _Step,
    is_backwards: bool,
) -> _Run:
    """Step after step. products: weights and biases whose products with all of the input are computed at once."""

    def run(x: Tensor, states: Sequence[Tensor]) -> tuple[Tensor, ...]:
        steps = x.shape[0]
        if steps > MOST_STEPS:
            raise UnsupportedError(
                f"expected a sequence of at most {MOST_STEPS} steps of such a layer, got {steps}"
            )
        reads = [linear(c, x, weights, bias) for weights, bias in products]
        given: dict[int, Tensor] = {}
        for time in reversed(range(steps)) if is_backwards else range(steps):
            now = [reshape(c, part(c, read, 0, time, time + 1), read.shape[1:]) for read in reads]
            states = step(now, states)
            given[time] = states[0]
        return stack(c, [given[time] for time in range(steps)], 0), *states

    return run


def _walked(
    c: Composer, x: Tensor, states: Sequence[Tensor], walk: Walk, run: _Run
) -> tuple[Tensor, ...]:
    """What `run` makes of a batch, of the steps that count."""
    steps, batch = x.shape[:2]
    lengths = walk.lengths
    if not lengths:
        return _shortened(c, x, states, steps, run)
    if len(lengths) != batch or not all(0 <= length <= steps for length in lengths):
        raise UnsupportedError(
            f"expected lengths of {batch} sequences of at most {steps} steps, got {list(lengths)}"
        )
    if len(set(lengths)) == 1:
        return _shortened(c, x, states, lengths[0], run)
    each = [
        _shortened(
            c,
            part(c, x, 1, index, index + 1),
            [part(c, state, 0, index, index + 1) for state in states],
            length,
            run,
        )
        for index, length in enumerate(lengths)
    ]
    results, *last = zip(*each, strict=True)
    return concat(c, results, 1), *(concat(c, state, 0) for state in last)


def _shortened(
    c: Composer, x: Tensor, states: Sequence[Tensor], length: int, run: _Run
) -> tuple[Tensor, ...]:
    steps, batch = x.shape[:2]
    if length == 0:
        size = states[0].shape[1]
        c.check_known_size((steps, batch, size), 4)
        return c.known(np.zeros((steps, batch, size), np.float32)), *states
    results, *last = run(part(c, x, 0, 0, length), states)
    return pad(c, results, ((0, steps - length), (0, 0), (0, 0)), None), *last


def _some_gates(c: Composer, weights: Weights, first: int, end: int) -> Weights:
    """Those of a GRU."""
    return Weights(
        _rows(c, weights.input, first, end, 3),
        _rows(c, weights.recurrent, first, end, 3),
        weights.input_bias and _rows(c, weights.input_bias, first, end, 3),
        weights.recurrent_bias and _rows(c, weights.recurrent_bias, first, end, 3),
    )


def _rows(c: Composer, x: Tensor, first: int, end: int, gates: int) -> Tensor:
    """Of weights or a bias those of some gates."""
    size = x.shape[0] // gates
    return part(c, x, 0, first * size, end * size)


def _columns(c: Composer, x: Tensor, first: int, end: int, gates: int) -> Tensor:
    """Of sums (B, gates * C) those of some gates."""
    size = x.shape[1] // gates
    return part(c, x, 1, first * size, end * size)


def _sum_of_biases(c: Composer, weights: Weights) -> Tensor | None:
    if weights.input_bias is None or weights.recurrent_bias is None:
        return weights.input_bias or weights.recurrent_bias
    return add(c, weights.input_bias, weights.recurrent_bias)


def _limited(c: Composer, x: Tensor, limit: float | None) -> Tensor:
    return x if limit is None else clip(c, x, -limit, limit)
