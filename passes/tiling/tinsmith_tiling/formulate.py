"""From a Program to the problem that the solver knows: which buffers may be near, and the ways of each call."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.boxes import Box
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import Call, Program, View, simple_steps
from tinsmith_ir.types import TensorType
from tinsmith_lowering import COPY_CORE_CYCLES, Kernel, bytes_cycles, find_kernel, layer_of_call
from tinsmith_lowering import Layer as KernelLayer
from tinsmith_target import Target

from tinsmith_tiling.constants import NEAR_ALIGNMENT, Preparing
from tinsmith_tiling.dma import copy_cycles
from tinsmith_tiling.model import Layer, Memory, Problem, Staging, Tensor, Way
from tinsmith_tiling.refusal import Stuck, alone_bytes, refusal, too_large
from tinsmith_tiling.ways import Cut, Cutter, Tiles

CALL_CYCLES = 80
"""Beside the kernel: the record of a call, written by one core while the others wait."""

CODE_CYCLES = 350
"""The function of a call, whose instructions come from afar when it is called first; each kind of tiles has one."""

_NEAR, _FAR = 0, 1


@dataclass(frozen=True, eq=False)
class TiledCall:
    """A call that is tiled: what its layer of the problem stands for. cuts: one for each way."""

    call: Call
    kernel: Kernel
    cuts: tuple[Cut, ...]


@dataclass(frozen=True, eq=False)
class Formulation:
    """problem: None where no call can be tiled. calls: by name, in the order of the problem's layers.

    buffers: those that may be near -> the name of their tensor. prepared: what kernels have made of constants so far.
    warnings: a line for each call that is left afar, as no near memory that the board has would hold a tile of it.
    """

    problem: Problem | None
    calls: Mapping[str, TiledCall]
    buffers: Mapping[str, str]
    prepared: Preparing
    warnings: tuple[str, ...]


def formulate(
    program: Program, target: Target, kernels: Sequence[Kernel], room_bytes: int
) -> Formulation:
    """The problem of a lowered program of whole tensors in one memory, or two with one for states.

    A call of which no tile would fit the board's whole memory is left as it is, and computed where its tensors lie.

    Raises DoesNotFitError, which names the least near memory that would do, where another layer has no way that fits;
    else there is a plan.
    """
    left: dict[str, str] = {}
    while True:
        formulating = _Formulating(program, target, kernels, room_bytes, left)
        if (made := formulating.result()) is not None:
            return made
        left |= formulating.too_large


class _Formulating:
    def __init__(
        self,
        program: Program,
        target: Target,
        kernels: Sequence[Kernel],
        room_bytes: int,
        left: Mapping[str, str],
    ) -> None:
        """left: calls that are not tiled, and what is said of each."""
        self._program = program
        self._target = target
        self._left = left
        self.too_large: dict[str, str] = {}
        cluster = target.board.cluster
        name = "near" if cluster is None else cluster.memory
        size = room_bytes // NEAR_ALIGNMENT * NEAR_ALIGNMENT
        self._memory = Memory(name, max(size, NEAR_ALIGNMENT), NEAR_ALIGNMENT)
        self._room = max(size, NEAR_ALIGNMENT)
        self._prepared = Preparing()
        self._stuck: list[Stuck] = []
        self._cutters: dict[str, Cutter] = {}
        self._shared_bytes: dict[tuple[str, tuple[tuple[int, ...], ...]], list[int]] = {}
        self._own_bytes: dict[str, int] = {}
        self._copied: dict[tuple[Tiles, str], _Copies] = {}
        self._tiled: dict[str, Kernel] = {}
        for call in program.steps:
            if not isinstance(call, Call) or call.name in left:
                continue
            layer = layer_of_call(program, call, target)
            kernel = find_kernel(call.kernel, layer, kernels)
            if not self._can_be_tiled(call) or kernel.cost(layer) is None:
                continue
            cutter = Cutter(program, target, call, kernel)
            if cutter.has_cuts:
                self._tiled[call.name], self._cutters[call.name] = kernel, cutter
        self._near = self._may_be_near()
        keys = {name: kernel.key for name, kernel in self._tiled.items()}
        self._kernel_before = dict(zip(keys, ["", *keys.values()], strict=False))
        self._tensors: dict[str, Tensor] = {}

    def result(self) -> Formulation | None:
        """None where some calls are too large for any near memory of the board."""
        calls: dict[str, TiledCall] = {}
        layers: list[Layer] = []
        for call in self._program.calls:
            if call.name in self._tiled:
                cuts, layer = self._layer(call)
                calls[call.name] = TiledCall(call, self._tiled[call.name], cuts)
                layers.append(layer)
        self.too_large = too_large(self._stuck, self._memory, self._target)
        if self.too_large:
            return None
        if self._stuck:
            raise refusal(self._stuck, self._memory, self._target)
        memories = (self._memory, Memory("far", None))
        problem = (
            Problem(memories, tuple(self._tensors.values()), tuple(layers)) if layers else None
        )
        named = {buffer: _tensor_name(buffer) for buffer in sorted(self._near)}
        known = {buffer: name for buffer, name in named.items() if name in self._tensors}
        return Formulation(problem, calls, known, self._prepared, tuple(self._left.values()))

    def _can_be_tiled(self, call: Call) -> bool:
        """It runs on the core, gives one dense result, and reads no buffer in two shapes."""
        program = self._program
        names = {name for name in call.inputs if name is not None and name in program.view}
        views = [program.view[name] for name in (*names, *call.outputs)]
        buffers = {view.buffer for view in views}
        is_simple = len(call.outputs) == 1 and call.engine is None and call.guard is None
        return is_simple and len(buffers) == len(views) and all(view.is_dense for view in views)

    def _may_be_near(self) -> set[str]:
        """Buffers that a tiled call writes whole, before tiled calls read them, and nobody else touches."""
        program = self._program
        arena = program.memories[0].name
        found = {buffer.name for buffer in program.buffers if buffer.memory == arena}
        found -= {program.view[name].buffer for name in program.ends}
        written: set[str] = set()
        for step in simple_steps(program.steps):
            reads, writes = step_names(step)
            is_tiled = isinstance(step, Call) and step.name in self._tiled
            names = [name for name in (*reads, *writes) if name in program.view]
            for name in names:
                view = program.view[name]
                if not is_tiled or not self._is_whole(view):
                    found.discard(view.buffer)
            for name in writes:
                buffer = program.view[name].buffer
                if buffer in written:
                    found.discard(buffer)
                written.add(buffer)
        return found

    def _is_whole(self, view: View) -> bool:
        size = self._program.buffer[view.buffer].size_bytes
        return view.is_dense and not view.counters and view.type.size_bytes == size

    def _constant_bytes(self, cut: Cut) -> list[int]:
        """Bytes of the constants of each part of the channels that are brought near; nothing where they are not.

        What kinds of tiles have in common is the same in all cuts into such parts, and so is what a kind has of its
        own: preparing constants is work.
        """
        layers = cut.cut.layers
        key = (cut.call.name, tuple(row[0].output.shape[-1:] for row in layers))
        if key not in self._shared_bytes:
            found = [
                self._prepared.staged(cut, part, row[:1]) for part, row in enumerate(cut.layers)
            ]
            self._shared_bytes[key] = [one.data.nbytes for one in found if one is not None]
        if len(self._shared_bytes[key]) < len(cut.tiles):
            return []
        if len(_kinds(layers[0])) > 1 and cut.call.name not in self._own_bytes:
            kinds = _kinds(cut.layers[0])
            both = [self._prepared.staged(cut, 0, kinds[:count]) for count in (1, 2)]
            sizes = [0 if one is None else one.data.nbytes for one in both]
            self._own_bytes[cut.call.name] = sizes[1] - sizes[0]
        own = self._own_bytes.get(cut.call.name, 0)
        return [
            shared + own * (len(_kinds(row)) - 1)
            for shared, row in zip(self._shared_bytes[key], layers, strict=True)
        ]

    def _layer(self, call: Call) -> tuple[tuple[Cut, ...], Layer]:
        operands = {name: self._named(call, name) for name in staged_operands(self._program, call)}
        output = call.outputs[0]
        result = self._named(call, output)

        def made(cuts: Sequence[Cut]) -> tuple[tuple[Cut, ...], Layer]:
            ways = tuple(self._way(cut, operands, result) for cut in cuts)
            return tuple(cuts), Layer(call.name, tuple(operands.values()), (result,), ways)

        cutter = self._cutters[call.name]
        found = made(cutter.cuts(self._room))
        if self._fits(found[1]):
            return found
        # Not those that are best for a room this large; does any fit?
        found = made([*found[0], *cutter.others(found[0])])
        if not self._fits(found[1]):
            names = {tensor: name for name, tensor in (*operands.items(), (output, result))}
            self._stuck.append(Stuck(found[1], self._least(found[1]), names))
        return found

    def _least(self, layer: Layer) -> Way:
        return min(layer.ways, key=lambda way: alone_bytes(layer, way, self._memory))

    def _fits(self, layer: Layer) -> bool:
        return alone_bytes(layer, self._least(layer), self._memory) <= self._room

    def _named(self, call: Call, name: str) -> str:
        """The tensor of a view. One that is always far has a name of its own at each call: the problem knows no tensor
        that is written in parts.
        """
        view = self._program.view[name]
        if view.buffer in self._near:
            found, homes = _tensor_name(view.buffer), (_NEAR, _FAR)
        else:
            found, homes = f"far {call.name} {name}", (_FAR,)
        if found not in self._tensors:
            size = self._program.buffer[view.buffer].size_bytes
            self._tensors[found] = Tensor(found, size, homes)
        return found

    def _copies(self, cut: Cut, name: str) -> "_Copies":
        """Of the tiles of an operand or the result, which cuts that differ in cores or slots have in common."""
        if (cut.cut, name) not in self._copied:
            boxes = [
                box
                for tile in cut.cut.all
                for given, box in zip(
                    (*cut.call.inputs, *cut.call.outputs), (*tile.reads, tile.box), strict=True
                )
                if given == name and box is not None
            ]
            if name in cut.call.inputs and len({*boxes}) == 1:
                boxes = boxes[:1]
            self._copied[cut.cut, name] = _copies_of(self._program.type_of(name), boxes)
        return self._copied[cut.cut, name]

    def _way(self, cut: Cut, operands: Mapping[str, str], result: str) -> Way:
        call, slots = cut.call, min(cut.slots, cut.count)
        reads = {tensor: self._copies(cut, name) for name, tensor in operands.items()}
        staged = [
            Staging(
                tensor,
                one.slot_bytes,
                1 if one.count == 1 else slots,
                one.cycles,
                COPY_CORE_CYCLES * one.count,
            )
            for tensor, one in reads.items()
        ]
        written = self._copies(cut, call.outputs[0])
        own = COPY_CORE_CYCLES * cut.count
        results = (Staging(result, written.slot_bytes, slots, written.cycles, own),)
        far = {tensor for tensor, one in (*reads.items(), (result, written)) if not one.are_dense}
        constants = self._constant_bytes(cut)
        overhead = (
            CALL_CYCLES * cut.count
            + CODE_CYCLES * cut.cut.kinds
            + COPY_CORE_CYCLES * len(constants)
        )
        overhead += cut.first_cycles if cut.kernel.key != self._kernel_before[call.name] else 0
        return Way(
            cut.label,
            cut.cycles + overhead,
            scratch_bytes=cut.scratch_bytes,
            operands=tuple(staged),
            results=results,
            constants_bytes=max(constants, default=0),
            constants_slots=min(cut.slots, len(constants)) or 1,
            constants_copy_cycles=sum(map(bytes_cycles, constants)),
            first_constants_cycles=bytes_cycles(constants[0]) if constants else None,
            needs_far=frozenset(far),
            tiles=cut.count,
        )


def _kinds(layers: Sequence[KernelLayer]) -> list[KernelLayer]:
    return [*{id(layer): layer for layer in layers}.values()]


def reads_one_box(cut: Cut, name: str) -> bool:
    """Whether all tiles read the same of an operand, which is then fetched once."""
    boxes = {
        box
        for row in cut.tiles
        for tile in row
        for given, box in zip(cut.call.inputs, tile.reads, strict=True)
        if given == name
    }
    return len(boxes) == 1


def staged_operands(program: Program, call: Call) -> tuple[str, ...]:
    """The views that a call reads, each once, in the order of its way's operands."""
    return tuple(dict.fromkeys(name for name in call.inputs if name and name in program.view))


@dataclass(frozen=True)
class _Copies:
    """Copies of all tiles of a tensor. slot_bytes: of the largest. are_dense: whether tiles lie together in the tensor,
    so that it may be near.
    """

    count: int
    cycles: int
    slot_bytes: int
    are_dense: bool


def _copies_of(type_: TensorType, boxes: Sequence[Box]) -> _Copies:
    # Tiles have few shapes, whatever their number.
    shapes = Counter(box.shape for box in boxes)
    cycles = sum(count * copy_cycles(type_, Box.whole(shape)) for shape, count in shapes.items())
    most = max(math.prod(shape) for shape in shapes)
    are_dense = all(_is_dense(type_.shape, shape) for shape in shapes)
    return _Copies(len(boxes), cycles, most * type_.dtype.size_bytes, are_dense)


def _is_dense(whole: Sequence[int], part: Sequence[int]) -> bool:
    """Whether a part of a dense tensor is dense: no axis is cut behind one of several indices."""
    is_open = True
    for extent, taken in zip(whole, part, strict=True):
        if taken < extent and not is_open:
            return False
        is_open = is_open and taken == 1
    return True


def _tensor_name(buffer: str) -> str:
    return f"tensor {buffer}"
