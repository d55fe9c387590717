"""Golden cases of comparisons, of operators of bool, and of choices. Each family draws its shapes."""

import numpy as np
from case_builder import Case, CaseBuilder, Kind, Shape
from tflite_builder import options

_COMPARISONS = (
    ("EQUAL", "EqualOptions"),
    ("NOT_EQUAL", "NotEqualOptions"),
    ("LESS", "LessOptions"),
    ("LESS_EQUAL", "LessEqualOptions"),
    ("GREATER", "GreaterOptions"),
    ("GREATER_EQUAL", "GreaterEqualOptions"),
)
_LOGICAL = (
    ("LOGICAL_AND", "LogicalAndOptions"),
    ("LOGICAL_OR", "LogicalOrOptions"),
    ("LOGICAL_NOT", "LogicalNotOptions"),
)


def _shapes(b: CaseBuilder, count: int) -> tuple[Shape, list[Shape]]:
    """A shape of one to four dimensions, and `count` that broadcast to it: as they are, or with some of 1."""
    whole = tuple(int(size) for size in b.random.randint(1, 6, b.random.randint(1, 5)))
    parts: list[Shape] = [whole]
    for _ in range(count - 1):
        repeated = b.random.randint(3) == 0
        parts.append(tuple(1 if repeated and b.random.randint(2) else size for size in whole))
    return whole, parts


def comparison(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """EQUAL and the others: float32 with equal ones among them, int8 of the same scale or another."""
    if kind == "INT16":
        return None
    name, table = _COMPARISONS[index % 6]
    whole, parts = _shapes(b, 2)
    scale, zero_point = float(np.float32(10 ** b.random.uniform(-4, -0.1))), b.zero_point(kind)
    other = (b.scale(scale / 2), None) if b.random.randint(2) else (scale, zero_point)
    operands = [b.input(parts[0], kind, scale, zero_point), b.input(parts[1], kind, *other)]
    output = b.model.tensor("result", whole, "BOOL")
    b.model.operator(name, operands, [output], options(table), version=2 if kind == "INT8" else 1)
    case = b.finish(output)
    if kind == "FLOAT32":
        return Case(
            case.name,
            case.model,
            tuple(array.astype(np.int32).astype(np.float32) for array in case.inputs),
        )
    return case


def logical(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """LOGICAL_AND, LOGICAL_OR and LOGICAL_NOT; once, since they have no kinds."""
    if kind != "INT8":
        return None
    name, table = _LOGICAL[index % 3]
    whole, parts = _shapes(b, 1 if name == "LOGICAL_NOT" else 2)
    operands = [
        b.plain(np.asarray(b.random.randint(0, 2, part), np.bool_), "BOOL") for part in parts
    ]
    output = b.model.tensor("result", whole, "BOOL")
    b.model.operator(name, operands, [output], options(table))
    return b.finish(output)


def select(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SELECT by a condition of the same shape, or of rows."""
    whole, _ = _shapes(b, 1)
    return _select(b, kind, whole, [whole[:1] if index % 2 else whole, whole, whole], "SELECT")


def select_v2(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SELECT_V2, which broadcasts all operands."""
    del index
    whole, parts = _shapes(b, 3)
    return _select(b, kind, whole, parts, "SELECT_V2")


def _select(b: CaseBuilder, kind: Kind, whole: Shape, parts: list[Shape], name: str) -> Case:
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    condition = b.plain(np.asarray(b.random.randint(0, 2, parts[0]), np.bool_), "BOOL")
    operands = [b.input(part, kind, scale, zero_point) for part in parts[1:]]
    output = b.output(whole, kind, scale, zero_point)
    table = options("SelectOptions" if name == "SELECT" else "SelectV2Options")
    b.model.operator(name, [condition, *operands], [output], table)
    return b.finish(output)
