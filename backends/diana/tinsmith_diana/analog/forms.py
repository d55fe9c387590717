"""Forms of a tensor on DIANA: in which layout it lies, on which side, with how many bits; and the cheapest way from one
to another, by the kernels that there are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.errors import GraphError
from tinsmith_ir.layouts import layout_bytes
from tinsmith_ir.operators import Operator, Reshape
from tinsmith_ir.types import TensorType
from tinsmith_lowering import CORES, Beside, Kernel, Layer
from tinsmith_target import Target

from tinsmith_diana.analog.fitting import narrowing
from tinsmith_diana.layouts import DianaPixels, DianaRows

_COPY_CYCLES, _COPIED_A_CYCLE = 160, 16
"""Of a copy between L2 and L1: start and wait, as measured on the simulator; bytes a cycle."""


@dataclass(frozen=True, order=True)
class Form:
    """layout: as `Layouts` names it, "" is dense. is_near: in the accelerators' memory. is_narrow: in 7 bits."""

    layout: str = ""
    is_near: bool = False
    is_narrow: bool = False

    def __str__(self) -> str:
        """As a placement problem names it; a dense tensor of 8 bits where the core reaches it is ""."""
        marks = ("near" if self.is_near else "", "narrow" if self.is_narrow else "")
        return " ".join(filter(None, (self.layout, *marks)))


@dataclass(frozen=True)
class Way:
    """cycles: of all its steps. engine: of the longest of them, of `longest` cycles."""

    cycles: int
    engine: str
    longest: int

    def then(self, other: "Way") -> "Way":
        """One behind the other."""
        engine = self.engine if self.longest >= other.longest else other.engine
        return Way(self.cycles + other.cycles, engine, max(self.longest, other.longest))


Ways = Mapping[tuple[Form, Form], Way]


class Forms:
    """What it takes to turn tensors of a network for a target, by type."""

    def __init__(self, target: Target, kernels: Sequence[Kernel]) -> None:
        self._target = target
        self._kernels = kernels
        self._found: dict[TensorType, Ways] = {}

    def operand(self, kernel: Kernel, layer: Layer, index: int) -> Form:
        """In which a kernel takes an operand."""
        beside = self._beside(kernel)
        is_near = beside is not None and not beside.copies_operands
        return Form(kernel.layouts(layer).of_input(index), is_near)

    def result(self, kernel: Kernel, layer: Layer, index: int) -> Form:
        """In which it gives a result."""
        beside = self._beside(kernel)
        is_near = beside is not None and not beside.copies_results
        return Form(kernel.layouts(layer).of_output(index), is_near)

    def ways(self, type_: TensorType) -> Ways:
        """From each form of an int8 tensor to each other that can be made of it."""
        if type_ not in self._found:
            self._found[type_] = _closed([*self._steps(type_)])
        return self._found[type_]

    def _beside(self, kernel: Kernel) -> Beside | None:
        """Of a kernel of an accelerator that has a scratchpad."""
        scratchpad = self._target.board.scratchpad
        is_there = scratchpad is not None and kernel.accelerator in scratchpad.accelerators
        return kernel.beside if is_there else None

    def _steps(self, type_: TensorType) -> Iterator[tuple[Form, Form, Way]]:
        halving, narrowed = narrowing(type_)
        turn = Reshape(shape=type_.shape)
        for operator, operand, result in (
            (turn, type_, type_),
            (turn, narrowed, narrowed),
            (halving, type_, narrowed),
        ):
            yield from self._by_kernels(operator, operand, result, narrowed)
        for layout in ("", DianaRows.name, DianaPixels.name):
            yield from _copies(layout, type_)

    def _by_kernels(
        self, operator: Operator, operand: TensorType, result: TensorType, narrowed: TensorType
    ) -> Iterator[tuple[Form, Form, Way]]:
        layer = Layer("", operator, (operand,), (result,), (None,), self._target)
        for kernel in self._kernels:
            if not kernel.takes(layer.kind) or kernel.broken_rule(layer) is not None:
                continue
            chosen = kernel.with_options(layer)
            cost = kernel.cost(chosen)
            if cost is None:
                continue
            before, after = self.operand(kernel, chosen, 0), self.result(kernel, chosen, 0)
            cycles = cost.cycles + cost.first
            yield (
                Form(before.layout, before.is_near, operand is narrowed),
                Form(after.layout, after.is_near, result is narrowed),
                Way(cycles, kernel.unit, cycles),
            )


def _copies(layout: str, type_: TensorType) -> Iterator[tuple[Form, Form, Way]]:
    """Between both memories, each way."""
    try:
        size_bytes = layout_bytes(layout, type_)
    except GraphError:
        return  # no tensor of that shape has the layout
    cycles = _COPY_CYCLES + size_bytes // _COPIED_A_CYCLE
    for is_narrow in (False, True):
        for is_near in (False, True):
            before, after = (Form(layout, near, is_narrow) for near in (is_near, not is_near))
            yield before, after, Way(cycles, CORES, cycles)


def _closed(steps: Iterable[tuple[Form, Form, Way]]) -> Ways:
    """The cheapest ways of several steps (Floyd and Warshall)."""
    found: dict[tuple[Form, Form], Way] = {}

    def offer(before: Form, after: Form, way: Way) -> None:
        known = found.get((before, after))
        if before != after and (known is None or way.cycles < known.cycles):
            found[before, after] = way

    for step in steps:
        offer(*step)
    forms = sorted({form for pair in found for form in pair})
    for middle in forms:
        for before in forms:
            for after in forms:
                first, second = found.get((before, middle)), found.get((middle, after))
                if first is not None and second is not None:
                    offer(before, after, first.then(second))
    return found
