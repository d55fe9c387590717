"""The C of a program's steps: calls in order, loops as loops, copies and fills."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinsmith_ir.errors import GraphError
from tinsmith_ir.expressions import Expression
from tinsmith_ir.hazards import step_names
from tinsmith_ir.places import contiguous_axes
from tinsmith_ir.program import (
    Call,
    Copy,
    Fill,
    Guard,
    Loop,
    Program,
    Step,
    View,
    Wait,
    dense_strides,
    simple_steps,
    unrolled,
)
from tinsmith_ir.program_printer import print_step

from tinsmith_c.header import describe
from tinsmith_c.layout import (
    Layout,
    c_expression,
    counter_name,
    layer_output,
    table_name,
    tables,
)
from tinsmith_c.names import c_identifier, shortened
from tinsmith_c.scope import C_TYPES, ConstantPool
from tinsmith_c.text import wrapped_call

TOKENS = 32
"""Tokens of copies are below it: a DMA's runtime keeps a place for each."""

_MODULO = """\
// The remainder that is not negative.
static inline int32_t tinsmith_modulo(int32_t value, int32_t modulus) {
  const int32_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}"""


def headers_of(program: Program) -> list[str]:
    """What the steps want included."""
    steps = [*simple_steps(program.steps)]
    headers: list[str] = []
    if program.states or any(
        isinstance(step, Fill) or (isinstance(step, Copy) and not step.engine) for step in steps
    ):
        headers.append("#include <string.h>")
    if any(isinstance(step, Copy) and step.engine for step in steps):
        headers.append('#include "tinsmith/dma.h"')
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
    pool: ConstantPool
    failing: set[str]

    def lines(self) -> list[str]:
        """All steps, indented by two."""
        _check_tokens(self.layout.program)
        return [line for step in self.layout.program.steps for line in self._step(step, "  ")]

    def _step(self, step: Step, indent: str) -> Iterator[str]:
        if isinstance(step, Loop):
            variable = counter_name(step.counter)
            yield f"{indent}for (int32_t {variable} = 0; {variable} < {step.count}; ++{variable}) {{"
            for inner in step.body:
                yield from self._step(inner, f"{indent}  ")
            yield f"{indent}}}"
            return
        if step.guard is not None:
            yield f"{indent}if ({_condition(step.guard)}) {{"
            yield from self._simple(step, f"{indent}  ")
            yield f"{indent}}}"
            return
        yield from self._simple(step, indent)

    def _simple(self, step: Call | Copy | Fill | Wait, indent: str) -> Iterator[str]:
        match step:
            case Call():
                yield from self._call(step, indent)
            case Copy():
                yield from self._copy(step, indent)
            case Fill():
                yield from self._fill(step, indent)
            case Wait():
                yield f"{indent}tinsmith_dma_wait((uint32_t)({c_expression(step.token)}));"

    def _call(self, call: Call, indent: str) -> Iterator[str]:
        layout = self.layout
        number = layout.numbers[call.name]
        note = "refused |= " if call.name in self.failing else ""
        memories = "bytes" if layout.has_arena else "memories"
        arguments = [memories, *map(counter_name, layout.moved_by(call))]
        yield f"{indent}{note}{function_name(layout, call)}({', '.join(arguments)});"
        output = layer_output(call)
        size = layout.program.view[output].type.size_bytes
        yield wrapped_call(
            f"{indent}TINSMITH_LAYER_DONE(",
            [f"{number}u", layout.address(output, "bytes"), f"{size}u"],
            ");",
        )

    def _copy(self, copy: Copy, indent: str) -> Iterator[str]:
        """Loops over what does not lie densely on both sides; the innermost of them is the rows of a DMA."""
        program = self.layout.program
        destination = program.view[copy.destination]
        source = program.view.get(copy.source)
        if source is None:
            source = View(copy.source, program.constant[copy.source].type, copy.source)
        inner = min(contiguous_axes(source), contiguous_axes(destination))
        axes = range(len(source.type.shape) - inner)
        size = math.prod(source.type.shape[len(axes) :]) * source.type.dtype.size_bytes
        rows = _rows(axes, source, destination) if copy.engine else None
        yield f"{indent}{{  // {print_name_of(copy)}"
        yield f"{indent}  uint8_t *const to = {self._address(destination)};"
        yield f"{indent}  const uint8_t *const from = {self._address(source)};"
        looped = [axis for axis in axes if axis != rows]
        yield from _open(looped, source, f"{indent}  ")
        deep = f"{indent}  {'  ' * len(_loops(looped, source))}"
        places = [f"to{_motion(looped, destination)}", f"from{_motion(looped, source)}", f"{size}u"]
        if copy.engine:
            assert copy.token is not None  # verified
            extent = 1 if rows is None else source.type.shape[rows]
            strides = [
                0 if rows is None else _strides(view)[rows] for view in (destination, source)
            ]
            token = f"(uint32_t)({c_expression(copy.token)})"
            numbers = [f"{extent}u", *(f"{stride}u" for stride in strides)]
            yield wrapped_call(f"{deep}tinsmith_dma_start(", [token, *places, *numbers], ");")
        else:
            yield wrapped_call(f"{deep}memcpy(", places, ");")
        yield from _close(looped, source, f"{indent}  ")
        yield f"{indent}}}"

    def _fill(self, fill: Fill, indent: str) -> Iterator[str]:
        view = self.layout.program.view[fill.destination]
        inner = contiguous_axes(view)
        axes = range(len(view.type.shape) - inner)
        elements = math.prod(view.type.shape[len(axes) :])
        yield f"{indent}{{  // {print_name_of(fill)}"
        yield f"{indent}  uint8_t *const to = {self._address(view)};"
        yield from _open(axes, view, f"{indent}  ")
        deep = f"{indent}  {'  ' * len(_loops(axes, view))}"
        place = f"to{_motion(axes, view)}"
        element = view.type.dtype.size_bytes
        if element == 1 or fill.value == 0:
            yield f"{deep}memset({place}, {fill.value}, {elements * element}u);"
        else:
            kind = C_TYPES[view.type.dtype]
            yield f"{deep}{kind} *const row = ({kind} *)({place});"
            yield f"{deep}for (int32_t e = 0; e < {elements}; ++e) {{"
            yield f"{deep}  row[e] = ({kind}){_literal(fill.value)};"
            yield f"{deep}}}"
        yield from _close(axes, view, f"{indent}  ")
        yield f"{indent}}}"

    def _address(self, view: View) -> str:
        """Of a view's first byte; of a constant, the array's."""
        if view.name in self.layout.program.view:
            return self.layout.address(view.name, "bytes")
        constant = self.layout.program.constant[view.name]
        label = shortened(c_identifier(view.name), 32)
        comment = f"{view.name} {describe(constant.type)}"
        return f"(const uint8_t *){self.pool.add(label, constant.data, comment)}"


def function_name(layout: Layout, call: Call) -> str:
    """The C function of a call."""
    return f"layer_{layout.numbers[call.name]}_{layout.layer_identifiers[call.name]}"


def print_name_of(step: Copy | Fill) -> str:
    """What the comment on a step says, without anything that could end the comment."""
    if isinstance(step, Fill):
        return f"fill {c_identifier(step.destination)}"
    return f"copy {c_identifier(step.source)} to {c_identifier(step.destination)}"


def _strides(view: View) -> Sequence[int]:
    return view.strides or dense_strides(view.type)


def _rows(axes: Sequence[int], source: View, destination: View) -> int | None:
    """The axis whose indices are the rows of one copy of a DMA: the innermost, if it is no ring."""
    if not axes:
        return None
    is_ring = any(
        view.ring is not None and view.ring.axis == axes[-1] for view in (source, destination)
    )
    return None if is_ring else axes[-1]


def _loops(axes: Sequence[int], view: View) -> list[int]:
    return [axis for axis in axes if view.type.shape[axis] > 1]


def _open(axes: Sequence[int], view: View, indent: str) -> Iterator[str]:
    for depth, axis in enumerate(_loops(axes, view)):
        extent = view.type.shape[axis]
        yield f"{indent}{'  ' * depth}for (int32_t a{axis} = 0; a{axis} < {extent}; ++a{axis}) {{"


def _close(axes: Sequence[int], view: View, indent: str) -> Iterator[str]:
    for depth in reversed(range(len(_loops(axes, view)))):
        yield f"{indent}{'  ' * depth}}}"


def _motion(axes: Sequence[int], view: View) -> str:
    """What the indices along `axes` add to a view's first byte."""
    text = ""
    for axis in axes:
        index = f"a{axis}" if view.type.shape[axis] > 1 else ""
        stride = _strides(view)[axis]
        if view.ring is not None and view.ring.axis == axis:
            line = " + ".join([c_expression(view.ring.at), *([index] if index else [])])
            text += f" + tinsmith_modulo({line}, {view.ring.lines}) * {stride}"
        elif index:
            text += f" + {index} * {stride}"
    return text


def _condition(guard: Guard) -> str:
    variable = counter_name(guard.counter)
    return f"{guard.begin} <= {variable} && {variable} < {guard.end}"


def _literal(value: int) -> str:
    return str(value) if value > -(1 << 31) else f"({value + 1} - 1)"


def _check_tokens(program: Program) -> None:
    """Raise GraphError for a token that a DMA's runtime keeps no place for."""
    if not program.engines:
        return
    for step in unrolled(program).steps:
        if isinstance(step, Copy) and step.token is not None:
            token = step.token.value({})
            if not 0 <= token < TOKENS:
                raise GraphError(
                    f"expected tokens from 0 to {TOKENS - 1}, got {token} in\n  {print_step(step)}\n"
                )
