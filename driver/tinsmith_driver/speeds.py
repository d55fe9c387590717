"""How fast memories are: what is known of a board, and what a user says of his own."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tinsmith_ir import UsageError
from tinsmith_ir.escape import visible
from tinsmith_target import Board

from tinsmith_driver.options import Waits

FLASH = "flash"
"""What users call the memory that constants lie in, however the board calls it."""


def chosen_waits(
    board: Board, memories: Sequence[str], given: Mapping[str, float], *, may_grow: bool
) -> Waits:
    """Of flash and of the first memory of an arena.

    memories: names of those that the arena is divided among, fast to slow; none for the board's RAM. given: wait states
    by name, which go before the board's. Raises UsageError for a memory that is not there, and for memories that are
    not ordered from fast to slow; for wait states on a board with a cluster, where tiles bring all near.
    """
    if given and board.cluster is not None:
        raise UsageError(
            f"--wait-states: the cores of {board.name} load from a memory of their own, to which tiles bring constants"
        )
    known = {memory.name: memory.wait_states for memory in board.memories}
    arena = memories or ([board.arena_home] if board.memories else [])
    names = list(dict.fromkeys([FLASH, *arena, *known]))
    for name in given:
        if name not in names:
            raise UsageError(
                f"--wait-states: expected memories of {', '.join(names)}; got {visible(name)}"
            )
    waits = {FLASH: known.get(board.weight_memory, 0.0), **known, **given}
    if FLASH not in given:
        waits[FLASH] = given.get(board.weight_memory, waits[FLASH])
    for fast, slow in pairwise(arena):
        if waits.get(fast, 0.0) > waits.get(slow, 0.0):
            raise UsageError(
                f"--ram: expected memories from fast to slow; a load waits {waits[fast]:g} cycles in {fast}, and "
                f"{waits.get(slow, 0.0):g} in {slow}: name {slow} first"
            )
    return Waits(waits[FLASH], waits.get(arena[0], 0.0) if arena else 0.0, may_grow)
