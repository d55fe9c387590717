"""The program pass: what accelerators touch lies in their scratchpad."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import DoesNotFitError, UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.hazards import step_names
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.program import Call, Loop, Program, simple_steps
from tinsmith_lowering import Kernel, find_kernel, layer_of_call, touched_bytes
from tinsmith_target import Scratchpad, Target

from tinsmith_scratchpad.rewrite import Jobs, rewritten


@dataclass(frozen=True)
class UseScratchpad(Checked):
    """Give the calls of accelerators that have a scratchpad (`Board.scratchpad`) to their engines, and their tensors to
    that memory; put a copy where a tensor is written on one side and read on the other. Tensors that accelerators alone
    touch are never copied. Boards without a scratchpad are left alone.

    kernels: those that the program was lowered with. round_trips: nothing stays in the scratchpad behind the call that
    made it, and nothing is found there by the next: each call's operands are copied to it and its results from it, as
    compilers have it that make code layer by layer. Slower; what keeping tensors there saves is the difference.
    bytes: how much of the scratchpad there is; None for the board's all. A call whose tensors do not fit it together,
    of a kernel that says how it is cut (`Kernel.cuts`), has them afar and the scratchpad for itself: `tile-jobs` cuts
    it.
    """

    target: Target
    kernels: Sequence[Kernel]
    round_trips: bool = False
    bytes: int | None = None

    name: ClassVar[str] = "use-scratchpad"
    # The same calls in the same order, of the same bytes.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for bytes that are none."""
        super().__post_init__()
        if self.bytes is not None and self.bytes < 1:
            raise UsageError(f"{self.name}: expected bytes from 1, got {self.bytes}")

    @checked
    def run(self, program: Program) -> Program:
        """The program with both memories; the same object if no call wants the scratchpad.

        program: prepared, with one memory for buffers. Raises UsageError for a call of an accelerator that is inside a
        loop or on an engine already, and for one whose kernel has no start and wait of its own (`Kernel.beside`);
        DoesNotFitError for one of which a tensor alone, or its scratch, is larger than the scratchpad.
        """
        scratchpad = self.target.board.scratchpad
        if scratchpad is None:
            return program
        most = self.target.board.memory(scratchpad.memory).size_bytes
        size_bytes = most if self.bytes is None else self.bytes
        if size_bytes > most:
            raise UsageError(
                f"{self.name}: expected bytes up to the {most:,} of {scratchpad.memory}, got {size_bytes:,}"
            )
        jobs = self._jobs(program, scratchpad, size_bytes)
        if not jobs.beside:
            return program
        _check_outside_of_loops(program, jobs.beside)
        made = rewritten(program, jobs, scratchpad, size_bytes, round_trips=self.round_trips)
        _check_buffers_fit(made, scratchpad.memory, size_bytes)
        return made

    def _jobs(self, program: Program, scratchpad: Scratchpad, size_bytes: int) -> Jobs:
        """Calls of the accelerators; those to be cut are as if they copied by themselves."""
        jobs = Jobs()
        for call in program.calls:
            layer = layer_of_call(program, call, self.target)
            kernel = find_kernel(call.kernel, layer, self.kernels)
            if kernel.accelerator not in scratchpad.accelerators:
                continue
            if kernel.beside is None:
                raise UsageError(
                    f"{self.name}: layer {visible(call.name)}: expected a kernel with start and wait of its own "
                    f"(Kernel.beside), since no core reaches what it computes, got {kernel.key}"
                )
            if call.engine is not None:
                raise UsageError(
                    f"{self.name}: layer {visible(call.name)}: expected a call that no pass has given to an engine, "
                    f"got one on {call.engine!r}; leave out that pass"
                )
            jobs.beside[call.name] = kernel.beside
            is_large = tensors_bytes(program, call, scratchpad.alignment, jobs.sizes) > size_bytes
            if is_large and not kernel.beside.copies and kernel.cuts(layer) is not None:
                jobs.beside[call.name] = replace(
                    kernel.beside, copies_operands=True, copies_results=True
                )
                jobs.cut.add(call.name)
                given = {program.view[name].buffer for name in call.outputs}
                jobs.sizes |= touched_bytes(
                    program, given, self.target, self.kernels, without=jobs.cut
                )
        return jobs


def tensors_bytes(program: Program, call: Call, alignment: int, sizes: Mapping[str, int]) -> int:
    """Of the buffers that a call touches, each once. sizes: of those that are smaller in the scratchpad."""
    reads, writes = step_names(call)
    views = (program.view.get(name) for name in (*reads, *writes))
    buffers = {view.buffer for view in views if view is not None}
    found = (sizes.get(name, program.buffer[name].size_bytes) for name in buffers)
    return sum(-(-size // alignment) * alignment for size in found)


def _check_buffers_fit(program: Program, memory: str, size_bytes: int) -> None:
    """Raise DoesNotFitError for a call with a buffer that is larger than its memory."""
    for call in program.calls:
        reads, writes = step_names(call)
        for name in (*reads, *writes):
            view = program.view.get(name)
            if view is None or program.buffer[view.buffer].memory != memory:
                continue
            needed = program.buffer[view.buffer].size_bytes
            if needed > size_bytes:
                raise DoesNotFitError(
                    f"layer {visible(call.name)} does not fit into the {size_bytes:,} bytes of {memory}: "
                    f"{visible(view.buffer)} takes {needed:,}, and the layer cannot be cut",
                    needed_bytes=needed,
                    available_bytes=size_bytes,
                )


def _check_outside_of_loops(program: Program, beside: Collection[str]) -> None:
    """Raise UsageError for a call of an accelerator in a loop."""
    loops = (step for step in program.steps if isinstance(step, Loop))
    within = (step for loop in loops for step in simple_steps(loop.body))
    for step in within:
        if isinstance(step, Call) and step.name in beside:
            raise UsageError(
                f"{UseScratchpad.name}: layer {visible(step.name)}: expected an accelerator's call outside of loops; "
                "leave out the pass that made the loop"
            )
