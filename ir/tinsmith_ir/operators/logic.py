"""Operators that compare elements, and choose between them: Compare, Select."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import rescale
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Trait, Types, required
from tinsmith_ir.operators.elementwise import Broadcasting
from tinsmith_ir.parameters import compare_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType

_PLAIN = (DType.INT32, DType.INT64, DType.BOOL)


class Relation(enum.Enum):
    """What Compare asks of two elements; the others are these of exchanged operands."""

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    LESS = "less"
    LESS_EQUAL = "less_equal"

    def holds(self, lhs: Array, rhs: Array) -> NDArray[np.bool_]:
        """For each pair; of NaN only NOT_EQUAL holds."""
        match self:
            case Relation.EQUAL:
                return np.equal(lhs, rhs)
            case Relation.NOT_EQUAL:
                return np.not_equal(lhs, rhs)
            case Relation.LESS:
                return np.less(lhs, rhs)
            case Relation.LESS_EQUAL:
                return np.less_equal(lhs, rhs)


@dataclass(frozen=True)
class Compare(Broadcasting):
    """Whether `relation` holds. Quantized integers are brought to one scale first, see `compare_parameters`."""

    mnemonic: ClassVar[str] = "compare"

    relation: Relation = Relation.EQUAL

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """bool in the broadcast shape."""
        (plain,) = super().infer(inputs)
        return (TensorType(plain.shape, DType.BOOL),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, int32, int64 or bool, or quantized int8 with parameters."""
        for index, name in enumerate(("lhs", "rhs")):
            type_ = checks.present(inputs, index, name)
            checks.check_dtype(type_, (DType.FLOAT32, DType.INT8, *_PLAIN), name)
            checks.check_numbers(type_, name, plain=_PLAIN)
        if outputs[0].quantization is not None:
            raise GraphError("expected a result without quantization")
        if checks.are_quantized(*inputs):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `compare_parameters`."""
        compare_parameters(inputs)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        lhs, rhs = required(arrays, 0), required(arrays, 1)
        if lhs.dtype == DType.INT8.numpy:
            p = compare_parameters(inputs)
            lhs = _scaled(lhs, p.left_shift, p.input1_offset, p.input1_multiplier, p.input1_shift)
            rhs = _scaled(rhs, p.left_shift, p.input2_offset, p.input2_multiplier, p.input2_shift)
        return (np.asarray(self.relation.holds(lhs, rhs), np.bool_),)


def _scaled(array: Array, left_shift: int, offset: int, multiplier: int, shift: int) -> Array:
    shifted = (array.astype(np.int64) + offset) << left_shift
    return rescale(shifted, multiplier, shift, Rounding.TFLITE)


@dataclass(frozen=True)
class Select(Operator):
    """Where the condition is true an element of the second operand, else one of the third; numpy's broadcasting."""

    mnemonic: ClassVar[str] = "select"
    operands: ClassVar[tuple[Operand, ...]] = (
        Operand("condition"),
        Operand("on_true"),
        Operand("on_false"),
    )
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE, Trait.MOVES})

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The broadcast shape in the second operand's dtype and quantization."""
        types = [checks.present(inputs, at, each.name) for at, each in enumerate(self.operands)]
        shapes = [type_.shape for type_ in types]
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            raise GraphError(
                f"expected shapes that broadcast, got {', '.join(map(str, shapes))}"
            ) from None
        if types[1].dtype is not types[2].dtype:
            raise GraphError(
                f"expected operands of one dtype, got {types[1].dtype.value} and {types[2].dtype.value}"
            )
        return (types[1].with_shape(shape),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """A bool condition; the others and the result all quantized alike, and not per axis."""
        types = [checks.present(inputs, at, each.name) for at, each in enumerate(self.operands)]
        checks.check_dtype(types[0], (DType.BOOL,), "condition")
        checks.check_same_quantization(types[1], types[2], "on_true and on_false")
        checks.check_moved(types[1], outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        condition, on_true, on_false = (required(arrays, index) for index in range(3))
        return (np.asarray(np.where(condition, on_true, on_false), outputs[0].dtype.numpy),)
