"""A placed Program with the C names of everything: what the writer, the harness and the report share."""

from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name
from tinsmith_ir.places import places
from tinsmith_ir.program import Call, Program
from tinsmith_ir.program_printer import print_step, print_view
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
        """Refuse what the C writer cannot say: several memories, copies, loops, buffers without a place."""
        for step in self.program.steps:
            if not isinstance(step, Call) or step.engine is not None:
                raise GraphError(
                    f"program {self.program.name!r}: expected kernel calls of the core only, "
                    f"got\n  {print_step(step)}\n"
                )
        for view in self.program.views:
            if not view.is_dense:
                raise GraphError(f"expected dense tensors only, got\n  {print_view(view)}\n")
        for buffer in self.program.buffers:
            if buffer.memory != ARENA:
                raise GraphError(
                    f"buffer {print_name(buffer.name)} is in memory {buffer.memory!r}; expected '{ARENA}'"
                )
            if buffer.offset is None:
                raise GraphError(
                    f"buffer {print_name(buffer.name)} has no offset; run an allocation pass first"
                )

    def offset(self, name: str) -> int:
        """Bytes from the start of the arena to a view's."""
        offset = self.program.buffer_of(name).offset
        assert offset is not None  # checked once, above
        return offset + places(self.program.view[name]).begin

    @cached_property
    def arena_bytes(self) -> int:
        """Bytes of the arena: the end of the last buffer; 1 for a program without buffers."""
        return max(
            ((buffer.offset or 0) + buffer.size_bytes for buffer in self.program.buffers),
            default=1,
        )

    @property
    def arena_alignment(self) -> int:
        """Bytes that the arena's address must be a multiple of."""
        return ARENA_ALIGNMENT

    @cached_property
    def identifiers(self) -> dict[str, str]:
        """View -> C identifier."""
        return buffer_names([view.name for view in self.program.views])

    @cached_property
    def layer_identifiers(self) -> dict[str, str]:
        """Kernel call -> C identifier."""
        return buffer_names([call.name for call in self.program.calls])

    def offset_name(self, name: str) -> str:
        """The enumerator that holds a view's offset."""
        return f"kOffset_{self.identifiers[name]}"


def layer_output(call: Call) -> str:
    """The view that the layer hook shows: the call's first result."""
    return call.outputs[0]
