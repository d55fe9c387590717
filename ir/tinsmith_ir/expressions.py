"""Integers that depend on the counters of the loops around a step: sums of counters, counters modulo, and tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import GraphError

_Known = TypeVar("_Known")


@dataclass(frozen=True)
class Counter(Checked):
    """The counter of the loop that names it: 0, 1, 2, ..."""

    name: str


@dataclass(frozen=True)
class Modulo(Checked):
    """What remains of `value` after division by `modulus` (at least 1); never negative, as in Python."""

    value: "Expression"
    modulus: int

    def __post_init__(self) -> None:
        """Raise GraphError for a modulus below 1."""
        super().__post_init__()
        if self.modulus < 1:
            raise GraphError(f"expected a modulus of at least 1, got {self.modulus}")


@dataclass(frozen=True)
class Table(Checked):
    """One integer for each iteration of the loop with that counter."""

    counter: str
    values: tuple[int, ...]


Factor = Counter | Modulo | Table


@dataclass(frozen=True)
class Term(Checked):
    """times * factor."""

    times: int
    factor: Factor


@dataclass(frozen=True)
class Expression(Checked):
    """base + the sum of `terms`; a plain integer has none."""

    base: int
    terms: tuple[Term, ...] = ()

    def value(self, counters: Mapping[str, int]) -> int:
        """The integer where the counters have these values.

        Raises GraphError for a counter that has none, or a table without an entry for it.
        """
        return self.base + sum(
            term.times * _factor_value(term.factor, counters) for term in self.terms
        )

    def renamed(self, names: Mapping[str, str]) -> "Expression":
        """The same of counters that are called otherwise. Raises GraphError for one that has no name there."""
        if not self.terms:
            return self
        terms = (Term(term.times, _renamed(term.factor, names)) for term in self.terms)
        return Expression(self.base, tuple(terms))

    @property
    def is_constant(self) -> bool:
        """True if no counter matters."""
        return not self.terms

    @property
    def counters(self) -> frozenset[str]:
        """The counters that it reads."""
        return frozenset(_counters(self))


ZERO = Expression(0)


def print_expression(expression: Expression) -> str:
    """`768*((i+1) mod 2)+12`, or `5`."""
    terms = [_print_term(term) for term in expression.terms]
    if expression.base or not terms:
        terms.append(str(expression.base))
    return "+".join(terms).replace("+-", "-")


def _print_term(term: Term) -> str:
    match term.factor:
        case Counter(name):
            text = name
        case Modulo(value, modulus):
            text = f"({_parenthesized(value)} mod {modulus})"
        case Table(name, values):
            text = f"table({name}: {', '.join(map(str, values))})"
    return text if term.times == 1 else f"{term.times}*{text}"


def _parenthesized(value: Expression) -> str:
    text = print_expression(value)
    is_single = value.is_constant or (
        value.base == 0 and len(value.terms) == 1 and value.terms[0].times == 1
    )
    return text if is_single else f"({text})"


def _factor_value(factor: Factor, counters: Mapping[str, int]) -> int:
    match factor:
        case Counter(name):
            return _known(name, counters)
        case Modulo(value, modulus):
            return value.value(counters) % modulus
        case Table(name, values):
            index = _known(name, counters)
            if index >= len(values):
                raise GraphError(
                    f"a table of {len(values)} entries has none for iteration {index} of loop {name}"
                )
            return values[index]


def _renamed(factor: Factor, names: Mapping[str, str]) -> Factor:
    match factor:
        case Counter(name):
            return Counter(_known(name, names))
        case Modulo(value, modulus):
            return Modulo(value.renamed(names), modulus)
        case Table(name, values):
            return Table(_known(name, names), values)


def _known(name: str, counters: Mapping[str, _Known]) -> _Known:
    if name not in counters:
        raise GraphError(f"counter {name} is read outside of its loop")
    return counters[name]


def _counters(expression: Expression) -> Iterator[str]:
    for term in expression.terms:
        match term.factor:
            case Modulo(value, _):
                yield from _counters(value)
            case Counter(name) | Table(name, _):
                yield name
