"""Whether what is placed fits the memories of a board."""

from collections.abc import Mapping, Sequence

from tinsmith_allocation import Plan
from tinsmith_ir import Program
from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.escape import visible
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_driver.compilation import Compilation
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.plugins import registry
from tinsmith_driver.targets import runs_on_cluster


def board_ram_bytes(target_name: str) -> int | None:
    """What the board of a target leaves for the arena beside the stack; None on the host."""
    board = registry().target(target_name).board
    if board.emulator is None:
        return None
    return board_memory_bytes(target_name, board.arena_home)


def board_memories(target_name: str) -> tuple[str, ...]:
    """The names of the RAMs of a target's board."""
    board = registry().target(target_name).board
    return tuple(memory.name for memory in board.memories if memory.kind == "ram")


def board_memory_bytes(target_name: str, name: str) -> int | None:
    """What a board's RAM of that name leaves for an arena, beside the stack if that is there; None if it has none."""
    if name not in board_memories(target_name):
        return None
    return registry().target(target_name).board.arena_room(name)


def near_memory_bytes(
    program: Program, chosen: Target, kernels: Sequence[Kernel], options: CompileOptions
) -> int | None:
    """What there is of a cluster's memory; None is all, where no cluster runs and nobody chose."""
    cluster = chosen.board.cluster
    is_bounded = options.l1_bytes is not None or runs_on_cluster(chosen, program, kernels)
    return cluster.network_bytes if cluster is not None and is_bounded else None


def check_room(
    plans: Mapping[str, Plan], chosen: Target, ram_bytes: int | None, near_bytes: int | None
) -> None:
    """Raise DoesNotFitError for memories that are larger than those of the board that they lie in.

    ram_bytes: what there is where an arena lies; None is as much as needed. near_bytes: as of `near_memory_bytes`.
    """
    found = _rooms(plans, chosen, ram_bytes, near_bytes)
    for home in dict.fromkeys(home for home, _ in found.values()):
        names = [name for name in plans if found[name][0] == home]
        needed = sum(plans[name].arena_bytes for name in names)
        available = found[names[0]][1]
        where = f" of {chosen.board.name}'s memory '{home}'" if home else ""
        if available is not None and needed > available:
            raise DoesNotFitError(
                f"{visible(', '.join(names))} is too small: needed {needed:,} bytes, "
                f"available {available:,} bytes{where}"
            )


def rooms(compilation: Compilation) -> Mapping[str, tuple[str, int | None]]:
    """Of each memory that is not the caller's, the memory of the board that it lies in, "" for the one of arenas, and
    the bytes that all memories there may take; None for any number.
    """
    found, chosen = compilation, compilation.target
    near_bytes = near_memory_bytes(found.program, chosen, found.kernels, found.options)
    rooms = _rooms(found.plans, chosen, found.options.ram_bytes, near_bytes)
    return rooms | {name: (name, size) for name, size in found.options.memories if name in rooms}


def _rooms(
    plans: Mapping[str, Plan], chosen: Target, ram_bytes: int | None, near_bytes: int | None
) -> dict[str, tuple[str, int | None]]:
    """See `rooms`, and for the rest `check_room`."""
    board = chosen.board
    found: dict[str, tuple[str, int | None]] = {}
    for name in plans:
        home = board.home(name) if board.memories else None
        found[name] = "", ram_bytes
        if home is not None and home.name != board.arena_home:
            is_near = board.cluster is not None and home.name == board.cluster.memory
            available = near_bytes if near_bytes is not None and is_near else home.size_bytes
            found[name] = home.name, available
    return found


def check_reach(plan: Plan, chosen: Target) -> None:
    """Raise DoesNotFitError for an arena that no array of the target can hold, whatever its board."""
    most = chosen.board.largest_array_bytes
    if plan.arena_bytes > most:
        raise DoesNotFitError(
            f"the arena is too large for the addresses of {chosen.name}: needed {plan.arena_bytes:,} "
            f"bytes, and the largest array there has {most:,} bytes. Choose a network with smaller "
            "feature maps."
        )
