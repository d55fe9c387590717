"""What must hold before anything can be simulated: names mean something, bytes lie where there are some."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tinsmith_plan_check.errors import PlanRefusedError
from tinsmith_plan_check.plan import Access, Buffer, Memory, Plan, Step, Tensor, View


@dataclass(frozen=True)
class Layout:
    """The parts of a plan by name."""

    plan: Plan

    @cached_property
    def memory(self) -> Mapping[str, Memory]:
        """Memories by name."""
        return {memory.name: memory for memory in self.plan.memories}

    @cached_property
    def buffer(self) -> Mapping[str, Buffer]:
        """Buffers by name."""
        return {buffer.name: buffer for buffer in self.plan.buffers}

    @cached_property
    def tensor(self) -> Mapping[str, Tensor]:
        """Tensors by name."""
        return {tensor.name: tensor for tensor in self.plan.tensors}

    @cached_property
    def view(self) -> Mapping[str, View]:
        """Views by name."""
        return {view.name: view for view in self.plan.views}

    def addresses(self, access: Access) -> Iterator[tuple[int, int]]:
        """Begin and end of each run, in bytes of the memory."""
        offset = self.buffer[access.buffer].offset
        for begin, end in access.spans():
            yield offset + begin, offset + end

    def memory_of(self, access: Access) -> str:
        """Where it lies."""
        return self.buffer[access.buffer].memory


def name_of(plan: Plan, index: int) -> str:
    """How messages call a step."""
    return f"step {index} ({plan.steps[index].name})"


def accesses_of(step: Step) -> tuple[Access, ...]:
    """All that a step touches."""
    return (*step.reads, *step.writes, *(() if step.scratch is None else (step.scratch,)))


def check_structure(layout: Layout) -> None:
    """Raise PlanRefusedError for what names nothing, lies outside, is misaligned or too large."""
    plan = layout.plan
    for claim, names in (
        ("memories", [memory.name for memory in plan.memories]),
        ("buffers", [buffer.name for buffer in plan.buffers]),
        ("engines", [engine.name for engine in plan.engines]),
        ("tensors", [tensor.name for tensor in plan.tensors]),
        ("views", [view.name for view in plan.views]),
    ):
        _check_names(claim, names)
    for buffer in plan.buffers:
        _check_buffer(layout, buffer)
    for view in plan.views:
        if view.buffer not in layout.buffer:
            raise PlanRefusedError(
                "views", f"view {view.name}", "a buffer of the plan", view.buffer
            )
    for what, accesses in (("the start", plan.given), ("the end", plan.taken)):
        for access in accesses:
            _check_access(layout, access, what)
    for index, step in enumerate(plan.steps):
        _check_step(layout, index, step)
    _check_sizes(layout)
    _check_used(layout)


def _check_names(claim: str, names: list[str]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PlanRefusedError(claim, twice, "each name once", f"{names.count(twice)} of them")


def _check_buffer(layout: Layout, buffer: Buffer) -> None:
    where = f"buffer {buffer.name}"
    memory = layout.memory.get(buffer.memory)
    if memory is None:
        raise PlanRefusedError("buffers", where, "a memory of the plan", buffer.memory)
    if buffer.offset % memory.alignment:
        raise PlanRefusedError(
            "offsets", where, f"a multiple of {memory.alignment}", f"offset {buffer.offset}"
        )
    end = buffer.offset + buffer.bytes
    if end > memory.bytes:
        raise PlanRefusedError(
            "offsets", where, f"all in the {memory.bytes} bytes of {memory.name}", f"end {end}"
        )


def _check_access(layout: Layout, access: Access, where: str) -> None:
    place = f"{where}, view {access.view}"
    view, buffer = layout.view.get(access.view), layout.buffer.get(access.buffer)
    if view is None or buffer is None or view.buffer != access.buffer:
        raise PlanRefusedError(
            "views", place, "a view of the plan on its own buffer", f"buffer {access.buffer}"
        )
    size = view.element_bytes * math.prod(view.shape)
    if access.size != size:
        raise PlanRefusedError("views", place, f"{size} bytes", f"{access.size}")
    if sum(piece.length for piece in access.pieces) != size:
        raise PlanRefusedError(
            "tensors", place, f"pieces of {size} bytes", sum(p.length for p in access.pieces)
        )
    last = max((end for _, end in access.spans()), default=0)
    if last > buffer.bytes:
        raise PlanRefusedError(
            "views",
            place,
            f"all in the {buffer.bytes} bytes of buffer {buffer.name}",
            f"end {last}",
        )
    for piece in access.pieces:
        tensor = layout.tensor.get(piece.tensor)
        if tensor is None or piece.start + piece.length > tensor.bytes:
            expected = "a tensor of the plan" if tensor is None else f"{tensor.bytes} bytes of it"
            got = f"{piece.tensor}, bytes {piece.start} to {piece.start + piece.length - 1}"
            raise PlanRefusedError("tensors", place, expected, got)


def _check_step(layout: Layout, index: int, step: Step) -> None:
    where = name_of(layout.plan, index)
    for access in accesses_of(step):
        _check_access(layout, access, where)
        if layout.buffer[access.buffer].is_scratch != (access is step.scratch):
            raise PlanRefusedError(
                "scratch", f"{where}, buffer {access.buffer}", "scratch as scratch alone", "both"
            )
    if step.engine is not None and step.engine not in {e.name for e in layout.plan.engines}:
        raise PlanRefusedError("engines", where, "an engine of the plan", step.engine)
    for operand, walk in step.order:
        if operand >= len(step.reads) or walk >= len(layout.plan.walks) or len(step.writes) != 1:
            raise PlanRefusedError(
                "order", where, "one result, an operand and a walk of the plan", (operand, walk)
            )
    sizes = {"copy": (0, 1, 1, 1), "fill": (0, 0, 1, 1), "wait": (0, 0, 0, 0)}.get(step.kind)
    if sizes is None:
        return
    low, high, least, most = sizes
    fits = low <= len(step.reads) <= high and least <= len(step.writes) <= most
    if not fits or step.scratch is not None or step.order:
        got = f"{len(step.reads)} reads, {len(step.writes)} writes"
        raise PlanRefusedError("steps", where, f"what a {step.kind} touches", got)


def _check_sizes(layout: Layout) -> None:
    """The arena ends where the highest buffer does, and all of a home fits its budget."""
    for memory in layout.plan.memories:
        ends = [b.offset + b.bytes for b in layout.plan.buffers if b.memory == memory.name]
        if memory.bytes != max(ends, default=0):
            raise PlanRefusedError(
                "size", f"memory {memory.name}", f"{max(ends, default=0)} bytes", memory.bytes
            )
    owned = [memory for memory in layout.plan.memories if not memory.is_caller]
    for home in dict.fromkeys(memory.home for memory in owned):
        there = [memory for memory in owned if memory.home == home]
        needed = sum(memory.bytes for memory in there)
        for memory in there:
            if memory.budget is not None and needed > memory.budget:
                where = f"memory {memory.name}"
                raise PlanRefusedError("budget", where, f"at most {memory.budget} bytes", needed)


def _check_used(layout: Layout) -> None:
    """Whatever the plan lists is touched by something, or it would claim memory for nothing."""
    plan = layout.plan
    touched = [*plan.given, *plan.taken, *(a for step in plan.steps for a in accesses_of(step))]
    _check_all("buffers", [b.name for b in plan.buffers], (access.buffer for access in touched))
    _check_all("views", [view.name for view in plan.views], (access.view for access in touched))


def _check_all(claim: str, listed: list[str], used: Iterable[str]) -> None:
    known = {*used}
    for name in listed:
        if name not in known:
            raise PlanRefusedError(claim, name, "a step that touches it", "none")
