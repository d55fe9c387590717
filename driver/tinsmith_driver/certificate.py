"""The plan of memory as claims that others can check: `plan.json`, which `tinsmith check-plan` derives anew.

What is claimed is taken from the Program, the planner's plans and the kernels' walks; nothing is checked here. See the
README of tinsmith_plan_check for what each member means.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict, cast

import numpy as np
from numpy.typing import NDArray
from tinsmith_allocation import Block, Leave, Plan, lower_bound
from tinsmith_ir.boxes import Box
from tinsmith_ir.program import Call, Loop, Program, Step, instances
from tinsmith_lowering import (
    PatchedCall,
    PatchedRead,
    StreamedCall,
    StreamedRead,
    StreamedRows,
    StreamPlan,
    Walk,
    find_kernel,
    layer_of_call,
)

from tinsmith_driver.compilation import Compilation, tool_version
from tinsmith_driver.memory_limits import rooms
from tinsmith_driver.traced_bytes import Traced, TracedStep, progressions, trace

PLAN_SCHEMA = "tinsmith.plan/1"

_NEVER = -(1 << 40)
"""Before all steps of kernels: JSON has no larger numbers that every reader keeps."""

Lives = Mapping[str, list[tuple[int, int]]]
"""By buffer: first and last step of each stretch in which it holds something that is still read."""


class MemoryClaim(TypedDict):
    """One memory; see `tinsmith_plan_check.plan.Memory`."""

    name: str
    alignment: int
    home: str
    budget: int | None
    is_caller: bool
    bytes: int
    bound: int
    searched_bound: int
    status: str
    gap: float


def plan_bytes(compilation: Compilation) -> bytes:
    """The file plan.json; the same for the same compilation."""
    return (_text(_plan(compilation)) + "\n").encode()


def _text(plan: Mapping[str, object]) -> str:
    """A line for each item of a list, so that people can read it and compare two."""
    members: list[str] = []
    for name, value in plan.items():
        if isinstance(value, list) and value:
            items = ",\n    ".join(map(json.dumps, cast("list[object]", value)))
            members.append(f'  "{name}": [\n    {items}\n  ]')
        else:
            members.append(f'  "{name}": {json.dumps(value)}')
    return "{\n" + ",\n".join(members) + "\n}"


def _plan(compilation: Compilation) -> Mapping[str, object]:
    program = compilation.program
    traced = trace(program, _layers(compilation))
    lives = traced.lives
    leaves = {name: _leaves(plan, lives) for name, plan in compilation.plans.items()}
    walks = _Walks(compilation, traced.meant)
    names = [name for step in traced.steps for name in _views(step)]
    used = dict.fromkeys((*(access["view"] for access in (*traced.given, *traced.taken)), *names))
    meant = traced.meant
    scratch = {meant.view[call.scratch].buffer for call in meant.calls if call.scratch is not None}
    return {
        "schema": PLAN_SCHEMA,
        "tinsmith": tool_version(),
        "model": {"name": compilation.model.graph.name, "sha256": compilation.model.sha256},
        "target": compilation.target.name,
        "memories": _memories(compilation, lives, leaves),
        "buffers": [
            {
                "name": buffer.name,
                "memory": buffer.memory,
                "offset": buffer.offset,
                "bytes": buffer.size_bytes,
                "is_scratch": buffer.name in scratch,
                "lives": lives[buffer.name],
            }
            for buffer in program.buffers
        ],
        "engines": [{"name": one.name, "is_fifo": one.is_fifo} for one in program.engines],
        "tensors": traced.tensors,
        "views": [
            {
                "name": name,
                "buffer": meant.view[name].buffer,
                "shape": [*meant.view[name].type.shape],
                "element_bytes": meant.view[name].type.dtype.size_bytes,
            }
            for name in used
        ],
        "leaves": [
            {
                "output": leave.output,
                "source": leave.source,
                "at_most": leave.at_most,
                "at_least": leave.at_least,
                "exactly": [*leave.exactly],
            }
            for found in leaves.values()
            for leave in found
        ],
        "steps": [_step(step, walks) for step in traced.steps],
        "walks": walks.table,
        "given": traced.given,
        "taken": traced.taken,
        "loops": _loops(program),
        **_Cuts(compilation, traced).members(),
    }


def _views(step: TracedStep) -> Iterator[str]:
    yield from (access["view"] for access in (*step.reads, *step.writes))
    if step.scratch is not None:
        yield step.scratch["view"]


def _step(traced: TracedStep, walks: "_Walks") -> Mapping[str, object]:
    step = traced.step
    return {
        "name": traced.name,
        "kind": traced.kind,
        "kernel": step.kernel if isinstance(step, Call) else "",
        "engine": traced.engine,
        "reads": traced.reads,
        "writes": traced.writes,
        "scratch": traced.scratch,
        "order": walks.order(step) if isinstance(step, Call) else [],
        "ends": traced.ends,
    }


class _Walks:
    """The orders in which kernels touch bytes, each once. table: of pieces of results and of operands."""

    def __init__(self, compilation: Compilation, meant: Program) -> None:
        self._compilation = compilation
        self._meant = meant
        self.table: list[Mapping[str, list[list[int]]]] = []
        self._known: dict[str, int] = {}

    def order(self, call: Call) -> list[list[int]]:
        """For each operand over which the result may lie, its number among those that are read, and of its walk."""
        if not call.over:
            return []
        walk = self._walk(call)
        allowed = {overlap.operand for overlap in call.over}
        found: list[list[int]] = []
        number = 0
        for operand, name in enumerate(call.inputs):
            if name is None or name not in self._meant.view:
                continue
            read = None if walk is None else walk.read[operand]
            if walk is not None and read is not None and operand in allowed:
                found.append([number, self._number(walk.written, read)])
            number += 1
        return found

    def _walk(self, call: Call) -> Walk | None:
        found = self._compilation
        layer = layer_of_call(self._meant, call, found.target)
        return find_kernel(call.kernel, layer, found.kernels).walk(layer)

    def _number(self, written: NDArray[np.int64], read: NDArray[np.int64]) -> int:
        walk = {
            "written": progressions(np.maximum(written, _NEVER)),
            "read": progressions(np.maximum(read, _NEVER)),
        }
        key = json.dumps(walk)
        if key not in self._known:
            self._known[key] = len(self.table)
            self.table.append(walk)
        return self._known[key]


def _leaves(plan: Plan, lives: Lives) -> list[Leave]:
    """Those of buffers that live in a common step as steps are counted here."""
    return [leave for leave in plan.leaves if any(_pairs(lives[leave.output], lives[leave.source]))]


def _pairs(
    one: Sequence[tuple[int, int]], other: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Stretches that share a step, by index."""
    for mine, (first, last) in enumerate(one):
        for theirs, (begin, end) in enumerate(other):
            if begin <= last and first <= end:
                yield mine, theirs


def _memories(
    compilation: Compilation, lives: Lives, leaves: Mapping[str, list[Leave]]
) -> list[MemoryClaim]:
    program = compilation.program
    room = rooms(compilation)
    found: list[MemoryClaim] = []
    for memory in program.planned_memories:
        buffers = [buffer for buffer in program.buffers if buffer.memory == memory.name]
        size = max(((buffer.offset or 0) + buffer.size_bytes for buffer in buffers), default=0)
        bound = _bound(program, memory.name, lives, leaves.get(memory.name, []))
        plan = compilation.plans.get(memory.name)
        searched = max(bound, 0 if plan is None else plan.lower_bound)
        home, budget = room.get(memory.name, ("", None))
        found.append(
            {
                "name": memory.name,
                "alignment": memory.alignment,
                "home": home,
                "budget": budget,
                "is_caller": memory.is_caller,
                "bytes": size,
                "bound": bound,
                "searched_bound": searched,
                "status": "optimal" if size == searched else "feasible",
                "gap": round(1 - searched / size, 6) if size else 0.0,
            }
        )
    return found


def _bound(program: Program, memory: str, lives: Lives, leaves: Sequence[Leave]) -> int:
    """What no plan of these lives and leaves can go below; a stretch of a life is a block of its own."""
    alignment = program.memory[memory].alignment
    blocks = [
        Block(f"{index} {buffer.name}", buffer.size_bytes, first, last, alignment)
        for buffer in program.buffers
        if buffer.memory == memory
        for index, (first, last) in enumerate(lives[buffer.name])
    ]
    apart = [
        Leave(
            f"{mine} {leave.output}",
            f"{theirs} {leave.source}",
            leave.at_most,
            leave.at_least,
            leave.exactly,
        )
        for leave in leaves
        for mine, theirs in _pairs(lives[leave.output], lives[leave.source])
    ]
    return lower_bound(blocks, apart)


def _loops(program: Program) -> list[Mapping[str, object]]:
    """Those whose iterations have the same steps, the outer ones first; guards may leave out some of others."""
    found: list[Mapping[str, object]] = []

    def add(steps: tuple[Step, ...], first: int, counters: Mapping[str, int]) -> int:
        for step in steps:
            if not isinstance(step, Loop):
                first += len([*instances((step,), counters)])
                continue
            bodies = [
                [simple for simple, _ in instances(step.body, {**counters, step.counter: index})]
                for index in range(step.count)
            ]
            if (
                bodies
                and bodies[0]
                and all(list(map(id, body)) == list(map(id, bodies[0])) for body in bodies)
            ):
                found.append(
                    {
                        "counter": step.counter,
                        "first": first,
                        "length": len(bodies[0]),
                        "count": step.count,
                    }
                )
            for index in range(step.count):
                first = add(step.body, first, {**counters, step.counter: index})
        return first

    add(program.steps, 0, {})
    return found


def _streams(compilation: Compilation) -> Sequence[StreamedRows]:
    """The calls that stream together."""
    plan = compilation.facts(StreamPlan)
    return plan.segments if plan else ()


def _layers(compilation: Compilation) -> Mapping[str, str]:
    """Of each call that is a part of one, the name of that."""
    found: dict[str, str] = {}
    for segment in _streams(compilation):
        found |= {part: call.name for call in segment.calls for part in call.parts}
        found |= {it.part: call.name for call in segment.patched for it in call.patches}
    return found


class _Cuts:
    """The calls that are computed in parts: which steps make what, and which parts of operands these need."""

    def __init__(self, compilation: Compilation, traced: Traced) -> None:
        segments = _streams(compilation)
        self._traced = traced
        self._calls = [call for segment in segments for call in segment.calls]
        self._patched = [call for segment in segments for call in segment.patched]
        self._steps: dict[str, list[int]] = {}
        for index, step in enumerate(traced.steps):
            self._steps.setdefault(step.name, []).append(index)
        self._parts = {call.tensor: self._steps_of(call.parts) for call in self._calls}
        for call in self._patched:
            self._parts[call.tensor] = self._steps_of([patch.part for patch in call.patches])

    def members(self) -> Mapping[str, object]:
        """Of the file. A pass behind may have put other calls in the place of some."""
        return {
            "cuts": [self._cut(call) for call in self._calls if self._parts[call.tensor]],
            "patches": [self._patches(call) for call in self._patched if self._parts[call.tensor]],
        }

    def _steps_of(self, parts: Sequence[str]) -> list[int]:
        return sorted(index for name in parts for index in self._steps.get(name, ()))

    def _cut(self, call: StreamedCall) -> Mapping[str, object]:
        steps = self._parts[call.tensor]
        first = self._traced.steps[steps[0]]
        tensor, start = _first_piece(first)
        operands = [_operand(read, first, self._parts, self._traced) for read in call.reads]
        return {
            "layer": call.name,
            "tensor": tensor,
            "start": start,
            "rows": call.rows,
            "row_bytes": call.row_bytes,
            "window": call.lines,
            "parts": [*_rows(call, self._traced, steps)],
            "reads": [
                {
                    "tensor": tensor,
                    "start": start,
                    "row_bytes": read.row_bytes,
                    "begins": progressions(np.array(read.begins)),
                    "ends": progressions(np.array(read.ends)),
                }
                for read, (tensor, start) in zip(call.reads, operands, strict=True)
            ],
        }

    def _patches(self, call: PatchedCall) -> Mapping[str, object]:
        steps = self._parts[call.tensor]
        first = self._traced.steps[steps[0]]
        tensor, start = ("", 0) if call.is_inner else _first_piece(first)
        return {
            "layer": call.name,
            "tensor": tensor,
            "start": start,
            "shape": [*call.shape],
            "element_bytes": call.element_bytes,
            "window": call.lines,
            "is_sum": call.is_sum,
            "parts": [
                {
                    "step": index,
                    "box": _box(patch.box),
                    "needs": [[] if box is None else _box(box) for box in patch.needs],
                }
                for index, patch in zip(steps, call.patches, strict=False)
            ],
            "reads": [self._patched_read(read, first) for read in call.reads],
        }

    def _patched_read(self, read: PatchedRead, first: TracedStep) -> Mapping[str, object]:
        place = ("", 0) if read.layer else _operand(read, first, self._parts, self._traced)
        return {
            "layer": read.layer,
            "tensor": place[0],
            "start": place[1],
            "shape": [*read.shape],
            "element_bytes": read.element_bytes,
        }


def _box(box: Box) -> list[list[int]]:
    return [[begin, end] for begin, end in box.ranges]


def _operand(
    read: StreamedRead | PatchedRead,
    first: TracedStep,
    parts: Mapping[str, Sequence[int]],
    traced: Traced,
) -> tuple[str, int]:
    """The tensor that holds an operand's rows, and its byte that is the first of them. first: of the call's parts."""
    if parts.get(read.tensor):
        return _first_piece(traced.steps[parts[read.tensor][0]])
    for access in first.reads:
        if access["buffer"] == read.buffer:
            tensor, start, _ = access["pieces"][0]
            # In a whole tensor bytes lie as in what it was copied from.
            return str(tensor), read.start + int(start) - access["runs"][0][0]
    for step in traced.steps:
        for access in step.writes:
            if access["buffer"] == read.buffer:  # a whole tensor in slow memory, into a window
                tensor, start, _ = access["pieces"][0]
                return str(tensor), read.start + int(start) - access["runs"][0][0]
    return f"given/{read.buffer}", read.start  # an input that is asked for, into a window


def _first_piece(step: TracedStep) -> tuple[str, int]:
    """The tensor that a part of a call writes, and its first byte there."""
    tensor, start, _ = step.writes[0]["pieces"][0]
    return str(tensor), int(start)


def _rows(call: StreamedCall, traced: Traced, parts: Sequence[int]) -> Iterator[list[int]]:
    """Step, first row and one behind the last, as many rows as the step writes bytes of."""
    row = 0
    for index in parts:
        size = sum(int(length) for _, _, length in traced.steps[index].writes[0]["pieces"])
        rows = size // call.row_bytes
        yield [index, row, row + rows]
        row += rows
