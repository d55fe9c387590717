"""The rows of a Program's tensors: which of them each call reads for which, and what computes a part of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tinsmith_ir.boxes import Box, Range
from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import Operator
from tinsmith_ir.operators.base import Restriction
from tinsmith_ir.program import Call, Copy, Option, Program, SimpleStep, View
from tinsmith_ir.types import TensorType
from tinsmith_lowering import Kernel, Layer, choose_kernel, find_kernel, layer_of_part
from tinsmith_target import Target

from tinsmith_splitting.segment import Price
from tinsmith_splitting.stream import Read, Stage

_ANOTHER = 1.03
"""How many times the instructions a part may take with the kernel of the whole, which has its code and its constants
already.
"""

_CALL_COST = 250.0
"""Instructions of a call beside what it computes, where nobody has measured its kernel."""

COPY_COST = (30.0, 0.15)
"""Instructions of one copy, and of one of its bytes."""


def cost_of(kernel: Kernel, layer: Layer) -> float:
    """Instructions of a call, about."""
    cost = kernel.cost(layer)
    if cost is not None:
        return float(cost.cycles)
    macs = layer.operator.macs(layer.inputs, layer.outputs)
    return _CALL_COST + macs + layer.output.elements


def row_axis(shapes: Sequence[tuple[int, ...]]) -> int | None:
    """The axis along which tensors of these shapes have rows that lie densely: the first that is longer than 1 in one
    of them, all before it being 1 everywhere; None if there is none that all of them have.
    """
    for axis in range(min(map(len, shapes), default=0)):
        if any(shape[axis] > 1 for shape in shapes):
            return axis
    return None


def rows_box(shape: Sequence[int], axis: int, begin: int, end: int) -> Box:
    """Rows begin to end - 1 along an axis."""
    return Box.whole(shape).with_range(axis, begin, end)


@dataclass(frozen=True)
class PartKernel(Checked):
    """The kernel of a part. called: what its call says. reason: why not a better one."""

    kernel: Kernel
    layer: Layer
    called: str
    reason: str

    @property
    def cost(self) -> float:
        """Instructions, about."""
        return cost_of(self.kernel, self.layer)


_TypeKey = tuple[tuple[int, ...], Range | None] | None


def _type_key(type_: TensorType | None, box: Box | None) -> _TypeKey:
    """The same for parts of a tensor that have the same type, without making that."""
    if type_ is None or box is None:
        return None
    quantization = type_.quantization
    if quantization is None or quantization.axis is None:
        return box.shape, None
    return box.shape, box.ranges[quantization.axis]


class Parts:
    """Parts of the calls of a program: their layers and kernels, found once for parts that are alike.

    program: lowered, its constants as the graph has them.
    """

    def __init__(self, program: Program, target: Target, kernels: Sequence[Kernel]) -> None:
        self.program = program
        self.target = target
        self.kernels = kernels
        self._restrictions: dict[tuple[str, Box], Restriction | None] = {}
        self._choices: dict[
            tuple[str, tuple[Option, ...], tuple[int, ...], Operator, tuple[_TypeKey, ...]],
            PartKernel,
        ] = {}

    def restriction(self, call: Call, box: Box) -> Restriction | None:
        """What computes a part of a call's result; None if it is not cut there."""
        key = call.name, box
        if key not in self._restrictions:
            inputs, outputs = self.program.types_of(call)
            self._restrictions[key] = call.operator.restrict(box, inputs, outputs)
        return self._restrictions[key]

    def choice(self, call: Call, box: Box) -> PartKernel | None:
        """The kernel of a part: the call's own if it takes it; None if no kernel does."""
        found = self.restriction(call, box)
        if found is None:
            return None
        inputs, _ = self.program.types_of(call)
        pairs = zip(inputs, found.operands, strict=True)
        types = tuple(_type_key(*pair) for pair in pairs)
        key = call.name, call.options, box.shape, found.operator, types
        if key not in self._choices:
            layer = layer_of_part(self.program, call, found, box, self.target)
            try:
                self._choices[key] = self._choose(call, layer)
            except UnsupportedError:
                return None
        return self._choices[key]

    def price(self, call: Call, box: Box) -> Price | None:
        """Of a part; None if no kernel computes it."""
        return self.price_of(self.choice(call, box))

    def price_of(self, choice: PartKernel | None) -> Price | None:
        """Of a kernel and its layer."""
        if choice is None:
            return None
        return Price(choice.kernel.scratch_bytes(choice.layer), choice.cost)

    def best(self, layer: Layer) -> PartKernel:
        """The first kernel that takes a layer of no call; raises UnsupportedError if none does."""
        kernel, reason, called = choose_kernel(layer, self.kernels)
        return PartKernel(kernel, kernel.with_options(layer, ()), called, reason)

    def _choose(self, call: Call, layer: Layer) -> PartKernel:
        try:
            kernel = find_kernel(call.kernel, layer, self.kernels)
        except UnsupportedError:
            kernel = None
        own = None
        if kernel is not None and kernel.broken_rule(layer) is None:
            seen = kernel.with_options(layer, call.options)
            own = PartKernel(kernel, seen, call.kernel, call.reason)
            if kernel.why_not(layer) is None:
                return own
        kernel, reason, called = choose_kernel(layer, self.kernels)
        best = PartKernel(kernel, kernel.with_options(layer, call.options), called, reason)
        if own is not None and own.cost <= _ANOTHER * best.cost:
            return own
        return best


@dataclass(frozen=True, eq=False)
class RowCall:
    """A call that can be computed row by row, or a copy that asks the caller for an input.

    result: the view that it makes.
    """

    call: Call | Copy
    axis: int
    result: View
    stage: Stage
    """Its reads name views."""
    operand_rows: tuple[int, ...]
    """Of the tensor of each read, all of its rows."""

    def stage_of(self, chunk: int) -> Stage:
        """The stage where so many rows are made at a time; with all of them at once all of each operand is read, also
        rows behind the last window.
        """
        stage = self.stage
        if chunk < stage.rows:
            return stage
        reads = tuple(
            Read(read.tensor, (0,) * stage.rows, (rows,) * stage.rows)
            for read, rows in zip(stage.reads, self.operand_rows, strict=True)
        )
        return replace(stage, reads=reads)

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of its calls."""
        return (self.stage.name,)

    def price(self, parts: Parts, begin: int, end: int) -> Price | None:
        """Of rows begin to end - 1; None if no kernel computes them."""
        if isinstance(self.call, Copy):
            once, each = COPY_COST
            return Price(0, once + each * (end - begin) * self.row_bytes)
        return parts.price(self.call, self.box(begin, end))

    def whole_price(self, parts: Parts) -> Price | None:
        """Of all rows at once."""
        return self.price(parts, 0, self.stage.rows)

    def box(self, begin: int, end: int) -> Box:
        """Rows of the result."""
        return rows_box(self.result.type.shape, self.axis, begin, end)

    @cached_property
    def row_bytes(self) -> int:
        """Of the result."""
        return self.result.type.size_bytes // self.stage.rows


def result_of(program: Program, step: SimpleStep) -> View | None:
    """What a step makes whose rows may stream: the one result of a call, the copy of what the caller hands over; None
    of other steps.
    """
    match step:
        case Call():
            is_plain = step.engine is None and step.guard is None and not step.reads
            return program.view[step.outputs[0]] if is_plain and len(step.outputs) == 1 else None
        case Copy():
            is_asking = step.source in program.view and is_handed_over(program, step.source)
            return program.view[step.destination] if is_asking else None
        case _:
            return None


def is_handed_over(program: Program, name: str) -> bool:
    """Whether a view lies in a memory of the caller's."""
    return program.memory[program.buffer_of(name).memory].is_caller


def row_call(parts: Parts, call: SimpleStep, axis: int) -> RowCall | None:
    """A step as a stage; None if some row of its result cannot be had by itself, from whole rows of its operands."""
    program = parts.program
    result = result_of(program, call)
    if result is None or not isinstance(call, Call | Copy):
        return None
    shape = result.type.shape
    if not result.is_dense or len(shape) <= axis or any(size > 1 for size in shape[:axis]):
        return None
    if isinstance(call, Copy):
        return RowCall(call, axis, result, Stage(result.name, result.name, shape[axis], ()), ())
    names = [name if name is not None and name in program.view else None for name in call.inputs]
    rows = shape[axis]
    ranges: dict[str, list[tuple[int, int] | None]] = {
        name: [] for name in names if name is not None
    }
    for row in range(rows):
        found = parts.restriction(call, rows_box(shape, axis, row, row + 1))
        if found is None:
            return None
        read: dict[str, tuple[int, int]] = {}
        for name, box in zip(names, found.operands, strict=True):
            if name is None or box is None:
                continue
            span = _rows_of(program.view[name], box, axis)
            if span is None:
                return None
            begin, end = read.get(name, span)
            read[name] = min(begin, span[0]), max(end, span[1])
        for name, spans in ranges.items():
            spans.append(read.get(name))
    reads = tuple(
        _read(name, spans, program.view[name].type.shape[axis]) for name, spans in ranges.items()
    )
    if any(read is None for read in reads):
        return None
    stage = Stage(call.name, result.name, rows, tuple(read for read in reads if read is not None))
    extents = tuple(program.view[read.tensor].type.shape[axis] for read in stage.reads)
    return RowCall(call, axis, result, stage, extents)


def _rows_of(view: View, box: Box, axis: int) -> tuple[int, int] | None:
    """The rows that a box holds; None if it does not hold them whole, or they do not lie densely."""
    shape = view.type.shape
    if not view.is_dense or len(shape) <= axis or any(size > 1 for size in shape[:axis]):
        return None
    others = [at for at in range(len(shape)) if at != axis]
    if not all(box.is_whole(shape, at) for at in others):
        return None
    return box.ranges[axis]


def _read(name: str, spans: Sequence[tuple[int, int] | None], rows: int) -> Read | None:
    """None unless ranges never fall. Where nothing is read, the next begin and the last end stand."""
    begins, ends = [0] * len(spans), [0] * len(spans)
    begin = rows
    for at in reversed(range(len(spans))):
        span = spans[at]
        if span is not None:
            if span[0] > begin:
                return None
            begin = span[0]
        begins[at] = begin
    end = 0
    for at, span in enumerate(spans):
        if span is not None:
            if span[1] < end:
                return None
            end = span[1]
        ends[at] = end
    return Read(name, tuple(begins), tuple(ends))
