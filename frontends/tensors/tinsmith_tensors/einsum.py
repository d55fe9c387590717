"""Sums of products by labels of axes, as NumPy's einsum has them: by reshapes, transposes and products of matrices."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import BatchMatmul

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import mul
from tinsmith_tensors.movement import reshape, slice_, transpose
from tinsmith_tensors.products import linear
from tinsmith_tensors.reductions import total

_Labels = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Term:
    """A tensor whose axes have labels, all different."""

    tensor: Tensor
    labels: _Labels

    def size(self, labels: Iterable[str]) -> int:
        """How many elements axes of these labels have."""
        return math.prod(self.tensor.shape[self.labels.index(label)] for label in labels)


def einsum(c: Composer, equation: str, operands: Sequence[Tensor]) -> Tensor:
    """What `equation` says of operands: `ij,jk->ik`, `...i->...`, `ii`; operands are taken from left to right.

    Raises UnsupportedError for an equation that does not fit the operands.
    """
    inputs, output = parsed(equation, [operand.rank for operand in operands])
    sizes = _sizes(inputs, operands, equation)
    known = [operand.array for operand in operands if operand.array is not None]
    if len(known) == len(operands):
        c.check_known_size([sizes[label] for label in output])
        c.check_work(math.prod(sizes.values()))
        return c.known(_of_known(equation, known).astype(operands[0].dtype))
    terms = [_diagonal(c, tensor, labels) for tensor, labels in zip(operands, inputs, strict=True)]
    result = terms[0]
    for place, term in enumerate(terms[1:], 1):
        later = {*output}.union(*(other.labels for other in terms[place + 1 :]))
        result = _product(c, result, term, later)
    return _arranged(c, _summed(c, result, output), output)


def _of_known(equation: str, arrays: Sequence[Array]) -> NDArray[np.float64] | NDArray[np.int64]:
    if arrays[0].dtype.kind == "f":
        floats = [array.astype(np.float64) for array in arrays]
        return np.asarray(np.einsum(equation, *floats), np.float64)
    integers = [array.astype(np.int64) for array in arrays]
    return np.asarray(np.einsum(equation, *integers), np.int64)


def parsed(equation: str, ranks: Sequence[int]) -> tuple[list[_Labels], _Labels]:
    """Labels of the axes of operands of these ranks, and of the result's; those that an ellipsis stands for are
    numbers, counted from the last one.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    texts = left.split(",")
    if len(texts) != len(ranks):
        raise UnsupportedError(f"expected {len(ranks)} operands in {equation!r}")
    inputs = [_labels(text, rank, equation) for text, rank in zip(texts, ranks, strict=True)]
    hidden = max((_hidden(labels) for labels in inputs), key=len, default=())
    if arrow:
        before, dots, behind = right.partition("...")
        output = (*before, *(hidden if dots else ()), *behind)
    else:
        every = [label for labels in inputs for label in labels if not label.isdigit()]
        once = sorted(label for label in set(every) if every.count(label) == 1)
        output = (*hidden, *once)
    if len(set(output)) != len(output) or not {*output} <= {*itertools.chain(*inputs)}:
        raise UnsupportedError(
            f"expected a result whose labels are different ones of the operands', got {equation!r}"
        )
    return inputs, output


def _labels(text: str, rank: int, equation: str) -> _Labels:
    before, dots, behind = text.partition("...")
    count = rank - len(before) - len(behind)
    if not all(label.isalpha() and label.isascii() for label in before + behind) or (
        count < 0 or (count and not dots)
    ):
        raise UnsupportedError(
            f"expected letters for the {rank} axes of an operand, got {text!r} in {equation!r}"
        )
    return (*before, *(str(index) for index in reversed(range(count))), *behind)


def _hidden(labels: _Labels) -> _Labels:
    return tuple(label for label in labels if label.isdigit())


def _sizes(inputs: Sequence[_Labels], operands: Sequence[Tensor], equation: str) -> dict[str, int]:
    """Of each label; 1 broadcasts to any other."""
    sizes: dict[str, int] = {}
    for labels, operand in zip(inputs, operands, strict=True):
        for label, size in zip(labels, operand.shape, strict=True):
            other = sizes.setdefault(label, size)
            if other == 1:
                sizes[label] = size
            elif size not in (1, other):
                raise UnsupportedError(
                    f"expected one size for {label!r} in {equation!r}, got {other} and {size}"
                )
    return sizes


def _diagonal(c: Composer, x: Tensor, labels: _Labels) -> _Term:
    """x with one axis for each label: of one that is there twice, the elements where both are equal."""
    for label in labels:
        places = [place for place, other in enumerate(labels) if other == label]
        if len(places) == 1:
            continue
        first, second = places[:2]
        size = x.shape[first]
        if x.shape[second] != size:
            raise UnsupportedError(
                f"expected one size for {label!r}, got {size} and {x.shape[second]}"
            )
        others = [place for place in range(x.rank) if place not in (first, second)]
        moved = transpose(c, x, [*others, first, second])
        shape = moved.shape[:-2]
        flat = reshape(c, moved, (*shape, size * size))
        begin, steps = [0] * flat.rank, [1] * len(shape) + [size + 1]
        kept = slice_(c, flat, begin, (*shape, size), steps)
        return _diagonal(c, kept, (*(labels[place] for place in others), label))
    return _Term(x, labels)


def _product(c: Composer, lhs: _Term, rhs: _Term, later: set[str]) -> _Term:
    """The product of two, summed over labels that nothing reads later."""
    lhs, rhs = _without_ones(c, lhs, rhs), _without_ones(c, rhs, lhs)
    lhs = _summed(c, lhs, later | {*rhs.labels})
    rhs = _summed(c, rhs, later | {*lhs.labels})
    shared = [label for label in lhs.labels if label in rhs.labels]
    if all(label in later for label in shared):
        return _outer(c, lhs, rhs)
    if lhs.tensor.is_known and not any(label in later for label in shared):
        lhs, rhs = rhs, lhs  # known matrices are weights, which come second
    return _contracted(c, lhs, rhs, later)


def _without_ones(c: Composer, term: _Term, other: _Term) -> _Term:
    """Without axes of length 1 that broadcast to an axis of the other one."""
    kept = tuple(
        label
        for label in term.labels
        if not (label in other.labels and term.size([label]) == 1 and other.size([label]) > 1)
    )
    return _Term(reshape(c, term.tensor, [term.size([label]) for label in kept]), kept)


def _summed(c: Composer, term: _Term, kept: Iterable[str]) -> _Term:
    wanted = {*kept}
    axes = [place for place, label in enumerate(term.labels) if label not in wanted]
    if not axes:
        return term
    labels = tuple(label for label in term.labels if label in wanted)
    return _Term(total(c, term.tensor, axes, keep_dims=False), labels)


def _outer(c: Composer, lhs: _Term, rhs: _Term) -> _Term:
    """Without any sum: elements multiplied, with axes of length 1 for labels that one does not have."""
    labels = (*lhs.labels, *(label for label in rhs.labels if label not in lhs.labels))
    order = [label for label in labels if label in rhs.labels]
    turned = _arranged(c, rhs, order)
    wide = reshape(c, lhs.tensor, (*lhs.tensor.shape, *[1] * (len(labels) - len(lhs.labels))))
    shape = [rhs.size([label]) if label in rhs.labels else 1 for label in labels]
    return _Term(mul(c, wide, reshape(c, turned, shape)), labels)


def _contracted(c: Composer, lhs: _Term, rhs: _Term, later: set[str]) -> _Term:
    """As a product of matrices, in the order of labels that moves the least."""
    shared = [label for label in lhs.labels if label in rhs.labels]
    batch = [label for label in shared if label in later]
    summed = [label for label in shared if label not in later]
    rows = [label for label in lhs.labels if label not in shared]
    columns = [label for label in rhs.labels if label not in shared]
    is_layer = rhs.tensor.is_known and not batch
    plans = [
        (lhs_turned, rhs_turned, batch_order, sum_order)
        for batch_order in (batch, _in_order(batch, rhs.labels))
        for sum_order in (summed, _in_order(summed, rhs.labels))
        for lhs_turned in ((False,) if is_layer else (False, True))
        for rhs_turned in ((True,) if is_layer else (False, True))
    ]

    def moves(plan: tuple[bool, bool, list[str], list[str]]) -> int:
        first, second = _orders(plan, rows, columns)
        return (first != lhs.labels and not lhs.tensor.is_known) + (
            second != rhs.labels and not rhs.tensor.is_known
        )

    plan = min(plans, key=moves)
    lhs_turned, rhs_turned, batch, summed = plan
    first, second = _orders(plan, rows, columns)
    left, right = _arranged(c, lhs, first), _arranged(c, rhs, second)
    places, depth = lhs.size(batch), lhs.size(summed)
    many, wide = lhs.size(rows), rhs.size(columns)
    if is_layer:
        product = linear(c, reshape(c, left, (many, depth)), reshape(c, right, (wide, depth)), None)
    else:
        product = c.emit(
            BatchMatmul(transpose_lhs=lhs_turned, transpose_rhs=rhs_turned),
            reshape(c, left, (places, *((depth, many) if lhs_turned else (many, depth)))),
            reshape(c, right, (places, *((wide, depth) if rhs_turned else (depth, wide)))),
        )
    labels = (*batch, *rows, *columns)
    shape = [(rhs if label in columns else lhs).size([label]) for label in labels]
    return _Term(reshape(c, product, shape), labels)


def _orders(
    plan: tuple[bool, bool, list[str], list[str]], rows: list[str], columns: list[str]
) -> tuple[_Labels, _Labels]:
    """Of the axes of both operands."""
    lhs_turned, rhs_turned, batch, summed = plan
    first = [*summed, *rows] if lhs_turned else [*rows, *summed]
    second = [*columns, *summed] if rhs_turned else [*summed, *columns]
    return (*batch, *first), (*batch, *second)


def _in_order(labels: list[str], of: _Labels) -> list[str]:
    return [label for label in of if label in labels]


def _arranged(c: Composer, term: _Term, labels: Sequence[str]) -> Tensor:
    return transpose(c, term.tensor, [term.labels.index(label) for label in labels])
