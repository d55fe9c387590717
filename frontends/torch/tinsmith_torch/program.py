"""An exported program as plain records: what the importer reads, with nothing of PyTorch in it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.graph import Array


@dataclass(frozen=True)
class Reference:
    """The result of a step, an input or a stored tensor, by its name in the program."""

    name: str


Argument = (
    bool | int | float | str | np.dtype[np.generic] | Reference | tuple["Argument", ...] | None
)
"""What an operator is given. Where it makes no difference here (devices, layouts of memory), None."""


@dataclass(frozen=True)
class Meta:
    """Shape and elements of a tensor; bfloat16 is float32 here."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]


@dataclass(frozen=True)
class Step:
    """One operator of the program.

    operator: as `aten.add.Tensor`. arguments: all that its schema has, defaults too, by name. results: of each tensor
    that it gives; None for what is no tensor. module: the path of the module that called it, "" for the outermost.
    """

    name: str
    operator: str
    arguments: Mapping[str, Argument]
    results: tuple[Meta | None, ...] = ()
    module: str = ""


@dataclass(frozen=True, eq=False)
class Stored:
    """A parameter, a buffer or a constant. path: what the module calls it."""

    path: str
    array: Array


@dataclass(frozen=True, eq=False)
class KeptBuffer:
    """A buffer that the program changes. stored: what it is at first. next: what it is in the next run."""

    name: str
    stored: Stored
    next: Reference


@dataclass(frozen=True, eq=False)
class Program:
    """A whole program: steps in order, each behind what it reads.

    stored: parameters, buffers and constants by name. outputs: by the name that the graph gives each.
    """

    inputs: Mapping[str, Meta]
    stored: Mapping[str, Stored]
    kept: tuple[KeptBuffer, ...]
    steps: tuple[Step, ...]
    outputs: Mapping[str, Argument]
