"""Expressions that give a sequence of integers, one for each iteration of a loop."""

from collections.abc import Sequence
from itertools import pairwise

from tinsmith_ir.expressions import Counter, Expression, Modulo, Table, Term


def moved_by(values: Sequence[int], counter: str) -> Expression:
    """The simplest expression of a loop's counter that gives these values: one that does not change, affine,
    modulo, or else a table.

    values: at least one.
    """
    first, count = values[0], len(values)
    step = values[1] - first if count > 1 else 0
    if all(value == first + step * index for index, value in enumerate(values)):
        return Expression(first, (Term(step, Counter(counter)),) if step else ())
    return _modulo(values, counter) or Expression(0, (Term(1, Table(counter, tuple(values))),))


def has_table(expression: Expression) -> bool:
    """True if what `moved_by` gave is a table."""
    return any(isinstance(term.factor, Table) for term in expression.terms)


def _modulo(values: Sequence[int], counter: str) -> Expression | None:
    """low + step * ((at + by * counter) mod modulus), by being 1 or -1; None if that does not give the values."""
    changes = [after - before for before, after in pairwise(values)]
    down, up = min(changes), max(changes)
    if not down < 0 < up:
        return None
    for step, by, turn in ((up, 1, down), (-down, -1, up)):
        modulus = (up - down) // step
        turned = values[changes.index(turn) + 1]
        low = turned if by == 1 else turned - step * (modulus - 1)
        at = (values[0] - low) // step
        cycle = Modulo(Expression(at, (Term(by % modulus, Counter(counter)),)), modulus)
        found = Expression(low, (Term(step, cycle),))
        if all(found.value({counter: index}) == value for index, value in enumerate(values)):
            return found
    return None
