"""Operators that move elements: Reshape, Pad, Transpose, Slice, Concat."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.boxes import Box, Range, reshaped_box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import (
    Array,
    Operand,
    Operator,
    Part,
    Placement,
    Rescaling,
    Restriction,
    Trait,
    Types,
    required,
)
from tinsmith_ir.operators.scaling import clamp_f32, requantize
from tinsmith_ir.parameters import concat_parameters, zero_of
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Move(Operator):
    """One operand of any dtype; the result has its dtype and quantization."""

    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.MOVES})

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """The result is quantized as the input, and not per axis."""
        checks.check_moved(checks.present(inputs, 0, "input"), outputs[0])


@dataclass(frozen=True)
class Reshape(Move):
    """The same elements in row-major order under another shape."""

    mnemonic: ClassVar[str] = "reshape"
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.MOVES, Trait.SAME_BYTES})

    shape: tuple[int, ...] = ()

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """`shape`, which must have as many elements."""
        input_ = checks.present(inputs, 0, "input")
        if min(self.shape, default=1) < 1 or math.prod(self.shape) != input_.elements:
            raise GraphError(
                f"expected a shape of {input_.elements} elements for {input_.shape}, "
                f"got {self.shape}"
            )
        return (input_.with_shape(self.shape),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """Quantized as the input; per axis only where the shape stays, and with it the axis."""
        input_ = checks.present(inputs, 0, "input")
        if input_.shape != self.shape:
            super().verify(inputs, outputs)
        checks.check_same_quantization(input_, outputs[0], "input and result")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """A reshaped copy."""
        return (required(arrays, 0).reshape(self.shape).copy(),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Where the elements of the part are a box of the operand, too, in the same order."""
        read = reshaped_box(box, outputs[0].shape, checks.present(inputs, 0, "input").shape)
        return None if read is None else Restriction(replace(self, shape=box.shape), (read,))


@dataclass(frozen=True)
class Pad(Move):
    """Elements added before and after each axis.

    padding: (before 0, after 0, before 1, after 1, ...), not negative.
    value: what is added, as stored (an integer of the dtype, or a float); None is real zero, which
    is the zero point of a quantized tensor.
    """

    mnemonic: ClassVar[str] = "pad"

    padding: tuple[int, ...] = ()
    value: int | float | None = None

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """Each dimension grown by its two paddings."""
        input_ = checks.present(inputs, 0, "input")
        rank = len(input_.shape)
        if len(self.padding) != 2 * rank or min(self.padding, default=0) < 0:
            raise GraphError(
                f"expected {2 * rank} paddings of at least 0 for {input_.shape}, got {self.padding}"
            )
        shape = tuple(
            before + size + after
            for size, (before, after) in zip(input_.shape, self._pairs(), strict=True)
        )
        return (input_.with_shape(shape),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """`value` is one that the dtype can hold."""
        super().verify(inputs, outputs)
        dtype = outputs[0].dtype
        if self.value is None or dtype is DType.FLOAT32:
            return
        low, high = dtype.integer_range if dtype.is_integer else (0, 1)
        if not isinstance(self.value, int) or not low <= self.value <= high:
            raise GraphError(f"expected a value of dtype {dtype.value}, got {self.value}")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """The padded array."""
        return (
            np.pad(required(arrays, 0), self._pairs(), constant_values=self._added(outputs[0])),
        )

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Where at least one element comes from the operand."""
        del outputs
        ranges: list[Range] = []
        padding: list[int] = []
        shape = checks.present(inputs, 0, "input").shape
        for (begin, end), size, (before, _) in zip(box.ranges, shape, self._pairs(), strict=True):
            inside = max(begin - before, 0), min(end - before, size)
            if inside[0] >= inside[1]:
                return None
            ranges.append(inside)
            padding += [inside[0] - (begin - before), end - before - inside[1]]
        return Restriction(replace(self, padding=tuple(padding)), (Box(tuple(ranges)),))

    def placement(self, inputs: Types, outputs: Sequence[TensorType]) -> Placement:
        """The operand, and along each axis what is added before and after it."""
        shape = checks.present(inputs, 0, "input").shape
        rest = Box.whole(outputs[0].shape)  # what no box has filled yet
        filled: list[Box] = []
        for axis, (size, (before, after)) in enumerate(zip(shape, self._pairs(), strict=True)):
            ranges = (0, before), (before + size, before + size + after)
            filled += [rest.with_range(axis, *added) for added in ranges if added[0] < added[1]]
            rest = rest.with_range(axis, before, before + size)
        return Placement((Part(0, Box.whole(shape), rest),), tuple(filled), self._added(outputs[0]))

    def _added(self, output: TensorType) -> int | float:
        return zero_of(output) if self.value is None else self.value

    def _pairs(self) -> list[tuple[int, int]]:
        return list(zip(self.padding[::2], self.padding[1::2], strict=True))


@dataclass(frozen=True)
class Transpose(Move):
    """Axis i of the result is axis permutation[i] of the input."""

    mnemonic: ClassVar[str] = "transpose"

    permutation: tuple[int, ...] = ()

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The permuted shape."""
        input_ = checks.present(inputs, 0, "input")
        if sorted(self.permutation) != list(range(len(input_.shape))):
            raise GraphError(
                f"expected a permutation of {len(input_.shape)} axes, got {self.permutation}"
            )
        return (input_.with_shape(tuple(input_.shape[axis] for axis in self.permutation)),)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """A transposed copy in row-major order."""
        return (required(arrays, 0).transpose(self.permutation).copy(order="C"),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere."""
        del inputs, outputs
        by_axis = dict(zip(self.permutation, box.ranges, strict=True))
        return Restriction(self, (Box(tuple(by_axis[axis] for axis in sorted(by_axis))),))


@dataclass(frozen=True)
class Slice(Move):
    """Along each axis i the elements begin[i] + k * strides[i], for k from 0 to shape[i] - 1.

    strides: not 0, and negative to read backwards; if all are 1, which is the default, they are kept as ().
    """

    mnemonic: ClassVar[str] = "slice"

    begin: tuple[int, ...] = ()
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Let equal slices have equal attributes."""
        super().__post_init__()
        if self.strides == (1,) * len(self.shape):
            object.__setattr__(self, "strides", ())

    @property
    def steps(self) -> tuple[int, ...]:
        """The stride of each axis."""
        return self.strides or (1,) * len(self.shape)

    @property
    def is_dense(self) -> bool:
        """True if the elements of the result are a box of the operand, in the same order."""
        return all(
            size == 1 or step == 1 for size, step in zip(self.shape, self.steps, strict=True)
        )

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """`shape`, of which every element must be one of the operand."""
        input_ = checks.present(inputs, 0, "input")
        rank = len(input_.shape)
        if not len(self.begin) == len(self.shape) == len(self.steps) == rank:
            raise GraphError(
                f"expected a begin, a size and a stride for each of {rank} axes, got {self.begin}, "
                f"{self.shape} and {self.strides}"
            )
        if min(self.shape, default=1) < 1 or 0 in self.steps:
            raise GraphError(
                f"expected sizes of at least 1 and strides other than 0, got {self.shape} and {self.strides}"
            )
        for axis, (size, ends) in enumerate(zip(input_.shape, self._ends(), strict=True)):
            if not 0 <= min(ends) <= max(ends) < size:
                raise GraphError(
                    f"expected elements within 0 and {size - 1} of axis {axis}, got {ends[0]} to {ends[1]}"
                )
        return (input_.with_shape(self.shape),)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """A copy of the elements in row-major order."""
        axes = zip(self.begin, self.shape, self.steps, strict=True)
        indices = [begin + np.arange(size) * step for begin, size, step in axes]
        return (np.array(required(arrays, 0)[np.ix_(*indices)], order="C"),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere; what lies between the elements is part of the hull that is read."""
        del inputs, outputs
        axes = zip(self.begin, box.ranges, self.steps, strict=True)
        begin = tuple(at + low * step for at, (low, _), step in axes)
        part = replace(self, begin=begin, shape=box.shape)
        read = part.read_box()
        within = tuple(at - low for at, (low, _) in zip(begin, read.ranges, strict=True))
        return Restriction(replace(part, begin=within), (read,))

    def placement(self, inputs: Types, outputs: Sequence[TensorType]) -> Placement | None:
        """A box of the operand, where no axis is walked in strides."""
        if not self.is_dense:
            return None
        return Placement((Part(0, self.read_box(), Box.whole(outputs[0].shape)),))

    def read_box(self) -> Box:
        """The hull of the elements of the operand."""
        return Box(tuple((min(ends), max(ends) + 1) for ends in self._ends()))

    def _ends(self) -> list[Range]:
        """Index of the first and of the last element along each axis."""
        axes = zip(self.begin, self.shape, self.steps, strict=True)
        return [(begin, begin + (size - 1) * step) for begin, size, step in axes]


@dataclass(frozen=True)
class Concat(Rescaling):
    """The inputs one after the other along `axis`.

    Integer inputs whose quantization differs from the result's are requantized as Requantize does
    (TFLite itself demands equal ones for int8).
    """

    mnemonic: ClassVar[str] = "concat"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("inputs", variadic=True),)
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.MOVES})

    axis: int = 0
    activation: Activation = Activation.NONE

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The first input's shape with `axis` the sum of all."""
        types = [checks.present(inputs, index, "inputs") for index in range(max(1, len(inputs)))]
        first = types[0]
        if not 0 <= self.axis < len(first.shape):
            raise GraphError(f"expected an axis within rank {len(first.shape)}, got {self.axis}")
        for other in types[1:]:
            same_rank = len(other.shape) == len(first.shape)
            if (
                other.dtype is not first.dtype
                or not same_rank
                or self._others(other) != self._others(first)
            ):
                raise GraphError(
                    f"expected inputs like {first.dtype.value}{first.shape} except axis "
                    f"{self.axis}, got {other.dtype.value}{other.shape}"
                )
        shape = list(first.shape)
        shape[self.axis] = sum(type_.shape[self.axis] for type_ in types)
        same = all(type_.quantization == first.quantization for type_ in types)
        return (TensorType(tuple(shape), first.dtype, first.quantization if same else None),)

    def _others(self, type_: TensorType) -> tuple[int, ...]:
        return type_.shape[: self.axis] + type_.shape[self.axis + 1 :]

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int8/int16 quantized per tensor; without activation also plain int32 and bool,
        and plain int8 and int16 if nothing has a quantization.
        """
        types = [checks.present(inputs, index, "inputs") for index in range(len(inputs))]
        plain = (DType.INT32, DType.INT64, DType.BOOL) if self.activation is Activation.NONE else ()
        if plain and all(type_.quantization is None for type_ in (*types, *outputs)):
            plain = (*plain, *checks.QUANTIZED_DTYPES)
        for type_ in types:
            checks.check_numbers(type_, "input", plain=plain)
        checks.check_numbers(outputs[0], "result", plain=plain)
        if checks.are_quantized(*inputs, outputs[0]):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `concat_parameters`."""
        concat_parameters(self, inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """The joined array."""
        parts = [required(arrays, index) for index in range(len(arrays))]
        output = outputs[0]
        if output.dtype in checks.QUANTIZED_DTYPES:
            records = concat_parameters(self, inputs, output)
            parts = [
                part if record is None else requantize(part, record, output.dtype)
                for part, record in zip(parts, records, strict=True)
            ]
        joined = np.concatenate(parts, axis=self.axis)
        if output.dtype is DType.FLOAT32 and self.activation is not Activation.NONE:
            return (clamp_f32(joined.astype(np.float32), self.activation),)
        return (joined,)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere; of the operands, those are taken that the part has elements of."""
        del outputs
        boxes: list[Box | None] = []
        start = 0
        for index in range(len(inputs)):
            size = checks.present(inputs, index, "inputs").shape[self.axis]
            begin, end = (max(at - start, 0) for at in box.ranges[self.axis])
            inside = min(begin, size), min(end, size)
            start += size
            boxes.append(box.with_range(self.axis, *inside) if inside[0] < inside[1] else None)
        return Restriction(self, tuple(boxes))

    def placement(self, inputs: Types, outputs: Sequence[TensorType]) -> Placement | None:
        """One operand behind the other, where nothing is rescaled or clamped."""
        types = [checks.present(inputs, index, "inputs") for index in range(len(inputs))]
        whole = Box.whole(outputs[0].shape)
        is_exact = all(type_.quantization == outputs[0].quantization for type_ in types)
        if not is_exact or self.activation is not Activation.NONE:
            return None
        parts: list[Part] = []
        start = 0
        for index, type_ in enumerate(types):
            end = start + type_.shape[self.axis]
            at = whole.with_range(self.axis, start, end)
            parts.append(Part(index, Box.whole(type_.shape), at))
            start = end
        return Placement(tuple(parts))
