"""Where the boards' C files are, and which of them a program for a board is made of."""

from dataclasses import dataclass
from pathlib import Path

from tinsmith_target import Board, Counter

_C_DIRECTORY = Path(__file__).parent / "c"
# Keeps the compiler from turning loops into calls: of memcpy inside memcpy, and of the runtime by
# the harness, which would make the product look larger than it is.
_BARE = ("-ffreestanding",)
_RUNTIME = ("string.c", "aeabi.c", "compare_f32.c", "divide_f32.c", "divide_f64.c")


@dataclass(frozen=True)
class HarnessSource:
    """A C file of the harness or of the runtime, with the flags it needs."""

    path: Path
    flags: tuple[str, ...] = ()


def include_directory() -> Path:
    """The folder of `tinsmith_harness.h`, for a compiler's -I: what a test's model description includes."""
    return _C_DIRECTORY


def runtime_include_directory() -> Path:
    """The folder of the `string.h` that stands in for a C library on boards."""
    return _C_DIRECTORY / "runtime"


def harness_sources(board: Board, *, cluster: bool = False) -> tuple[HarnessSource, ...]:
    """The test harness for `board`: main(), hook, port and, on real boards, start-up code.

    cluster: which boots the board's cluster, whose core 0 runs main().
    """
    if board.emulator is None:
        return (_source("harness.c"), _source("port_host.c"))
    startup = (f"startup_{board.architecture}.c",)
    if board.architecture == "riscv":
        startup = ("startup_pulp_cluster.c" if cluster else "startup_riscv.c", "traps_riscv.c")
    return tuple(_source(name, _BARE) for name in ("harness.c", "port_semihosting.c", *startup))


def runtime_sources(board: Board) -> tuple[HarnessSource, ...]:
    """memcpy, memmove and memset for a board without a C library, and the operations on floats that
    compiler-rt gets wrong; part of the product, not of the harness.
    """
    if board.emulator is None:
        return ()
    return tuple(_source(f"runtime/{name}", _BARE) for name in _RUNTIME)


def harness_defines(board: Board, *, cluster: bool = False) -> tuple[str, ...]:
    """Preprocessor definitions (`NAME=value`) for harness and start-up code: the board's counters,
    and what its CPU has. cluster: as of `harness_sources`.
    """
    if board.emulator is None:
        return ()
    cycles = ("TINSMITH_COUNTER_MCYCLE=1",) if board.emulator.counts_cycles else ()
    protection = ("TINSMITH_HAS_PMP=1",) if board.has_memory_protection else ()
    return (
        _counter_define(board.emulator.counter),
        *cycles,
        *protection,
        *(_cluster_defines(board) if cluster else ()),
    )


def _cluster_defines(board: Board) -> tuple[str, ...]:
    if board.cluster is None:
        raise ValueError(f"board {board.name} has no cluster to run a program")
    return (
        f"TINSMITH_CLUSTER_CORES={board.cluster.cores}u",
        f"TINSMITH_WORKER_STACK_BYTES={board.cluster.worker_stack_bytes}u",
    )


def _source(name: str, flags: tuple[str, ...] = ()) -> HarnessSource:
    return HarnessSource(_C_DIRECTORY / name, flags)


def _counter_define(counter: Counter) -> str:
    name = {
        "memory": "TINSMITH_COUNTER_MEMORY",
        "nrf51-timer": "TINSMITH_COUNTER_NRF51_TIMER",
        "minstret": "TINSMITH_COUNTER_MINSTRET",
    }[counter.kind]
    return f"{name}=0x{counter.address:08x}u"
