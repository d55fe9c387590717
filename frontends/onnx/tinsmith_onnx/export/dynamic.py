"""Integers of 8 bits whose scale is known to the run alone, as hybrid layers have them."""

from onnx import TensorProto
from tinsmith_ir.operators import Operator
from tinsmith_ir.operators.dynamic import DynamicQuantize, DynamicScale

from tinsmith_onnx.export.forms import Form
from tinsmith_onnx.export.site import Rule, Site

_LOW, _HIGH = -128, 127
_DOUBLE = TensorProto.DOUBLE


def _largest(site: Site, kind: str, name: str, form: Form) -> str:
    """The largest element of each row (or smallest, by `kind`), an index of the graph's first axis."""
    axes = [at for at, axis in enumerate(form) if axis]
    return site.emit(kind, [name, site.axes(axes)], keepdims=1) if axes else name


def _limit(site: Site, form: Form) -> tuple[str, str]:
    """Of symmetric integers: the largest magnitude of each row, and whether that is 0."""
    largest = _largest(site, "ReduceMax", site.emit("Abs", [site.real(0, form)]), form)
    is_zero = site.emit("Equal", [largest, site.number(0.0, "zero")])
    return largest, is_zero


def _limits(site: Site, form: Form) -> tuple[str, str]:
    """Of others: the zero point of each row's integers, and what one step stands for; of float64."""
    zero = site.number(0.0, "zero")
    real = site.real(0, form)
    low, high = (
        site.emit("Cast", [site.emit(bound, [_largest(site, kind, real, form), zero])], to=_DOUBLE)
        for bound, kind in (("Min", "ReduceMin"), ("Max", "ReduceMax"))
    )
    span = site.emit("Sub", [high, low])
    is_zero = site.emit("Equal", [span, _wide(site, 0)])
    steps = site.emit("Div", [span, _wide(site, _HIGH - _LOW)])
    step = site.emit("Where", [is_zero, _wide(site, 1), steps])
    from_low = site.emit("Sub", [_wide(site, _LOW), site.emit("Div", [low, step])])
    offset = site.emit("Where", [is_zero, _wide(site, 0), site.emit("Round", [from_low])])
    return offset, step


def _wide(site: Site, number: int) -> str:
    return site.emit("Cast", [site.number(number, "number")], to=_DOUBLE)


def _scale(site: Site) -> None:
    form = site.form_of(0)
    if site.of(DynamicScale).symmetric:
        largest, is_zero = _limit(site, form)
        step = site.emit("Div", [largest, site.number(_HIGH, "most")])
        site.finish(site.emit("Where", [is_zero, site.number(1.0, "one"), step]), form)
        return
    _, step = _limits(site, form)
    site.finish(site.emit("Cast", [step], to=TensorProto.FLOAT), form)


def _integers(site: Site) -> None:
    """Halves go to the even integer, where the graph rounds them away from zero."""
    form = site.form_of(0)
    real, most = site.real(0, form), site.number(_HIGH, "most")
    if site.of(DynamicQuantize).symmetric:
        largest, is_zero = _limit(site, form)
        safe = site.emit("Where", [is_zero, site.number(1.0, "one"), largest])
        steps = site.emit("Mul", [real, site.emit("Div", [most, safe])])
        integers = site.emit(
            "Clip", [site.emit("Round", [steps]), site.number(-_HIGH, "least"), most]
        )
    else:
        zero_point, step = _limits(site, form)
        offset = site.emit("Cast", [zero_point], to=TensorProto.FLOAT)
        inverse = site.emit("Reciprocal", [site.emit("Cast", [step], to=TensorProto.FLOAT)])
        steps = site.emit("Add", [site.emit("Mul", [real, inverse]), offset])
        stored = site.emit("Clip", [site.emit("Round", [steps]), site.number(_LOW, "least"), most])
        integers = site.emit("Sub", [stored, offset])
    site.finish_stored(site.emit("Cast", [integers], to=TensorProto.INT16), form)


RULES: dict[type[Operator], Rule] = {DynamicQuantize: _integers, DynamicScale: _scale}
