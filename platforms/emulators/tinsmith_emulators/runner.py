"""One way to run a program, whatever it runs on: inputs in, outputs and measurements out."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tinsmith_target import Target
from tinsmith_toolchains import Firmware

from tinsmith_emulators.errors import EmulatorError, FirmwareCrashError, OutputError
from tinsmith_emulators.process import Finished, run_process
from tinsmith_emulators.qemu import qemu_command
from tinsmith_emulators.records import Recording, RunRecord, decode_outputs, encode_inputs

# One QEMU start takes this many runs at most: 55 inputs go in one.
_RUNS_PER_START = 256
# What an empty run executes itself: set the result, return.
_EMPTY_RUN_INSTRUCTIONS = 2


@dataclass(frozen=True)
class RunResult:
    """What came out of a program and what it cost; one element per input set unless said otherwise.

    outputs: the bytes of all outputs of a run, one after another. instructions: executed by the
    model's run function and what it calls, exact to about one; empty where nothing counts (host).
    layer_instructions: of each layer in the first run; empty without a layer hook. layer_outputs:
    per run, the output of each layer; empty unless asked for. stack_bytes: deepest use of the stack
    by the run function in any run; None where it cannot be measured (host). cycles: of the first
    run, None where the emulator has no notion of them; cycles_source says where they come from.
    """

    outputs: tuple[bytes, ...]
    instructions: tuple[int, ...]
    layer_instructions: tuple[int, ...]
    layer_outputs: tuple[tuple[bytes, ...], ...]
    stack_bytes: int | None
    cycles: int | None
    cycles_source: str


def run(
    firmware: Firmware,
    target: Target,
    inputs: Sequence[bytes],
    *,
    layers: bool = False,
    timeout_seconds: float = 60.0,
) -> RunResult:
    """Run `firmware` on each element of `inputs` (the bytes of all model inputs, one after
    another).

    layers: also return every layer's output; the firmware must have been built with its layer hook.
    timeout_seconds: for everything together.

    Raises MissingEmulatorError, FirmwareTimeoutError, FirmwareCrashError, OutputError.
    """
    if layers and not firmware.has_layer_hook:
        raise EmulatorError("layer outputs need firmware built with layer_hook=True")
    recordings: list[Recording] = []
    for start in range(0, len(inputs), _RUNS_PER_START):
        chunk = inputs[start : start + _RUNS_PER_START]
        recordings.append(_start(firmware, target, chunk, layers, timeout_seconds))
    return _result(target, firmware, recordings, layers)


def _start(
    firmware: Firmware,
    target: Target,
    inputs: Sequence[bytes],
    layers: bool,
    timeout_seconds: float,
) -> Recording:
    """One start of the emulator, in a directory that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="tinsmith-run-") as name:
        directory = Path(name)
        (directory / "input.bin").write_bytes(encode_inputs(inputs, layer_outputs=layers))
        finished = run_process(_command(firmware, target), directory, timeout_seconds)
        output = directory / "output.bin"
        _check_end(target, finished)
        if not output.exists():
            raise OutputError(f"{target.name}: the program ended without writing output.bin")
        recording = decode_outputs(output.read_bytes(), len(inputs))
    for index, record in enumerate(recording.runs):
        _check_run(target, firmware, recording, record, index)
    return recording


def _command(firmware: Firmware, target: Target) -> list[str]:
    elf = firmware.elf.resolve()
    if target.board.emulator is None:
        return [str(elf)]
    return qemu_command(target.board.emulator, elf)


def _check_end(target: Target, finished: Finished) -> None:
    if finished.status == 0:
        return
    text = finished.text.strip()
    how = f"signal {-finished.status}" if finished.status < 0 else f"status {finished.status}"
    raise FirmwareCrashError(f"{target.name}: the program ended with {how}\n{text}".rstrip())


def _check_run(
    target: Target, firmware: Firmware, recording: Recording, record: RunRecord, index: int
) -> None:
    if record.status != 0:
        raise FirmwareCrashError(
            f"{target.name}: run {index} returned {record.status} instead of 0"
        )
    if firmware.has_layer_hook and len(record.layer_ticks) != recording.layer_count:
        found = len(record.layer_ticks)
        raise OutputError(f"run {index} reported {found} layers of {recording.layer_count}")


def _result(
    target: Target, firmware: Firmware, recordings: Sequence[Recording], layers: bool
) -> RunResult:
    runs = [run for recording in recordings for run in recording.runs]
    emulator = target.board.emulator
    instructions: tuple[int, ...] = ()
    layer_instructions: tuple[int, ...] = ()
    stack_bytes = None
    if emulator is not None and runs:
        ratio = emulator.counter.instructions_per_tick(emulator.icount_shift)
        instructions = tuple(
            _instructions(ratio, recording, run)
            for recording in recordings
            for run in recording.runs
        )
        hook_ticks = recordings[0].hook_ticks
        layer_instructions = tuple(
            max(0, round((ticks - hook_ticks) * ratio)) for ticks in runs[0].layer_ticks
        )
        stack_bytes = max(run.stack_bytes for run in runs)
    return RunResult(
        outputs=tuple(b"".join(run.outputs) for run in runs),
        instructions=instructions,
        layer_instructions=layer_instructions,
        layer_outputs=tuple(tuple(run.layer_outputs) for run in runs) if layers else (),
        stack_bytes=stack_bytes,
        cycles=None,
        cycles_source="none: QEMU counts instructions, not cycles",
    )


def _instructions(ratio: float, recording: Recording, record: RunRecord) -> int:
    """What the run executed: the interval less what measuring costs."""
    measuring = recording.empty_run_ticks + len(record.layer_ticks) * recording.hook_ticks
    return round((record.ticks - measuring) * ratio) + _EMPTY_RUN_INSTRUCTIONS
