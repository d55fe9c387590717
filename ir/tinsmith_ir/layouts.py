"""Layouts that no strides can say: how an accelerator wants its tensors, as records that a plug-in brings.

A layout is a bijection from elements to bytes. Everything else asks `element_offsets`, through `places`.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.boxes import Box
from tinsmith_ir.errors import GraphError, UsageError
from tinsmith_ir.types import TensorType

_NAME = re.compile(r"[a-z_][a-z0-9_]*")


@dataclass(frozen=True, eq=False)
class Lines:
    """Runs of bytes, all of one length, from the first byte of a tensor in a layout.

    starts: of each, ascending. behind: bytes between each and the next that are padding of the part alone. tail: such
    bytes behind the last.
    """

    starts: NDArray[np.int64]
    length: int
    behind: int = 0
    tail: int = 0

    @property
    def is_one_run(self) -> bool:
        """True if each begins where the one before ends."""
        return bool((np.diff(self.starts) == self.length).all())


class ElementLayout(ABC):
    """Where the elements of a tensor lie in bytes of its own; a class with a `name` registers itself.

    name: as texts have it, `view %x: i8[1,4,4,32] of %b layout "blocks_of_16"`. What lies between elements is padding:
    it belongs to the view, holds anything, and kernels may read and write it; but for what `own_runs` leaves to others.
    family: of layouts whose `lines` hold the same bytes in the same order; "" for none.
    """

    name: ClassVar[str]
    family: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        """Raise UsageError for a name that is no word of the text form, or that another class has."""
        super().__init_subclass__()
        if "name" not in vars(cls):
            return
        if not _NAME.fullmatch(cls.name):
            raise UsageError(
                f"expected a layout's name of lower-case letters, digits and _, got {cls.name!r}"
            )
        known = _REGISTERED.get(cls.name)
        if known is not None and _path(type(known)) != _path(cls):
            raise UsageError(
                f"expected a name of its own for {_path(cls)}, got {cls.name!r}, which "
                f"{_path(type(known))} has; rename one of them"
            )
        _REGISTERED[cls.name] = cls()

    @abstractmethod
    def size_bytes(self, type_: TensorType) -> int:
        """How many bytes a tensor takes, padding included; raises GraphError for one that has no such layout."""

    def lines(self, whole: TensorType, box: Box) -> Lines | None:
        """Whole bytes that hold the elements of `box` of a tensor, if one copy of each of these lines moves them to a
        tensor of the same shape in any layout of the same `family`; None if none does.
        """
        del whole, box

    @abstractmethod
    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        """The first byte of each element, of the tensor's shape: no two share a byte, each is a multiple of the
        element's size, and all end within `size_bytes`. Asked for types only that `size_bytes` takes.
        """

    def own_runs(self, type_: TensorType) -> tuple[tuple[int, ...], int]:
        """The bytes that are the tensor's alone, as runs of one length: where they begin, in order, and the length. All
        elements lie in them; between them other views of the buffer may lie. All of `size_bytes` by default.
        """
        return (0,), self.size_bytes(type_)


_REGISTERED: dict[str, ElementLayout] = {}
LAYOUTS: Mapping[str, ElementLayout] = MappingProxyType(_REGISTERED)
"""Name -> layout, of all classes imported so far."""


def find_layout(name: str) -> ElementLayout:
    """The layout of that name; raises GraphError if no imported module has it."""
    if name not in LAYOUTS:
        known = ", ".join(sorted(LAYOUTS)) or "none"
        raise GraphError(
            f"expected a layout that is known ({known}), got {name!r}; load the plug-in that has it"
        )
    return LAYOUTS[name]


def layout_bytes(name: str, type_: TensorType) -> int:
    """Bytes of a tensor in a layout, padding included; of `""`, of its dense array.

    Raises GraphError for a layout that is not known, and for a type that it does not take.
    """
    return find_layout(name).size_bytes(type_) if name else type_.size_bytes


def own_runs(name: str, type_: TensorType) -> tuple[tuple[int, ...], int]:
    """What of `layout_bytes` is a tensor's alone, see `ElementLayout.own_runs`; of `""`, all of it."""
    return find_layout(name).own_runs(type_) if name else ((0,), type_.size_bytes)


def element_offsets(name: str, type_: TensorType) -> NDArray[np.int64]:
    """The first byte of each element in a layout, in the order of elements; checked, read-only.

    Raises GraphError for a layout that is not known or does not take the type, and for one that breaks its promises.
    """
    return _offsets(find_layout(name), type_)


@lru_cache(maxsize=256)
def _offsets(layout: ElementLayout, type_: TensorType) -> NDArray[np.int64]:
    size = layout.size_bytes(type_)
    given = layout.offsets(type_)
    offsets = np.array(given, np.int64).reshape(-1)
    element = type_.dtype.size_bytes
    ordered = np.sort(offsets)
    is_right = (
        given.shape == type_.shape
        and not (offsets % element).any()
        and bool((np.diff(ordered) >= element).all())
        and int(ordered[0]) >= 0
        and int(ordered[-1]) + element <= size
        and _are_in(ordered, element, *layout.own_runs(type_))
    )
    if not is_right:
        raise GraphError(
            f"layout {layout.name!r} is no bijection of {type_.dtype.value}{list(type_.shape)} to {size} bytes: "
            "expected an aligned place of its own for each element"
        )
    offsets.flags.writeable = False
    return offsets


def _are_in(ordered: NDArray[np.int64], size: int, starts: tuple[int, ...], length: int) -> bool:
    """Whether elements lie in runs."""
    runs = np.array(starts, np.int64)
    mine = np.searchsorted(runs, ordered, side="right") - 1
    return bool((mine >= 0).all() and (ordered + size <= runs[mine] + length).all())


def _path(class_: type) -> str:
    return f"{class_.__module__}.{class_.__qualname__}"
