"""Operators of two tensors, element by element."""

import numpy as np
from onnx import TensorProto
from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Add,
    Compare,
    Div,
    FloorDiv,
    FloorMod,
    Maximum,
    Minimum,
    Mul,
    Operator,
    Pow,
    Relation,
    Select,
    SquaredDifference,
    Sub,
)
from tinsmith_ir.operators.base import activation_of

from tinsmith_onnx.export.constants import scaled
from tinsmith_onnx.export.forms import Form
from tinsmith_onnx.export.site import Rule, Site


def _sum_or_product(kind: str) -> Rule:
    """Of plain integers, and of sums that no layer has ended yet, as they are stored."""

    def write(site: Site) -> None:
        form = site.form()
        if site.output.type.dtype not in (DType.INT32, DType.INT64):
            site.finish(site.emit(kind, [site.real(0, form), site.real(1, form)]), form)
            return
        result = site.emit(kind, [site.stored(0, form), site.stored(1, form)])
        clamped = site.clamp(result, activation_of(site.node.operator), site.output.type.dtype)
        site.finish_stored(clamped, form)

    return write


_times = _sum_or_product("Mul")


def _product(site: Site) -> None:
    """Integers of a constant times their scales are no node: DequantizeLinear has scales along an axis."""
    known = site.array(1)
    integers = site.values.integers(site.operand(0))
    if known is not None and integers is not None and _is_unclamped(site):
        constant = scaled(integers, known)
        if constant is not None and constant.type.shape == site.output.type.shape:
            site.values.put_dequantized(site.output, constant)
            return
    _times(site)


def _is_unclamped(site: Site) -> bool:
    return activation_of(site.node.operator) is Activation.NONE


def _extremum(kind: str, of_bool: str) -> Rule:
    """Integers are compared as they are; int16 has no kernel in ONNX Runtime."""

    def write(site: Site) -> None:
        form, dtype = site.form(), site.output.type.dtype
        if dtype is DType.INT16:
            site.finish(site.emit(kind, [site.real(0, form), site.real(1, form)]), form)
            return
        chosen = of_bool if dtype is DType.BOOL else kind
        site.finish_stored(site.emit(chosen, [site.stored(0, form), site.stored(1, form)]), form)

    return write


def _power(site: Site) -> None:
    form = site.form()
    site.finish(site.emit("Pow", [site.real(0, form), site.real(1, form)]), form)


def _squared_difference(site: Site) -> None:
    form, is_plain = site.form(), site.is_plain
    operands = [(site.stored if is_plain else site.real)(index, form) for index in range(2)]
    difference = site.emit("Sub", operands)
    square = site.emit("Mul", [difference, difference])
    (site.finish_stored if is_plain else site.finish)(square, form)


def _guarded(site: Site, form: Form) -> tuple[str, str | None]:
    """A divisor without zeros, and where it was one; None if it has none. ONNX leaves the quotient by 0 open, and ONNX
    Runtime ends.
    """
    divisor, array = site.stored(1, form), site.array(1)
    if array is not None and bool(np.all(array != 0)):
        return divisor, None
    dtype = site.operand(1).type.dtype
    is_zero = site.emit("Equal", [divisor, site.number(0, "zero", dtype)])
    return site.emit("Where", [is_zero, site.number(1, "one", dtype), divisor]), is_zero


def _unless_zero(site: Site, is_zero: str | None, result: str) -> str:
    if is_zero is None:
        return result
    zero = site.number(0, "zero", site.output.type.dtype)
    return site.emit("Where", [is_zero, zero, result])


def _quotient(site: Site) -> None:
    form = site.form()
    if not site.is_plain:
        site.finish(site.emit("Div", [site.real(0, form), site.real(1, form)]), form)
        return
    divisor, is_zero = _guarded(site, form)
    result = _unless_zero(site, is_zero, site.emit("Div", [site.stored(0, form), divisor]))
    activation = activation_of(site.node.operator)
    site.finish_stored(site.clamp(result, activation, site.output.type.dtype), form)


def _floor_quotient(site: Site) -> None:
    """Of floats the quotient is taken in float64, as the graph does."""
    form = site.form()
    if not site.is_plain:
        wide = [
            site.emit(
                "Cast", [site.real(index, form)], to=TensorProto.DOUBLE
            )  # float32 rounds up to integers
            for index in range(2)
        ]
        below = site.emit("Floor", [site.emit("Div", wide)])
        site.finish(site.emit("Cast", [below], to=TensorProto.FLOAT), form)
        return
    divisor, is_zero = _guarded(site, form)
    dividend = site.stored(0, form)
    rest = site.emit("Mod", [dividend, divisor])
    exact = site.emit("Sub", [dividend, rest])
    site.finish_stored(_unless_zero(site, is_zero, site.emit("Div", [exact, divisor])), form)


def _floor_rest(site: Site) -> None:
    form = site.form()
    if site.is_plain:
        divisor, is_zero = _guarded(site, form)
        rest = site.emit("Mod", [site.stored(0, form), divisor])
        site.finish_stored(_unless_zero(site, is_zero, rest), form)
        return
    divisor, zero = site.real(1, form), site.number(0.0, "zero")
    rest = site.emit("Mod", [site.real(0, form), divisor], fmod=1)
    is_below = [site.emit("Less", [each, zero]) for each in (rest, divisor)]
    is_exact = site.emit("Equal", [rest, zero])
    is_other = site.emit(
        "And", [site.emit("Not", [is_exact]), site.emit("Xor", [is_below[0], is_below[1]])]
    )
    site.finish(site.emit("Where", [is_other, site.emit("Add", [rest, divisor]), rest]), form)


_RELATIONS = {
    Relation.EQUAL: "Equal",
    Relation.NOT_EQUAL: "Equal",
    Relation.LESS: "Less",
    Relation.LESS_EQUAL: "LessOrEqual",
}


def _compare(site: Site) -> None:
    """Integers of one quantization as they are, of two as real numbers."""
    form, relation = site.form(), site.of(Compare).relation
    types = [site.operand(index).type for index in range(2)]
    if types[0].quantization == types[1].quantization:
        operands = [site.stored(index, form) for index in range(2)]
    else:
        operands = [site.real(index, form) for index in range(2)]
    if types[0].dtype is DType.BOOL and relation in (Relation.LESS, Relation.LESS_EQUAL):
        operands = [site.emit("Cast", [each], to=TensorProto.INT32) for each in operands]
    result = site.emit(_RELATIONS[relation], operands)
    is_inverse = relation is Relation.NOT_EQUAL
    site.finish_stored(site.emit("Not", [result]) if is_inverse else result, form)


def _select(site: Site) -> None:
    """Elements as they are; ONNX Runtime's Where takes neither int16 nor bool."""
    form, dtype = site.form(), site.output.type.dtype
    condition = site.stored(0, form)
    if dtype is DType.BOOL:
        chosen = site.emit("And", [condition, site.stored(1, form)])
        other = site.emit("And", [site.emit("Not", [condition]), site.stored(2, form)])
        site.finish_stored(site.emit("Or", [chosen, other]), form)
        return
    operands = [site.stored(index, form) for index in (1, 2)]
    if dtype is not DType.INT16:
        site.finish_stored(site.emit("Where", [condition, *operands]), form)
        return
    wide = [site.emit("Cast", [each], to=TensorProto.INT32) for each in operands]
    site.finish_stored(
        site.emit("Cast", [site.emit("Where", [condition, *wide])], to=TensorProto.INT16), form
    )


RULES: dict[type[Operator], Rule] = {
    Add: _sum_or_product("Add"),
    Compare: _compare,
    Div: _quotient,
    FloorDiv: _floor_quotient,
    FloorMod: _floor_rest,
    Maximum: _extremum("Max", "Or"),
    Minimum: _extremum("Min", "And"),
    Mul: _product,
    Pow: _power,
    Select: _select,
    SquaredDifference: _squared_difference,
    Sub: _sum_or_product("Sub"),
}
