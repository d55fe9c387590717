"""Reads the file of a plan and holds it to the format."""

import json

from tinsmith_plan_check.errors import PlanFileError
from tinsmith_plan_check.members import LARGEST, Members, checked, integer_in, list_in
from tinsmith_plan_check.plan import (
    SCHEMA,
    Access,
    Buffer,
    Cut,
    CutRead,
    Engine,
    Leave,
    Loop,
    Memory,
    Patches,
    PatchPart,
    PatchRead,
    Piece,
    Plan,
    Progression,
    Range,
    Run,
    Step,
    Tensor,
    View,
    Walk,
)

_MOST_NUMBERS = 1 << 24
"""Numbers that progressions or runs may stand for: more pieces has no tensor of a microcontroller."""


def read_plan(data: bytes) -> Plan:
    """The plan in the bytes of a file. Raises PlanFileError, which says where the format is broken."""
    try:
        found = json.loads(data, object_pairs_hook=_unique, parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise PlanFileError("expected JSON: got bytes that are no text") from error
    except (ValueError, RecursionError) as error:
        raise PlanFileError(f"expected JSON: {error}") from error
    plan = Members(found, "the file")
    schema = plan.text("schema")
    if schema != SCHEMA:
        raise PlanFileError(f"schema: expected {SCHEMA!r}, got {schema!r}")
    model = plan.member("model")
    made = Plan(
        tinsmith=plan.text("tinsmith"),
        model=model.text("name"),
        sha256=model.text("sha256"),
        target=plan.text("target"),
        memories=plan.objects("memories", _memory),
        buffers=plan.objects("buffers", _buffer),
        engines=plan.objects("engines", _engine),
        tensors=plan.objects("tensors", _tensor),
        views=plan.objects("views", _view),
        leaves=plan.objects("leaves", _leave),
        walks=plan.objects("walks", _walk),
        given=plan.objects("given", _access),
        steps=plan.objects("steps", _step),
        taken=plan.objects("taken", _access),
        loops=plan.objects("loops", _loop),
        cuts=plan.objects("cuts", _cut),
        patches=plan.objects("patches", _patches),
    )
    model.end()
    plan.end()
    return made


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {twice!r} is there twice")
    return found


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is no number")


def _memory(found: Members) -> Memory:
    status = found.text("status")
    if status not in ("optimal", "feasible"):
        raise PlanFileError(f"status: expected 'optimal' or 'feasible', got {status!r}")
    return Memory(
        name=found.text("name"),
        alignment=found.integer("alignment", 1),
        home=found.text("home"),
        budget=found.optionalinteger_in("budget"),
        is_caller=found.flag("is_caller"),
        bytes=found.integer("bytes"),
        bound=found.integer("bound"),
        searched_bound=found.integer("searched_bound"),
        status=status,
        gap=found.share("gap"),
    )


def _buffer(found: Members) -> Buffer:
    return Buffer(
        name=found.text("name"),
        memory=found.text("memory"),
        offset=found.integer("offset"),
        bytes=found.integer("bytes", 1),
        is_scratch=found.flag("is_scratch"),
        lives=tuple((first, last) for first, last in found.rows("lives", 2, -1)),
    )


def _engine(found: Members) -> Engine:
    return Engine(found.text("name"), found.flag("is_fifo"))


def _tensor(found: Members) -> Tensor:
    return Tensor(found.text("name"), found.integer("bytes", 1), found.flag("is_constant"))


def _view(found: Members) -> View:
    return View(
        name=found.text("name"),
        buffer=found.text("buffer"),
        shape=found.integers("shape", 1),
        element_bytes=found.integer("element_bytes", 1),
    )


def _leave(found: Members) -> Leave:
    return Leave(
        output=found.text("output"),
        source=found.text("source"),
        at_most=found.optionalinteger_in("at_most", -LARGEST),
        at_least=found.optionalinteger_in("at_least", -LARGEST),
        exactly=found.integers("exactly", -LARGEST),
    )


def _progressions(found: Members, name: str) -> tuple[Progression, ...]:
    rows = tuple(Progression(*row) for row in found.rows(name, 4, -LARGEST))
    if any(row.count < 1 or row.repeats < 1 for row in rows):
        raise PlanFileError(f"{name}: expected [first, increment, count from 1, repeats from 1]")
    total = sum(row.count * row.repeats for row in rows)
    if not 1 <= total <= _MOST_NUMBERS:
        raise PlanFileError(f"{name}: expected 1 to {_MOST_NUMBERS} numbers, got {total}")
    return rows


def _walk(found: Members) -> Walk:
    return Walk(_progressions(found, "written"), _progressions(found, "read"))


def _access(found: Members) -> Access:
    runs = found.rows("runs", 4)
    for _, length, stride, count in runs:
        if not (1 <= count <= _MOST_NUMBERS and length >= 1 and (stride >= length or count == 1)):
            raise PlanFileError(
                f"runs: expected [start, length from 1, stride from length, count from 1], "
                f"got length {length}, stride {stride}, count {count}"
            )
    pieces: list[Piece] = []
    for place, values in found.lists("pieces"):
        if len(values) != 3:
            raise PlanFileError(
                f"{place}: expected [tensor, start, length], got {len(values)} items"
            )
        tensor = checked(values[0], str, place)
        pieces.append(
            Piece(tensor, integer_in(values[1], place, 0), integer_in(values[2], place, 1))
        )
    return Access(
        view=found.text("view"),
        buffer=found.text("buffer"),
        runs=tuple(Run(start, length, stride, count) for start, length, stride, count in runs),
        pieces=tuple(pieces),
    )


def _step(found: Members) -> Step:
    kind = found.text("kind")
    if kind not in ("call", "copy", "fill", "wait"):
        raise PlanFileError(f"kind: expected 'call', 'copy', 'fill' or 'wait', got {kind!r}")
    return Step(
        name=found.text("name"),
        kind=kind,
        kernel=found.text("kernel"),
        engine=found.optional_text("engine"),
        reads=found.objects("reads", _access),
        writes=found.objects("writes", _access),
        scratch=found.optional_object("scratch", _access),
        order=tuple((operand, walk) for operand, walk in found.rows("order", 2)),
        ends=found.integers("ends"),
    )


def _loop(found: Members) -> Loop:
    return Loop(
        counter=found.text("counter"),
        first=found.integer("first"),
        length=found.integer("length", 1),
        count=found.integer("count", 1),
    )


def _cut(found: Members) -> Cut:
    return Cut(
        layer=found.text("layer"),
        tensor=found.text("tensor"),
        start=found.integer("start"),
        rows=found.integer("rows", 1),
        row_bytes=found.integer("row_bytes", 1),
        window=found.optionalinteger_in("window", 1),
        parts=tuple((step, begin, end) for step, begin, end in found.rows("parts", 3)),
        reads=found.objects("reads", _cut_read),
    )


def _patches(found: Members) -> Patches:
    return Patches(
        layer=found.text("layer"),
        tensor=found.text("tensor"),
        start=found.integer("start"),
        shape=found.integers("shape", 1),
        element_bytes=found.integer("element_bytes", 1),
        window=found.optionalinteger_in("window", 1),
        is_sum=found.flag("is_sum"),
        parts=found.objects("parts", _patch_part),
        reads=found.objects("reads", _patch_read),
    )


def _patch_part(found: Members) -> PatchPart:
    return PatchPart(
        step=found.integer("step"),
        box=_box(found.rows("box", 2)),
        needs=tuple(
            tuple(_range(f"{place}[{axis}]", item) for axis, item in enumerate(box))
            for place, box in found.lists("needs")
        ),
    )


def _box(rows: tuple[tuple[int, ...], ...]) -> tuple[Range, ...]:
    return tuple((begin, end) for begin, end in rows)


def _range(place: str, value: object) -> Range:
    found = tuple(integer_in(item, place, 0) for item in list_in(value, place))
    if len(found) != 2:
        raise PlanFileError(f"{place}: expected 2 numbers, got {len(found)}")
    return found[0], found[1]


def _patch_read(found: Members) -> PatchRead:
    return PatchRead(
        layer=found.text("layer"),
        tensor=found.text("tensor"),
        start=found.integer("start"),
        shape=found.integers("shape", 1),
        element_bytes=found.integer("element_bytes", 1),
    )


def _cut_read(found: Members) -> CutRead:
    return CutRead(
        tensor=found.text("tensor"),
        start=found.integer("start"),
        row_bytes=found.integer("row_bytes", 1),
        begins=_progressions(found, "begins"),
        ends=_progressions(found, "ends"),
    )
