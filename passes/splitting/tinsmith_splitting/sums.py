"""A call whose result is made of sums, to which the rows of its operand are added as they come: where a stream ends in
a mean over height and width, the tensor before it never is there as a whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tinsmith_ir.boxes import Box, cut_type
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators.base import PartialSums
from tinsmith_ir.program import Call, View
from tinsmith_ir.types import TensorType
from tinsmith_lowering import Layer

from tinsmith_splitting.rows import PartKernel, Parts, rows_box
from tinsmith_splitting.segment import Price
from tinsmith_splitting.stream import Read, Stage


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
        rows = cut_type(self.operand.type, self.rows(begin, end))
        inputs = (rows, self.sums.sums) if begin else (rows,)
        return _choice(
            parts,
            Layer(
                self.stage.name,
                self.sums.adds,
                inputs,
                (self.sums.sums,),
                (None,) * len(inputs),
                parts.target,
            ),
        )

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
    if axis != 1 or len(call.outputs) != 1 or name is None or name not in program.view:
        return None
    inputs, outputs = program.types_of(call)
    sums = call.operator.partial_sums(inputs, outputs)
    operand, result = program.view[name], program.view[call.outputs[0]]
    shape = operand.type.shape
    is_one = all(other is None for other in call.inputs[1:])
    if sums is None or not is_one or not operand.is_dense or shape[0] != 1 or not result.is_dense:
        return None
    rows = shape[axis]
    read = Read(name, tuple(range(rows)), tuple(range(1, rows + 1)))
    stage = Stage(call.name, result.name, rows, (read,))
    found = SummedCall(call, axis, result, stage, (rows,), sums, operand)
    is_there = found.adds(parts, 0, 1) and found.adds(parts, rows - 1, rows) and found.ends(parts)
    return found if is_there else None
