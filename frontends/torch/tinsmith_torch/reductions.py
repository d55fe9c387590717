"""Rules of sums, means, extremes and such over axes, of running sums, and of sorting."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from tinsmith_ir.operators import Sqrt
from tinsmith_tensors import Composer, Tensor, movement, reductions, scans
from tinsmith_tensors import elementwise as ew

from tinsmith_torch.arithmetic import as_bool
from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule

_INT64 = np.dtype("<i8")
_Binary = Callable[[Composer, Tensor, Tensor], Tensor]


class _Reduction(Protocol):
    """A function of `reductions`."""

    def __call__(
        self, c: Composer, x: Tensor, axes: Sequence[int] | None, *, keep_dims: bool
    ) -> Tensor:
        """Over axes, None for all."""
        ...


class _Argument(Protocol):
    """Where an extreme is."""

    def __call__(self, c: Composer, x: Tensor, axis: int, *, keep_dims: bool) -> Tensor:
        """Along an axis."""
        ...


def _over(function: _Reduction, *, of_bool: bool = False) -> Rule:
    """Over axes that the argument dim says, all if it says none; of what the result's elements are."""

    def convert(t: OperatorContext) -> Tensor:
        x = as_bool(t.c, t.tensor("self")) if of_bool else t.as_result("self")[0]
        return function(t.c, x, t.axes("dim", x.rank), keep_dims=t.flag("keepdim"))

    return Rule(convert)


def _extreme(function: _Reduction, where: _Argument, of_two: _Binary) -> Rule:
    """max and min: of all; along an axis with where it is; or of two tensors."""

    def convert(t: OperatorContext) -> Tensor | Sequence[Tensor]:
        if t.has("other"):
            return of_two(t.c, *t.as_result("self", "other"))
        x = t.tensor("self")
        if not t.has("dim"):
            return function(t.c, x, None, keep_dims=False)
        axis, keeps = t.axis("dim", x.rank), t.flag("keepdim")
        if not x.rank:
            return [x, t.c.known(np.zeros((), np.int64))]
        values = function(t.c, x, [axis], keep_dims=keeps)
        return [values, where(t.c, x, axis, keep_dims=keeps)]

    return Rule(convert)


def _place(where: _Argument) -> Rule:
    """argmax and argmin: of all as one row."""

    def convert(t: OperatorContext) -> Tensor:
        c, x = t.c, t.tensor("self")
        if t.has("dim") and x.rank:
            return where(c, x, t.axis("dim", x.rank), keep_dims=t.flag("keepdim"))
        flat = movement.reshape(c, x, (x.elements,))
        return movement.reshape(c, where(c, flat, 0, keep_dims=False), t.result.shape)

    return Rule(convert)


def variance(t: OperatorContext) -> Tensor:
    """The mean of squares of distances from the mean, of which `correction` fewer count."""
    return _moments(t)[0]


def deviation(t: OperatorContext) -> Tensor:
    """The root of the variance."""
    return t.c.emit(Sqrt(), _moments(t)[0])


def variance_and_mean(t: OperatorContext) -> Sequence[Tensor]:
    """Both."""
    return _moments(t)


def _moments(t: OperatorContext) -> tuple[Tensor, Tensor]:
    c, x = t.c, t.tensor("self")
    axes = reductions.normalized_axes(t.axes("dim", x.rank), x.rank)
    keeps = t.flag("keepdim")
    average = reductions.mean(c, x, axes, keep_dims=True)
    squares = reductions.square_sum(c, ew.sub(c, x, average), axes, keep_dims=keeps)
    count = np.prod([x.shape[axis] for axis in axes], dtype=np.int64)
    correction = _correction(t)
    if count <= correction:
        raise t.unsupported(f"expected more than {correction:g} elements, got {count}")
    share = c.number(1.0 / (float(count) - correction), squares)
    mean = average if keeps else movement.squeeze(c, average, axes)
    return ew.mul(c, squares, share), mean


def _correction(t: OperatorContext) -> float:
    """How many elements fewer count; 1 if nothing is said."""
    if t.has("unbiased"):
        return float(t.flag("unbiased"))
    return t.real("correction") if t.has("correction") else 1.0


def norm(t: OperatorContext) -> Tensor:
    """linalg_vector_norm, of order 1, 2 or infinity."""
    c, (x,) = t.c, t.as_result("self")
    axes, keeps, order = t.axes("dim", x.rank), t.flag("keepdim"), t.real("ord")
    if order == 2.0:
        return reductions.l2_norm(c, x, axes, keep_dims=keeps)
    if order == 1.0:
        return reductions.l1_norm(c, x, axes, keep_dims=keeps)
    if order == np.inf:
        return reductions.largest(c, ew.absolute(c, x), axes, keep_dims=keeps)
    raise t.unsupported(f"expected a norm of order 1, 2 or infinity, got {order:g}")


def distances(t: OperatorContext) -> Tensor:
    """cdist: of each row of x1 (..., P, M) from each of x2 (..., R, M), to (..., P, R)."""
    c, order = t.c, t.real("p")
    rows = movement.unsqueeze(c, t.tensor("x1"), [-2])
    apart = ew.sub(c, rows, movement.unsqueeze(c, t.tensor("x2"), [-3]))
    if order == 2.0:
        return reductions.l2_norm(c, apart, [-1], keep_dims=False)
    if order == 1.0:
        return reductions.l1_norm(c, apart, [-1], keep_dims=False)
    if order == np.inf:
        return reductions.largest(c, ew.absolute(c, apart), [-1], keep_dims=False)
    raise t.unsupported(f"expected distances of order 1, 2 or infinity, got {order:g}")


def _running(function: Callable[[Composer, Tensor, int], Tensor]) -> Rule:
    def convert(t: OperatorContext) -> Tensor:
        (x,) = t.as_result("self")
        return function(t.c, x, t.axis("dim", x.rank)) if x.rank else x

    return Rule(convert)


def top_k(t: OperatorContext) -> Sequence[Tensor]:
    """The k largest along an axis in their order, or the smallest, and where they are."""
    return _ranked(t, t.integer("k"), largest=t.flag("largest"))


def sort(t: OperatorContext) -> Sequence[Tensor]:
    """All along an axis in their order, and where they were; equal ones stay in theirs."""
    x = t.tensor("self")
    size = x.shape[t.axis("dim", x.rank)] if x.rank else 1
    return _ranked(t, size, largest=t.flag("descending"))


def order(t: OperatorContext) -> Tensor:
    """argsort."""
    return sort(t)[1]


def _ranked(t: OperatorContext, count: int, *, largest: bool) -> Sequence[Tensor]:
    c, x = t.c, t.tensor("self")
    if not x.rank:
        return [x, c.known(np.zeros((), np.int64))]
    axis = t.axis("dim", x.rank)
    values, places = scans.top_k(c, x, count, axis, largest=largest)
    return [values, ew.cast(c, places, _INT64)]


RULES: Mapping[str, Rule] = {
    "aten._cdist_forward": Rule(distances, remark="orders but 1, 2 and infinity"),
    "aten.all": _over(reductions.smallest, of_bool=True),
    "aten.amax": _over(reductions.largest),
    "aten.amin": _over(reductions.smallest),
    "aten.any": _over(reductions.largest, of_bool=True),
    "aten.argmax": _place(reductions.arg_max),
    "aten.argmin": _place(reductions.arg_min),
    "aten.argsort": Rule(order),
    "aten.cumprod": _running(scans.cumprod),
    "aten.cumsum": _running(scans.cumsum),
    "aten.linalg_vector_norm": Rule(norm, remark="orders but 1, 2 and infinity"),
    "aten.logcumsumexp": _running(scans.log_cumsum_exp),
    "aten.logsumexp": _over(reductions.log_sum_exp),
    "aten.max": _extreme(reductions.largest, reductions.arg_max, ew.maximum),
    "aten.mean": _over(reductions.mean),
    "aten.min": _extreme(reductions.smallest, reductions.arg_min, ew.minimum),
    "aten.prod": _over(reductions.product),
    "aten.sort": Rule(sort),
    "aten.std": Rule(deviation),
    "aten.sum": _over(reductions.total),
    "aten.topk": Rule(top_k),
    "aten.var": Rule(variance),
    "aten.var_mean": Rule(variance_and_mean),
}
