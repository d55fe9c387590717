"""A call whose result is made of sums, to which the rows of its operand are added as they come: where a stream ends in
a mean over height and width, or in a fully connected layer, the tensor before it never is there as a whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinsmith_ir.boxes import Box, cut_type
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators.base import Array, PartialSums
from tinsmith_ir.program import Call, Program, View
from tinsmith_ir.types import TensorType
from tinsmith_lowering import Layer

from tinsmith_splitting.rows import PartKernel, Parts, row_axis, rows_box
from tinsmith_splitting.segment import Price
from tinsmith_splitting.stream import Read, Stage


@dataclass(frozen=True)
class PartOfConstant:
    """A box of a constant of that name."""

    name: str
    box: Box


@dataclass(frozen=True, eq=False)
class SummedCall:
    """A call as a stage with as many rows as its first operand has.

    sums: how the result comes to be. operand: the view whose rows are added.
    """

    call: Call
    axis: int
    result: View
    stage: Stage
    operand_rows: tuple[int, ...]
    sums: PartialSums
    operand: View

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of its calls."""
        return (self.stage.name,)

    @property
    def row_bytes(self) -> int:
        """Of the result, which has no rows."""
        return 0

    def stage_of(self, chunk: int) -> Stage:
        """The stage where so many rows are added at a time."""
        del chunk
        return self.stage

    def rows(self, begin: int, end: int) -> Box:
        """Of the operand."""
        return rows_box(self.operand.type.shape, self.axis, begin, end)

    def price(self, parts: Parts, begin: int, end: int) -> Price | None:
        """Of adding rows begin to end - 1; of the last ones also of what makes the result."""
        added = parts.price_of(self.adds(parts, begin, end))
        if added is None or end < self.stage.rows:
            return added
        ends = parts.price_of(self.ends(parts))
        return ends and Price(max(added.scratch, ends.scratch), added.cost + ends.cost)

    def whole_price(self, parts: Parts) -> Price | None:
        """Of the call as it is."""
        return parts.price(self.call, Box.whole(self.result.type.shape))

    def adds(self, parts: Parts, begin: int, end: int) -> PartKernel | None:
        """What adds rows begin to end - 1 to the sums, or makes them of the first rows; None if no kernel does."""
        program = parts.program
        types: list[TensorType | None] = [cut_type(self.operand.type, self.rows(begin, end))]
        data: list[Array | None] = [None]
        for other in self.others(program, begin, end):
            if isinstance(other, TensorType) or other is None:
                types.append(other)
                data.append(None)
                continue
            constant = program.constant[other.name]
            types.append(cut_type(constant.type, other.box))
            data.append(constant.data[other.box.slices])
        return _choice(
            parts,
            Layer(
                self.stage.name,
                self.sums.adds,
                tuple(types),
                (self.sums.sums,),
                tuple(data),
                parts.target,
            ),
        )

    def others(
        self, program: Program, begin: int, end: int
    ) -> "Iterator[PartOfConstant | TensorType | None]":
        """The operands behind the first of what adds rows begin to end - 1: parts of constants, none, and what the sums
        of the rows before are taken as.
        """
        inputs, cut = self.call.inputs, dict(self.sums.cut)
        for at in range(1, max(len(inputs), self.sums.sums_at + 1 if begin else 0)):
            if at == self.sums.sums_at and begin:
                yield self.sums.given
                continue
            name = inputs[at]
            if name is None:
                yield None
                continue
            box = Box.whole(program.constant[name].type.shape)
            if at in cut:
                each = box.shape[cut[at]] // self.stage.rows
                box = box.with_range(cut[at], begin * each, end * each)
            yield PartOfConstant(name, box)

    def ends(self, parts: Parts) -> PartKernel | None:
        """What makes the result of the sums."""
        inputs: Sequence[TensorType] = (self.sums.sums,)
        layer = Layer(
            self.stage.name,
            self.sums.ends,
            tuple(inputs),
            (self.result.type,),
            (None,),
            parts.target,
        )
        return _choice(parts, layer)


def _choice(parts: Parts, layer: Layer) -> PartKernel | None:
    try:
        return parts.best(layer)
    except UnsupportedError:
        return None


def summed_call(parts: Parts, call: Call, axis: int) -> SummedCall | None:
    """A call as a stage that adds rows; None if it is not made of sums of rows along that axis, or no kernel adds
    them.
    """
    program = parts.program
    name = call.inputs[0] if call.inputs else None
    if len(call.outputs) != 1 or name is None or name not in program.view:
        return None
    if any(other is not None and other not in program.constant for other in call.inputs[1:]):
        return None
    inputs, outputs = program.types_of(call)
    sums = call.operator.partial_sums(inputs, outputs)
    operand, result = program.view[name], program.view[call.outputs[0]]
    shape = operand.type.shape
    if sums is None or axis not in sums.axes or row_axis([shape]) != axis:
        return None
    if not operand.is_dense or not result.is_dense:
        return None
    cut = [(inputs[at], along) for at, along in sums.cut]
    if any(type_ is None or type_.shape[along] % shape[axis] for type_, along in cut):
        return None
    rows = shape[axis]
    read = Read(name, tuple(range(rows)), tuple(range(1, rows + 1)))
    stage = Stage(call.name, result.name, rows, (read,))
    found = SummedCall(call, axis, result, stage, (rows,), sums, operand)
    is_there = found.adds(parts, 0, 1) and found.adds(parts, rows - 1, rows) and found.ends(parts)
    return found if is_there else None
