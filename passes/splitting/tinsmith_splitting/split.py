"""The program pass: rows of neighbouring calls stream through windows, so that a program takes less memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome, Shrunk
from tinsmith_ir.program import Call, Copy, Fill, Program
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_splitting.facts import plan_of
from tinsmith_splitting.rewrite import rewritten
from tinsmith_splitting.search import Path, cheapest
from tinsmith_splitting.spills import SpillingWays, in_slow_memory
from tinsmith_splitting.ways import Choice, Ways


@dataclass(frozen=True)
class SplitCalls(Checked):
    """Let rows stream where whole tensors do not fit.

    ram_bytes: what may be live at once, as this pass counts it; None leaves programs as they are. Of the plans that
    keep within it the cheapest is taken; where there is none, so of 0, the one that needs least.

    aim_bytes: of the plans that keep within ram_bytes, the one that exceeds this least, in the sum of its parts, and
    only then the cheapest. Tensors that lie over those they are made from push these up, one after the other, and
    parts that leave room elsewhere do not.

    less_scratch: whether calls that stream may take less scratch than whole ones do, where their kernels leave open
    how much. Others may in any case, unless they cost a quarter more then.

    fast_bytes: instead of these, what may be live at once in the arena where whole tensors need not be there: of
    the plans that keep within it that which moves fewest bytes to and from elsewhere, as this pass counts them. Rows
    are copied from there into windows; what they are copied from is put in a memory called `slow`.
    """

    target: Target
    kernels: Sequence[Kernel]
    ram_bytes: int | None = None
    aim_bytes: int | None = None
    less_scratch: bool = True
    fast_bytes: int | None = None
    slow: str = "slow"

    name: ClassVar[str] = "split-calls"
    # Parts of operators compute what the whole does.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for a size that is none."""
        super().__post_init__()
        for option, size in (
            ("ram-bytes", self.ram_bytes),
            ("aim-bytes", self.aim_bytes),
            ("fast-bytes", self.fast_bytes),
        ):
            if size is not None and size < 0:
                raise UsageError(f"{self.name}: expected {option} from 0, got {size}")

    def run(self, program: Program) -> Program:
        """The program, its rows streaming where that is needed."""
        return self.run_in_detail(program).ir

    @checked
    def run_in_detail(self, program: Program) -> Outcome[Program]:
        """The same."""
        if self.fast_bytes is not None and _can_be_split(program):
            return self._spilled(program, self.fast_bytes)
        if self.ram_bytes is None or not _can_be_split(program):
            return Outcome(program)
        ways = _ways(program, self.target, tuple(self.kernels))
        path, shortage = self._path(ways, self.ram_bytes)
        warnings = (shortage,) if shortage else ()
        made = program
        parts: Mapping[str, Sequence[str]] = {}
        if any(way.of is not None for way in path.ways):
            made, parts = rewritten(program, ways.parts, path, ways.steps)
        return Outcome(made, warnings, facts=plan_of(ways.parts, path, parts))

    def foreseen(self, program: Program) -> Shrunk | None:
        """See `ShrinkingPass`; of programs that stream from slow memory None."""
        if self.ram_bytes is None or self.fast_bytes is not None or not _can_be_split(program):
            return None
        path, _ = self._path(_ways(program, self.target, tuple(self.kernels)), self.ram_bytes)
        return path

    def _path(self, ways: Ways, budget: int) -> tuple[Path[Choice], str]:
        """The plan that is taken, and what is short; "" if it keeps within the budget."""
        steps, aim, shortage = len(ways.steps), self.aim_bytes, ""
        path = cheapest(ways.within(budget, aim, slim=self.less_scratch), steps, budget, aim)
        if path is None:
            least = ways.least(slim=self.less_scratch)
            shortage = _shortage(least, budget) if budget else ""
            path = cheapest(ways.within(least, aim, slim=self.less_scratch), steps, least, aim)
        assert path is not None
        return path, shortage

    def _spilled(self, program: Program, fast_bytes: int) -> Outcome[Program]:
        spilling = _spilling_ways(program, self.target, tuple(self.kernels))
        ways = spilling.ways
        path = cheapest(spilling.within(fast_bytes), len(ways.steps), fast_bytes)
        if path is None:  # the scratch of a call that no rows make less
            return Outcome(program)
        made, parts = rewritten(spilling.program, ways.parts, path, ways.steps)
        made = in_slow_memory(made, spilling.copied(path), self.slow)
        return Outcome(made, facts=plan_of(ways.parts, spilling.in_instructions(path), parts))


def _shortage(least: int, ram_bytes: int) -> str:
    return (
        f"however rows stream, at least {least:,} bytes are live at once, which is more than {ram_bytes:,}; "
        "the plan that takes these was made"
    )


@lru_cache(maxsize=1)
def _ways(program: Program, target: Target, kernels: tuple[Kernel, ...]) -> Ways:
    """Kept for the next budget, since finding them takes the time."""
    return Ways(program, target, kernels)


@lru_cache(maxsize=1)
def _spilling_ways(program: Program, target: Target, kernels: tuple[Kernel, ...]) -> SpillingWays:
    """The same."""
    return SpillingWays(program, target, kernels)


def _can_be_split(program: Program) -> bool:
    """Whether it is one of calls of the core, one after the other, whose buffers have no place yet."""
    return (
        all(isinstance(step, Call | Copy | Fill) for step in program.steps)
        and not program.engines
        and all(
            buffer.offset is None or program.memory[buffer.memory].is_caller
            for buffer in program.buffers
        )
    )
