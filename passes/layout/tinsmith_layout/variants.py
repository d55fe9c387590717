"""Other ways to compute a node: what rules are asked, and what they answer."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.graph import Node, Value
from tinsmith_ir.operators import Concat, Operator, Slice

from tinsmith_layout.rearrangement import MOST_AXES, Rearrangement, Shape, reshaped

RESULT = -1
"""The port of a node that is its result; the others are its operands by number."""


@dataclass(frozen=True)
class Variant:
    """`operator` on operands that are rearranged gives the result, rearranged.

    operands: for each operand how it lies, seen from how the node reads it; None of one that is absent.
    """

    operator: Operator
    operands: tuple[Rearrangement | None, ...]
    result: Rearrangement

    def __hash__(self) -> int:
        """Computed once: what rules answered is looked up often."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.operator, self.operands, self.result))

    @cached_property
    def is_in_place(self) -> bool:
        """Whether nothing is copied, since all parts that it takes or joins lie together."""
        shape = self.result.after
        match self.operator:
            case Concat(axis=axis):
                return math.prod(shape[:axis]) == 1
            case Slice():
                operand = self.operands[0]
                is_part = operand is not None and _is_run(shape, operand.after)
                return operand is None or (self.operator.is_dense and is_part)
            case _:
                return True

    @cached_property
    def is_deep(self) -> bool:
        """Whether a tensor has got more axes than kernels take."""
        labels = (self.result, *(label for label in self.operands if label is not None))
        return any(len(label.after) > max(MOST_AXES, len(label.before)) for label in labels)


@dataclass(frozen=True, eq=False)
class Case:
    """What a rule is asked: how to compute `node` if the tensor at `port` lies as `label` says, or at least its
    elements in this order.

    current: how it is computed. wishes: for each operand how it would lie if it were read as it is stored, None where
    nothing is known; () for rules that do not heed them. may_round: whether sums of float32 may be rounded otherwise.
    """

    node: Node
    port: int
    label: Rearrangement
    current: Variant
    wishes: tuple[Rearrangement | None, ...]
    may_round: bool = False

    @property
    def is_of_integers(self) -> bool:
        """Whether sums do not depend on their order."""
        return self.node.outputs[0].type.dtype.is_integer

    def shape(self, port: int) -> Shape:
        """The shape of the tensor at a port, which must be there."""
        value = self.node.outputs[0] if port == RESULT else self.node.inputs[port]
        return () if value is None else value.type.shape


Rule = Callable[[Case], Variant | None]
"""The variant of a case; None if there is none."""


def as_it_is(node: Node) -> Variant:
    """The node as the graph has it."""
    return Variant(
        node.operator, tuple(map(_same, node.inputs)), nothing(node.outputs[0].type.shape)
    )


def nothing(shape: Shape) -> Rearrangement:
    """The identity."""
    return reshaped(shape, shape)


def _is_run(shape: Shape, whole: Shape) -> bool:
    """Whether a box of that shape lies together."""
    first = next((axis for axis, size in enumerate(shape) if size > 1), len(shape))
    return shape[first + 1 :] == whole[first + 1 :]


def _same(value: Value | None) -> Rearrangement | None:
    return None if value is None else nothing(value.type.shape)
