"""Operators that move elements, or take them more than once: integers as they are."""

import numpy as np
from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Broadcast,
    Concat,
    Gather,
    Operator,
    Pad,
    Reshape,
    Slice,
    Transpose,
)
from tinsmith_ir.operators.base import activation_of

from tinsmith_onnx.export.forms import natural, permuted
from tinsmith_onnx.export.site import Rule, Site

_BEFORE_THE_FIRST = -(1 << 63)
"""Where a Slice ends that walks backwards and takes the first element, too."""


def _reshape(site: Site) -> None:
    """Rows of a layer whose weights are turned are reshaped from images as they lie."""
    value, shape = site.operand(0), site.output.type.shape
    source = site.values.flattened(value, site.output) or site.values.in_order(value)
    site.finish_stored(site.reshape(source, shape), natural(len(shape)))


def _transpose(site: Site) -> None:
    """No node: each tensor that is the operand is the result in another form."""
    value, permutation = site.operand(0), site.of(Transpose).permutation
    if site.values.is_constant(value):
        name = site.values.stored(value, permutation)
        site.values.put(site.output, natural(len(permutation)), name)
        return
    for form in site.values.forms(value):
        if len(form) == len(permutation):
            turned = tuple(permutation.index(axis) for axis in form)
            site.values.put(site.output, turned, site.values.named(value, form))


def _pad(site: Site) -> None:
    """ONNX Runtime's Pad does not take int16, which goes by real numbers."""
    operator, form, type_ = site.of(Pad), site.form(), site.output.type
    pads = [permuted(operator.padding[side::2], form) for side in range(2)]
    amounts = site.axes([*pads[0], *pads[1]])
    quantization = type_.quantization
    zero = 0 if quantization is None else quantization.zero_point
    value = zero if operator.value is None else operator.value
    if type_.dtype is DType.INT16 and quantization is not None:
        real = site.number(quantization.scale * (value - zero), "value")
        site.finish(site.emit("Pad", [site.real(0, form), amounts, real]), form)
        return
    filler = site.number(value, "value", type_.dtype)
    site.finish_stored(site.emit("Pad", [site.stored(0, form), amounts, filler]), form)


def _slice(site: Site) -> None:
    operator, form = site.of(Slice), site.form()
    ends = [
        begin + size * step
        for begin, size, step in zip(operator.begin, operator.shape, operator.steps, strict=True)
    ]
    is_kept = [
        size == given and step == 1
        for size, given, step in zip(operator.shape, site.shape(0), operator.steps, strict=True)
    ]
    cut = [axis for axis in form if not is_kept[axis]]
    parts = [
        [operator.begin[axis] for axis in cut],
        [ends[axis] if ends[axis] >= 0 else _BEFORE_THE_FIRST for axis in cut],
        [form.index(axis) for axis in cut],
        [operator.steps[axis] for axis in cut],
    ]
    source = site.stored(0, form)
    if not cut:
        site.finish_stored(source, form)
        return
    site.finish_stored(site.emit("Slice", [source, *map(site.axes, parts)]), form)


def _concat(site: Site) -> None:
    """Parts of one quantization as they are, others as real numbers."""
    operator, form = site.of(Concat), site.form()
    axis, output = form.index(operator.axis), site.output.type
    numbers = range(len(site.node.inputs))
    is_moved = all(
        value.type.quantization == output.quantization for value in site.node.present_inputs
    )
    is_float = output.dtype is DType.FLOAT32
    if is_float or not is_moved or activation_of(operator) is not Activation.NONE:
        parts = [site.real(number, form) for number in numbers]
        site.finish(site.emit("Concat", parts, axis=axis), form)
        return
    parts = [site.stored(number, form) for number in numbers]
    site.finish_stored(site.emit("Concat", parts, axis=axis), form)


def _gather(site: Site) -> None:
    """Indices that are out of bounds take the first or the last element."""
    axis, indices = site.of(Gather).axis, site.shape(1)
    form = site.form_of(0) if len(indices) == 1 else natural(len(site.shape(0)))
    last, known = site.shape(0)[axis] - 1, site.array(1)
    if known is not None:
        places = site.known(np.clip(known, 0, last), f"{site.output.name}_indices")
    else:
        bounds = [
            site.number(each, hint, DType.INT32) for each, hint in ((0, "low"), (last, "high"))
        ]
        places = site.emit("Clip", [site.stored(1, natural(len(indices))), *bounds])
    result = site.emit("Gather", [site.stored(0, form), places], axis=form.index(axis))
    site.finish_stored(result, form if len(indices) == 1 else natural(len(site.output.type.shape)))


def _broadcast(site: Site) -> None:
    form = site.form()
    shape = site.axes(permuted(site.output.type.shape, form))
    site.finish_stored(site.emit("Expand", [site.stored(0, form), shape]), form)


RULES: dict[type[Operator], Rule] = {
    Broadcast: _broadcast,
    Concat: _concat,
    Gather: _gather,
    Pad: _pad,
    Reshape: _reshape,
    Slice: _slice,
    Transpose: _transpose,
}
