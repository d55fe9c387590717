"""What every operator declares.

An operator is a frozen dataclass: its fields are its attributes (int, float, bool, str, an Enum, or
a tuple of ints), its class says which operands it takes and what kind it is, and it has few methods.
Printing, parsing, hashing and documentation come from the declaration. A class with a mnemonic
registers itself, wherever it is defined.
"""

import dataclasses
import enum
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.activation import Activation
from tinsmith_ir.arithmetic import MULTIPLIER_BITS
from tinsmith_ir.boxes import Box, broadcast_box, cut_type
from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import EvaluationError, UsageError
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType

Array = NDArray[np.generic]
Types = Sequence[TensorType | None]


class Trait(enum.Enum):
    """What holds of an operator, for passes that need not know which one it is."""

    ELEMENTWISE = "elementwise"
    """An element of the result depends on no other elements of the operands than those at its place,
    broadcast as numpy does."""
    SAME_BYTES = "same_bytes"
    """The result's bytes are those of the only operand: what computes it may do nothing."""
    MOVES = "moves"
    """Every element of the result is one of an operand or a constant, unchanged where quantizations
    are the same; so integers need no scale."""
    FUSES_CLAMP = "fuses_clamp"
    """The attribute `activation` clamps the result, as a Clamp behind the operator would."""


@dataclass(frozen=True)
class Operand(Checked):
    """A named operand of an operator. `variadic` may only be the last."""

    name: str
    optional: bool = False
    variadic: bool = False


_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Restriction(Checked):
    """How a part of a result is computed: by another operator, from parts of the operands.

    operator: computes the part and nothing else; it pads by itself where the part lies at a border.
    operands: of each operand of the whole, the box that is read, or the hull of what is read; None of
    one that is absent, or of variadic ones that is not needed.
    """

    operator: "Operator"
    operands: tuple[Box | None, ...]

    def taken(self, items: Sequence[_Item]) -> tuple[_Item, ...]:
        """Of one item for each operand of the whole, those that `operator` takes, in its order."""
        variadic = bool(self.operator.operands) and self.operator.operands[-1].variadic
        fixed = len(self.operator.operands) - 1 if variadic else len(items)
        pairs = zip(items, self.operands, strict=True)
        return tuple(item for at, (item, box) in enumerate(pairs) if at < fixed or box is not None)

    def cut_types(self, inputs: Types) -> tuple[TensorType | None, ...]:
        """The types of the operands of `operator`, given those of the whole's."""
        pairs = zip(inputs, self.operands, strict=True)
        return self.taken(
            [None if type_ is None or box is None else cut_type(type_, box) for type_, box in pairs]
        )


@dataclass(frozen=True)
class PartialSums(Checked):
    """How a result comes to be of parts of the first operand: rows along one of `axes`, all before it being 1.

    adds: takes a part, and what it has made of those before, and gives what both make, of the type `sums`. ends: makes
    the result of that.

    sums_at: the operand of `adds` that takes what was made before, of the type `given`; for the first part it is what
    the operator itself has there, if anything. cut: some of the other operands, by number, and the axis along which a
    part of them belongs to each row, all of them equally long; `adds` takes others whole.
    """

    adds: "Operator"
    sums: TensorType
    ends: "Operator"
    axes: tuple[int, ...]
    sums_at: int
    given: TensorType
    cut: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Part(Checked):
    """Elements that an operator moves as they are.

    source: a box of operand number `operand`. destination: the box of the result where they lie in the same
    order, so as many elements along each axis.
    """

    operand: int
    source: Box
    destination: Box


@dataclass(frozen=True)
class Placement(Checked):
    """Where the elements of a result come from, if none is computed: each is in one part or one filled box.

    value: that of the filled boxes, as stored.
    """

    parts: tuple[Part, ...]
    filled: tuple[Box, ...] = ()
    value: int | float = 0


@dataclass(frozen=True)
class Operator(Checked):
    """Base of all operators: frozen dataclasses whose fields are the attributes.

    mnemonic: the name in IR text, by which a class registers when its module is imported; OPERATORS has all.
    operands: their names, in order. traits: what passes want to know that do not know the operator.
    A subclass has at least `infer` and `evaluate`; a missing operand is None in what they are given.
    """

    mnemonic: ClassVar[str]
    operands: ClassVar[tuple[Operand, ...]]
    traits: ClassVar[frozenset[Trait]] = frozenset()

    def __init_subclass__(cls) -> None:
        """Register a class that has a mnemonic of its own.

        Raises UsageError if that is no word of the text form, or another class has it.
        """
        super().__init_subclass__()
        if "mnemonic" not in vars(cls):
            return
        if not _MNEMONIC.fullmatch(cls.mnemonic):
            raise UsageError(
                f"expected a mnemonic of lower-case letters, digits and _ for {_path(cls)}, got "
                f"{cls.mnemonic!r}"
            )
        known = _REGISTERED.get(cls.mnemonic)
        if known is not None and _path(known) != _path(cls):
            raise UsageError(
                f"expected a mnemonic of its own for {_path(cls)}, got {cls.mnemonic!r}, which "
                f"{_path(known)} has; rename one of them"
            )
        _REGISTERED[cls.mnemonic] = cls

    @property
    def title(self) -> str:
        """What messages and reports call it: the mnemonic."""
        return self.mnemonic

    def operand_name(self, index: int) -> str:
        """A name for operand number `index`, which no other of its operands has."""
        operand = self.operands[min(index, len(self.operands) - 1)]
        return f"{operand.name}_{index}" if operand.variadic else operand.name

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """Shape and dtype of the results; their quantization is the graph's choice, so None here
        unless the operator keeps that of its operand.

        Raises GraphError when the operands do not fit together.
        """
        raise NotImplementedError

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """Check dtypes, ranks and quantization beyond what `infer` already demands.

        Raises GraphError saying what was expected and what came. Of quantized types, that includes
        `check_scales`.
        """
        raise NotImplementedError

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """Raise GraphError where the arithmetic of integers cannot hold the ratios of the scales.

        Called by `verify`, of quantized types that are sound in themselves. An operator that does
        not rescale has nothing to check.
        """

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """The results as numpy arrays: exact for integers (TFLite's reference arithmetic), and for
        float32 in the order of accumulation that the reference kernels use.
        """
        raise NotImplementedError

    def restrict(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """What computes `box` of the only result, bit by bit; None if the operator is not cut there.

        inputs, outputs: types that `verify` accepts. The whole result can always be had; one of several
        never. Raises UsageError for a box that the result does not have.
        """
        box.check_within(outputs[0].shape, "the result")
        if len(outputs) > 1:
            return None
        if not box.is_whole(outputs[0].shape):
            return self.restrict_part(box, inputs, outputs)
        whole = [None if type_ is None else Box.whole(type_.shape) for type_ in inputs]
        return Restriction(self, tuple(whole))

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """`restrict` for a box that is less than the result: what an operator says of itself.

        Elementwise ones need not; of the others None, which is sound for all, is the default.
        """
        del outputs
        if Trait.ELEMENTWISE not in self.traits:
            return None
        boxes = [None if type_ is None else broadcast_box(box, type_.shape) for type_ in inputs]
        return Restriction(self, tuple(boxes))

    def partial_sums(self, inputs: Types, outputs: Sequence[TensorType]) -> PartialSums | None:
        """How the only result is made of parts of the first operand, to the same bits; None, the default, if it is not.

        inputs, outputs: types that `verify` accepts.
        """
        del inputs, outputs
        return None

    def placement(self, inputs: Types, outputs: Sequence[TensorType]) -> Placement | None:
        """How the only result is put together from boxes of the operands; None, the default, if it is not.

        inputs, outputs: types that `verify` accepts.
        """
        del inputs, outputs
        return None

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """Multiply-accumulates of one evaluation; 0 for operators that do not multiply matrices."""
        return 0

    def work(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """Elements that one evaluation reads, multiplies or writes, by which its time and memory grow."""
        elements = sum(type_.elements for type_ in (*inputs, *outputs) if type_ is not None)
        return max(elements, self.macs(inputs, outputs))


@dataclass(frozen=True, kw_only=True)
class Rescaling(Operator):
    """An operator whose integers are multiplied by a scale at its end, and rounded.

    rounding: how. multiplier_bits: the multipliers are below 2**multiplier_bits, in [1, 31]; fewer than 31
    only where rounded once. Accumulators of 64 bits take 15 of them at most.
    """

    rounding: Rounding = Rounding.TFLITE
    multiplier_bits: int = MULTIPLIER_BITS

    def rescales(self, outputs: Sequence[TensorType]) -> bool:
        """Whether results of these types are rescaled; else there is nothing to round."""
        is_sum = getattr(self, "accumulator", None) is not None
        type_ = outputs[0]
        return type_.dtype.size_bytes < 4 and type_.quantization is not None and not is_sum

    def unrounded(self: "AnyRescaling") -> "AnyRescaling":
        """The operator for results that are not rescaled."""
        return dataclasses.replace(self, rounding=Rounding.TFLITE, multiplier_bits=MULTIPLIER_BITS)


AnyOperator = TypeVar("AnyOperator", bound=Operator)
AnyRescaling = TypeVar("AnyRescaling", bound=Rescaling)

_MNEMONIC = re.compile(r"[a-z][a-z0-9_]*")
_REGISTERED: dict[str, type[Operator]] = {}
OPERATORS: Mapping[str, type[Operator]] = MappingProxyType(_REGISTERED)
"""Mnemonic -> operator class: every operator whose module has been imported."""


def _path(class_: type) -> str:
    return f"{class_.__module__}.{class_.__qualname__}"


def activation_of(operator: Operator) -> Activation:
    """The clamp that an operator applies to its result; NONE for those that have no such attribute."""
    found: object = getattr(operator, "activation", Activation.NONE)
    return found if isinstance(found, Activation) else Activation.NONE


def with_activation(operator: AnyOperator, activation: Activation) -> AnyOperator:
    """The operator with another clamp; it must have Trait.FUSES_CLAMP."""
    return dataclasses.replace(operator, activation=activation)


def required(arrays: Sequence[Array | None], index: int) -> Array:
    """The array of an operand that must be there; raises EvaluationError if it is not."""
    array = arrays[index] if index < len(arrays) else None
    if array is None:
        raise EvaluationError(f"expected an array for operand {index}, got none")
    return array
