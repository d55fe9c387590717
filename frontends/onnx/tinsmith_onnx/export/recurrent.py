"""Layers that remember: LSTM of floats, and filters over time (SVDF)."""

from collections.abc import Sequence

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import Lstm, Operator, Svdf, SvdfState

from tinsmith_onnx.export.forms import Form, natural
from tinsmith_onnx.export.products import bias
from tinsmith_onnx.export.site import Rule, Site

_WEIGHTS, _RECURRENT, _BIASES, _PEEPHOLES, _PROJECTION = 3, 7, 11, 15, 18
_FORGET = 1
_GATES = (0, 3, 1, 2)
"""Input, output, forget and cell gate, as ONNX has them, among the graph's input, forget, cell and output gate."""
_PEEPHOLE_GATES = (0, 2, 1)
"""Input, output and forget gate among the graph's input, forget and output gate."""


def _check(site: Site) -> None:
    operator = site.of(Lstm)
    if site.output.type.dtype is not DType.FLOAT32:
        raise UnsupportedError(
            "expected an LSTM of float32, got one of int8, whose gates and cells have integers of their own; export "
            "the network of floats"
        )
    if operator.cell_clip or site.has(_PROJECTION):
        raise UnsupportedError(
            "expected an LSTM without projection and without bounds of its cells, which ONNX does not have; write out "
            "its steps"
        )


def _joined(site: Site, first: int, order: Sequence[int], shape: Sequence[int]) -> str:
    """The tensors of all gates, one below the other: an initializer, if all are constants.

    Without an input gate it is what the forget gate leaves of 1: that gate of the opposite numbers.
    """
    there = [first + (gate if site.has(first + gate) else _FORGET) for gate in order]
    signs = [1 if site.has(first + gate) else -1 for gate in order]
    arrays = [site.array(index) for index in there]
    known = [array.astype(np.float32) for array in arrays if array is not None]
    if len(known) == len(arrays):
        parts = [array * np.float32(sign) for array, sign in zip(known, signs, strict=True)]
        return site.known(np.concatenate(parts).reshape(shape), site.operand(there[-1]).name)
    rank = len(site.shape(there[0]))
    names = [
        name if sign > 0 else site.emit("Neg", [name])
        for name, sign in zip((site.real(at, natural(rank)) for at in there), signs, strict=True)
    ]
    return site.reshape(site.emit("Concat", names, axis=0), shape)


def _lstm(site: Site) -> None:
    _check(site)
    operator = site.of(Lstm)
    batches, cells = site.shape(2)
    depth = site.shape(0)[2]
    form: Form = natural(3) if operator.time_major else (1, 0, 2)
    count = len(_GATES) * cells
    bias = _joined(site, _BIASES, _GATES, (1, count))
    # ONNX adds two biases, and the graph has one.
    none = site.known(np.zeros((1, count), np.float32), "no_bias")
    operands = [
        site.real(0, form),
        _joined(site, _WEIGHTS, _GATES, (1, count, depth)),
        _joined(site, _RECURRENT, _GATES, (1, count, cells)),
        site.emit("Concat", [bias, none], axis=1),
        "",
        *(site.reshape(site.real(index, natural(2)), (1, batches, cells)) for index in (1, 2)),
    ]
    if site.has(_PEEPHOLES + _FORGET):
        width = len(_PEEPHOLE_GATES) * cells
        operands.append(_joined(site, _PEEPHOLES, _PEEPHOLE_GATES, (1, width)))
    direction = "reverse" if operator.backwards else "forward"
    results = site.emit_all("LSTM", operands, 3, direction=direction, hidden_size=cells)
    steps = site.shape(0)[form[0]]
    site.finish(site.reshape(results[0], (steps, batches, cells)), form, 0)
    for index in (1, 2):
        site.finish(site.reshape(results[index], (batches, cells)), natural(2), index)


def _svdf_state(site: Site) -> None:
    """The newest products behind those of the last steps, which are moved as they are."""
    form = natural(2)
    batches, elements = site.shape(0)
    filters = site.shape(2)[0]
    steps = elements // filters
    product = site.emit("MatMul", [site.real(1, form), site.real(2, (1, 0))])
    quantization, dtype = site.output.type.quantization, site.output.type.dtype
    if quantization is not None:
        scale = site.values.scale(site.output.name, quantization, dtype)
        product = site.emit("QuantizeLinear", [product, *scale])
    newest = site.reshape(product, (batches, filters, 1))
    if steps > 1:
        memory = site.reshape(site.stored(0, form), (batches, filters, steps))
        places = [site.axes([number]) for number in (1, steps, 2)]
        newest = site.emit("Concat", [site.emit("Slice", [memory, *places]), newest], axis=2)
    site.finish_stored(site.reshape(newest, (batches, elements)), form)


def _svdf(site: Site) -> None:
    """Sums over the steps, then over the filters of each unit, and the bias."""
    operator, form = site.of(Svdf), natural(2)
    filters, steps = site.shape(1)
    batches, units = site.output.type.shape
    by_step = site.reshape(site.real(0, form), (batches, filters, steps))
    products = site.emit("Mul", [by_step, site.real(1, form)])
    of_units = site.reshape(products, (batches, units, operator.rank * steps))
    total = site.emit("ReduceSum", [of_units, site.axes([2])], keepdims=0)
    for each in bias(site):
        total = site.emit("Add", [total, each])
    site.finish(total, form)


RULES: dict[type[Operator], Rule] = {Lstm: _lstm, Svdf: _svdf, SvdfState: _svdf_state}
