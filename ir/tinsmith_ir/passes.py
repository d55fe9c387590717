"""What a pass is, what it promises of the results (its contract), and what is kept of its run.

A pass is a frozen dataclass whose fields are its options; `name` and `contract` belong to the class.
"""

import typing
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.program import Program
from tinsmith_ir.tolerance import noise, shares

IR = Graph | Program
"""Either level."""

Given = TypeVar("Given", bound=IR, contravariant=True)
Made = TypeVar("Made", bound=IR, covariant=True)


class Metric(Enum):
    """How far results are from what they were."""

    SHARE = "share of the largest magnitude"
    STEPS = "steps of an integer"
    STEPS_OF_EACH = "steps of an integer in each operator by itself"
    """Each result that was there before by its name, on what operands were before; what is new is as it is computed."""
    SHARE_OF_EACH = "share of the largest magnitude in each operator by itself"
    """The same for floats: of one between integers, which may be rounded to others behind it."""
    NOISE_OF_EACH = "of a result's deviation as noise in each operator by itself"
    """As STEPS_OF_EACH, for what computes otherwise by design: the root of the mean square of all differences as a
    share of the standard deviation of the result, which counts as a step at least."""

    def of(self, expected: Array, got: Array) -> float:
        """The largest distance of an element; of noise, that of all."""
        if self is Metric.NOISE_OF_EACH:
            return noise(expected, got)
        if self in (Metric.SHARE, Metric.SHARE_OF_EACH):
            return float(shares(expected, got).max(initial=0.0))
        steps = np.abs(expected.astype(np.float64) - got.astype(np.float64))
        return float(steps.max(initial=0.0))


@dataclass(frozen=True)
class BitExact:
    """Every output keeps every bit, for all inputs."""

    def __str__(self) -> str:
        """As reports name it."""
        return "bit_exact"


@dataclass(frozen=True)
class Tolerance(Checked):
    """Outputs change by `bound` of `metric` at most; where inputs are given, it is measured."""

    metric: Metric
    bound: float

    def __str__(self) -> str:
        """As reports name it."""
        return f"tolerance: {self.bound:g} {self.metric.value}"


@dataclass(frozen=True)
class Retyped(Checked):
    """Inputs, outputs and what lies between get other types (a quantization, say), in the way that
    `what` tells; names and shapes stay.
    """

    what: str

    def __str__(self) -> str:
        """As reports name it."""
        return f"retyped: {self.what}"


@dataclass(frozen=True)
class InPieces(Checked):
    """Inputs come in pieces along one axis, as many in each run, and states keep what later ones need: after the run of
    the last piece each output is what it was for the whole input, or its last rows, in every bit. Pieces are counted
    from the end: what the first one has more than there is left is filled with zeros.
    """

    def __str__(self) -> str:
        """As reports name it."""
        return "bit_exact: after the last piece of the inputs"


Contract = BitExact | Tolerance | Retyped | InPieces
BIT_EXACT = BitExact()


@runtime_checkable
class Pass(Protocol[Given, Made]):
    """From one level to the same, or, where kernels are chosen, from Graph to Program."""

    name: ClassVar[str]
    """In reports and on the command line, such as `fold-constants`."""

    contract: ClassVar[Contract]
    """What it promises of the outputs."""

    def run(self, ir: Given, /) -> Made:
        """What it makes, or the same object if there is nothing to do."""
        ...


GraphPass = Pass[Graph, Graph]
LoweringPass = Pass[Graph, Program]
ProgramPass = Pass[Program, Program]
AnyPass = GraphPass | LoweringPass | ProgramPass


@dataclass(frozen=True)
class Outcome(Generic[Made]):
    """What a pass made. warnings: what a user should know of it. facts: what else it found, a plan say.

    found_by: in a word, what gave the result where there are several ways; "" where there is one. is_proven: of a pass
    that searches, whether no result is better; None of the others.
    """

    ir: Made
    warnings: tuple[str, ...] = ()
    facts: object = None
    found_by: str = ""
    is_proven: bool | None = None


@runtime_checkable
class DetailedPass(Protocol[Given, Made]):
    """A pass that has more to tell than its result."""

    def run_in_detail(self, ir: Given, /) -> Outcome[Made]:
        """What `run` gives, and the rest."""
        ...


@runtime_checkable
class Ordered(Protocol):
    """The facts of a pass that chooses an order of execution."""

    peak_bytes: int
    """Live at once in this order, as the pass counts them."""

    lower_bound: int
    """No order of the same steps has fewer live at once."""


@runtime_checkable
class ShrinkingPass(Protocol):
    """A pass that makes Programs smaller, as far as it is told: a dataclass with these fields. The facts of its
    outcomes are `Shrunk`.
    """

    ram_bytes: int | None
    """What may be live at once, as the pass counts it; None leaves Programs as they are."""

    aim_bytes: int | None
    """What should be live at once where that can be; None asks for the least cost alone."""

    less_scratch: bool
    """Whether parts of calls may take less scratch than their kernels take as a rule, at a cost."""

    def foreseen(self, program: Program) -> "Shrunk | None":
        """What it would do with a program, without doing it; None if it leaves it as it is."""
        ...


@runtime_checkable
class Shrunk(Protocol):
    """What a `ShrinkingPass` did."""

    @property
    def live_bytes(self) -> int:
        """At once, as the pass counts them."""
        ...

    @property
    def extra(self) -> float:
        """Instructions more than without it, about."""
        ...


@dataclass(frozen=True)
class PassRecord(Checked):
    """What a pass did. verified: outputs were compared on given inputs, and the contract held.

    measured: how far they were apart, for a contract with a bound. The rest: see Outcome.
    """

    name: str
    seconds: float
    contract: Contract
    verified: bool
    warnings: tuple[str, ...] = ()
    measured: float | None = None
    facts: object = None
    found_by: str = ""
    is_proven: bool | None = None


def levels(pass_: AnyPass | type[AnyPass]) -> tuple[type[IR], type[IR]]:
    """What a pass takes and what it makes, Graph or Program: read from the annotations of its `run`."""
    run: Callable[..., object] = (pass_ if isinstance(pass_, type) else type(pass_)).run
    *given, made = typing.get_type_hints(run).values()
    found = (*given[:1], made)
    if len(found) != 2 or not all(level in (Graph, Program) for level in found):
        raise GraphError(
            f"pass {pass_.name!r}: expected `run` to be annotated with Graph or Program, got {found}"
        )
    return found
