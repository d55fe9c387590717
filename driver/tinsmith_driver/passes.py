"""The passes between a model file and its C: which run, and with which options. Plug-ins say where they stand.

A choice is written `NAME{option=value,...}`; options are the fields of the pass, those that are
numbers, words and yes or no. What a pass is made for (a target, its kernels) comes from the compilation.
"""

import dataclasses
import math
import re
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from tinsmith_ir import UsageError
from tinsmith_ir.checked import Checked
from tinsmith_ir.escape import visible
from tinsmith_ir.passes import AnyPass
from tinsmith_plugins import PassEntry, Setting

from tinsmith_driver.plugins import registry
from tinsmith_driver.sizes import bytes_in
from tinsmith_driver.table import fitted_table

_CHOICE = re.compile(r"([\w-]+)(?:\{(.*)\})?", re.ASCII | re.DOTALL)
_Record = TypeVar("_Record")
_YES, _NO = ("yes", "true", "1"), ("no", "false", "0")


@dataclass(frozen=True)
class PassChoice(Checked):
    """A pass that is to run, and options of it as they were written, by name."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    @staticmethod
    def parse(text: str, option: str = "--pass") -> "PassChoice":
        """The choice in `NAME` or `NAME{option=value,...}`; raises UsageError for another text.

        option: of the command that takes it.
        """
        match = _CHOICE.fullmatch(text.strip())
        options: dict[str, str] = {}
        for part in match.group(2).split(",") if match and (match.group(2) or "").strip() else []:
            name, equals, value = (word.strip() for word in part.partition("="))
            if not equals or not name or not value or _field_name(name) in options:
                match = None
                break
            options[_field_name(name)] = value
        if match is None:
            raise UsageError(
                f"{option}: expected NAME or NAME{{option=value,...}}, each option once, got {text!r}"
            )
        return PassChoice(match.group(1), options)

    def __str__(self) -> str:
        """As it is written."""
        options = ",".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.name}{{{options}}}" if options else self.name


def pass_entries() -> Sequence[PassEntry]:
    """The passes that plug-ins bring, in order; one that runs twice stands twice."""
    return registry().passes


def known_names() -> list[str]:
    """Every pass once, in order."""
    return list(dict.fromkeys(entry.name for entry in pass_entries()))


def shrinking_names() -> list[str]:
    """Passes that make programs smaller where memory is short."""
    return [name for name in known_names() if "ram_bytes" in options_of(_kind(name))]


def _kind(name: str) -> type[AnyPass]:
    return next(entry.kind for entry in pass_entries() if entry.name == name)


def pass_table() -> str:
    """All passes for people: which run by themselves, what they promise, their options."""
    setting = Setting(registry().target("host"), ())
    rows = [
        [
            entry.name,
            "yes" if entry.runs else "no",
            str(entry.kind.contract),
            " ".join(f"{name}={value}" for name, value in _values(entry.made(setting)).items()),
        ]
        for entry in pass_entries()
    ]
    return fitted_table(["pass", "runs", "contract", "options"], rows)


def chosen_passes(
    setting: Setting, choices: Sequence[PassChoice] = (), without: Sequence[str] = ()
) -> tuple[AnyPass, ...]:
    """The passes to run: all that run by themselves, with `choices` set or added and `without` left out.

    Raises UsageError for a name, an option or a value that is wrong.
    """
    wanted = _by_name(choices)
    for name in without:
        _check_may_go(name, wanted)
    return tuple(
        _with_options(entry.made(setting), wanted[entry.name])
        if entry.name in wanted
        else entry.made(setting)
        for entry in pass_entries()
        if entry.name not in without and (entry.runs or entry.name in wanted)
    )


def _by_name(choices: Sequence[PassChoice]) -> dict[str, PassChoice]:
    wanted: dict[str, PassChoice] = {}
    for choice in choices:
        _check_known(choice.name)
        if choice.name in wanted:
            raise UsageError(
                f"--pass {choice.name} is given twice; put its options between one pair of braces"
            )
        wanted[choice.name] = choice
    return wanted


def _check_known(name: str) -> None:
    if name not in known_names():
        raise UsageError(
            f"unknown pass {visible(name)!r}: expected one of {', '.join(known_names())}"
        )


def _check_may_go(name: str, wanted: Mapping[str, PassChoice]) -> None:
    _check_known(name)
    entries = [entry for entry in pass_entries() if entry.name == name]
    if entries[0].needed:
        raise UsageError(f"pass {name!r} cannot be left out: {entries[0].needed}")
    if name in wanted:
        raise UsageError(f"pass {name!r}: expected --pass or --without, got both")
    if not any(entry.runs for entry in entries):
        raise UsageError(f"pass {name!r} is not left out: it runs only when --pass asks for it")


def _with_options(pass_: AnyPass, choice: PassChoice) -> AnyPass:
    return with_options(pass_, f"pass {choice.name!r}", choice.options)


def with_options(record: _Record, what: str, options: Mapping[str, str]) -> _Record:
    """A dataclass with fields as they were written. what: it is called in messages.

    Raises UsageError for an option or a value that is wrong.
    """
    kinds = options_of(type(record))
    values: dict[str, object] = {}
    for name, text in options.items():
        if name not in kinds:
            known = ", ".join(f"{option}={value}" for option, value in _values(record).items())
            raise UsageError(f"{what} has no option {visible(name)!r}; it has {known or 'none'}")
        values[name] = _value(what, name, kinds[name], text)
    return cast("_Record", replace(cast("typing.Any", record), **values)) if values else record


def options_of(kind: type) -> dict[str, tuple[type, ...]]:
    """The options of a pass, or of another dataclass, that text can say: name -> the types it may have."""
    if not dataclasses.is_dataclass(kind):
        return {}
    hints = typing.get_type_hints(kind)
    found = {entry.name: _kinds(hints[entry.name]) for entry in dataclasses.fields(kind)}
    readable = {bool, int, float, str, type(None)}
    return {name: kinds for name, kinds in found.items() if set(kinds) <= readable}


def _kinds(hint: object) -> tuple[type, ...]:
    is_union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if is_union else (cast("type", hint),)


def _values(record: object) -> dict[str, str]:
    """The options of a pass or another dataclass, as they would be written."""
    return {name: _shown(getattr(record, name)) for name in options_of(type(record))}


def _value(what: str, option: str, kinds: tuple[type, ...], text: str) -> object:
    for kind in kinds:
        value = _read(kind, text)
        if value is not _UNREADABLE:
            return value
    raise UsageError(
        f"option {option!r} of {what}: expected {_expected(kinds)}, got {visible(text)!r}"
    )


_UNREADABLE = object()


def _read(kind: type, text: str) -> object:
    if kind is bool:
        return text in _YES if text in _YES + _NO else _UNREADABLE
    if kind is type(None):
        return None if text == "none" else _UNREADABLE
    if kind is str:
        return text
    try:
        return bytes_in(text) if kind is int and not text.startswith("-") else _number(kind, text)
    except ValueError:
        return _UNREADABLE


def _number(kind: type, text: str) -> object:
    number = kind(text)
    return number if math.isfinite(number) else _UNREADABLE


def _expected(kinds: Sequence[type]) -> str:
    words = {bool: "yes or no", int: "an integer", float: "a number", str: "a word"}
    return " or ".join(words.get(kind, "none") for kind in kinds)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _field_name(option: str) -> str:
    return option.replace("-", "_")
