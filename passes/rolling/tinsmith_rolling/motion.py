"""Expressions that give a sequence of integers, one for each iteration of a loop."""

from collections.abc import Sequence

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
    """low + step * ((at + by * counter) mod period), or None."""
    period = _period(values)
    ordered = sorted(set(values))
    if period >= len(values) or len(ordered) != period:
        return None
    low, step = ordered[0], ordered[1] - ordered[0]
    at = [(value - low) // step for value in values]
    by = (at[1] - at[0]) % period
    cycle = Modulo(Expression(at[0], (Term(by, Counter(counter)),)), period)
    found = Expression(low, (Term(step, cycle),))
    given = all(found.value({counter: index}) == value for index, value in enumerate(values))
    return found if given else None


def _period(values: Sequence[int]) -> int:
    """The shortest distance at which all values come again, by the longest border of each beginning."""
    borders = [0]
    for value in values[1:]:
        border = borders[-1]
        while border and value != values[border]:
            border = borders[border - 1]
        borders.append(border + 1 if value == values[border] else 0)
    return len(values) - borders[-1]
