"""Operators over axes, and over the elements of rows."""

import math

import numpy as np
from onnx import TensorProto
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    ArgExtremum,
    ArgMax,
    ArgMin,
    CumSum,
    L2Normalization,
    LayerNorm,
    LogSoftmax,
    Mean,
    Operator,
    Ranking,
    ReduceMax,
    ReduceMin,
    ReduceProd,
    Reduction,
    RmsNorm,
    Softmax,
    Sum,
    TopK,
    TopKIndices,
)

from tinsmith_onnx.export.forms import natural, without
from tinsmith_onnx.export.site import Rule, Site

_SMALLEST_NORM = 1e-6
_SMALLEST_NORM_OF_INTEGERS = 1e-30
"""Of a row of zeros alone, which stays one."""


def _over_axes(kind: str, *, as_stored: bool = False) -> Rule:
    """as_stored: integers, but for int16, need not be real numbers."""

    def write(site: Site) -> None:
        operator, form, dtype = site.of(Reduction), site.form_of(0), site.output.type.dtype
        is_stored = site.is_plain or (as_stored and dtype is not DType.INT16)
        source = (site.stored if is_stored else site.real)(0, form)
        # ONNX Runtime's sum of int32 ends at the largest integer, where the graph's wraps.
        is_wide = is_stored and dtype is DType.INT32 and kind == "ReduceSum"
        if is_wide:
            source = site.emit("Cast", [source], to=TensorProto.INT64)
        axes = site.axes(sorted(form.index(axis) for axis in operator.axes))
        result = site.emit(kind, [source, axes], keepdims=int(operator.keep_dims))
        if is_wide:
            result = site.emit("Cast", [result], to=TensorProto.INT32)
        left = form if operator.keep_dims else without(form, operator.axes)
        (site.finish_stored if is_stored else site.finish)(result, left)

    return write


_real_product = _over_axes("ReduceProd")


def _product(site: Site) -> None:
    """Of integers pair by pair: those of ONNX Runtime end at the largest, where the graph's wrap."""
    if not site.is_plain:
        _real_product(site)
        return
    shape, axes = site.shape(0), site.of(ReduceProd).axes
    rank = len(shape)
    order = (*axes, *(axis for axis in range(rank) if axis not in axes))
    count = math.prod(shape[axis] for axis in axes)
    rows = site.reshape(site.stored(0, order), (count, math.prod(shape) // count))
    while count > 1:
        halves = [_rows(site, rows, begin, begin + count // 2) for begin in (0, count // 2)]
        rest = [_rows(site, rows, count - 1, count)] if count % 2 else []
        product = site.emit("Mul", halves)
        rows = site.emit("Concat", [product, *rest], axis=0) if rest else product
        count = count // 2 + len(rest)
    output = site.output.type.shape
    site.finish_stored(site.reshape(rows, output), natural(len(output)))


def _rows(site: Site, name: str, begin: int, end: int) -> str:
    return site.emit("Slice", [name, *(site.axes([number]) for number in (begin, end, 0))])


def _index(kind: str) -> Rule:
    """int64, of which ArgMin of ONNX Runtime has no kernel for int16, and places beyond int32 are none."""

    def write(site: Site) -> None:
        axis, form = site.of(ArgExtremum).axis, site.form_of(0)
        is_stored = site.operand(0).type.dtype is not DType.INT16
        source = (site.stored if is_stored else site.real)(0, form)
        found = site.emit(kind, [source], axis=form.index(axis), keepdims=0)
        indices = site.emit("Cast", [found], to=TensorProto.INT32)
        site.finish_stored(indices, without(form, (axis,)))

    return write


def _ranked(site: Site) -> list[str]:
    """The largest elements of rows, and where they are, in the form of the graph."""
    form = natural(len(site.shape(0)))
    count = site.axes([site.of(Ranking).count])
    return site.emit_all("TopK", [site.stored(0, form), count], 2, axis=-1)


def _largest(site: Site) -> None:
    elements, _ = _ranked(site)
    site.finish_stored(elements, natural(len(site.shape(0))))


def _places(site: Site) -> None:
    _, places = _ranked(site)
    indices = site.emit("Cast", [places], to=TensorProto.INT32)
    site.finish_stored(indices, natural(len(site.shape(0))))


def _cumulative_sum(site: Site) -> None:
    operator, form = site.of(CumSum), site.form()
    axis = site.known(np.array(form.index(operator.axis), np.int64), "axis")
    ways = {"exclusive": int(operator.exclusive), "reverse": int(operator.reverse)}
    result = site.emit("CumSum", [site.stored(0, form), axis], **ways)
    site.finish_stored(result, form)


def _softmax(site: Site) -> None:
    form, beta = site.form(), site.of(Softmax).beta
    real = site.real(0, form)
    if beta != 1:
        real = site.emit("Mul", [real, site.number(beta, "beta")])
    site.finish(site.emit("Softmax", [real], axis=form.index(len(form) - 1)), form)


def _log_softmax(site: Site) -> None:
    form = site.form()
    result = site.emit("LogSoftmax", [site.real(0, form)], axis=form.index(len(form) - 1))
    site.finish(result, form)


def _l2_normalization(site: Site) -> None:
    """LpNormalization has no smallest norm, by which what is next to nothing stays so."""
    form = site.form()
    real, axes = site.real(0, form), site.axes([form.index(len(form) - 1)])
    is_float = site.output.type.dtype is DType.FLOAT32
    least = site.number(_SMALLEST_NORM if is_float else _SMALLEST_NORM_OF_INTEGERS, "least")
    norm = site.emit("Max", [site.emit("ReduceL2", [real, axes], keepdims=1), least])
    site.finish(site.emit("Div", [real, norm]), form)


def _gamma(site: Site) -> str:
    """A factor for each element of a row; ones where there are none."""
    if site.has(1):
        return site.real(1, natural(1))
    return site.known(np.ones(site.shape(0)[-1:], np.float32), "gamma")


def _layer_norm(site: Site) -> None:
    order = natural(len(site.shape(0)))
    inputs = [site.real(0, order), _gamma(site)]
    inputs += [site.real(2, natural(1))] if site.has(2) else []
    epsilon = float(np.float32(site.of(LayerNorm).epsilon))
    result = site.emit("LayerNormalization", inputs, axis=-1, epsilon=epsilon)
    site.finish(result, order)


def _rms_norm(site: Site) -> None:
    """In small operators: RMSNormalization came with operator set 23."""
    order = natural(len(site.shape(0)))
    real, axes = site.real(0, order), site.axes([len(order) - 1])
    squares = site.emit("Mul", [real, real])
    mean = site.emit("ReduceMean", [squares, axes], keepdims=1)
    raised = site.emit("Add", [mean, site.number(site.of(RmsNorm).epsilon, "epsilon")])
    result = site.emit("Div", [real, site.emit("Sqrt", [raised])])
    if site.has(1):
        result = site.emit("Mul", [result, _gamma(site)])
    site.finish(result, order)


RULES: dict[type[Operator], Rule] = {
    ArgMax: _index("ArgMax"),
    ArgMin: _index("ArgMin"),
    CumSum: _cumulative_sum,
    L2Normalization: _l2_normalization,
    LayerNorm: _layer_norm,
    LogSoftmax: _log_softmax,
    Mean: _over_axes("ReduceMean"),
    ReduceMax: _over_axes("ReduceMax", as_stored=True),
    ReduceMin: _over_axes("ReduceMin", as_stored=True),
    ReduceProd: _product,
    RmsNorm: _rms_norm,
    Softmax: _softmax,
    Sum: _over_axes("ReduceSum"),
    TopK: _largest,
    TopKIndices: _places,
}
