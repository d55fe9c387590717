"""The C of a program's steps: calls in order, loops as loops, copies and fills."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from tinsmith_ir.expressions import Expression
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import (
    Call,
    Copy,
    Fill,
    Guard,
    Loop,
    Program,
    SimpleStep,
    Step,
    View,
    Wait,
    simple_steps,
)

from tinsmith_c.copies import CopyWriter
from tinsmith_c.engines import Drive, Engines
from tinsmith_c.functions import Functions
from tinsmith_c.jobs import JobWriter, layer_done
from tinsmith_c.layout import Layout, c_expression, counter_name, table_name, tables
from tinsmith_c.scope import ConstantPool
from tinsmith_c.text import wrapped_call

_MODULO = """\
// The remainder that is not negative.
static inline int32_t tinsmith_modulo(int32_t value, int32_t modulus) {
  const int32_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}"""


def headers_of(program: Program, engines: Engines) -> list[str]:
    """What the steps want included."""
    steps = [*simple_steps(program.steps)]
    jobs = [one.step for one in engines.started if one.drive is Drive.JOB]
    headers: list[str] = []
    if program.states or any(
        isinstance(step, Fill) or (isinstance(step, Copy) and (step.engine is None or step in jobs))
        for step in steps
    ):
        headers.append("#include <string.h>")
    if engines.drives(Drive.DMA):
        headers.append('#include "tinsmith/dma.h"')
    if engines.drives(Drive.JOB):
        headers.append('#include "tinsmith/engine.h"')
    return headers


def definitions_of(program: Program) -> list[str]:
    """What stands in front of the functions: the modulo and the tables that places and tokens use."""
    expressions = _expressions(program)
    found = {table_name(table): table for expression in expressions for table in tables(expression)}
    lines = [
        f"static const int32_t {name}[] = {{{', '.join(map(str, table.values))}}};"
        for name, table in found.items()
    ]
    uses_modulo = any("mod" in c_expression(expression) for expression in expressions) or any(
        view.ring is not None for view in _stepped_on(program)
    )
    return [*([_MODULO] if uses_modulo else []), *(["\n".join(lines)] if lines else [])]


def _expressions(program: Program) -> list[Expression]:
    found = [view.start for view in _stepped_on(program)]
    found += [view.ring.at for view in _stepped_on(program) if view.ring is not None]
    for step in simple_steps(program.steps):
        if not isinstance(step, Fill) and step.token is not None:
            found.append(step.token)
        # Calls read copies of what a table stands for.
        if isinstance(step, Copy) and step.source in program.table:
            found.append(program.table[step.source].index)
    return found


def _stepped_on(program: Program) -> list[View]:
    """The views whose places the steps compute; of others nothing must be defined, or compilers complain."""
    names = {
        name for step in simple_steps(program.steps) for both in step_names(step) for name in both
    }
    return [view for view in program.views if view.name in names]


@dataclass
class StepWriter:
    """Lines of the run function. failing: names of the calls whose functions return a status."""

    layout: Layout
    functions: Functions
    pool: ConstantPool
    engines: Engines
    failing: Collection[str]

    def __post_init__(self) -> None:
        """What writes the parts."""
        self._copies = CopyWriter(self.layout, self.pool)
        self._jobs = JobWriter(self.layout, self.functions, self.pool, self.engines, self.failing)

    def lines(self) -> list[str]:
        """All steps, indented by two."""
        declared = self._jobs.declaration()
        return [
            *([f"  {declared}"] if declared else []),
            *self._steps(self.layout.program.steps, "  ", {}),
        ]

    def _steps(
        self, steps: Sequence[Step], indent: str, counts: Mapping[str, int]
    ) -> Iterator[str]:
        """Those in a row under the same guard stand in one `if`. counts: of the loops around them."""
        for guard, group in groupby(steps, _guard_of):
            condition = "" if guard is None else _condition(guard, counts[guard.counter])
            inner = f"{indent}  " if condition else indent
            lines = [line for step in group for line in self._step(step, inner, counts)]
            if lines and condition:
                yield from (f"{indent}if ({condition}) {{", *lines, f"{indent}}}")
            else:
                yield from lines

    def _step(self, step: Step, indent: str, counts: Mapping[str, int]) -> Iterator[str]:
        if isinstance(step, Loop):
            variable = counter_name(step.counter)
            yield f"{indent}for (int32_t {variable} = 0; {variable} < {step.count}; ++{variable}) {{"
            yield from self._steps(step.body, f"{indent}  ", {**counts, step.counter: step.count})
            yield f"{indent}}}"
            return
        yield from self._simple(step, indent)

    def _simple(self, step: SimpleStep, indent: str) -> Iterator[str]:
        match step:
            case Call() | Copy() if step.engine is not None:
                started = self.engines.of(step)
                if started is not None:
                    yield from self._jobs.start(started, indent)
            case Call():
                yield from self._call(step, indent)
            case Copy():
                yield from self._copies.copy(step, indent)
            case Fill():
                yield from self._copies.fill(step, indent)
            case Wait():
                yield from self._jobs.wait(step, indent)

    def _call(self, call: Call, indent: str) -> Iterator[str]:
        function = self.functions.of(call)
        note = "refused |= " if call.name in self.failing else ""
        memories = "bytes" if self.layout.has_one_base else "memories"
        arguments = [memories, *function.arguments(call)]
        yield wrapped_call(f"{indent}{note}{function.name}(", arguments, ");")
        yield layer_done(self.layout, call, indent, "bytes")


def _guard_of(step: Step) -> Guard | None:
    return None if isinstance(step, Loop) else step.guard


def _condition(guard: Guard, count: int) -> str:
    """Of the iterations of a loop of `count`; "" for all of them."""
    variable = counter_name(guard.counter)
    if guard.begin + 1 == guard.end:
        return f"{variable} == {guard.begin}" if count > 1 else ""
    from_begin = [f"{guard.begin} <= {variable}"] if guard.begin > 0 else []
    to_end = [f"{variable} < {guard.end}"] if guard.end < count else []
    return " && ".join([*from_begin, *to_end])
