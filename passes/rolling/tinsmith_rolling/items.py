"""Steps taken apart: what must be the same in all iterations of a loop, and what may move.

A loop that stands among the steps is one item, and may become the body of another.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace

from tinsmith_ir.errors import GraphError
from tinsmith_ir.expressions import Expression
from tinsmith_ir.program import Call, Copy, Fill, Guard, Loop, Program, Step, View, Wait

_LOOP_BYTES = 24
_STEP_BYTES: Mapping[type, int] = {Call: 64, Copy: 32, Fill: 24, Wait: 8}


@dataclass(frozen=True)
class Item:
    """A step, or a loop.

    shape: equal in steps that differ in their buffers and numbers alone. buffers: those of its views, in the order of
    `changed`. numbers: where its views begin and turn, and its tokens, counters being 0; in the same order.
    code_bytes: about what its C is compiled to, to compare with what a loop costs.
    """

    step: Step
    shape: Hashable
    buffers: tuple[str, ...]
    numbers: tuple[int, ...]
    code_bytes: int


def changed(
    step: Step, place: Callable[[str], str], token: Callable[[Expression], Expression]
) -> Step:
    """The step with other views and tokens. place: asked for each operand, be it a view or a constant.

    Both are asked in one order, which is that of `Item`.
    """
    match step:
        case Call():
            return replace(
                step,
                inputs=tuple(name and place(name) for name in step.inputs),
                outputs=tuple(place(name) for name in step.outputs),
                scratch=step.scratch and place(step.scratch),
                token=step.token and token(step.token),
            )
        case Copy():
            return replace(
                step,
                source=place(step.source),
                destination=place(step.destination),
                token=step.token and token(step.token),
            )
        case Fill():
            return replace(step, destination=place(step.destination))
        case Wait():
            return replace(step, token=token(step.token))
        case Loop():
            return replace(step, body=tuple(changed(inner, place, token) for inner in step.body))


def read_item(program: Program, step: Step) -> Item:
    """The step taken apart."""
    buffers: list[str] = []
    numbers: list[int] = []

    def place(name: str) -> str:
        view = program.view.get(name)
        if view is not None:
            buffers.append(view.buffer)
            numbers.extend(numbers_of(view))
        return name

    def token(given: Expression) -> Expression:
        numbers.append(given.base)
        return given

    changed(step, place, token)
    shape = _shape(program, step, {})
    return Item(step, shape, tuple(buffers), tuple(numbers), _code_bytes(step))


def numbers_of(view: View) -> tuple[int, ...]:
    """Where it begins, and the line of its ring, counters being 0."""
    start = view.start.base
    return (start,) if view.ring is None else (start, view.ring.at.base)


def with_numbers(view: View, name: str, numbers: tuple[Expression, ...]) -> View:
    """The view with others in the place of its numbers, beside what moves it already."""
    start = _with_base(view.start, numbers[0])
    ring = view.ring and replace(view.ring, at=_with_base(view.ring.at, numbers[1]))
    return replace(view, name=name, start=start, ring=ring)


def token_with_number(token: Expression, number: Expression) -> Expression:
    """The same of a token."""
    return _with_base(token, number)


def loop_bytes(moved: int, table_entries: int) -> int:
    """What a loop costs: itself, what it moves, and tables."""
    return _LOOP_BYTES + 8 * moved + 4 * table_entries


def _with_base(expression: Expression, base: Expression) -> Expression:
    return Expression(base.base, (*base.terms, *expression.terms))


def _code_bytes(step: Step) -> int:
    if isinstance(step, Loop):
        return _LOOP_BYTES + sum(map(_code_bytes, step.body))
    return _STEP_BYTES[type(step)]


def _shape(program: Program, step: Step, depths: Mapping[str, str]) -> Hashable:
    """depths: of the counters of the loops around the step, whose names do not matter."""

    def place(name: str | None) -> Hashable:
        view = program.view.get(name or "")
        return name if view is None else _layout(view, depths)

    match step:
        case Call():
            return (
                step.kernel,
                step.operator,
                repr(step.operator),  # -0.0 equals 0.0
                tuple(map(place, step.inputs)),
                tuple(map(place, step.outputs)),
                place(step.scratch),
                step.reason,
                step.engine,
                _terms(step.token, depths),
                _guard(step.guard, depths),
                step.reads,
                step.over,
                step.options,
                step.held,  # by name: what is copied somewhere else each time is not rolled
            )
        case Copy():
            ends = place(step.source), place(step.destination)
            return (
                "copy",
                *ends,
                step.engine,
                _terms(step.token, depths),
                _guard(step.guard, depths),
            )
        case Fill():
            return "fill", place(step.destination), step.value, _guard(step.guard, depths)
        case Wait():
            return "wait", _terms(step.token, depths), _guard(step.guard, depths)
        case Loop():
            inner = {**depths, step.counter: str(len(depths))}
            return "loop", step.count, tuple(_shape(program, each, inner) for each in step.body)


def _layout(view: View, depths: Mapping[str, str]) -> Hashable:
    ring = view.ring
    turning = None if ring is None else (ring.axis, ring.lines, _terms(ring.at, depths))
    return view.type, view.strides, view.layout, _terms(view.start, depths), turning


def _guard(guard: Guard | None, depths: Mapping[str, str]) -> Hashable:
    return guard and (_depth(guard.counter, depths), guard.begin, guard.end)


def _terms(expression: Expression | None, depths: Mapping[str, str]) -> Hashable:
    return expression and expression.renamed(depths).terms


def _depth(counter: str, depths: Mapping[str, str]) -> str:
    if counter not in depths:
        raise GraphError(f"counter {counter} is read outside of its loop")
    return depths[counter]
