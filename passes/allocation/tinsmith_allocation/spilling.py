"""The program pass: which buffers lie in fast memory, and which are spilled to slower ones.

Nothing here copies: a buffer lies in one memory for its whole life, and kernels read and write it there.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import DoesNotFitError, UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome
from tinsmith_ir.program import Memory, Program

from tinsmith_allocation.allocate import AllocateBuffers
from tinsmith_allocation.chosen import Choice, cheapest_choice
from tinsmith_allocation.lifetimes import demand
from tinsmith_allocation.moving import traffic

_MOST_TRIES = 24
_SIZES = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20}
_MEMORY = re.compile(r"([A-Za-z]\w*):([1-9]\d*)(KiB|MiB)?", re.ASCII)


@dataclass(frozen=True)
class Spills(Checked):
    """What was chosen. moved_bytes: read and written in all memories but the fastest, in one inference. lower_bound: of
    these, what no choice that keeps each memory's size can do without for this order of steps.
    """

    moved_bytes: int
    lower_bound: int

    @property
    def is_proven(self) -> bool:
        """Whether no other choice moves fewer bytes."""
        return self.moved_bytes == self.lower_bound


@dataclass(frozen=True)
class SpillBuffers(Checked):
    """Put what lies in the arena in memories of given sizes, so that the fewest bytes are moved to and from slow ones.

    memories: fast to slow, as `dtcm:16KiB+psram:8MiB`; "" leaves programs as they are. Where the first memory has room
    for all, the others are not used. The scratch of kernels is never spilled.
    """

    memories: str = ""

    name: ClassVar[str] = "spill-buffers"
    # A buffer holds the same bytes wherever it lies.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for text that says no memories."""
        super().__post_init__()
        sizes_of(self.memories)

    def run(self, program: Program) -> Program:
        """The program, each of its buffers in one of the memories."""
        return self.run_in_detail(program).ir

    @checked
    def run_in_detail(self, program: Program) -> Outcome[Program]:
        """The same, with Spills as facts."""
        sizes = sizes_of(self.memories)
        if not sizes or not program.memories:
            return Outcome(program)
        return _Spilling(program, sizes).outcome()


def sizes_of(memories: str) -> Mapping[str, int]:
    """Name -> bytes, in order, of `dtcm:16KiB+psram:8MiB`. Raises UsageError for another text."""
    found: dict[str, int] = {}
    for part in memories.split("+") if memories else []:
        match = _MEMORY.fullmatch(part)
        if match is None or match[1] in found:
            raise UsageError(
                f"{SpillBuffers.name}: expected memories of different names, fast to slow, such as "
                f"dtcm:16KiB+psram:8MiB, got {visible(memories)!r}"
            )
        found[match[1]] = int(match[2]) * _SIZES[match[3] or ""]
    return found


class _Spilling:
    """One program. arena: its memory that is divided; what its others hold (states, the caller's inputs) stays."""

    def __init__(self, program: Program, sizes: Mapping[str, int]) -> None:
        self._program = program
        self._arena = program.memories[0]
        # Another pass may have chosen what lies in slow memories.
        slow = {*[*sizes][1:]}
        given = {memory.name for memory in program.memories[1:]}
        self._chosen = {
            found.name: found.memory for found in program.buffers if found.memory in slow & given
        }
        taken = (given & {*sizes}) - slow
        if taken:
            raise UsageError(
                f"{SpillBuffers.name}: expected other names than those of the program's memories, got "
                f"{', '.join(map(visible, sorted(taken)))}; rename the memory"
            )
        self._memories = [
            replace(self._arena, name=name, size_bytes=size) for name, size in sizes.items()
        ]
        self._costs = traffic(program)
        # Kernels come back to their scratch again and again.
        self._pinned = frozenset(
            program.buffer_of(call.scratch).name for call in program.calls if call.scratch
        )

    def outcome(self) -> Outcome[Program]:
        """Level by level: what does not fit the first memory, then what of that does not fit the second, and so on."""
        where = dict(self._chosen)
        left = [found.name for found in self._program.buffers if found.memory == self._arena.name]
        bound = 0
        for level, memory in enumerate(self._memories):
            if level + 1 == len(self._memories):
                where |= dict.fromkeys(left, memory.name)
                break
            choice = self._choice(left, memory)
            where |= {name: memory.name for name in left if name not in choice.spilled}
            left = [name for name in left if name in choice.spilled]
            if not level:
                bound = choice.lower_bound
            if not left:
                break
        for memory in self._memories:
            self._check_largest(where, memory)
        fastest = self._memories[0].name
        moved = sum(self._costs[name] for name, memory in where.items() if memory != fastest)
        given = sum(self._costs[name] for name in self._chosen)
        return Outcome(self._placed(where), facts=Spills(moved, given + bound))

    def _check_largest(self, where: Mapping[str, str], memory: Memory) -> None:
        """Raise DoesNotFitError for a buffer that alone is too large; whether all fit is for the pass behind to say."""
        sizes = self._program.buffer
        names = [name for name, chosen in where.items() if chosen == memory.name]
        largest = max(names, key=lambda name: sizes[name].size_bytes, default=None)
        available = memory.size_bytes or 0
        if largest is None or sizes[largest].size_bytes <= available:
            return
        needed = self._needed(names, memory)
        raise DoesNotFitError(
            f"{memory.name} is too small: needed {needed:,} bytes, available {available:,} bytes; "
            f"{visible(largest)} alone has {sizes[largest].size_bytes:,} bytes. Give {memory.name} more bytes, or a "
            "larger memory behind it.",
            needed_bytes=needed,
            available_bytes=available,
        )

    def _choice(self, names: Sequence[str], memory: Memory) -> Choice:
        """The cheapest choice that a planner finds room for: where live bytes fit and their places do not, fewer of
        them are asked for.
        """
        assert memory.size_bytes is not None
        # Only this memory's buffers count, so that the rest may lie anywhere.
        wanted = demand(self._with(dict.fromkeys(names, memory.name), [memory]), memory.name)
        budget, bound = memory.size_bytes, 0
        for tried in range(_MOST_TRIES):
            choice = cheapest_choice(
                wanted.blocks, wanted.leaves, self._costs, budget, self._pinned
            )
            if choice is None:
                break
            bound = bound if tried else choice.lower_bound
            kept = [name for name in names if name not in choice.spilled]
            needed = self._needed(kept, memory)
            if needed <= memory.size_bytes:
                return replace(choice, lower_bound=bound)
            budget -= max(memory.alignment, min(needed - memory.size_bytes, budget // 8))
        # All that can go; whether the rest fits is for the pass behind to say.
        others = frozenset(names) - self._pinned
        return Choice(others, sum(self._costs[name] for name in others), bound)

    def _needed(self, kept: Sequence[str], memory: Memory) -> int:
        """Bytes of the smallest plan that is found for these buffers."""
        if not kept:
            return 0
        made = self._with(dict.fromkeys(kept, memory.name), [memory])
        return AllocateBuffers(time_limit=1.0).plan(made, memory.name).arena_bytes

    def _placed(self, where: Mapping[str, str]) -> Program:
        used = {*where.values()} or {self._memories[0].name}
        made = self._with(where, [memory for memory in self._memories if memory.name in used])
        others = (m for m in self._program.memories[1:] if m.name not in used)
        mine = (m for m in made.memories if m.name in used)
        return replace(made, memories=(*mine, *others))

    def _with(self, where: Mapping[str, str], memories: Sequence[Memory]) -> Program:
        """The program with these buffers in these memories."""
        buffers = tuple(
            replace(found, memory=where.get(found.name, found.memory))
            for found in self._program.buffers
        )
        names = {memory.name for memory in memories}
        others = (memory for memory in self._program.memories if memory.name not in names)
        return replace(self._program, memories=(*memories, *others), buffers=buffers)
