"""Rules of recurrent layers: several layers and both directions put together of single ones."""

from collections.abc import Callable, Mapping, Sequence

from tinsmith_ir.operators import Relu
from tinsmith_tensors import Composer, Tensor, movement, recurrent
from tinsmith_tensors.recurrent import LstmForm, Walk, Weights

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule

_LSTM = LstmForm(order="ifgo")
_Cell = Callable[[Tensor, int, Sequence[Tensor], Walk], tuple[Tensor, ...]]
"""From a sequence, time first, the number of layer and direction, their parameters and the walk to the results and
the states behind the last step."""


def lstm(t: OperatorContext) -> Sequence[Tensor]:
    """The sequence, hidden states and cells: (layers and directions, batch, ...)."""
    hidden, cells = t.tensors("hx")

    def cell(x: Tensor, index: int, parameters: Sequence[Tensor], walk: Walk) -> tuple[Tensor, ...]:
        own = parameters[-1] if len(parameters) % 2 else None
        return recurrent.lstm(
            t.c,
            x,
            _weights(parameters),
            _at(t, hidden, index),
            _at(t, cells, index),
            form=_LSTM,
            walk=walk,
            projection=own,
        )

    return _layers(t, cell)


def gru(t: OperatorContext) -> Sequence[Tensor]:
    """The sequence and hidden states."""
    hidden = t.tensor("hx")

    def cell(x: Tensor, index: int, parameters: Sequence[Tensor], walk: Walk) -> tuple[Tensor, ...]:
        weights = _weights(parameters)
        return recurrent.gru(t.c, x, weights, _at(t, hidden, index), order="rzn", walk=walk)

    return _layers(t, cell)


def _plain(curve: Callable[[Composer, Tensor], Tensor]) -> Rule:
    """The sequence and hidden states, each a curve of a sum."""

    def convert(t: OperatorContext) -> Sequence[Tensor]:
        hidden = t.tensor("hx")

        def cell(
            x: Tensor, index: int, parameters: Sequence[Tensor], walk: Walk
        ) -> tuple[Tensor, ...]:
            weights = _weights(parameters)
            return recurrent.rnn(t.c, x, weights, _at(t, hidden, index), curve=curve, walk=walk)

        return _layers(t, cell)

    return Rule(convert)


def _layers(t: OperatorContext, cell: _Cell) -> Sequence[Tensor]:
    """Results of the last layer, and states of all, layer by layer, forward then backward."""
    if not t.has("input"):
        raise t.unsupported("expected whole sequences, got packed ones; give tensors")
    c, x = t.c, t.tensor("input")
    x = recurrent.time_first(c, x) if t.flag("batch_first") else x
    directions = 2 if t.flag("bidirectional") else 1
    layers = t.integer("num_layers")
    parameters = t.tensors("params")
    each = len(parameters) // (layers * directions)
    states: list[Sequence[Tensor]] = []
    for layer in range(layers):
        sides: list[Tensor] = []
        for direction in range(directions):
            index = layer * directions + direction
            own = parameters[index * each : (index + 1) * each]
            side, *last = cell(x, index, own, Walk(is_backwards=direction == 1))
            sides.append(side)
            states.append(last)
        x = sides[0] if directions == 1 else movement.concat(c, sides, 2)
    kept = [movement.stack(c, list(each_), 0) for each_ in zip(*states, strict=True)]
    return [recurrent.time_first(c, x) if t.flag("batch_first") else x, *kept]


def _weights(parameters: Sequence[Tensor]) -> Weights:
    has_biases = len(parameters) >= 4
    return Weights(*parameters[: 4 if has_biases else 2])


def _at(t: OperatorContext, states: Tensor, index: int) -> Tensor:
    return movement.squeeze(t.c, movement.part(t.c, states, 0, index, index + 1), [0])


RULES: Mapping[str, Rule] = {
    "aten.gru": Rule(gru, remark="packed sequences"),
    "aten.lstm": Rule(lstm, remark="packed sequences"),
    "aten.rnn_relu": _plain(lambda c, x: c.emit(Relu(), x)),
    "aten.rnn_tanh": _plain(recurrent.tanh),
}
