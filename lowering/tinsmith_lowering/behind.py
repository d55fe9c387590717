"""Room behind results, where some kernels write what nobody reads: hardware that computes whole blocks does.

It is the end of the result's buffer, so no pass can give it away, and lives as long as the result does.
"""

from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name
from tinsmith_ir.places import byte_range
from tinsmith_ir.program import Call, Program
from tinsmith_ir.program_printer import print_step, print_view


def check_behind(program: Program, call: Call, name: str, wanted: int) -> None:
    """Raise GraphError unless `wanted` bytes of the buffer lie behind a result of the call, and no tensor in them.

    name: of the result's view. wanted: 0 asks for nothing.
    """
    if not wanted:
        return
    view = program.view[name]
    where = f"in\n  {print_step(call)}\n"
    if view.counters:
        raise GraphError(
            f"kernel {call.kernel!r} writes {wanted} bytes behind {print_name(name)}: expected a result that no loop "
            f"moves, got\n  {print_view(view)}\n  {where}"
        )
    _, end = byte_range(view)
    room = program.buffer[view.buffer].size_bytes - end
    if room < wanted:
        raise GraphError(
            f"kernel {call.kernel!r} writes {wanted} bytes behind {print_name(name)}: expected room for them in its "
            f"buffer {print_name(view.buffer)}, got {room}; make the buffer larger {where}"
        )
    for other in program.views:
        if other.buffer == view.buffer and (other.counters or byte_range(other)[1] > end):
            raise GraphError(
                f"kernel {call.kernel!r} writes {wanted} bytes behind {print_name(name)}: expected no tensor there, "
                f"got\n  {print_view(other)}\n  {where}"
            )
