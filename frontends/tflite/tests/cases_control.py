"""Golden cases of loops and branches, whose subgraphs the models hold behind the first."""

import numpy as np
from case_builder import Case, CaseBuilder, Kind, Shape
from tflite_builder import ModelBuilder, options
from tinsmith_ir.types import Quantization

_SHAPE: Shape = (1, 5)


def while_(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """WHILE: `index` times a sum with a constant, of which the result is rectified."""
    scaled = b.quantization(kind, b.scale(0.05), None)
    state = _Loop(b, kind, scaled)
    b.called = [_condition(state, "LESS", index), _summing(b, state)]
    return state.finish(WhileOptions=(1, 2))


def while_in_while(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """WHILE whose body is another one: 2 * (`index` + 1) sums."""
    scaled = b.quantization(kind, b.scale(0.05), None)
    state = _Loop(b, kind, scaled)
    outer = ModelBuilder()
    i, x = state.tensors(outer, "i", "x")
    zero = outer.constant("zero", np.array(0, np.int32))
    j, y = state.tensors(outer, "j", "y")
    inner = options("WhileOptions", CondSubgraphIndex=3, BodySubgraphIndex=4)
    outer.operator("WHILE", [zero, x], [j, y], inner)
    after = _incremented(outer, i)
    b.called = [
        _condition(state, "LESS_EQUAL", index),
        outer.called_with([i, x], [after, y]),
        _condition(state, "NOT_EQUAL", 2),
        _summing(b, state),
    ]
    return state.finish(WhileOptions=(1, 2))


def rows(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """WHILE over the rows of an operand, of which each goes to its place between those before and behind it."""
    if kind == "INT16":
        return None
    count, width = index + 1, 3
    scaled = b.quantization(kind, b.scale(0.05), None)
    given = b.input((count, width), kind, *_numbers(scaled))
    begin = b.model.constant("begin", np.zeros((count, width), _dtype(kind)), quantization=scaled)

    def state(member: ModelBuilder) -> list[int]:
        listed = member.tensor("list", (1, width), kind, quantization=scaled, signature=(-1, width))
        source = member.tensor("rows", (count, width), kind, quantization=scaled)
        return [member.tensor("i", (), "INT32"), listed, source]

    condition = ModelBuilder()
    ends = state(condition)
    limit = condition.constant("limit", np.array(count, np.int32))
    holds = condition.tensor("holds", (), "BOOL")
    condition.operator("LESS", [ends[0], limit], [holds], options("LessOptions"))
    b.called.append(condition.called_with(ends, [holds]))

    body = ModelBuilder()
    i, listed, source = ends = state(body)
    row = body.tensor("row", (width,), kind, quantization=scaled)
    version = 2 if kind == "INT8" else 1
    body.operator("GATHER", [source, i], [row], options("GatherOptions"), version=version)
    one_row = body.tensor("one_row", (1, width), kind, quantization=scaled)
    axis = body.constant("axis", np.array(0, np.int32))
    body.operator("EXPAND_DIMS", [row, axis], [one_row], options("ExpandDimsOptions"))

    def part(first: int, size: int) -> int:
        taken = body.tensor("part", (1, 1), kind, quantization=scaled, signature=(-1, -1))
        operands = [listed, first, size]
        body.operator("SLICE", operands, [taken], options("SliceOptions"), version=version)
        return taken

    after = _incremented(body, i)
    front = part(body.constant("first", np.zeros(2, np.int32)), _pair(body, i, -1))
    back = part(_pair(body, after, 0), body.constant("all", np.array([-1, -1], np.int32)))
    changed = body.tensor("changed", (1, width), kind, quantization=scaled, signature=(-1, width))
    chosen = options("ConcatenationOptions")
    parts = [front, one_row, back]
    body.operator("CONCATENATION", parts, [changed], chosen, version=version)
    b.called.append(body.called_with(ends, [after, changed, source]))

    results = state(b.model)
    loop = options("WhileOptions", CondSubgraphIndex=1, BodySubgraphIndex=2)
    zero = b.model.constant("zero", np.array(0, np.int32))
    b.model.operator("WHILE", [zero, begin, given], results, loop)
    return b.finish(results[1])


def if_(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """IF: of a constant, else of what the network is given; one branch gives what it was given."""
    if kind == "INT16":
        return None
    scaled = b.quantization(kind, b.scale(0.05), None)
    state = _Loop(b, kind, scaled)
    chosen = np.array(bool(index & 1))
    condition = b.model.constant("condition", chosen) if index < 2 else b.plain(chosen, "BOOL")
    same = ModelBuilder()
    i, x = state.tensors(same, "i", "x")
    b.called = [_summing(b, state), same.called_with([i, x], [i, x])]
    if index > 3:
        b.called.reverse()
    return state.finish(condition, IfOptions=(1, 2))


class _Loop:
    """The first subgraph of a model with a state: a counter from 0 on, and the operand of `kind`."""

    def __init__(self, b: CaseBuilder, kind: Kind, scaled: Quantization | None) -> None:
        self._b = b
        self.kind: Kind = kind
        self.scaled = scaled
        self._x = b.input(_SHAPE, kind, *_numbers(scaled))

    def tensors(self, member: ModelBuilder, counter: str, name: str) -> tuple[int, int]:
        i = member.tensor(counter, (), "INT32")
        return i, member.tensor(name, _SHAPE, self.kind, quantization=self.scaled)

    def finish(self, *first: int, **called: tuple[int, int]) -> Case:
        """first: operands before the state. called: the options' kind, and its two subgraphs."""
        model = self._b.model
        zero = model.constant("zero", np.array(0, np.int32))
        last, result = self.tensors(model, "last", "result")
        ((table, (one, other)),) = called.items()
        names = {
            "WhileOptions": ("CondSubgraphIndex", "BodySubgraphIndex"),
            "IfOptions": ("ThenSubgraphIndex", "ElseSubgraphIndex"),
        }[table]
        chosen = options(table, **dict(zip(names, (one, other), strict=True)))
        kind = table.removesuffix("Options").upper()
        model.operator(kind, [*first, zero, self._x], [last, result], chosen)
        return self._b.finish(result)


def _condition(state: _Loop, kind: str, limit: int) -> ModelBuilder:
    """Whether the counter is `kind` of `limit`."""
    member = ModelBuilder()
    i, x = state.tensors(member, "i", "x")
    result = member.tensor("condition", (), "BOOL")
    bound = member.constant("limit", np.array(limit, np.int32))
    table = "".join(word.capitalize() for word in kind.split("_")) + "Options"
    member.operator(kind, [i, bound], [result], options(table))
    return member.called_with([i, x], [result])


def _summing(b: CaseBuilder, state: _Loop) -> ModelBuilder:
    """Counter + 1, and the other + a constant, at least 0."""
    member = ModelBuilder()
    i, x = state.tensors(member, "i", "x")
    other_scale = b.quantization(state.kind, b.scale(0.05), None)
    other = member.constant("other", b.data(_SHAPE, state.kind), quantization=other_scale)
    _, summed = state.tensors(member, "unused", "sum")
    fields = {"PotScaleInt16": False} if state.kind == "INT16" else {}
    chosen = options("AddOptions", FusedActivationFunction=1, **fields)
    version = {"INT8": 2, "INT16": 3, "FLOAT32": 1}[state.kind]
    member.operator("ADD", [x, other], [summed], chosen, version=version)
    return member.called_with([i, x], [_incremented(member, i), summed])


def _incremented(member: ModelBuilder, i: int) -> int:
    after = member.tensor("next", (), "INT32")
    one = member.constant("one", np.array(1, np.int32))
    member.operator("ADD", [i, one], [after], options("AddOptions"))
    return after


def _pair(member: ModelBuilder, row: int, rest: int) -> int:
    """(row, rest), of which `row` is computed."""
    one = member.constant("one", np.array([1], np.int32))
    apart = member.tensor("apart", (1,), "INT32")
    member.operator("RESHAPE", [row, one], [apart], options("ReshapeOptions"))
    behind = member.constant("rest", np.array([rest], np.int32))
    result = member.tensor("pair", (2,), "INT32")
    member.operator("CONCATENATION", [apart, behind], [result], options("ConcatenationOptions"))
    return result


def _dtype(kind: Kind) -> type[np.generic]:
    return np.float32 if kind == "FLOAT32" else np.int8


def _numbers(scaled: Quantization | None) -> tuple[float, int]:
    return (1.0, 0) if scaled is None else (scaled.scales[0], scaled.zero_points[0])
