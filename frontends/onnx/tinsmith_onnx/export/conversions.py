"""Operators between real numbers and integers, and between element types."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Cast,
    Dequantize,
    FloatRescale,
    Operator,
    Quantize,
    Requantize,
)
from tinsmith_ir.operators.base import activation_of

from tinsmith_onnx.export.constants import narrowed
from tinsmith_onnx.export.model import KINDS
from tinsmith_onnx.export.site import Rule, Site
from tinsmith_onnx.export.values import quantization_of


def _as_integers(site: Site) -> None:
    form = site.form()
    site.finish(site.real(0, form), form)


def _dequantize(site: Site) -> None:
    """A constant is written when it is read, in the form that is needed there."""
    value = site.operand(0)
    array = site.values.array(value)
    if array is not None:
        is_only = site.values.graph.only_user(value) is not None
        site.values.put_dequantized(site.output, narrowed(value, array) if is_only else value)
        return
    form = site.form()
    name = site.values.real(value, form, site.values.name_for(site.output, form))
    site.values.put(site.output, form, name)


def _requantize(site: Site) -> None:
    form = site.form()
    if site.output.type.dtype is not DType.INT32:
        site.finish(site.real(0, form), form)
        return
    real = site.clamp(site.real(0, form), activation_of(site.node.operator))
    steps = site.emit("Div", [real, site.number(quantization_of(site.output).scale, "step")])
    rounded = site.emit("Round", [steps])
    zero_point = quantization_of(site.output).zero_point
    if zero_point:
        rounded = site.emit("Add", [rounded, site.number(zero_point, "zero_point")])
    site.finish_stored(_cut(site, rounded, DType.INT32), form)


def _cut(site: Site, name: str, dtype: DType) -> str:
    """Floats as integers within their range, beyond which ONNX leaves the result open."""
    low, high = dtype.integer_range
    largest = np.float32(high)
    if float(largest) > high:  # float32 has no such number
        largest = np.nextafter(largest, np.float32(0))
    bounds = [site.number(low, "low"), site.number(float(largest), "high")]
    return site.emit("Cast", [site.emit("Clip", [name, *bounds])], to=KINDS[dtype])


def _cast(site: Site) -> None:
    """The integers as they are stored, whatever they stand for."""
    dtype = site.of(Cast).dtype
    if site.operand(0).type.dtype is dtype and not site.values.is_constant(site.operand(0)):
        for each in site.values.forms(site.operand(0)):  # the same elements, read as others
            site.values.put(site.output, each, site.values.named(site.operand(0), each))
        return
    form = site.form()
    source = site.stored(0, form)
    is_cut = site.operand(0).type.dtype is DType.FLOAT32 and dtype.is_integer
    result = _cut(site, source, dtype) if is_cut else site.emit("Cast", [source], to=KINDS[dtype])
    site.finish_stored(result, form)


RULES: dict[type[Operator], Rule] = {
    Cast: _cast,
    Dequantize: _dequantize,
    FloatRescale: _as_integers,
    Quantize: _as_integers,
    Requantize: _requantize,
}
