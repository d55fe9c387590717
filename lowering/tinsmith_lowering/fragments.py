"""What a kernel gives and takes where C is written: the body of a call, and the names inside it.

The C writer has the `Scope`; nothing here knows what the generated files look like.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tinsmith_ir.checked import Checked
from tinsmith_ir.graph import Array


@dataclass(frozen=True)
class Emission(Checked):
    """The body of a layer's function.

    statements: whole C statements or declarations, each ending as C wants, lines indented by two.
    result: a C expression that is 0 when the kernel did its work, or None if it cannot refuse.
    wait: of a kernel that drives an engine itself, whose statements only start the work: what stands
    where the program waits for its end, in a function of its own with the same operands and the same
    `Scope.token`, so that nothing declared in one is known in the other; `result` is evaluated behind
    it. On a FIFO engine it returns after the end of what was started before, too. None of a kernel
    that works where its statements stand; a call of it on an engine is a job (tinsmith/engine.h).
    follows_loops: of a kernel that takes offsets: whether the body adds `Operand.motion` to them; one that does not is
    refused where a loop moves its operands. follows_memories: the same of `Operand.base`, where they lie in several.
    """

    statements: tuple[str, ...]
    result: str | None = None
    wait: tuple[str, ...] | None = None
    follows_loops: bool = False
    follows_memories: bool = False


@dataclass(frozen=True)
class Operand:
    """How the C text names an operand: a local pointer, or a constant of the graph.

    tensor: its C name. offset: where it lies in the arena, an enumerator or 0; "" for a constant. motion: what is added
    to that, as in loops, "" for nothing. base: a pointer to the start of the memory that it lies in, where the call's
    operands lie in several; "" for the one that `arena` points to.
    description: its name and type as people read them. name: of the constant in the Program.
    """

    expression: str
    tensor: str
    offset: str = ""
    description: str = ""
    constant: Array | None = None
    name: str = ""
    motion: str = ""
    base: str = ""


class Scope(Protocol):
    """Names inside one layer's function, and a place for what stands outside of it."""

    @property
    def layer(self) -> str:
        """The layer's C name."""
        ...

    @property
    def inputs(self) -> tuple[Operand | None, ...]:
        """Operands in the operator's order, None for an absent one."""
        ...

    @property
    def outputs(self) -> tuple[Operand, ...]:
        """Results in the operator's order."""
        ...

    @property
    def token(self) -> str:
        """C expression (uint32_t) that tells the call from others that are under way, in an emission that has
        a `wait`; 0 for a call of the core.
        """
        ...

    @property
    def reads_copies(self) -> bool:
        """Whether constants are read where they were copied to: pointers to these are no constants of C."""
        ...

    @property
    def place_type(self) -> str:
        """C type that holds where operands lie, and how large they are, in bytes: the same for all layers."""
        ...

    @property
    def extent_type(self) -> str:
        """C type that holds heights and widths of images and windows: the same for all layers."""
        ...

    @property
    def has_siblings(self) -> bool:
        """Whether another call reads the same constants, as parts of one layer do."""
        ...

    @property
    def scratch(self) -> Operand | None:
        """Working memory, None if the kernel's formula said 0."""
        ...

    @property
    def scratch_bytes(self) -> int:
        """Size of the working memory."""
        ...

    def input(self, index: int) -> str:
        """C expression (a pointer) of an operand; a constant operand, which the kernel's `prepare` must
        have given, is written as it is in the graph; `NULL` for an absent one.
        """
        ...

    @property
    def output(self) -> str:
        """C expression (a pointer) of the first result."""
        ...

    def prepared(self, layout: str, comment: str = "") -> str:
        """C expression (a pointer) of what the kernel's `prepare` gave under that layout; of an array,
        `layout` stands behind the layer's name. comment: above the array.
        """
        ...

    def record(self, name: str, c_type: str, value: str) -> str:
        """Address of a struct that lies outside of the function and is written once however many
        layers ask for it. name: must determine the value, `kDims_1_25_5_64`.
        """
        ...

    def helper(self, text: str) -> None:
        """Definitions that layers of one kind share, written once in front of all layers. A function
        among them should be TINSMITH_NOINLINE: it is there to save code.
        """
        ...

    def first(self, key: str, name: str, text: Callable[[], str]) -> str:
        """The name of what the first layer with that key has defined as a helper: `text`, which defines `name`, if this
        is the first one.
        """
        ...

    def arranged(self, index: int, layout: str, how: str) -> str:
        """The same, of a constant operand in another arrangement; it keeps the operand's name.

        how: said in the comment above the array.
        """
        ...
