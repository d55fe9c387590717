"""A placed Program with the C names of everything: what the writer, the harness and the report share."""

from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name
from tinsmith_ir.program import Buffer, DmaCopy, KernelCall, Program
from tinsmith_lowering import ARENA, ARENA_ALIGNMENT

from tinsmith_c.names import buffer_names, c_identifier, is_header, shortened


@checked
def c_name(program: Program) -> str:
    """The name of the generated files and the prefix of everything in them; never that of a header
    that the generated C or the kernels include.
    """
    name = shortened(c_identifier(program.name), 40)
    return f"n_{name}" if is_header(name) else name


@dataclass(frozen=True)
class Layout:
    """Addresses and C names of a program that an allocation pass has placed."""

    program: Program

    def __post_init__(self) -> None:
        """Refuse what the C writer cannot say: several memories, DMA, buffers without a place."""
        if any(isinstance(step, DmaCopy) for step in self.program.steps):
            raise GraphError(
                f"program {self.program.name!r} copies by DMA; expected kernel calls only"
            )
        for buffer in self.program.buffers:
            if buffer.memory != ARENA:
                raise GraphError(
                    f"buffer {print_name(buffer.name)} is in memory {buffer.memory!r}; expected '{ARENA}'"
                )
            if self.root(buffer.name).offset is None:
                raise GraphError(
                    f"buffer {print_name(buffer.name)} has no offset; run an allocation pass first"
                )

    def root(self, name: str) -> Buffer:
        """The buffer whose bytes `name` shares; itself if it is no alias."""
        buffer = self.program.buffer[name]
        return buffer if buffer.alias_of is None else self.root(buffer.alias_of)

    def offset(self, name: str) -> int:
        """Bytes from the start of the arena."""
        offset = self.root(name).offset
        assert offset is not None  # checked once, above
        return offset

    @cached_property
    def arena_bytes(self) -> int:
        """Bytes of the arena: the end of the last buffer; 1 for a program without buffers."""
        return max(
            (self.offset(buffer.name) + buffer.size_bytes for buffer in self.program.buffers),
            default=1,
        )

    @property
    def arena_alignment(self) -> int:
        """Bytes that the arena's address must be a multiple of."""
        return ARENA_ALIGNMENT

    @cached_property
    def identifiers(self) -> dict[str, str]:
        """Buffer -> C identifier."""
        return buffer_names([buffer.name for buffer in self.program.buffers])

    @cached_property
    def layer_identifiers(self) -> dict[str, str]:
        """Kernel call -> C identifier."""
        return buffer_names([call.name for call in self.program.calls])

    def offset_name(self, name: str) -> str:
        """The enumerator that holds a buffer's offset."""
        return f"kOffset_{self.identifiers[name]}"


def layer_output(call: KernelCall) -> str:
    """The buffer that the layer hook shows: the call's first result."""
    return call.outputs[0]
