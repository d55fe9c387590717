"""Which layers become analog, by cost: a placement problem over the core, the digital array and the analog one, with
what it takes to turn tensors between them, and what each analog layer loses.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.operators import Reshape, Trait
from tinsmith_ir.program import Call, Copy, Program
from tinsmith_ir.types import DType, TensorType
from tinsmith_lowering import (
    CORES,
    Kernel,
    Layer,
    find_kernel,
    layer_of_call,
    lower,
)
from tinsmith_placement import Layer as PlacedLayer
from tinsmith_placement import Option, Plan, Problem, Turn, solve
from tinsmith_target import Target

from tinsmith_diana.analog.convolution import ACCELERATOR
from tinsmith_diana.analog.folding import can_halve
from tinsmith_diana.analog.forms import Form, Forms
from tinsmith_diana.analog.operator import AnalogConv2D
from tinsmith_diana.layouts import DianaPixels

_PIXELS = DianaPixels.name
_NARROW_BITS = 7


@dataclass(frozen=True, eq=False)
class Alternative:
    """A layer of the graph as an analog one. layer: as kernels see it; its input and its result are one row where
    `is_row`. loss: power of its noise beside that of its signal.
    """

    layer: Layer
    loss: float
    is_row: bool

    @property
    def goes_on_narrow(self) -> bool:
        """Whether its result is wanted in 7 bits alone, if all who could read it so do."""
        return self.layer.operator_as(AnalogConv2D).bits == _NARROW_BITS


@dataclass(frozen=True, eq=False)
class Choice:
    """analog: names of layers that are faster as analog ones, all things considered. refused: why the array does not
    compute an alternative, by name. problem, plan: how they were found.
    """

    analog: frozenset[str]
    refused: Mapping[str, str]
    problem: Problem
    plan: Plan

    def __str__(self) -> str:
        """A line for users."""
        return (
            f"by cost {len(self.analog)} layers are analog: {self.plan.cycles:,} cycles by the model, "
            f"{self.plan.status.value}"
        )

    def reason(self, name: str) -> str:
        """Why a layer that has an alternative is not analog."""
        if name in self.refused:
            return self.refused[name]
        at = next(at for at, layer in enumerate(self.problem.layers) if layer.name == name)
        options = self.problem.layers[at].options
        own = options[self.plan.chosen[at]]
        other = min(option.cycles for option in options if option.engine == ACCELERATOR)
        return (
            f"by cost it stays on {own.engine}, {own.cycles:,} cycles; it would take {other:,}, and its tensors would "
            "be turned"
        )


def choose(
    graph: Graph,
    target: Target,
    kernels: Sequence[Kernel],
    alternatives: Mapping[str, Alternative],
    most_loss: float | None = None,
) -> Choice:
    """The fastest choice by the kernels' costs.

    alternatives: by the name of a layer of the graph. most_loss: of all analog layers together. Raises UnsupportedError
    for a graph that cannot be lowered.
    """
    choosing = _Choosing(graph, target, kernels, alternatives)
    problem = replace(choosing.problem(), most_loss=most_loss)
    plan = solve(problem)
    analog = frozenset(
        layer.name
        for layer, index in zip(problem.layers, plan.chosen, strict=True)
        if layer.options[index].engine == ACCELERATOR
    )
    return Choice(analog, choosing.refused, problem, plan)


class _Choosing:
    """The parts of the problem."""

    def __init__(
        self,
        graph: Graph,
        target: Target,
        kernels: Sequence[Kernel],
        alternatives: Mapping[str, Alternative],
    ) -> None:
        self._graph = graph
        self._target = target
        self._kernels = kernels
        self._alternatives = alternatives
        self._program = lower(graph, target, kernels)
        self._forms = Forms(target, kernels)
        self._sources = dict(_turned(self._program, graph))
        self.refused: dict[str, str] = {}

    def problem(self) -> Problem:
        layers = [*self._layers()]
        outputs = {self._source(name): "" for name in self._program.outputs}
        return Problem(tuple(layers), wanted=outputs, turns=tuple(self._turns(layers, outputs)))

    def _layers(self) -> Iterator[PlacedLayer]:
        """Of each call, and of each other shape of a tensor, which is dense; nodes within a chain have none."""
        calls = {call.name: call for call in self._program.calls}
        for node in self._graph.nodes:
            if node.name in calls:
                yield self._placed(node, calls[node.name])
            elif Trait.SAME_BYTES in node.operator.traits:
                names = self._computed([value.name for value in node.present_inputs])
                results = tuple(value.name for value in node.outputs)
                yield PlacedLayer(node.name, names, results, (Option(CORES, 0),))

    def _placed(self, node: Node, call: Call) -> PlacedLayer:
        layer = layer_of_call(self._program, call, self._target)
        is_free = node.operator == call.operator and not node.engine
        options = [*self._options(node, call, layer)] if is_free else []
        if not options:
            kernel = find_kernel(call.kernel, layer, self._kernels)
            options = [self._option(call, layer, kernel)]
        operands = self._computed(call.inputs)
        return PlacedLayer(call.name, operands, call.outputs, (*options, *self._analog(node)))

    def _options(self, node: Node, call: Call, layer: Layer) -> Iterator[Option]:
        """Of each engine, and of each layout that it can have; where the core's cycles are not known, the first."""
        seen: set[tuple[str, tuple[str, ...]]] = set()
        gives_half = can_halve(node)
        # What turns nothing comes last: the first options of all layers together are always possible.
        for kernel in sorted(self._kernels, key=lambda kernel: kernel.as_they_lie):
            if not kernel.takes(layer.kind) or kernel.why_not(layer) is not None:
                continue
            option = self._option(call, layer, kernel)
            key = option.engine, option.takes
            if key in seen or not option.cycles:
                continue
            seen.add(key)
            yield option
            if gives_half:
                half = replace(
                    self._forms.result(kernel, kernel.with_options(layer), 0), is_narrow=True
                )
                yield replace(option, gives=(str(half),))

    def _option(self, call: Call, layer: Layer, kernel: Kernel) -> Option:
        """Of a kernel that may not know its cycles: then there is nothing else to choose."""
        chosen = kernel.with_options(layer)
        cost = kernel.cost(chosen)
        takes = {
            self._source(name): self._taken(kernel, chosen, index)
            for index, name in enumerate(call.inputs)
            if name is not None and name in self._program.view
        }
        gives = tuple(
            str(self._forms.result(kernel, chosen, index)) for index in range(len(call.outputs))
        )
        cycles = 0 if cost is None else cost.cycles + cost.first
        return Option(kernel.unit, cycles, (), 0, 0.0, tuple(takes.values()), gives, kernel.name)

    def _taken(self, kernel: Kernel, layer: Layer, index: int) -> str:
        form = str(self._forms.operand(kernel, layer, index))
        return f"{form}{_AS_IT_LIES}" if kernel.as_they_lie else form

    def _analog(self, node: Node) -> Iterator[Option]:
        """Of the alternative: its result in 8 bits, or in 7; images that each layer copies, or that stay in L1."""
        found = self._alternatives.get(node.name)
        if found is None:
            return
        for bits in (8, _NARROW_BITS) if found.goes_on_narrow else (8,):
            operator = replace(found.layer.operator_as(AnalogConv2D), bits=bits)
            layer = replace(found.layer, operator=operator)
            for kernel, cycles in self._taking(node.name, layer):
                takes = replace(self._forms.operand(kernel, layer, 0), is_narrow=True)
                gives = replace(self._forms.result(kernel, layer, 0), is_narrow=bits != 8)
                if found.is_row:
                    if takes.layout != _PIXELS:
                        continue  # a row is dense in front and behind
                    cycles += self._turned_cycles(layer.input(0), "", _PIXELS)
                    cycles += self._turned_cycles(layer.output, _PIXELS, "")
                    takes, gives = replace(takes, layout=""), replace(gives, layout="")
                yield Option(
                    ACCELERATOR, cycles, loss=found.loss, takes=(str(takes),), gives=(str(gives),)
                )

    def _taking(self, name: str, layer: Layer) -> Sequence[tuple[Kernel, int]]:
        """The array's kernels that have room for the layer, and their cycles."""
        reasons: list[str] = []
        taking: list[tuple[Kernel, int]] = []
        for kernel in self._kernels:
            if kernel.unit == ACCELERATOR and kernel.takes(layer.kind):
                finding = kernel.broken_rule(layer)
                cost = kernel.cost(layer) if finding is None else None
                if cost is not None:
                    taking.append((kernel, cost.cycles + cost.first))
                reasons.append(finding or "its cycles are not known")
        if not taking:
            reason = next(iter(reasons), f"no kernel of {ACCELERATOR} is there")
            self.refused[name] = reason
        return taking

    def _turned_cycles(self, type_: TensorType, before: str, after: str) -> int:
        way = self._forms.ways(type_).get((Form(before), Form(after)))
        return 0 if way is None else way.cycles

    def _turns(self, layers: Sequence[PlacedLayer], outputs: Mapping[str, str]) -> Iterator[Turn]:
        """Of each tensor, from each form in which it is given to each that is read."""
        given: dict[str, set[str]] = {}
        read: dict[str, set[str]] = {name: {form} for name, form in outputs.items()}
        for layer in layers:
            for option in layer.options:
                for name, form in layer.forms_read(option).items():
                    read.setdefault(name, set()).add(form)
                for name, form in layer.forms_written(option).items():
                    given.setdefault(name, set()).add(form)
        for name, after in sorted(read.items()):
            yield from self._turns_of(name, sorted(given.get(name, {""})), sorted(after))

    def _turns_of(self, name: str, given: Sequence[str], read: Sequence[str]) -> Iterator[Turn]:
        type_ = self._program.view[name].type
        if type_.dtype is not DType.INT8 or type_.quantization is None:
            return
        ways = {
            (str(before), str(after)): (before, after, way)
            for (before, after), way in self._forms.ways(type_).items()
        }
        for before, after in product(given, read):
            plain = after.removesuffix(_AS_IT_LIES)
            found = ways.get((before, plain))
            if found is not None and (after == plain or found[0].layout == found[1].layout):
                yield Turn(name, before, after, found[2].engine, found[2].cycles)
            elif before == plain != after:
                yield Turn(name, before, after, CORES, 0)

    def _computed(self, names: Iterable[str | None]) -> tuple[str, ...]:
        """Operands that are no constants, each once, by the tensors that they are turned from."""
        computed = (name for name in names if name is not None and name in self._program.view)
        return tuple(dict.fromkeys(map(self._source, computed)))

    def _source(self, name: str) -> str:
        return self._sources.get(name, name)


_AS_IT_LIES = ", as it lies"
"""Marks forms for kernels that turn nothing (`Kernel.as_they_lie`): they are another form, to which fewer ways lead."""


def _turned(program: Program, graph: Graph) -> Iterator[tuple[str, str]]:
    """Tensors that lowering turned or copied, and those of the graph that they were."""
    own = {value.name for node in graph.nodes for value in node.outputs}
    sources: dict[str, str] = {}
    for step in program.steps:
        if isinstance(step, Call) and isinstance(step.operator, Reshape):
            source, result = step.inputs[0], step.outputs[0]
        elif isinstance(step, Copy):
            source, result = step.source, step.destination
        else:
            continue
        if source is not None and result not in own:
            sources[result] = sources.get(source, source)
            yield result, sources[result]
