"""Rules of scales that each run chooses by what it gets, as dynamic quantization of PT2E has them."""

from collections.abc import Mapping, Sequence

import numpy as np
from tinsmith_ir.operators import Round
from tinsmith_tensors import Tensor, reductions
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.movement import reshape

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule

_INT8 = (-128, 127)
_SMALLEST_TOKEN = 1e-5
"""Least magnitude of a row's largest element, by which its symmetric scale is chosen."""
_EPSILON = float(np.finfo(np.float32).eps)


def of_all(t: OperatorContext) -> Sequence[Tensor]:
    """choose_qparams: one scale, such that all elements and 0 fit, and its zero point."""
    c = t.c
    low, high, _ = _bounds(t, None)
    least = t.integer("quant_min")
    scale = _at_least(t, _share(t, ew.sub(c, high, low), _span(t)), t.real("eps"))
    zero_point = ew.sub(c, c.number(least, low), _rounded(t, ew.div(c, low, scale)))
    return _given(t, scale, _clamped(t, zero_point, (least, t.integer("quant_max"))))


def symmetric(t: OperatorContext) -> Sequence[Tensor]:
    """choose_qparams_symmetric: by the largest magnitude; the zero point is 0, of uint8 the middle."""
    _, _, most = _bounds(t, None)
    scale = _at_least(t, _share(t, most, _span(t) / 2), t.real("eps"))
    middle = 128.0 if t.dtype() == np.dtype("u1") else 0.0
    return _given(t, scale, t.c.number(middle, scale))


def of_tokens(t: OperatorContext) -> Sequence[Tensor]:
    """choose_qparams_per_token: of each row, by its largest magnitude."""
    _, _, most = _bounds(t, -1)
    scale = _share(t, _at_least(t, most, _SMALLEST_TOKEN), _INT8[1])
    return _given(t, scale, t.c.known(np.zeros(scale.shape, np.float32)))


def of_tokens_with_zero_points(t: OperatorContext) -> Sequence[Tensor]:
    """choose_qparams_per_token_asymmetric: of each row, such that the end that is farther off the integers fits."""
    c = t.c
    low, high, _ = _bounds(t, -1)
    least, most = (c.number(bound, low) for bound in _INT8)
    scale = _at_least(t, _share(t, ew.sub(c, high, low), _INT8[1] - _INT8[0]), _EPSILON)
    below, above = ew.div(c, low, scale), ew.div(c, high, scale)
    missed = ew.add(c, ew.add(c, least, below), ew.add(c, most, above))
    is_below = ew.less(c, c.number(0.0, missed), missed)
    exact = ew.where(c, is_below, ew.sub(c, least, below), ew.sub(c, most, above))
    return _given(t, scale, _rounded(t, _clamped(t, exact, _INT8)))


def _bounds(t: OperatorContext, axis: int | None) -> tuple[Tensor, Tensor, Tensor]:
    """The least element or 0, the largest or 0, and the largest magnitude; of each row, or of all."""
    c, x = t.c, t.tensor("input")
    axes = None if axis is None else [x.rank + axis]
    keeps = axis is not None
    zero = c.number(0.0, x)
    low = ew.minimum(c, reductions.smallest(c, x, axes, keep_dims=keeps), zero)
    high = ew.maximum(c, reductions.largest(c, x, axes, keep_dims=keeps), zero)
    return low, high, ew.maximum(c, ew.sub(c, zero, low), high)


def _span(t: OperatorContext) -> int:
    return t.integer("quant_max") - t.integer("quant_min")


def _share(t: OperatorContext, x: Tensor, count: float) -> Tensor:
    return ew.div(t.c, x, t.c.number(count, x))


def _at_least(t: OperatorContext, x: Tensor, bound: float) -> Tensor:
    return ew.maximum(t.c, x, t.c.number(bound, x))


def _clamped(t: OperatorContext, x: Tensor, bounds: tuple[int, int]) -> Tensor:
    low, high = (t.c.number(bound, x) for bound in bounds)
    return ew.minimum(t.c, ew.maximum(t.c, x, low), high)


def _rounded(t: OperatorContext, x: Tensor) -> Tensor:
    return t.c.emit(Round(), x)


def _given(t: OperatorContext, *results: Tensor) -> Sequence[Tensor]:
    """In the shapes and types that PyTorch says; float64 is computed as float32."""
    found: list[Tensor] = []
    for result, meta in zip(results, t.step.results, strict=True):
        assert meta is not None
        dtype = np.dtype("<f4") if meta.dtype.kind == "f" else meta.dtype
        found.append(reshape(t.c, ew.cast(t.c, result, dtype), meta.shape))
    return found


RULES: Mapping[str, Rule] = {
    "quantized_decomposed._choose_qparams_per_token_asymmetric_impl": Rule(
        of_tokens_with_zero_points
    ),
    "quantized_decomposed.choose_qparams": Rule(of_all),
    "quantized_decomposed.choose_qparams_per_token": Rule(of_tokens),
    "quantized_decomposed.choose_qparams_per_token_asymmetric": Rule(of_tokens_with_zero_points),
    "quantized_decomposed.choose_qparams_symmetric": Rule(symmetric),
}
