"""Where time lies in the tensors of a network, and how an operator reads along it: records alone."""

from dataclasses import dataclass, replace

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import TinsmithError
from tinsmith_ir.operators import Operator, Reshape, Slice
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Track(Checked):
    """Time in a tensor of the whole window: one of its axes.

    rows: how many the tensor has along `axis`, the last of which is the newest; at least 2. step: frames of the input
    from one row to the next.
    """

    axis: int
    rows: int
    step: int

    def cut(self, type_: TensorType, rows: int) -> TensorType:
        """The type of so many rows of a tensor."""
        shape = (*type_.shape[: self.axis], rows, *type_.shape[self.axis + 1 :])
        return type_.with_shape(shape)


@dataclass(frozen=True)
class Window(Checked):
    """How rows of a result come of rows of its operands: row i reads `extent` of them, from i * stride - before on.

    operator: what makes rows of rows, without padding along time; see `operator_for`. axis: of time in the result.
    rows: of the result of the whole window. fill: what is read in front of the first row; None where nothing is.
    chooses: the operator does no more than to choose rows.
    """

    operator: Operator
    axis: int
    rows: int
    extent: int = 1
    stride: int = 1
    before: int = 0
    fill: int | float | None = None
    chooses: bool = False

    def ahead(self, rows: int) -> int:
        """How many rows behind the last of so many rows of an operand the last row of the result reads; if negative,
        how many of the last it does not read.
        """
        return (self.rows - 1) * self.stride - self.before + self.extent - rows

    def operator_for(self, rows: int) -> Operator:
        """The operator that makes so many rows."""
        operator = self.operator
        if not isinstance(operator, Reshape | Slice):
            return operator
        shape = (*operator.shape[: self.axis], rows, *operator.shape[self.axis + 1 :])
        return replace(operator, shape=shape)


@dataclass(frozen=True)
class AllFrames(Checked):
    """The result is of all rows of the operands together."""


def frames_text(count: int) -> str:
    """For messages."""
    return f"{count} frame" if count == 1 else f"{count} frames"


class NotInFramesError(TinsmithError):
    """An operator whose result of one frame does not follow from this frame and earlier ones. The text says why."""
