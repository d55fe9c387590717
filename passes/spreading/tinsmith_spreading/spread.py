"""The program pass: calls whose kernel works on one core, in parts that all cores of a cluster compute.

The cores are an engine of the Program that keeps no order. Parts are started on it and waited for, so whoever reads
Programs knows what it needs: which bytes are in use meanwhile, and that no part touches what another one writes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.boxes import Box
from tinsmith_ir.byte_places import places, run_count
from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.operators import Trait
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome
from tinsmith_ir.program import Call, Engine, Program, Step
from tinsmith_lowering import Kernel, cut_each, find_kernel, layer_of_call, layer_of_part
from tinsmith_target import Target

from tinsmith_spreading.steps import CORES, at_once, with_buffers_together
from tinsmith_spreading.ways import axis_cuts, dense_cuts

MOST_PARTS = 16
"""As many tokens as there are from `FIRST_TOKEN` on."""

_NAMED = 3

_CPU = "cpu"
"""Of kernels that use nothing but the core that runs them."""

_COPIES_PAY = 2
"""Times the least work: copies of parts that lie with gaps are starts and waits more."""

_MOVES = 4
"""Elements that are moved in about the time in which one is computed."""

_FARTHER = 2.8
"""How many times as long a core of the cluster takes as the one that boots it, which is nearer to the tensors."""

_FEW_PARTS = 2
"""Times as many parts are worth copies where the work is large."""

_LARGE = 16
"""Times the least work: copies of parts are little beside it."""


@dataclass(frozen=True)
class SpreadCalls(Checked):
    """Cut the calls of kernels that know nothing of cores, for the cluster of the target; other targets are left alone.

    kernels: at least those that the calls name. least_work: calls of fewer multiply-accumulates and fewer elements stay
    whole, since starts and waits of their parts would take as long; where elements are only moved, four are as one.
    """

    target: Target
    kernels: Sequence[Kernel]
    least_work: int = 32

    name: ClassVar[str] = "spread-calls"
    # Parts of operators compute what the whole does.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for work that is none."""
        super().__post_init__()
        if self.least_work < 0:
            raise UsageError(f"{self.name}: expected least-work from 0, got {self.least_work}")

    def run(self, program: Program) -> Program:
        """The program whose large calls are spread."""
        return self.run_in_detail(program).ir

    @checked
    def run_in_detail(self, program: Program) -> Outcome[Program]:
        """The same, with a warning for large calls that one core computes.

        program: lowered, its constants as the graph has them, its buffers without offsets.
        """
        cluster = self.target.board.cluster
        cores = 1 if cluster is None else cluster.cores
        if cores == 1:
            return Outcome(program)
        finding = _Finding(self, program, min(cores, MOST_PARTS))
        calls = [step for step in program.steps if isinstance(step, Call)]
        found = {call.name: finding.boxes_of(call) for call in calls}
        boxes = {name: cut for name, cut in found.items() if isinstance(cut, list)}
        if not boxes or not finding.pays(calls, boxes):
            return Outcome(program)
        whole: dict[str, list[str]] = {}
        for name, why in found.items():
            if isinstance(why, str):
                whole.setdefault(why, []).append(name)
        warnings = tuple(f"{_listed(names)}: on one core: {why}" for why, names in whole.items())
        return Outcome(self._spread(program, boxes, cores), warnings)

    def _spread(self, program: Program, boxes: Mapping[str, Sequence[Box]], cores: int) -> Program:
        cut, parts = cut_each(program, boxes, self.target, self.kernels)
        cut = with_buffers_together(cut, program, parts)
        first = {id(own[0][0]): own for own in parts.values()}
        others = {id(step) for own in parts.values() for part in own for step in part}
        steps: list[Step] = []
        for step in cut.steps:
            if id(step) in first:
                steps += at_once(first[id(step)])
            elif id(step) not in others:
                steps.append(step)
        reaches = tuple(memory.name for memory in cut.memories if not memory.is_remote)
        engine = Engine(CORES, reaches, is_fifo=False, depth=cores)
        return replace(cut, steps=tuple(steps), engines=(*cut.engines, engine))


class _Finding:
    """Looks for the parts of calls."""

    def __init__(self, options: SpreadCalls, program: Program, most_parts: int) -> None:
        self._options = options
        self._program = program
        self._most_parts = most_parts

    def pays(self, calls: Sequence[Call], spread: Mapping[str, Sequence[Box]]) -> bool:
        """Whether the cluster runs the program anyway, as a kernel wants it, or needs less time."""
        if any(map(self._is_of_cluster, calls)):
            return True
        work = {call.name: self._work(call) for call in calls}
        shared = sum(work[name] / len(spread.get(name, ("whole",))) for name in work)
        return _FARTHER * shared <= sum(work.values())

    def boxes_of(self, call: Call) -> list[Box] | str | None:
        """The boxes of its parts, None if it is to stay whole; or why it cannot be cut, though it is large."""
        options, program = self._options, self._program
        layer = layer_of_call(program, call, options.target)
        kernel = find_kernel(call.kernel, layer, options.kernels)
        if call.engine is not None or kernel.of_cluster or kernel.engine != _CPU:
            return None
        if kernel.cost(layer) is not None:
            return None
        work = self._work(call)
        if work < options.least_work:
            return None
        if len(call.outputs) > 1:
            return f"{call.operator.title} has several results"
        if self._lies_over_an_operand(call):
            return f"{call.operator.title} writes where it reads"
        shape = layer.output.shape
        is_large = work >= _LARGE * _COPIES_PAY * options.least_work
        copying: list[list[Box]] = []
        for boxes in dense_cuts(shape, self._most_parts):
            count = self._copied_runs(call, kernel, boxes)
            if count == 0:
                more = [way for way in copying if len(way) >= _FEW_PARTS * len(boxes)]
                return more[0] if more and is_large else boxes
            if count is not None:
                copying.append(boxes)
        ways = axis_cuts(shape, self._most_parts)
        runs = [self._copied_runs(call, kernel, boxes) for boxes in ways]
        possible = [
            (boxes[0].elements, count, boxes)
            for count, boxes in zip(runs, ways, strict=True)
            if count is not None
        ]
        if not possible:
            return f"{call.operator.title} is not cut"
        if work < _COPIES_PAY * options.least_work:
            return None
        return min(possible, key=lambda way: way[:2])[2]

    def _is_of_cluster(self, call: Call) -> bool:
        options = self._options
        layer = layer_of_call(self._program, call, options.target)
        return find_kernel(call.kernel, layer, options.kernels).of_cluster

    def _work(self, call: Call) -> int:
        inputs, outputs = self._program.types_of(call)
        macs = call.operator.macs(inputs, outputs)
        elements = max(type_.elements for type_ in (*inputs, *outputs) if type_ is not None)
        moves = Trait.MOVES in call.operator.traits
        return max(macs, elements // _MOVES if moves else elements)

    def _lies_over_an_operand(self, call: Call) -> bool:
        """As passes that take copies away may lay it; parts would write what others have not read."""
        views = self._program.view
        result = views[call.outputs[0]]
        return any(
            name in views
            and views[name].buffer == result.buffer
            and places(views[name]).overlaps(places(result))
            for name in filter(None, call.inputs)
        )

    def _copied_runs(self, call: Call, kernel: Kernel, boxes: Sequence[Box]) -> int | None:
        """How many contiguous pieces of operands and the result are copied so that kernels find them dense; None where
        the operator is not cut there, or the kernel does not compute a part.
        """
        program, target = self._program, self._options.target
        inputs, outputs = program.types_of(call)
        runs = 0
        for box in boxes:
            restriction = call.operator.restrict(box, inputs, outputs)
            if restriction is None:
                return None
            layer = layer_of_part(program, call, restriction, box, target)
            if not kernel.takes(layer.kind) or kernel.broken_rule(layer) is not None:
                return None
            read = zip(call.inputs, restriction.operands, strict=True)
            for name, part in ((call.outputs[0], box), *read):
                view = program.view.get(name or "")
                if view is None or part is None or part.is_whole(view.type.shape):
                    continue
                if view.ring is not None or view.layout:
                    return None
                found = view.part(view.name, part)
                runs += 0 if found.is_dense else run_count(found)
        return runs


def _listed(names: Sequence[str]) -> str:
    """The first of them, and how many there are beside."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
