"""Which constants a Program reads where they lie, and from when to when: those of a copy until it is waited for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.program import Call, Copy, Program, SimpleStep, Wait

from tinsmith_staging.moments import Moment, moments

Unit = tuple[str, ...]
"""Names of constants that are fetched together and lie one behind another."""


@dataclass(frozen=True, eq=False)
class Use:
    """One step reads a unit in one moment.

    source: what it is called in the step, a constant or a table. last: the moment in which the reading has ended.
    is_call: a kernel reads it, rather than a copy.
    """

    unit: Unit
    step: Copy | Call
    source: str
    moment: Moment
    last: int
    is_call: bool


def uses_of(program: Program) -> list[Use]:
    """All, in the order of their moments; of constants that could be staged.

    A copy that reads several members of a table in one moment uses the whole table as one unit.
    """
    found: list[Use] = []
    started: dict[int, list[int]] = {}
    last: list[int] = []
    for moment in moments(program):
        known: dict[tuple[int, str], int] = {}
        for step, counters in moment.instances(program):
            if isinstance(step, Wait):
                for number in started.pop(step.token.value(counters), ()):
                    last[number] = moment.number
                continue
            for unit, source in _read(program, step, moment, counters):
                assert isinstance(step, Copy | Call)
                key = id(step), source
                if key not in known:
                    known[key] = len(found)
                    found.append(Use(unit, step, source, moment, 0, isinstance(step, Call)))
                    last.append(moment.number)
                if step.token is not None:
                    started.setdefault(step.token.value(counters), []).append(known[key])
    return [
        Use(use.unit, use.step, use.source, use.moment, until, use.is_call)
        for use, until in zip(found, last, strict=True)
    ]


def _read(
    program: Program, step: SimpleStep, moment: Moment, counters: Mapping[str, int]
) -> Iterator[tuple[Unit, str]]:
    match step:
        case Copy(source=name) if name in program.table:
            table = program.table[name]
            outer = frozenset(() if moment.loop is None else (moment.loop.counter,))
            if table.index.counters <= outer:
                yield (table.members[table.index.value(counters)],), name
            else:
                yield table.members, name
        case Copy(source=name) if name in program.constant:
            yield (name,), name
        case Call():
            for name in _direct(program, step):
                yield (name,), name
        case _:
            return


def _direct(program: Program, call: Call) -> Sequence[str]:
    """Constants that a call's kernel reads where they lie, and which it could read in a view instead."""
    held = {each.constant for each in call.held}
    engine = program.engine.get(call.engine or "")
    if engine is not None and program.memories[0].name not in engine.reaches:
        return []
    return [
        name
        for name in dict.fromkeys(call.reads)
        if name in program.constant
        and name not in held
        and not program.constant[name].type.dtype.is_packed
    ]
