"""A chain of operators that one call computes, each from the result of the one before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from tinsmith_ir.boxes import Box, cut_type
from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import GraphError, UsageError
from tinsmith_ir.operators.base import Array, Operand, Operator, Restriction, Types
from tinsmith_ir.types import TensorType

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Link(Checked):
    """An operator of a chain behind the first.

    taken: the type of the result before, which it reads. arity: how many operands it has, absent ones and that result
    among them. place: which of them that result is.
    """

    operator: Operator
    taken: TensorType
    arity: int = 1
    place: int = 0


@dataclass(frozen=True)
class ChainStep(Checked):
    """An operator of a chain and the types that it has there."""

    operator: Operator
    inputs: tuple[TensorType | None, ...]
    outputs: tuple[TensorType, ...]


@dataclass(frozen=True)
class Chain(Operator):
    """Operators in a row, each of one result, which the next one takes and nobody else.

    Its operands are those of the first operator, then of each link those that are not the result before. What lies
    between has a type, so the chain computes, bit by bit, what its operators compute one by one. It has no mnemonic:
    text writes `conv2d(%x, %w, %b) as i8[1,4]<0.5, 0> then add(_, %r)`. Only calls of a Program are chains.

    arity: how many operands the first operator has, absent ones among them.
    """

    first: Operator
    arity: int
    links: tuple[Link, ...]

    # What a chain takes depends on its links, so `operand_name` and the rules of types ask those.
    operands: ClassVar[tuple[Operand, ...]] = ()

    def __post_init__(self) -> None:
        """Raise UsageError for less than two operators, a chain among them, or a place that is none."""
        super().__post_init__()
        if not self.links or any(isinstance(operator, Chain) for operator in self.operators):
            raise UsageError("expected two or more operators in a chain, and no chain among them")
        if any(not 0 <= link.place < link.arity for link in self.links):
            raise UsageError(f"expected each link to take the result before it, got {self.links}")

    @property
    def operators(self) -> tuple[Operator, ...]:
        """In order."""
        return (self.first, *(link.operator for link in self.links))

    @property
    def title(self) -> str:
        """See Operator."""
        return " then ".join(operator.title for operator in self.operators)

    def operand_name(self, index: int) -> str:
        """See Operator; those of links have their number in the chain behind them."""
        if index < self.arity:
            return self.first.operand_name(index)
        before = self.arity
        for link in self.links:
            if index < before + link.arity - 1:
                at = index - before
                return f"{link.operator.operand_name(at + (at >= link.place))}_{index}"
            before += link.arity - 1
        raise UsageError(f"expected the operand of a chain below {before}, got {index}")

    def shared(self, items: Sequence[_Item], results: Sequence[_Item]) -> tuple[list[_Item], ...]:
        """For each operator what it takes: of one item for each operand of the chain its own, and of one for each
        result but the last the one before it.

        Raises GraphError for another number of operands.
        """
        expected = self.arity + sum(link.arity - 1 for link in self.links)
        if len(items) != expected:
            raise GraphError(f"expected {expected} operands of {self.title}, got {len(items)}")
        found, at = [list(items[: self.arity])], self.arity
        for link, result in zip(self.links, results, strict=True):
            own = list(items[at : at + link.arity - 1])
            found.append([*own[: link.place], result, *own[link.place :]])
            at += link.arity - 1
        return tuple(found)

    def steps(self, inputs: Types, outputs: Sequence[TensorType]) -> Iterator[ChainStep]:
        """The operators with their types, given those of the chain."""
        between = [link.taken for link in self.links]
        results = [*((type_,) for type_ in between), tuple(outputs)]
        for operator, taken, made in zip(
            self.operators, self.shared(inputs, between), results, strict=True
        ):
            yield ChainStep(operator, tuple(taken), made)

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """What the last operator infers; what lies between must be what its operator gives."""
        inferred: tuple[TensorType, ...] = ()
        for step in self.steps(inputs, ()):
            inferred = step.operator.infer(step.inputs)
            if len(inferred) != 1:
                raise GraphError(f"expected one result of {step.operator.title} in a chain")
            for got in step.outputs:
                if (inferred[0].shape, inferred[0].dtype) != (got.shape, got.dtype):
                    raise GraphError(
                        f"expected {inferred[0].dtype.value}{list(inferred[0].shape)} behind "
                        f"{step.operator.title}, got {got.dtype.value}{list(got.shape)}"
                    )
        return inferred

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """Each operator on its types."""
        for step in self.steps(inputs, outputs):
            try:
                step.operator.verify(step.inputs, step.outputs)
            except GraphError as error:
                raise GraphError(f"{step.operator.title} of {self.title}: {error}") from error

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One operator after another."""
        results: tuple[Array, ...] = ()
        absent: list[Array | None] = [None] * len(self.links)
        places = [0, *(link.place for link in self.links)]
        own = self.shared(arrays, absent)
        for step, place, taken in zip(self.steps(inputs, outputs), places, own, strict=True):
            if results:
                taken[place] = results[0]
            results = step.operator.evaluate(taken, step.inputs, step.outputs)
        return results

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """A chain of the operators' restrictions: of what lies between, each gives the box that the next one reads.

        None where one of them is not cut, and where one would not read the result before.
        """
        steps = list(self.steps(inputs, outputs))
        wanted, operators = box, list[Operator]()
        boxes: list[list[Box | None]] = []
        between: list[TensorType] = []
        for number in reversed(range(len(steps))):
            step = steps[number]
            found = step.operator.restrict(wanted, step.inputs, step.outputs)
            if found is None or len(found.taken(step.inputs)) != len(step.inputs):
                return None
            operators.insert(0, found.operator)
            own = list(found.operands)
            if number:
                link = self.links[number - 1]
                read = own.pop(link.place)
                if read is None:
                    return None
                wanted = read
                between.insert(0, cut_type(link.taken, read))
            boxes.insert(0, own)
        links = tuple(
            replace(link, operator=operator, taken=taken)
            for link, operator, taken in zip(self.links, operators[1:], between, strict=True)
        )
        return Restriction(
            Chain(operators[0], self.arity, links), tuple(box for own in boxes for box in own)
        )

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """Of all operators."""
        return sum(
            step.operator.macs(step.inputs, step.outputs) for step in self.steps(inputs, outputs)
        )
