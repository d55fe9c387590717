"""The Program level: how it is computed, on a given target.

Buffers live in named memories; steps run in order. A KernelCall keeps the graph operator it carries
out, so its meaning stays checkable; `kernel` names the C routine chosen for it. Addresses and order
are part of the Program (and of its text), so a person can edit a plan and have it checked again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from tinsmith_ir.checked import Checked
from tinsmith_ir.graph import Array, Location
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Memory(Checked):
    """A memory that buffers are placed in. `size_bytes` None means as large as needed."""

    name: str
    size_bytes: int | None = None
    alignment: int = 16


@dataclass(frozen=True)
class Buffer(Checked):
    """A tensor, or raw scratch, in a memory.

    offset: bytes from the start of the memory; None until the allocation pass has run.
    alias_of: name of a buffer whose bytes this one shares (a reshape); then offset is that one's.
    """

    name: str
    type: TensorType
    memory: str
    offset: int | None = None
    alias_of: str | None = None

    @property
    def size_bytes(self) -> int:
        """Bytes this buffer occupies."""
        return self.type.size_bytes


@dataclass(frozen=True, eq=False)
class ConstantBuffer(Checked):
    """Read-only data: an operand of the graph, or what a kernel reads besides (see KernelCall.reads).

    layout: "" for an operand; else how a kernel wants its bytes, which the kernel's `prepare` knows.
    """

    name: str
    type: TensorType
    data: Array
    layout: str = ""


@dataclass(frozen=True)
class KernelCall(Checked):
    """Run `kernel`, which computes `operator`.

    inputs: names of buffers or constants, None for an absent optional operand.
    outputs: names of buffers.
    scratch: name of a buffer that is live during this call only, or None.
    reason: why this kernel and not the target's best one; "" when it is the best one.
    reads: constants whose bytes the kernel reads, known once they are prepared. `inputs` stay what the
    call means, whether the kernel reads their bytes or an arrangement of them.
    """

    name: str
    kernel: str
    operator: Operator
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]
    scratch: str | None = None
    reason: str = ""
    location: Location = field(default=Location(), compare=False)
    reads: tuple[str, ...] = ()


@dataclass(frozen=True)
class DmaCopy(Checked):
    """Start an asynchronous copy of `source` to `destination`; it has ended after Barrier(token)."""

    source: str
    destination: str
    token: int


@dataclass(frozen=True)
class Barrier(Checked):
    """Wait for the copies of `token`."""

    token: int


Step = KernelCall | DmaCopy | Barrier


@dataclass(frozen=True, eq=False)
class Program(Checked):
    """Buffers, constants and steps in execution order.

    inputs, outputs: names of buffers, in the order of the graph's.
    target: name of the target it was lowered for.
    """

    name: str
    target: str
    memories: tuple[Memory, ...]
    buffers: tuple[Buffer, ...]
    constants: tuple[ConstantBuffer, ...]
    steps: tuple[Step, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @cached_property
    def buffer(self) -> Mapping[str, Buffer]:
        """Buffers by name."""
        return {buffer.name: buffer for buffer in self.buffers}

    @cached_property
    def constant(self) -> Mapping[str, ConstantBuffer]:
        """Constants by name."""
        return {constant.name: constant for constant in self.constants}

    @property
    def calls(self) -> tuple[KernelCall, ...]:
        """The kernel calls, in order."""
        return tuple(step for step in self.steps if isinstance(step, KernelCall))

    def type_of(self, name: str) -> TensorType:
        """Type of a buffer or constant; raises KeyError for an unknown name."""
        return self.buffer[name].type if name in self.buffer else self.constant[name].type

    def root(self, name: str) -> Buffer | None:
        """The buffer whose bytes `name` shares at the end of its aliases, itself if it is none.

        None if the aliases lead to no buffer, or in a circle.
        """
        seen: set[str] = set()
        while name in self.buffer and name not in seen:
            seen.add(name)
            alias = self.buffer[name].alias_of
            if alias is None:
                return self.buffer[name]
            name = alias
        return None

    def with_buffers(self, buffers: tuple[Buffer, ...]) -> "Program":
        """The same program with other buffers (placed ones, say)."""
        return replace(self, buffers=buffers)
