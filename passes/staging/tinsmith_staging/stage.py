"""The program pass: constants lie in a remote memory, and are fetched to the one of the buffers ahead of their use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import ConstantsDoNotFitError, DoesNotFitError, UsageError
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome
from tinsmith_ir.program import Memory, Program
from tinsmith_lowering import StagedConstants
from tinsmith_target import Board, Target

from tinsmith_staging.fetches import ALIGNMENT, Fetch, fetches_of, lives_of
from tinsmith_staging.rewrite import Staging, staged
from tinsmith_staging.room import needed_bytes
from tinsmith_staging.schedule import least_room, schedule
from tinsmith_staging.uses import Unit, Use, uses_of

_STATIC_BYTES = 4 * 1024
"""What kernels, runtime and harness keep in RAM beside arena and stack, at most."""

_RESIDENT_SHARE = 16
"""Small constants may take this part of the memory of the code."""

_TOGETHER = 4
"""Neighbours in the order of use are one fetch up to so many times the least bytes."""

_ROOM_SHARE = 8
"""Constants are fetched together up to this part of the room."""


@dataclass(frozen=True)
class StageConstants(Checked):
    """Fetch constants from the board's remote memory ahead of their use, as early as there is room. Other boards are
    left alone, and programs without an engine, which the core that boots the board runs by itself.

    least_bytes: smaller constants stay with the code, as far as there is room for them; neighbours in the order of use
    are fetched together at least up to four times as many. available_bytes: what buffers and staged constants may take
    together; None for what the board's memory has beside stack and variables. depth: how many fetches are under way at
    most, which is what the queue of a uDMA holds: to start another one would be to wait. resident_bytes: further
    constants that stay with the code, those that are used last: if all do, no inference fetches any.
    """

    target: Target
    least_bytes: int = 256
    available_bytes: int | None = None
    depth: int = 8
    resident_bytes: int = 0

    name: ClassVar[str] = "stage-constants"
    # Whoever read a constant reads the same bytes in another place.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for a size that is none, and an engine that holds nothing."""
        super().__post_init__()
        if self.depth < 1:
            raise UsageError(f"{self.name}: expected depth from 1, got {self.depth}")
        for option in ("least_bytes", "resident_bytes"):
            if getattr(self, option) < 0:
                raise UsageError(
                    f"{self.name}: expected {option} from 0, got {getattr(self, option)}"
                )

    def run(self, program: Program) -> Program:
        """See run_in_detail."""
        return self.run_in_detail(program).ir

    @checked
    def run_in_detail(self, program: Program) -> Outcome[Program]:
        """The program that fetches; the same object if there is nothing to fetch. Facts: StagedConstants.

        program: prepared and tiled; buffers of its first memory have no offsets.
        Raises DoesNotFitError where what is wanted at once does not fit beside the buffers, ConstantsDoNotFitError
        where the remote memory is too small.
        """
        board = self.target.board
        if board.fetch is None or not _is_remote(board) or not program.engines:
            return Outcome(program)
        uses = uses_of(program)
        resident = _resident(program, uses, self)
        wanted = [use for use in uses if use.source not in resident]
        if not wanted:
            return Outcome(program)
        needed = needed_bytes(program, program.memories[0].name)
        available = _available(board, self.available_bytes)
        room = max(available - needed, 0) // ALIGNMENT * ALIGNMENT
        staging = self._staging(program, wanted, room)
        if staging is None:
            raise self._refusal(program, wanted, needed, available)
        made = staged(program, staging)
        return Outcome(made, facts=_facts(made, staging, room, sum(resident.values())))

    def _staging(self, program: Program, uses: Sequence[Use], room: int) -> Staging | None:
        """The first of several ways that fits: as early as can be, or in time; in fetches as large as can be, or each
        by itself; constants that loops come back to stay, or come again each time.
        """
        board = self.target.board
        place = board.memory(board.weight_memory)
        far = Memory(place.name, place.size_bytes, ALIGNMENT, is_remote=True)
        ways = product((False, True), (room // _ROOM_SHARE, 0), (True, False))
        for from_edges, together, keep in ways:
            fetches = self._fetches(program, uses, together, keep=keep)
            blocks = [fetch.block for fetch in fetches]
            placed = schedule(blocks, room, self.depth, from_edges=from_edges)
            if placed is not None:
                return Staging(fetches, placed, far, str(board.fetch), self.depth)
        return None

    def _fetches(
        self, program: Program, uses: Sequence[Use], together: int, *, keep: bool
    ) -> list[Fetch]:
        return fetches_of(
            lives_of(uses, keep=keep),
            lambda unit: _bytes(program, unit),
            _TOGETHER * self.least_bytes,
            together,
        )

    def _refusal(
        self, program: Program, uses: Sequence[Use], needed: int, available: int
    ) -> DoesNotFitError:
        fetches = self._fetches(program, uses, 0, keep=False)
        least = needed + least_room([fetch.block for fetch in fetches])
        units = dict.fromkeys(use.unit for use in uses)
        largest = sorted(units, key=lambda unit: -_bytes(program, unit))[:3]
        listed = ", ".join(f"{unit[0]} ({_bytes(program, unit):,} bytes)" for unit in largest)
        where = program.memories[0].name
        return DoesNotFitError(
            f"{where} is too small to fetch constants to: needed {least:,} bytes or a little more, {needed:,} of them "
            f"for tensors, available {available:,} bytes. The largest constants that are read at once: {listed}. "
            "Choose a target with more memory, or a network with smaller feature maps.",
            needed_bytes=least,
            available_bytes=available,
        )


def _facts(made: Program, staging: Staging, room: int, resident: int) -> StagedConstants:
    """Raises ConstantsDoNotFitError where the remote memory is too small. resident: bytes that stayed with the code."""
    far = staging.far
    far_bytes = sum(it.type.size_bytes for it in made.constants if it.memory == far.name)
    if far.size_bytes is not None and far_bytes > far.size_bytes:
        raise ConstantsDoNotFitError(
            f"{far.name} is too small for constants: needed {far_bytes:,} bytes, available {far.size_bytes:,}; "
            "choose a network with fewer weights",
            needed_bytes=far_bytes,
            available_bytes=far.size_bytes,
        )
    return StagedConstants(
        memory=made.memories[0].name,
        far=far.name,
        fetches=len(staging.fetches),
        fetched_bytes=sum(fetch.size_bytes for fetch in staging.fetches),
        far_bytes=far_bytes,
        resident_bytes=resident,
        used_bytes=staging.used_bytes,
        room_bytes=room,
        most_under_way=staging.most_under_way,
    )


def _is_remote(board: Board) -> bool:
    return bool(board.weight_memory) and board.memory(board.weight_memory).is_remote


def _most_small(board: Board) -> int:
    return board.memory(board.code_memory).size_bytes // _RESIDENT_SHARE


def _available(board: Board, chosen: int | None) -> int:
    there = board.arena_room(board.arena_home) - _STATIC_BYTES
    return there if chosen is None else min(chosen, there)


def _bytes(program: Program, unit: Unit) -> int:
    return sum(program.constant[name].type.size_bytes for name in unit)


def _resident(program: Program, uses: Sequence[Use], options: StageConstants) -> Mapping[str, int]:
    """What stays with the code, constants and tables by name, and how many bytes: small ones, the smallest first; then
    as many as are wished, the last ones first.
    """
    units: dict[str, dict[Unit, int]] = {}
    for use in uses:
        own = units.pop(use.source, {})
        units[use.source] = {**own, use.unit: _bytes(program, use.unit)}  # by the last use
    sizes = {source: sum(own.values()) for source, own in units.items()}
    small = [source for source, own in units.items() if max(own.values()) < options.least_bytes]
    found: dict[str, int] = {}
    for source in sorted(small, key=lambda source: (sizes[source], source)):
        if sum(found.values()) + sizes[source] > _most_small(options.target.board):
            break
        found[source] = sizes[source]
    left = options.resident_bytes
    for source in reversed(units):
        if source not in found and sizes[source] <= left:
            left -= sizes[source]
            found[source] = sizes[source]
    return found
