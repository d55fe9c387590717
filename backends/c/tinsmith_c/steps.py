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
    Program,
    SimpleStep,
    View,
    Wait,
    simple_steps,
)

from tinsmith_c.copies import CopyWriter
from tinsmith_c.engines import Drive, Engines
from tinsmith_c.functions import Functions
from tinsmith_c.jobs import JobWriter, layer_done
from tinsmith_c.layout import Layout, c_expression, c_name, counter_name, table_name, tables
from tinsmith_c.phrases import Item, Looped, Phrase, Phrases, Said
from tinsmith_c.scope import ConstantPool
from tinsmith_c.text import assignment, comment_lines, wrapped_call

_BEGIN, _LAYER = "begin", "layer"
"""Parameters of the function of a phrase: where it begins to read, and the number of its first call."""

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
    if engines.drives(Drive.FETCH):
        headers.append('#include "tinsmith/fetch.h"')
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


def is_small(layout: Layout, engines: Engines) -> bool:
    """Whether functions are worth compiling for size: there are loops, or tiles."""
    return engines.drives(Drive.DMA) or bool(layout.counters)


@dataclass
class StepWriter:
    """Lines of the run function, and the functions of phrases. failing: names of the calls whose functions return a
    status.
    """

    layout: Layout
    functions: Functions
    pool: ConstantPool
    engines: Engines
    failing: Collection[str]

    def __post_init__(self) -> None:
        """What writes the parts."""
        is_terse = is_small(self.layout, self.engines) and self.layout.has_one_base
        self._copies = CopyWriter(self.layout, self.pool, is_terse=is_terse)
        self._jobs = JobWriter(self.layout, self.functions, self.pool, self.engines, self.failing)
        self._phrases = Phrases(self.layout, self.functions)

    def phrases(self) -> list[str]:
        """The functions of phrases, each behind those that it calls."""
        return ["\n".join(self._function(phrase)) for phrase in self._phrases.in_order()]

    def lines(self) -> list[str]:
        """All steps, indented by two, and the end."""
        return [
            *(f"  {declared}" for declared in self._jobs.declarations()),
            *_declarations(notes=bool(self.failing)),
            *self._items(self._phrases.items, "  ", {}, None),
            *_ends(self._error, notes=bool(self.failing)),
        ]

    @property
    def _error(self) -> str:
        return f"{c_name(self.layout.program).upper()}_ERROR_KERNEL"

    def _function(self, phrase: Phrase) -> Iterator[str]:
        layout = self.layout
        calls = [step.name for step in _steps(phrase.items) if isinstance(step, Call)]
        title = f"What is done in {phrase.places} places: {', '.join(calls) or 'copies'}"
        yield from comment_lines(title)
        parameters = ["uint8_t *bytes" if layout.has_one_base else layout.struct]
        if phrase.reads is not None:
            struct = [layout.struct] if layout.has_one_base else []
            parameters += [*struct, f"int32_t {_BEGIN}"]
        if phrase.first is not None:
            parameters.append(f"uint32_t {_LAYER}")
        is_void = not self._can_fail(phrase.items)
        returned = "void" if is_void else "int"
        head = f"static TINSMITH_SMALL TINSMITH_NOINLINE {returned} {phrase.name}("
        yield wrapped_call(head, parameters, ") {")
        notes = self._notes_refusals(phrase.items)
        yield from _declarations(notes=notes)
        yield from self._items(phrase.items, "  ", {}, phrase)
        if not is_void:
            yield from _ends("" if phrase.reads is None else self._error, notes=notes)
        yield "}"

    def _notes_refusals(self, items: Sequence[Item]) -> bool:
        """Whether some item of a function, or of its loops, is a call that may refuse, or a phrase that says so."""
        return any(
            self._notes_refusals(item.items)
            if isinstance(item, Looped)
            else item.phrase.reads is None and self._can_fail(item.phrase.items)
            if isinstance(item, Said)
            else isinstance(item, Call) and item.name in self.failing
            for item in items
        )

    def _can_fail(self, items: Sequence[Item]) -> bool:
        """Whether some step refuses, or the caller does when it is asked."""
        return any(
            (isinstance(step, Call) and step.name in self.failing)
            or (isinstance(step, Copy) and self.layout.asks(step))
            for step in _steps(items)
        )

    def _items(
        self,
        items: Sequence[Item],
        indent: str,
        counts: Mapping[str, int],
        phrase: Phrase | None,
    ) -> Iterator[str]:
        """Those in a row under the same guard stand in one `if`. counts: of the loops around them. phrase: in whose
        function they stand.
        """
        for guard, group in groupby(items, _guard_of):
            condition = "" if guard is None else _condition(guard, counts[guard.counter])
            inner = f"{indent}  " if condition else indent
            lines = [line for item in group for line in self._item(item, inner, counts, phrase)]
            if lines and condition:
                yield from (f"{indent}if ({condition}) {{", *lines, f"{indent}}}")
            else:
                yield from lines

    def _item(
        self, item: Item, indent: str, counts: Mapping[str, int], phrase: Phrase | None
    ) -> Iterator[str]:
        match item:
            case Looped():
                loop = item.loop
                variable = counter_name(loop.counter)
                yield f"{indent}for (int32_t {variable} = 0; {variable} < {loop.count}; ++{variable}) {{"
                inner = {**counts, loop.counter: loop.count}
                yield from self._items(item.items, f"{indent}  ", inner, phrase)
                yield f"{indent}}}"
            case Said():
                yield from self._say(item, indent, phrase)
            case _:
                yield from self._simple(item, indent, phrase)

    def _say(self, said: Said, indent: str, phrase: Phrase | None) -> Iterator[str]:
        """The call of a phrase's function: what it refuses is noted, but if the caller did, that ends the run."""
        arguments = [self.layout.argument]
        if said.reads is not None:
            struct = ["memories"] if self.layout.has_one_base else []
            arguments += [*struct, _begin(said.reads, phrase)]
        if said.first is not None:
            arguments.append(_number(said.first, phrase))
        if said.reads is None:
            note = "refused |=" if self._can_fail(said.phrase.items) else ""
            yield assignment(indent, note, said.phrase.name, arguments)
            return
        yield f"{indent}{{"
        yield assignment(f"{indent}  ", "const int ended =", said.phrase.name, arguments)
        yield f"{indent}  if (ended != 0) {{"
        yield f"{indent}    return ended;"
        yield f"{indent}  }}"
        yield f"{indent}}}"

    def _simple(self, step: SimpleStep, indent: str, phrase: Phrase | None) -> Iterator[str]:
        match step:
            case Call() | Copy() if step.engine is not None:
                started = self.engines.of(step)
                if started is not None:
                    yield from self._jobs.start(started, indent)
            case Call():
                yield from self._call(step, indent, phrase)
            case Copy():
                begin = ""
                if phrase is not None and self.layout.asks(step):
                    begin = _begin(self.layout.begin(step.source), phrase)
                yield from self._copies.copy(step, indent, begin=begin)
            case Fill():
                yield from self._copies.fill(step, indent)
            case Wait():
                yield from self._jobs.wait(step, indent)

    def _call(self, call: Call, indent: str, phrase: Phrase | None) -> Iterator[str]:
        function = self.functions.of(call)
        note = "refused |=" if call.name in self.failing else ""
        arguments = [self.layout.argument, *function.arguments(call)]
        yield assignment(indent, note, function.name, arguments)
        number = _number(self.layout.numbers[call.name], phrase)
        yield layer_done(self.layout, call, indent, "bytes", number=number)


def _declarations(*, notes: bool) -> Iterator[str]:
    """notes: whether the function notes what refuses."""
    if notes:
        yield "  int refused = 0;"


def _ends(error: str, *, notes: bool) -> Iterator[str]:
    """error: what the function returns if something refused; "" for what that returned."""
    if not notes:
        yield "  return 0;"
    elif error:
        yield f"  return refused == 0 ? 0 : {error};"
    else:
        yield "  return refused;"


def _steps(items: Sequence[Item]) -> Iterator[SimpleStep]:
    """The steps of items, those of phrases and loops as they are written."""
    for item in items:
        if isinstance(item, Looped):
            yield from _steps(item.items)
        elif isinstance(item, Said):
            yield from _steps(item.phrase.items)
        else:
            yield item


def _begin(reads: Expression, phrase: Phrase | None) -> str:
    """Where in what the caller hands over; in the function of a phrase, counted from where its place begins."""
    if phrase is None:
        return c_expression(reads)
    assert phrase.reads is not None
    distance = reads.base - phrase.reads.base
    terms = tuple(term for term in reads.terms if term not in phrase.reads.terms)
    moved = c_expression(Expression(distance, terms))
    return _BEGIN if moved == "0" else f"{_BEGIN} + {moved}"


def _number(layer: int, phrase: Phrase | None) -> str:
    """Of a call; in the function of a phrase, counted from the first call of its place."""
    if phrase is None:
        return f"{layer}u"
    assert phrase.first is not None
    behind = layer - phrase.first
    return f"{_LAYER} + {behind}u" if behind else _LAYER


def _guard_of(item: Item) -> Guard | None:
    return None if isinstance(item, Looped | Said) else item.guard


def _condition(guard: Guard, count: int) -> str:
    """Of the iterations of a loop of `count`; "" for all of them."""
    variable = counter_name(guard.counter)
    if guard.begin + 1 == guard.end:
        return f"{variable} == {guard.begin}" if count > 1 else ""
    from_begin = [f"{guard.begin} <= {variable}"] if guard.begin > 0 else []
    to_end = [f"{variable} < {guard.end}"] if guard.end < count else []
    return " && ".join([*from_begin, *to_end])
