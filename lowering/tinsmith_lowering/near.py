"""Calls of kernels that see one memory alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

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
    touches lies elsewhere than in the cluster's memory, constants with a memory of their own aside; and of one whose
    accelerator has a scratchpad, for what of its tensors and scratch has to lie there and lies elsewhere.

    program: with all buffers in the memories where they will be.
    """
    cluster, scratchpad = target.board.cluster, target.board.scratchpad
    if cluster is not None and any(kernel.near for kernel in kernels):
        for call, kernel in _with_kernels(program, target, kernels):
            if kernel.near:
                far = (*_far(program, call, cluster.memory), *_far_constants(program, call))
                _refuse(call, cluster.memory, "tile", far)
    if scratchpad is not None and any(kernel.accelerator for kernel in kernels):
        for call, kernel in _with_kernels(program, target, kernels):
            if kernel.accelerator in scratchpad.accelerators:
                far = tuple(_far(program, _without_copied(call, kernel), scratchpad.memory))
                _refuse(call, scratchpad.memory, "use-scratchpad", far)


def _without_copied(call: Call, kernel: Kernel) -> Call:
    """The call without what its kernel copies by itself."""
    beside = kernel.beside
    if beside is None:
        return call
    return replace(
        call,
        inputs=() if beside.copies_operands else call.inputs,
        outputs=() if beside.copies_results else call.outputs,
    )


def _with_kernels(
    program: Program, target: Target, kernels: Sequence[Kernel]
) -> Iterator[tuple[Call, Kernel]]:
    for call in program.calls:
        yield call, find_kernel(call.kernel, layer_of_call(program, call, target), kernels)


def _refuse(call: Call, memory: str, pass_name: str, far: Sequence[str]) -> None:
    """Raise UsageError if something of a call lies elsewhere."""
    if far:
        raise UsageError(
            f"layer {visible(call.name)}: {call.kernel} reads and writes {memory} alone, but {far[0]}; keep "
            f"the pass `{pass_name}`, give it more of that memory, or take another back end for this network"
        )


def _far_constants(program: Program, call: Call) -> Iterator[str]:
    """Constants of a call that lie where most do."""
    held = {each.constant for each in call.held}
    for name in call.reads:
        constant = program.written_constant(name)
        if name not in held and (constant is None or not constant.memory):
            yield f"constant {name} is not copied there"


def _far(program: Program, call: Call, memory: str) -> Iterator[str]:
    """Tensors of a call that lie elsewhere."""
    held = (each.view for each in call.held)
    names = [*call.inputs, *call.outputs, call.scratch, *held]
    for view in (program.view.get(name or "") for name in names):
        if view is not None and program.buffer[view.buffer].memory != memory:
            yield f"{visible(view.name)} lies in {program.buffer[view.buffer].memory}"
