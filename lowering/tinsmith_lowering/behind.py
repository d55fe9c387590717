"""Room behind results, where some kernels write what nobody reads: hardware that computes whole blocks does.

It is the end of the result's buffer, so no pass can give it away, and lives as long as the result does.
"""

from collections.abc import Collection, Sequence

from tinsmith_ir.byte_places import byte_range
from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name
from tinsmith_ir.program import Call, Program
from tinsmith_ir.program_printer import print_step, print_view
from tinsmith_target import Target

from tinsmith_lowering.kernel import Kernel
from tinsmith_lowering.lower import find_kernel, layer_of_call


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


def touched_bytes(
    program: Program,
    buffers: Collection[str],
    target: Target,
    kernels: Sequence[Kernel],
    *,
    without: Collection[str] = (),
) -> dict[str, int]:
    """What is needed of each of these buffers, in bytes: up to the end of its tensors, and of what kernels of calls
    write behind results. Of a buffer with a view that a loop moves, all that it has.

    without: calls by name that write behind none of their results, as they are to be cut.
    """
    moved = {view.buffer for view in program.views if view.counters}
    mine = [view for view in program.views if view.buffer in buffers and view.buffer not in moved]
    ends = {view.name: byte_range(view)[1] for view in mine}
    for call in program.calls:
        if call.name in without or not ends.keys() & {*call.outputs}:
            continue
        layer = layer_of_call(program, call, target)
        layouts = find_kernel(call.kernel, layer, kernels).layouts(layer)
        for index, name in enumerate(call.outputs):
            if name in ends:
                ends[name] += layouts.behind_output(index)
    found = {name: program.buffer[name].size_bytes if name in moved else 0 for name in buffers}
    for view in mine:
        found[view.buffer] = max(found[view.buffer], ends[view.name])
    return found
