"""Operators of one tensor, element by element."""

from onnx import TensorProto
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Ceil,
    Clamp,
    Cos,
    Cosh,
    Elu,
    Erf,
    Exp,
    Floor,
    Gelu,
    HardSwish,
    LeakyRelu,
    Log,
    Logistic,
    Lookup,
    Neg,
    Operator,
    Prelu,
    Relu,
    Relu0To1,
    Relu6,
    ReluN1To1,
    Round,
    Rsqrt,
    Sign,
    Sin,
    Sinh,
    Sqrt,
    Square,
    Tan,
    Tanh,
)
from tinsmith_ir.operators.tabulated import ALL_INT8

from tinsmith_onnx.export.site import Rule, Site

_OF_REALS: dict[type[Operator], str] = {
    Acos: "Acos",
    Acosh: "Acosh",
    Asin: "Asin",
    Asinh: "Asinh",
    Atan: "Atan",
    Atanh: "Atanh",
    Ceil: "Ceil",
    Cos: "Cos",
    Cosh: "Cosh",
    Elu: "Elu",
    Erf: "Erf",
    Exp: "Exp",
    Floor: "Floor",
    HardSwish: "HardSwish",
    Log: "Log",
    Logistic: "Sigmoid",
    Round: "Round",
    Sin: "Sin",
    Sinh: "Sinh",
    Sqrt: "Sqrt",
    Tan: "Tan",
    Tanh: "Tanh",
}
_OF_PLAIN_INTEGERS_TOO: dict[type[Operator], str] = {Abs: "Abs", Neg: "Neg", Sign: "Sign"}


def _of_real(kind: str) -> Rule:
    def write(site: Site) -> None:
        form = site.form()
        site.finish(site.emit(kind, [site.real(0, form)]), form)

    return write


def _of_plain_too(kind: str) -> Rule:
    def write(site: Site) -> None:
        form = site.form()
        if site.is_plain:
            site.finish_stored(site.emit(kind, [site.stored(0, form)]), form)
        else:
            site.finish(site.emit(kind, [site.real(0, form)]), form)

    return write


def _clamp(site: Site) -> None:
    form = site.form()
    site.finish(site.real(0, form), form, activation=site.of(Clamp).bounds)


def _square(site: Site) -> None:
    form = site.form()
    real = site.real(0, form)
    site.finish(site.emit("Mul", [real, real]), form)


def _inverse_root(site: Site) -> None:
    """Of integers below zero the largest there is, as of zero."""
    form = site.form()
    real = site.real(0, form)
    if site.output.type.dtype is not DType.FLOAT32:
        real = site.emit("Relu", [real])
    site.finish(site.emit("Reciprocal", [site.emit("Sqrt", [real])]), form)


def _gelu(site: Site) -> None:
    form = site.form()
    way = "tanh" if site.of(Gelu).approximate else "none"
    site.finish(site.emit("Gelu", [site.real(0, form)], approximate=way), form)


def _leaky_relu(site: Site) -> None:
    form = site.form()
    alpha = site.of(LeakyRelu).alpha
    site.finish(site.emit("LeakyRelu", [site.real(0, form)], alpha=alpha), form)


def _prelu(site: Site) -> None:
    form = site.form()
    site.finish(site.emit("PRelu", [site.real(0, form), site.real(1, form)]), form)


def _lookup(site: Site) -> None:
    """A table of all 256 results, of which each element takes one."""
    form, operator = site.form(), site.of(Lookup)
    table = operator.table([site.operand(0).type], site.output.type)
    wide = site.emit("Cast", [site.stored(0, form)], to=TensorProto.INT32)
    first = site.number(-int(ALL_INT8[0]), "first", DType.INT32)
    places = site.emit("Add", [wide, first])
    hint = f"{site.output.name}_table"
    site.finish_stored(site.emit("Gather", [site.known(table, hint), places], axis=0), form)


RULES: dict[type[Operator], Rule] = {
    **{kind: _of_real(name) for kind, name in _OF_REALS.items()},
    **{kind: _of_plain_too(name) for kind, name in _OF_PLAIN_INTEGERS_TOO.items()},
    **dict.fromkeys((Relu, Relu0To1, Relu6, ReluN1To1), _clamp),
    Gelu: _gelu,
    LeakyRelu: _leaky_relu,
    Lookup: _lookup,
    Prelu: _prelu,
    Rsqrt: _inverse_root,
    Square: _square,
}
