"""What a board's programs run on: QEMU, the simulator of PULP-class chips, or this computer itself."""

from pathlib import Path

from tinsmith_target import Board, Qemu, SocSimulator

from tinsmith_emulators.qemu import find_qemu, qemu_command
from tinsmith_emulators.soc import find_simulator, is_stack_overflow, soc_command


def need_emulator(board: Board) -> None:
    """Raise MissingEmulatorError unless programs for `board` can run on this computer."""
    match board.emulator:
        case None:
            pass
        case Qemu(program=program):
            find_qemu(program)
        case SocSimulator():
            find_simulator()


def command(board: Board, elf: Path) -> list[str]:
    """The command line that runs `elf`, whose files lie in the current directory.

    Raises MissingEmulatorError.
    """
    match board.emulator:
        case None:
            return [str(elf)]
        case Qemu() as emulator:
            return qemu_command(emulator, elf)
        case SocSimulator() as emulator:
            return soc_command(emulator, elf)


def crash_reason(board: Board, report: str) -> str:
    """What a crash comes from if `report`, all that was printed, tells but does not say; "" if not."""
    match board.emulator:
        case SocSimulator() if is_stack_overflow(board, report):
            return f"stack overflow: more than {board.stack_bytes} bytes"
        case _:
            return ""


def cycles_source(board: Board) -> str:
    """Who counted the cycles of a run, and how well."""
    match board.emulator:
        case None:
            return "none: nothing is counted on this computer"
        case Qemu():
            return "none: QEMU counts instructions, not cycles"
        case SocSimulator(chip=chip):
            return f"tinsmith_soc, chip {chip}: cycle-approximate"
