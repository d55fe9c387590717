"""Rules of operators with graphs inside: branches that are chosen, and loops that are written out.

A graph knows no control flow: of a known condition one branch is left, of a computed one both are computed and each
result is selected; every iteration of a loop becomes operators of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from tinsmith_tensors import Tensor, movement
from tinsmith_tensors import elementwise as ew

from tinsmith_onnx.context import Item, OperatorContext, TensorList
from tinsmith_onnx.elements import numpy_dtype
from tinsmith_onnx.rules import Rule

_MOST_ITERATIONS = 1 << 16
"""Of one loop; the importer bounds the operators of all."""


def if_(context: OperatorContext) -> Sequence[Item]:
    """If: by a known condition one branch; else both, and for each result the one that holds."""
    condition = context.tensor(0)
    known = _truth(context, condition)
    if known is not None:
        name = "then_branch" if known else "else_branch"
        return context.subgraph(context.graph(name), {})
    on_true, on_false = (
        context.subgraph(context.graph(name), {}) for name in ("then_branch", "else_branch")
    )
    if len(on_true) != len(on_false):
        raise context.error(
            f"expected branches of as many results, got {len(on_true)} and {len(on_false)}"
        )
    pairs = zip(on_true, on_false, strict=True)
    return [_selected(context, condition, yes, no) for yes, no in pairs]


def _truth(context: OperatorContext, condition: Tensor) -> bool | None:
    """Whether a condition holds; None if that is computed."""
    if condition.elements != 1:
        raise context.error(f"expected one condition, got shape {list(condition.shape)}")
    return None if condition.array is None else bool(condition.array.reshape(-1)[0])


def _selected(context: OperatorContext, condition: Tensor, yes: Item, no: Item) -> Item:
    """Of two tensors, or of two sequences of them, by a computed condition."""
    if isinstance(yes, TensorList) and isinstance(no, TensorList):
        if len(yes.tensors) == len(no.tensors):
            pairs = zip(yes.tensors, no.tensors, strict=True)
            return TensorList(tuple(_tensor_of(context, condition, *pair) for pair in pairs))
        raise context.unsupported(
            "expected a condition that is known while importing, or sequences of as many tensors, got "
            f"{len(yes.tensors)} and {len(no.tensors)}"
        )
    if isinstance(yes, TensorList) or isinstance(no, TensorList):
        raise context.error("expected results of one kind, got a tensor and a sequence")
    return _tensor_of(context, condition, yes, no)


def _tensor_of(context: OperatorContext, condition: Tensor, yes: Tensor, no: Tensor) -> Tensor:
    if yes.shape != no.shape or yes.dtype != no.dtype:
        raise context.unsupported(
            "expected a condition that is known while importing, or results of one type, got "
            f"{yes.dtype}{list(yes.shape)} and {no.dtype}{list(no.shape)}"
        )
    if yes.elements == 0 or yes is no:
        return yes
    return ew.where(context.c, movement.reshape(context.c, condition, ()), yes, no)


@dataclass
class _Iterations:
    """A loop on its way.

    carried: what an iteration gives to the next. scanned: of each further result what all iterations gave. active:
    whether the iteration counts, if that is computed.
    """

    context: OperatorContext
    body: onnx.GraphProto
    carried: list[Item]
    scanned: list[list[Tensor]]
    active: Tensor | None = None

    def run(self, front: Sequence[Item], behind: Sequence[Item] = ()) -> Item | None:
        """One iteration. front, behind: what the body takes in front of what is carried, and behind it.

        Returns the result in front of what is carried, if there is one.
        """
        names = [value.name for value in self.body.input]
        items = [*front, *self.carried, *behind]
        if len(names) != len(items):
            raise self.context.error(
                f"expected a body of {len(items)} inputs, got one of {len(names)}"
            )
        results = self.context.subgraph(self.body, dict(zip(names, items, strict=True)))
        first = len(results) - len(self.carried) - len(self.scanned)
        carried = results[first : first + len(self.carried)]
        if self.active is None:
            self.carried = carried
        else:  # what the last one that counted gave stays
            pairs = zip(carried, self.carried, strict=True)
            self.carried = [_selected(self.context, self.active, *pair) for pair in pairs]
        for parts, result in zip(self.scanned, results[first + len(carried) :], strict=True):
            if isinstance(result, TensorList):
                raise self.context.error("expected tensors to stack, got a sequence")
            parts.append(result)
        return results[0] if first else None

    def results(self, axes: Sequence[int]) -> list[Item]:
        """Of the whole loop. axes: along which each further result is stacked."""
        declared = self.body.output[len(self.body.output) - len(self.scanned) :]
        stacked = [
            _stacked(self.context, parts, axis, value)
            for parts, axis, value in zip(self.scanned, axes, declared, strict=True)
        ]
        return [*self.carried, *stacked]


def _stacked(
    context: OperatorContext, parts: Sequence[Tensor], axis: int, declared: onnx.ValueInfoProto
) -> Tensor:
    """Results side by side; of no iterations an empty tensor of the declared type."""
    if parts:
        rank = parts[0].rank + 1
        return movement.stack(context.c, parts, context.axis(axis, rank))
    type_ = declared.type.tensor_type
    shape = [dimension.dim_value for dimension in type_.shape.dim]
    shape.insert(context.axis(axis, len(shape) + 1), 0)
    return context.c.known(np.empty(shape, numpy_dtype(type_.elem_type)))


def loop(context: OperatorContext) -> Sequence[Item]:
    """Loop: iteration by iteration, as long as a known condition holds.

    Of a computed condition and a known number of iterations all are computed, and what is carried stays as it is once
    the condition does not hold any more.
    """
    body = context.graph("body")
    carried = [context.item(position) for position in range(2, len(context.operands))]
    further = len(body.output) - 1 - len(carried)
    if further < 0:
        raise context.error(
            f"expected a body that gives {1 + len(carried)} results, got {len(body.output)}"
        )
    iterations = _Iterations(context, body, carried, [[] for _ in range(further)])
    limit = _iterations_of(context)
    held: Tensor = context.optional(1) or context.c.known(np.array(True))
    for number in range(limit + 1):
        known = _truth(context, held)
        if number == limit or known is False:
            break
        if number == _MOST_ITERATIONS:
            raise context.unsupported(
                f"expected a loop of at most {_MOST_ITERATIONS:,} iterations, each of which becomes operators"
            )
        if known is None:
            _check_bounded(context, limit, further)
            active = iterations.active
            iterations.active = held if active is None else ew.minimum(context.c, active, held)
        counter = context.c.known(np.array(number, np.int64))
        result = iterations.run([counter, held])
        if not isinstance(result, Tensor):
            raise context.error("expected a condition as first result of the body, got a sequence")
        held = result
    return iterations.results([0] * further)


def _iterations_of(context: OperatorContext) -> int:
    """At most so many; of a loop without a number one more than are ever written out."""
    return int(context.number_of(0)) if context.has(0) else _ENDLESS


_ENDLESS = _MOST_ITERATIONS + 1


def _check_bounded(context: OperatorContext, limit: int, further: int) -> None:
    """Of a loop whose condition is computed."""
    if further:
        raise context.unsupported(
            "expected a condition that is known while importing, since results of all iterations are stacked, got a "
            "computed one"
        )
    if limit >= _ENDLESS:
        raise context.unsupported(
            "expected a condition that is known while importing, or a known number of iterations, got a computed "
            "condition alone"
        )


def scan(context: OperatorContext) -> Sequence[Item]:
    """Scan: the body for each element of sequences along their axes; before version 9 for each batch by itself."""
    count = context.integer("num_scan_inputs")
    operands = [
        context.tensor(index) for index in range(len(context.operands)) if context.has(index)
    ]
    if not 1 <= count <= len(operands):
        raise context.error(f"expected 1 to {len(operands)} scanned operands, got {count}")
    states, sequences = operands[:-count], operands[-count:]
    if context.version >= 9:
        return _scanned(context, states, sequences)
    if context.has(0):
        raise context.unsupported("expected sequences of full length, got lengths of their own")
    batches = [
        _scanned(
            context,
            *([_element(context, x, 0, batch) for x in each] for each in (states, sequences)),
        )
        for batch in range(sequences[0].shape[0])
    ]
    return [
        movement.stack(context.c, [part for part in parts if isinstance(part, Tensor)], 0)
        for parts in zip(*batches, strict=True)
    ]


def _scanned(
    context: OperatorContext, states: Sequence[Tensor], sequences: Sequence[Tensor]
) -> list[Item]:
    """Of one batch."""
    body = context.graph("body")
    further = len(body.output) - len(states)
    if further < 0:
        raise context.error(
            f"expected a body of at least {len(states)} results, got {len(body.output)}"
        )
    is_backwards, axes = (
        context.integers(name, [0] * len(sequences))
        for name in (
            "directions" if context.version < 9 else "scan_input_directions",
            "scan_input_axes",
        )
    )
    places = [context.axis(axis, x.rank) for axis, x in zip(axes, sequences, strict=True)]
    lengths = {x.shape[place] for x, place in zip(sequences, places, strict=True)}
    if len(lengths) != 1:
        raise context.error(f"expected sequences of one length, got {sorted(lengths)}")
    (length,) = lengths
    iterations = _Iterations(context, body, [*states], [[] for _ in range(further)])
    for step in range(length):
        walked = zip(sequences, places, is_backwards, strict=True)
        iterations.run(
            (),
            [
                _element(context, x, place, length - 1 - step if backwards else step)
                for x, place, backwards in walked
            ],
        )
    for parts, backwards in zip(
        iterations.scanned, context.integers("scan_output_directions", [0] * further), strict=True
    ):
        if backwards:
            parts.reverse()
    return iterations.results(context.integers("scan_output_axes", [0] * further))


def _element(context: OperatorContext, x: Tensor, axis: int, index: int) -> Tensor:
    """One element along an axis, without it."""
    c = context.c
    return movement.squeeze(c, movement.part(c, x, axis, index, index + 1), [axis])


RULES: Mapping[str, Rule] = {
    "If": Rule(if_, "of computed conditions both branches are computed"),
    "Loop": Rule(loop, "written out; of a known number of iterations, or with a known condition"),
    "Scan": Rule(scan, "written out"),
}
