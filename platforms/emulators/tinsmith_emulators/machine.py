"""What a board's programs run on: what a runner of its emulator knows, or this computer itself."""

from collections.abc import Sequence
from pathlib import Path

from tinsmith_ir.errors import UsageError
from tinsmith_plugins import Runner
from tinsmith_target import Board

from tinsmith_emulators.errors import MissingEmulatorError
from tinsmith_emulators.qemu import QEMU
from tinsmith_emulators.soc import SIMULATOR

RUNNERS = (QEMU, SIMULATOR)
"""Of this library."""


def need_emulator(board: Board, runners: Sequence[Runner] = RUNNERS) -> None:
    """Raise MissingEmulatorError unless programs for `board` can run on this computer."""
    runner = _runner(board, runners)
    if runner is not None:
        runner.find(board)


def command(
    board: Board,
    elf: Path,
    runners: Sequence[Runner] = RUNNERS,
    *,
    cluster: bool = False,
    trace: bool = False,
) -> list[str]:
    """The command line that runs `elf`, whose files lie in the current directory.

    cluster: a program of the board's cluster, whose cores are counted where that can be. trace: also write one.
    Raises MissingEmulatorError, UsageError where there is no trace.
    """
    runner = _runner(board, runners)
    if trace:
        need_trace(board, runners)
    if runner is None:
        return [str(elf)]
    counting = runner.counting if cluster else ()
    tracing = runner.tracing if trace else ()
    program, *arguments = runner.command(board, elf)
    return [program, *counting, *tracing, *arguments]


def need_trace(board: Board, runners: Sequence[Runner] = RUNNERS) -> None:
    """Raise UsageError unless what runs programs for `board` writes traces."""
    runner = _runner(board, runners)
    if runner is None or not runner.tracing:
        raise UsageError(
            f"what runs programs for {board.name} writes no trace: expected a simulated chip"
        )


def crash_reason(board: Board, report: str, runners: Sequence[Runner] = RUNNERS) -> str:
    """What a crash comes from if `report`, all that was printed, tells but does not say; "" if not."""
    runner = _runner(board, runners)
    return "" if runner is None else runner.crash_reason(board, report)


def cycles_source(board: Board, runners: Sequence[Runner] = RUNNERS) -> str:
    """Who counted the cycles of a run, and how well."""
    runner = _runner(board, runners)
    if runner is None:
        return "none: nothing is counted on this computer"
    return runner.cycles_source(board)


def _runner(board: Board, runners: Sequence[Runner]) -> Runner | None:
    """None for this computer. Raises MissingEmulatorError for an emulator that nobody runs."""
    if board.emulator is None:
        return None
    for runner in runners:
        if type(board.emulator) is runner.kind:
            return runner
    known = ", ".join(runner.kind.__name__ for runner in runners)
    raise MissingEmulatorError(
        f"board {board.name} is emulated by {type(board.emulator).__name__}, which nobody runs; there are "
        f"runners of {known or 'none'}"
    )
