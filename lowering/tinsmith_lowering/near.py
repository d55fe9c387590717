"""Calls of kernels that see one memory alone."""

from collections.abc import Iterator, Sequence

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.program import Call, Program
from tinsmith_target import Target

from tinsmith_lowering.kernel import Kernel
from tinsmith_lowering.lift import find_kernel
from tinsmith_lowering.lower import layer_of_call


@checked
def check_near(program: Program, target: Target, kernels: Sequence[Kernel]) -> None:
    """Raise UsageError for a call of a kernel that is `near`, if the target has a cluster and something that the call
    touches lies elsewhere than in the cluster's memory, constants with a memory of their own aside.

    program: with all buffers in the memories where they will be.
    """
    cluster = target.board.cluster
    if cluster is None or not any(kernel.near for kernel in kernels):
        return
    for call in program.calls:
        if not find_kernel(call.kernel, layer_of_call(program, call, target), kernels).near:
            continue
        far = next(_far(program, call, cluster.memory), None)
        if far is not None:
            raise UsageError(
                f"layer {visible(call.name)}: {call.kernel} reads and writes {cluster.memory} alone, but {far}; keep "
                "the pass `tile`, give it more of that memory, or take another back end for this network"
            )


def _far(program: Program, call: Call, memory: str) -> Iterator[str]:
    """What of a call lies elsewhere."""
    held = {each.constant: each.view for each in call.held}
    for name in call.reads:
        constant = program.written_constant(name)
        if name not in held and (constant is None or not constant.memory):
            yield f"constant {name} is not copied there"
    names = [*call.inputs, *call.outputs, call.scratch, *held.values()]
    for view in (program.view.get(name or "") for name in names):
        if view is not None and program.buffer[view.buffer].memory != memory:
            yield f"{visible(view.name)} lies in {program.buffer[view.buffer].memory}"
