"""Wrong types of arguments, refused where they come in: records that check their fields, functions that
check their arguments, both by their annotations. Wrong values are the business of each class.

An int may be a NumPy integer and a float may be an int; the field then holds Python's own. A bool is no
number.
"""

import dataclasses
import functools
import inspect
import operator
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, ParamSpec, TypeVar, cast

import numpy as np

from tinsmith_ir.errors import ArgumentError

_SHOWN = 60
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_WRONG = object()
_MODULES = re.compile(r"\b(?:\w+\.)+(?=\w)")
_INTEGERS: tuple[type, ...] = (int, np.integer)
_REALS: tuple[type, ...] = (float, np.floating, *_INTEGERS)
_BOOLEANS: tuple[type, ...] = (bool, np.bool_)


@dataclasses.dataclass
class _Check:
    """What a value must be.

    keep: the value as it should be kept, or _WRONG. good: types of which every value is kept as it is, so
    that `keep` need not be asked. by_type: whether `keep` looks at nothing but the type.
    """

    keep: Callable[[object], object]
    good: set[type] = dataclasses.field(default_factory=set[type])
    by_type: bool = False

    def __call__(self, value: object) -> object:
        if type(value) in self.good:
            return value
        kept = self.keep(value)
        if self.by_type and kept is value:
            self.good.add(type(value))
        return kept


class Checked:
    """Base of dataclasses whose fields have the types that they are annotated with."""

    def __post_init__(self) -> None:
        """Raise ArgumentError for a field of a wrong type."""
        values = vars(self)
        for name, hint, check in _field_checks(type(self)):
            value = values[name]
            if type(value) in check.good:
                continue
            kept = check(value)
            if kept is _WRONG:
                raise _error(type(self).__name__, name, hint, value)
            if kept is not value:
                object.__setattr__(self, name, kept)


def checked(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """The function, raising ArgumentError for an argument of a wrong type."""

    @functools.wraps(function)
    def call(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        names, checks = _argument_checks(function)
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            if name in checks and checks[name][1](value) is _WRONG:
                raise _error(function.__name__, name, checks[name][0], value)
        return function(*args, **kwargs)

    return call


def _error(owner: str, name: str, hint: object, value: object) -> ArgumentError:
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
    return ArgumentError(
        f"{owner}: expected {name} to be {_described(hint)}, got {shown} ({type(value).__name__})"
    )


@functools.cache
def _field_checks(class_: type) -> tuple[tuple[str, object, _Check], ...]:
    hints = typing.get_type_hints(class_)
    fields = dataclasses.fields(cast("type[typing.Any]", class_))
    return tuple((field.name, hints[field.name], _check_of(hints[field.name])) for field in fields)


@functools.cache
def _argument_checks(
    function: Callable[..., object],
) -> tuple[tuple[str, ...], Mapping[str, tuple[object, _Check]]]:
    """The names of arguments in order, and what to check of each; not of what starred ones hold."""
    hints = typing.get_type_hints(function)
    parameters = inspect.signature(function).parameters.values()
    plain = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return tuple(plain), {
        name: (hints[name], _check_of(hints[name])) for name in plain if name in hints
    }


def _check_of(hint: object) -> _Check:
    """The check of an annotation; what has none to make accepts everything."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and hint in _SIMPLE:
        return _Check(_SIMPLE[hint], {hint})
    if origin in (typing.Union, types.UnionType):
        return _any_of([_check_of(argument) for argument in arguments])
    if origin is Literal:
        return _Check(lambda value: value if value in arguments else _WRONG)
    if origin is tuple:
        return _tuple_of(arguments)
    if origin is type:
        return _instance_of(type)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_of(*map(_check_of, arguments))
    if origin in (Sequence, frozenset):
        return _collection_of(cast("type", origin), _check_of(arguments[0]))
    kind = origin if isinstance(origin, type) else hint
    return _instance_of(kind) if isinstance(kind, type) and _is_checkable(kind) else _anything()


def _is_checkable(kind: type) -> bool:
    is_protocol = getattr(kind, "_is_protocol", False)
    return kind is not object and (not is_protocol or getattr(kind, "_is_runtime_protocol", False))


def _anything() -> _Check:
    return _Check(lambda value: value, by_type=True)


def _integer(value: object) -> object:
    if isinstance(value, _INTEGERS) and not isinstance(value, bool):
        return int(cast("int", value))
    return _WRONG


def _real(value: object) -> object:
    if not isinstance(value, _REALS) or isinstance(value, bool):
        return _WRONG
    try:
        return float(cast("float", value))
    except OverflowError:
        return _WRONG


def _boolean(value: object) -> object:
    return bool(value) if isinstance(value, _BOOLEANS) else _WRONG


def _nothing(value: object) -> object:
    return value if value is None else _WRONG


_SIMPLE: Mapping[type, Callable[[object], object]] = {
    int: _integer,
    float: _real,
    bool: _boolean,
    type(None): _nothing,
}


def _instance_of(kind: type) -> _Check:
    return _Check(lambda value: value if isinstance(value, kind) else _WRONG, by_type=True)


def _any_of(checks: Sequence[_Check]) -> _Check:
    """The first that accepts, in order: of `int | float`, an int stays one."""

    def keep(value: object) -> object:
        for check in checks:
            kept = check(value)
            if kept is not _WRONG:
                if type(value) in check.good:
                    good.add(type(value))
                return kept
        return _WRONG

    good: set[type] = set()
    return _Check(keep, good)


def _tuple_of(arguments: Sequence[object]) -> _Check:
    """`tuple[int, ...]` or `tuple[int, int]`."""
    item = _check_of(arguments[0] if arguments else object)
    length = None if arguments[-1:] == (Ellipsis,) else len(arguments)

    def keep(value: object) -> object:
        if not isinstance(value, tuple):
            return _WRONG
        items = cast("tuple[object, ...]", value)
        if length is not None and len(items) != length:
            return _WRONG
        if item.good.issuperset(map(type, items)):
            return items
        kept = tuple(map(item, items))
        if any(one is _WRONG for one in kept):
            return _WRONG
        return items if all(map(operator.is_, items, kept)) else kept

    return _Check(keep)


def _mapping_of(key: _Check, item: _Check) -> _Check:
    def keep(value: object) -> object:
        if not isinstance(value, Mapping):
            return _WRONG
        mapping = cast("Mapping[object, object]", value)
        wrong = any(key(a) is _WRONG or item(b) is _WRONG for a, b in mapping.items())
        return _WRONG if wrong else mapping

    return _Check(keep)


def _collection_of(kind: type, item: _Check) -> _Check:
    """A text is none, though it is a sequence."""

    def keep(value: object) -> object:
        if not isinstance(value, kind) or isinstance(value, str | bytes):
            return _WRONG
        items = cast("Iterable[object]", value)
        return _WRONG if any(item(one) is _WRONG for one in items) else value

    return _Check(keep)


def _described(hint: object) -> str:
    """An annotation as people read it."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return " or ".join(map(_described, typing.get_args(hint)))
    if hint is type(None):
        return "None"
    if isinstance(hint, type) and not typing.get_args(hint):
        return hint.__name__
    return _MODULES.sub("", str(hint))
