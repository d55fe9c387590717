"""What a rule sees of one operator of the program: its arguments by name, and where it is, for messages."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors import elementwise as ew

from tinsmith_torch.program import Argument, Meta, Reference, Step
from tinsmith_torch.promotion import Operand, promoted

_MOST_PARTS = 4096
_DEFAULTS = {bool: np.dtype("?"), int: np.dtype("<i8"), float: np.dtype("<f4")}
"""Of what Python's numbers are elements where no tensor says."""


@dataclass(frozen=True, eq=False)
class OperatorContext:
    """One operator of the program.

    c: what the graph is composed with. find: the tensor that a reference names. source: the program's name.
    complexes: names of tensors that are pairs of real and imaginary parts; see `complexes.py`.
    """

    c: Composer
    step: Step
    source: str
    find: Callable[[Reference], Tensor]
    complexes: Set[str] = frozenset()

    @property
    def where(self) -> str:
        """Program, operator and the module around it, for messages."""
        return f"{self.source}: {describe(self.step)}"

    # Tensors

    def has(self, name: str) -> bool:
        """Whether that argument is there, and not None."""
        return self.step.arguments.get(name) is not None

    def tensor(self, name: str) -> Tensor:
        """An argument that is a tensor, or a number as a known scalar."""
        return self._tensor(name, self._argument(name))

    def is_complex(self, name: str) -> bool:
        """Whether that argument is a tensor of complex numbers."""
        argument = self.step.arguments.get(name)
        return isinstance(argument, Reference) and argument.name in self.complexes

    def optional(self, name: str) -> Tensor | None:
        """A tensor, or None if it is left out."""
        return self.tensor(name) if self.has(name) else None

    def tensors(self, name: str) -> list[Tensor]:
        """A list of tensors, none of them left out."""
        return [self._tensor(name, entry) for entry in self._entries(name)]

    def optional_tensors(self, name: str) -> list[Tensor | None]:
        """A list of tensors, some of them left out."""
        entries = self._entries(name)
        return [None if entry is None else self._tensor(name, entry) for entry in entries]

    def known(self, name: str) -> Array:
        """The elements of a tensor that the graph needs to know while it is composed."""
        array = self.c.data(self.tensor(name))
        if array is None:
            raise self.unsupported(
                f"expected {name!r} to be known while importing, got a computed one; make it a constant of the module"
            )
        return array

    def alike(self, *names: str) -> list[Tensor]:
        """Tensors and numbers as elements of one type, as PyTorch promotes them."""
        dtype = promoted([self._operand(name) for name in names])
        return [ew.cast(self.c, self.tensor(name), dtype) for name in names]

    def as_result(self, *names: str) -> list[Tensor]:
        """Tensors and numbers as elements of the result's type."""
        dtype = self.result.dtype
        return [ew.cast(self.c, self.tensor(name), dtype) for name in names]

    # Numbers and such

    def integer(self, name: str) -> int:
        """An integer; a computed one has to be known."""
        return int(self._number(name, self._argument(name)))

    def integers(self, name: str, count: int = 0) -> tuple[int, ...]:
        """A list of integers. count: how many, if one may stand for all."""
        argument = self.step.arguments.get(name)
        entries = argument if isinstance(argument, tuple) else (argument,)
        found = tuple(int(self._number(name, entry)) for entry in entries)
        return found * count if count and len(found) == 1 else found

    def real(self, name: str) -> float:
        """A number as Python's float."""
        return float(self._number(name, self._argument(name)))

    def reals(self, name: str) -> tuple[float, ...]:
        """A list of numbers."""
        return tuple(float(self._number(name, entry)) for entry in self._entries(name))

    def flag(self, name: str) -> bool:
        """Whether it is true; forms of an operator that do not have it leave it false."""
        return bool(self.step.arguments.get(name))

    def text(self, name: str) -> str:
        """A string."""
        return str(self._argument(name))

    def axis(self, name: str, rank: int) -> int:
        """An axis counted from the front; of a scalar 0 and -1 are axes."""
        return self._axis(self.integer(name), rank)

    def axes(self, name: str, rank: int) -> tuple[int, ...] | None:
        """Axes counted from the front; None for all, as an empty list is."""
        if not self.has(name):
            return None
        found = tuple(self._axis(axis, rank) for axis in self.integers(name))
        return found or None

    def dtype(self, name: str = "dtype") -> np.dtype[np.generic] | None:
        """The element type that an argument says; None if it says none."""
        argument = self.step.arguments.get(name)
        return argument if isinstance(argument, np.dtype) else None

    # Results

    @property
    def result(self) -> Meta:
        """Of the first result; raises ModelError if it is no tensor."""
        found = self.step.results[0] if self.step.results else None
        if found is None:
            raise ModelError(f"{self.where}: expected a tensor as result, got none")
        return found

    def check_count(self, count: int) -> None:
        """Raise UnsupportedError before a tensor is taken apart into so many."""
        if count > _MOST_PARTS:
            raise self.unsupported(
                f"expected at most {_MOST_PARTS:,} parts of a tensor, got {count:,}"
            )

    # Errors

    def unsupported(self, text: str) -> UnsupportedError:
        """An error about what PyTorch has here and Tinsmith does not."""
        return UnsupportedError(f"{self.where}: {text}")

    def error(self, text: str) -> ModelError:
        """An error about an operator that contradicts itself."""
        return ModelError(f"{self.where}: {text}")

    def _axis(self, axis: int, rank: int) -> int:
        if not -max(rank, 1) <= axis < max(rank, 1):
            raise self.error(f"expected an axis within rank {rank}, got {axis}")
        return axis % max(rank, 1)

    def _argument(self, name: str) -> Argument:
        found = self.step.arguments.get(name)
        if found is None:
            raise self.error(f"expected an argument {name!r}, got none")
        return found

    def _entries(self, name: str) -> Sequence[Argument]:
        argument = self._argument(name)
        if not isinstance(argument, tuple):
            raise self.error(f"expected a list as {name!r}, got {argument!r}")
        return argument

    def _tensor(self, name: str, argument: Argument) -> Tensor:
        if isinstance(argument, Reference):
            return self.find(argument)
        if isinstance(argument, (bool, int, float)):
            return self.c.known(np.array(argument, _DEFAULTS[type(argument)]))
        raise self.error(f"expected a tensor as {name!r}, got {argument!r}")

    def _operand(self, name: str) -> Operand:
        argument = self._argument(name)
        x = self._tensor(name, argument)
        return Operand(x.dtype, x.rank, is_number=not isinstance(argument, Reference))

    def _number(self, name: str, argument: Argument) -> float:
        """Python's own number, as it is."""
        if isinstance(argument, Reference):
            array = self.c.data(self.find(argument))
            if array is None:
                raise self.unsupported(
                    f"expected {name!r} to be a number while importing, got one that depends on inputs"
                )
            argument = array.reshape(-1)[0].item()
        if not isinstance(argument, (bool, int, float)):
            raise self.error(f"expected a number as {name!r}, got {argument!r}")
        return argument


def describe(step: Step) -> str:
    """An operator and its module, for messages and locations."""
    short = step.operator.removesuffix(".default")
    return f"{short} in '{step.module}'" if step.module else f"{short} '{step.name}'"
