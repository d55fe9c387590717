"""Rules of recurrent layers: LSTM, GRU and RNN, of one direction or both."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.operators import Tanh
from tinsmith_tensors import Composer, Tensor, movement, recurrent
from tinsmith_tensors import activations as act
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.recurrent import Curve, LstmForm, Walk, Weights

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule

_WithConstants = Callable[[Composer, Tensor, float, float], Tensor]


def _affine(c: Composer, x: Tensor, alpha: float, beta: float) -> Tensor:
    return ew.add(c, ew.mul(c, x, c.number(alpha, x)), c.number(beta, x))


def _scaled_tanh(c: Composer, x: Tensor, alpha: float, beta: float) -> Tensor:
    curve = c.emit(Tanh(), ew.mul(c, x, c.number(beta, x)))
    return ew.mul(c, curve, c.number(alpha, x))


def _of_alpha(function: Callable[[Composer, Tensor, float], Tensor]) -> _WithConstants:
    return lambda c, x, alpha, beta: function(c, x, alpha)


_CURVES: Mapping[str, tuple[_WithConstants, str, float, float]] = {
    "affine": (_affine, "ab", 1.0, 0.0),
    "elu": (_of_alpha(act.elu), "a", 1.0, 0.0),
    "hardsigmoid": (act.hard_sigmoid, "ab", float(np.float32(0.2)), 0.5),
    "leakyrelu": (_of_alpha(act.leaky_relu), "a", float(np.float32(0.01)), 0.0),
    "scaledtanh": (_scaled_tanh, "ab", 1.0, 1.0),
    "thresholdedrelu": (_of_alpha(act.thresholded_relu), "a", 1.0, 0.0),
}
"""Functions with constants, which of alpha and beta they have, and what these are by default."""
_PLAIN: Mapping[str, Curve] = {
    "relu": lambda c, x: act.clip(c, x, 0.0, None),
    "sigmoid": recurrent.sigmoid,
    "softplus": act.softplus,
    "softsign": act.softsign,
    "tanh": recurrent.tanh,
}


@dataclass(frozen=True, eq=False)
class _Layer:
    """What the three have in common: x (T, B, K), directions, and a tensor of each direction by operand."""

    context: OperatorContext
    x: Tensor
    walks: tuple[Walk, ...]
    is_batch_first: bool

    @property
    def size(self) -> int:
        """How many numbers the layer gives."""
        return self.context.tensor(2).shape[2]

    def of(self, position: int, direction: int) -> Tensor | None:
        """An operand that holds something for each direction, of one; None if it is left out."""
        found = self.context.optional(position)
        if found is None:
            return None
        if found.rank < 2 or found.shape[0] != len(self.walks):
            raise self.context.error(
                f"expected an operand {position} for {len(self.walks)} directions, got {list(found.shape)}"
            )
        own = movement.part(self.context.c, found, 0, direction, direction + 1)
        return movement.reshape(self.context.c, own, found.shape[1:])

    def weights(self, direction: int) -> Weights:
        """Of one direction; the bias holds that of the input, then the recurrent one."""
        c, bias = self.context.c, self.of(3, direction)
        weights, recurrent_ = self.of(1, direction), self.of(2, direction)
        if weights is None or recurrent_ is None:
            raise self.context.error("expected weights and recurrent weights, got none")
        if bias is None:
            return Weights(weights, recurrent_)
        half = bias.elements // 2
        biases = (movement.part(c, bias, 0, begin, begin + half) for begin in (0, half))
        return Weights(weights, recurrent_, *biases)

    def state(self, position: int, direction: int) -> Tensor:
        """(B, N) before the first step: an operand, or zeros."""
        c, found = self.context.c, self.context.optional(position)
        if found is None:
            return c.known(np.zeros((self.x.shape[1], self.size), np.float32))
        if self.is_batch_first:
            found = recurrent.time_first(c, found)
        own = movement.part(c, found, 0, direction, direction + 1)
        return movement.reshape(c, own, found.shape[1:])

    def results(self, sequences: Sequence[Tensor], *states: Sequence[Tensor]) -> list[Tensor]:
        """Of all directions, laid out as the file has them."""
        c = self.context.c
        if self.is_batch_first:
            turned = [recurrent.time_first(c, sequence) for sequence in sequences]
            return [
                movement.stack(c, turned, 2),
                *(movement.stack(c, state, 1) for state in states),
            ]
        return [
            movement.stack(c, sequences, 1),
            *(movement.stack(c, state, 0) for state in states),
        ]


def lstm(context: OperatorContext) -> Sequence[Tensor]:
    """LSTM."""
    layer = _layer(context)
    results: list[tuple[Tensor, Tensor, Tensor]] = []
    curves = _curves(context, ("Sigmoid", "Tanh", "Tanh"), len(layer.walks))
    for direction, walk in enumerate(layer.walks):
        of_gate, of_new, of_cells = curves[direction]
        form = LstmForm(
            "iofg",
            (of_gate, of_new, of_cells),
            _limit(context),
            is_coupled=bool(context.integer("input_forget")),
        )
        step = recurrent.lstm(
            context.c,
            layer.x,
            layer.weights(direction),
            layer.state(5, direction),
            layer.state(6, direction),
            form=form,
            walk=walk,
            peepholes=_peepholes(layer, direction),
        )
        results.append(step)
    return layer.results(*zip(*results, strict=True))


def gru(context: OperatorContext) -> Sequence[Tensor]:
    """GRU."""
    layer = _layer(context)
    results: list[tuple[Tensor, Tensor]] = []
    curves = _curves(context, ("Sigmoid", "Tanh"), len(layer.walks))
    for direction, walk in enumerate(layer.walks):
        of_gate, of_new = curves[direction]
        step = recurrent.gru(
            context.c,
            layer.x,
            layer.weights(direction),
            layer.state(5, direction),
            resets_after=bool(context.integer("linear_before_reset")),
            curves=(of_gate, of_new),
            limit=_limit(context),
            walk=walk,
        )
        results.append(step)
    return layer.results(*zip(*results, strict=True))


def rnn(context: OperatorContext) -> Sequence[Tensor]:
    """RNN."""
    layer = _layer(context)
    results: list[tuple[Tensor, Tensor]] = []
    curves = _curves(context, ("Tanh",), len(layer.walks))
    for direction, walk in enumerate(layer.walks):
        step = recurrent.rnn(
            context.c,
            layer.x,
            layer.weights(direction),
            layer.state(5, direction),
            curve=curves[direction][0],
            limit=_limit(context),
            walk=walk,
        )
        results.append(step)
    return layer.results(*zip(*results, strict=True))


def _layer(context: OperatorContext) -> _Layer:
    x = context.tensor(0)
    if x.rank != 3:
        raise context.error(f"expected a sequence of three axes, got {list(x.shape)}")
    is_batch_first = bool(context.integer("layout", 0))
    lengths = context.integers_of(4) if context.has(4) else None
    found = _DIRECTIONS.get(context.text("direction").lower())
    if found is None:
        raise context.error(
            f"expected a direction of {', '.join(_DIRECTIONS)}, got {context.text('direction')!r}"
        )
    walks = tuple(Walk(is_backwards, lengths) for is_backwards in found)
    return _Layer(
        context,
        recurrent.time_first(context.c, x) if is_batch_first else x,
        walks,
        is_batch_first,
    )


_DIRECTIONS: Mapping[str, tuple[bool, ...]] = {
    "forward": (False,),
    "reverse": (True,),
    "bidirectional": (False, True),
}
"""Whether each direction goes backwards."""


def _limit(context: OperatorContext) -> float | None:
    limit = context.real("clip", 0.0)
    return limit if limit > 0.0 else None


def _peepholes(layer: _Layer, direction: int) -> Mapping[str, Tensor]:
    """Of the gates i, o and f in this order."""
    found = layer.of(7, direction)
    if found is None or (found.array is not None and not found.array.any()):
        return {}
    size = found.elements // 3
    return {
        gate: movement.part(layer.context.c, found, 0, place * size, (place + 1) * size)
        for place, gate in enumerate("iof")
    }


def _curves(context: OperatorContext, default: Sequence[str], directions: int) -> list[list[Curve]]:
    """Of each direction. Constants are those of the functions that have some, one after the other."""
    names = context.texts("activations", [*default] * directions)
    if len(names) != len(default) * directions:
        raise context.error(
            f"expected {len(default) * directions} activations, got {', '.join(names)}"
        )
    alphas = iter(context.reals("activation_alpha", ()))
    betas = iter(context.reals("activation_beta", ()))
    curves = [_curve(context, name.lower(), alphas, betas) for name in names]
    return [curves[begin : begin + len(default)] for begin in range(0, len(names), len(default))]


def _curve(
    context: OperatorContext, name: str, alphas: Iterator[float], betas: Iterator[float]
) -> Curve:
    if name in _PLAIN:
        return _PLAIN[name]
    if name not in _CURVES:
        raise context.unsupported(
            f"expected an activation of {', '.join([*_PLAIN, *_CURVES])}, got {name!r}"
        )
    apply, constants, alpha, beta = _CURVES[name]
    alpha = next(alphas, alpha) if "a" in constants else alpha
    beta = next(betas, beta) if "b" in constants else beta
    return lambda c, x: apply(c, x, alpha, beta)


RULES: Mapping[str, Rule] = {
    "GRU": Rule(gru, "lengths of sequences that are computed"),
    "LSTM": Rule(lstm, "lengths of sequences that are computed"),
    "RNN": Rule(rnn, "lengths of sequences that are computed"),
}
