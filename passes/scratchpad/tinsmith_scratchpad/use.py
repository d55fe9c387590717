"""The program pass: what accelerators touch lies in their scratchpad."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.program import Call, Loop, Program, simple_steps
from tinsmith_lowering import Beside, Kernel, find_kernel, layer_of_call
from tinsmith_target import Target

from tinsmith_scratchpad.rewrite import rewritten


@dataclass(frozen=True)
class UseScratchpad(Checked):
    """Give the calls of accelerators that have a scratchpad (`Board.scratchpad`) to their engines, and their tensors to
    that memory; put a copy where a tensor is written on one side and read on the other. Tensors that accelerators alone
    touch are never copied. Boards without a scratchpad are left alone.

    kernels: those that the program was lowered with. round_trips: nothing stays in the scratchpad behind the call that
    made it, and nothing is found there by the next: each call's operands are copied to it and its results from it, as
    compilers have it that make code layer by layer. Slower; what keeping tensors there saves is the difference.
    """

    target: Target
    kernels: Sequence[Kernel]
    round_trips: bool = False

    name: ClassVar[str] = "use-scratchpad"
    # The same calls in the same order, of the same bytes.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, program: Program) -> Program:
        """The program with both memories; the same object if no call wants the scratchpad.

        program: prepared, with one memory for buffers. Raises UsageError for a call of an accelerator that is inside a
        loop or on an engine already, and for one whose kernel has no start and wait of its own (`Kernel.beside`).
        """
        scratchpad = self.target.board.scratchpad
        if scratchpad is None:
            return program
        beside = dict(self._beside(program, scratchpad.accelerators))
        if not beside:
            return program
        _check_outside_of_loops(program, beside)
        size_bytes = self.target.board.memory(scratchpad.memory).size_bytes
        return rewritten(program, beside, scratchpad, size_bytes, round_trips=self.round_trips)

    def _beside(
        self, program: Program, accelerators: Sequence[str]
    ) -> Iterator[tuple[str, Beside]]:
        """Calls of the accelerators, by name, and what runs them."""
        for call in program.calls:
            kernel = find_kernel(
                call.kernel, layer_of_call(program, call, self.target), self.kernels
            )
            if kernel.accelerator not in accelerators:
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
            yield call.name, kernel.beside


def _check_outside_of_loops(program: Program, beside: Mapping[str, Beside]) -> None:
    """Raise UsageError for a call of an accelerator in a loop."""
    loops = (step for step in program.steps if isinstance(step, Loop))
    within = (step for loop in loops for step in simple_steps(loop.body))
    for step in within:
        if isinstance(step, Call) and step.name in beside:
            raise UsageError(
                f"{UseScratchpad.name}: layer {visible(step.name)}: expected an accelerator's call outside of loops; "
                "leave out the pass that made the loop"
            )
