"""One way to run a program, whatever it runs on: inputs in, outputs and measurements out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tinsmith_plugins import Runner
from tinsmith_target import Target
from tinsmith_toolchains import Firmware, temporary_folder

from tinsmith_emulators.counters import COUNTERS_FILE, CoreCounts, read_counters, read_layers
from tinsmith_emulators.errors import EmulatorError, FirmwareCrashError, OutputError
from tinsmith_emulators.machine import RUNNERS, command, crash_reason, cycles_source
from tinsmith_emulators.process import Finished, run_process
from tinsmith_emulators.records import Counts, Recording, RunRecord, decode_outputs, encode_inputs
from tinsmith_emulators.soc import TRACE_FILE

# One start of the emulator takes this many runs at most: 55 inputs go in one.
_RUNS_PER_START = 256
# What an empty run executes itself: set the result, return. The return refills a short pipeline.
_EMPTY_RUN_INSTRUCTIONS = 2
_EMPTY_RUN_CYCLES = 3


@dataclass(frozen=True)
class RunResult:
    """What came out of a program and what it cost; one element per input set unless said otherwise.

    outputs: the bytes of all outputs of a run, one after another. instructions: executed by the
    model's run function and what it calls, exact to about one; empty where nothing counts (host).
    cycles: of the same; empty where the emulator has no notion of them. layer_numbers: which layer ended
    at each call of the hook in the first run, those in loops as often as they ran; empty without a layer hook.
    layer_instructions, layer_cycles: of each of them. layer_outputs: per run, the output of each; empty unless
    asked for. stack_bytes: deepest use of the stack by
    the run function in any run; None where it cannot be measured (host). cycles_source: where
    cycles come from, or why there are none. cores: what each core of a cluster did in the first run; empty where none
    ran it or nothing counts them. Instructions and stack are those of its core 0.
    """

    outputs: tuple[bytes, ...]
    instructions: tuple[int, ...]
    cycles: tuple[int, ...]
    layer_numbers: tuple[int, ...]
    layer_instructions: tuple[int, ...]
    layer_cycles: tuple[int, ...]
    layer_outputs: tuple[tuple[bytes, ...], ...]
    stack_bytes: int | None
    cycles_source: str
    cores: tuple[CoreCounts, ...] = ()


def run(
    firmware: Firmware,
    target: Target,
    inputs: Sequence[bytes],
    *,
    layers: bool = False,
    timeout_seconds: float = 60.0,
    runners: Sequence[Runner] = RUNNERS,
) -> RunResult:
    """Run `firmware` on each element of `inputs` (the bytes of all model inputs, one after
    another).

    layers: also return every layer's output; the firmware must have been built with its layer hook.
    timeout_seconds: for everything together. runners: of the target's emulator and others.

    Raises MissingEmulatorError, FirmwareTimeoutError, FirmwareCrashError, OutputError.
    """
    if layers and not firmware.has_layer_hook:
        raise EmulatorError("layer outputs need firmware built with layer_hook=True")
    recordings: list[Recording] = []
    for start in range(0, len(inputs), _RUNS_PER_START):
        chunk = inputs[start : start + _RUNS_PER_START]
        recordings.append(_start(firmware, target, chunk, layers, timeout_seconds, runners))
    source = cycles_source(target.board, runners)
    return _result(target, firmware, recordings, layers, source)


def trace(
    firmware: Firmware,
    target: Target,
    inputs: bytes,
    *,
    timeout_seconds: float = 60.0,
    runners: Sequence[Runner] = RUNNERS,
) -> bytes:
    """A trace of one run on `inputs` for ui.perfetto.dev, from reset to the end.

    Of firmware with its layer hook that a cluster runs, layer N is `stage N + 1` there.

    Raises as `run`, and UsageError where the target's emulator writes none.
    """
    call = command(
        target.board, firmware.elf.resolve(), runners, cluster=firmware.cluster, trace=True
    )
    with temporary_folder("tinsmith-run-") as directory:
        staged = encode_inputs([inputs], layer_stages=firmware.has_layer_hook)
        (directory / "input.bin").write_bytes(staged)
        _check_end(target, run_process(call, directory, timeout_seconds), runners)
        return _written(target, directory / TRACE_FILE)


def count_layers(
    firmware: Firmware,
    target: Target,
    inputs: bytes,
    layers: int,
    *,
    timeout_seconds: float = 60.0,
    runners: Sequence[Runner] = RUNNERS,
) -> tuple[tuple[CoreCounts, ...], ...]:
    """What each core of a cluster does in each of so many layers of one run, those in loops summed; empty where nothing
    counts it.

    Beside `run`, nothing is written between layers, so cores wait for copies as they do without the layer hook, which
    the firmware must have been built with. Raises as `run`.
    """
    if not firmware.has_layer_hook:
        raise EmulatorError("counts by layer need firmware built with layer_hook=True")
    call = command(target.board, firmware.elf.resolve(), runners, cluster=firmware.cluster)
    if not firmware.cluster or COUNTERS_FILE not in call:
        return ()
    with temporary_folder("tinsmith-run-") as directory:
        (directory / "input.bin").write_bytes(encode_inputs([inputs], layer_stages=True))
        _check_end(target, run_process(call, directory, timeout_seconds), runners)
        return read_layers(_written(target, directory / COUNTERS_FILE), layers)


def _start(
    firmware: Firmware,
    target: Target,
    inputs: Sequence[bytes],
    layers: bool,
    timeout_seconds: float,
    runners: Sequence[Runner],
) -> Recording:
    """One start of the emulator, in a directory that is gone afterwards."""
    call = command(target.board, firmware.elf.resolve(), runners, cluster=firmware.cluster)
    with temporary_folder("tinsmith-run-") as directory:
        (directory / "input.bin").write_bytes(encode_inputs(inputs, layer_outputs=layers))
        finished = run_process(call, directory, timeout_seconds)
        _check_end(target, finished, runners)
        recording = decode_outputs(_written(target, directory / "output.bin"), len(inputs))
        if COUNTERS_FILE in call:
            counters = _written(target, directory / COUNTERS_FILE)
            recording = replace(recording, cores=read_counters(counters))
    for index, record in enumerate(recording.runs):
        _check_run(target, firmware, recording, record, index)
    return recording


def _written(target: Target, path: Path) -> bytes:
    if not path.exists():
        raise OutputError(f"{target.name}: the program ended without writing {path.name}")
    return path.read_bytes()


def _check_end(target: Target, finished: Finished, runners: Sequence[Runner]) -> None:
    if finished.status == 0:
        return
    text = finished.text.strip()
    how = f"signal {-finished.status}" if finished.status < 0 else f"status {finished.status}"
    lines = [
        f"{target.name}: the program ended with {how}",
        crash_reason(target.board, text, runners),
        text,
    ]
    raise FirmwareCrashError("\n".join(line for line in lines if line))


def _check_run(
    target: Target, firmware: Firmware, recording: Recording, record: RunRecord, index: int
) -> None:
    if record.status != 0:
        raise FirmwareCrashError(
            f"{target.name}: run {index} returned {record.status} instead of 0"
        )
    if firmware.has_layer_hook and len(record.layers) != recording.layer_count:
        found = len(record.layers)
        raise OutputError(f"run {index} reported {found} layers of {recording.layer_count}")


def _result(
    target: Target,
    firmware: Firmware,
    recordings: Sequence[Recording],
    layers: bool,
    source: str,
) -> RunResult:
    runs = [run for recording in recordings for run in recording.runs]
    emulator = target.board.emulator
    instructions = cycles = layer_instructions = layer_cycles = ()
    stack_bytes = None
    if emulator is not None and runs:
        ratio = emulator.instructions_per_tick
        instructions = _of_runs(recordings, lambda run: run.ticks, ratio, _EMPTY_RUN_INSTRUCTIONS)
        layer_instructions = _of_layers(recordings[0], lambda layer: layer.ticks, ratio)
        stack_bytes = max(run.stack_bytes for run in runs)
        if emulator.counts_cycles:
            cycles = _of_runs(recordings, lambda run: run.cycles, 1.0, _EMPTY_RUN_CYCLES)
            layer_cycles = _of_layers(recordings[0], lambda layer: layer.cycles, 1.0)
    return RunResult(
        outputs=tuple(b"".join(run.outputs) for run in runs),
        instructions=instructions,
        cycles=cycles,
        layer_numbers=tuple(runs[0].layer_numbers) if runs else (),
        layer_instructions=layer_instructions,
        layer_cycles=layer_cycles,
        layer_outputs=tuple(tuple(run.layer_outputs) for run in runs) if layers else (),
        stack_bytes=stack_bytes,
        cycles_source=source,
        cores=recordings[0].cores if recordings else (),
    )


_Pick = Callable[[Counts], int]


def _of_runs(
    recordings: Sequence[Recording], pick: _Pick, ratio: float, empty_run: int
) -> tuple[int, ...]:
    """What each run cost: its interval less what measuring costs. empty_run: what measuring counts
    of an empty run itself.
    """
    return tuple(
        round((pick(run.counts) - _measuring(recording, run, pick)) * ratio) + empty_run
        for recording in recordings
        for run in recording.runs
    )


def _measuring(recording: Recording, run: RunRecord, pick: _Pick) -> int:
    return pick(recording.empty_run) + len(run.layers) * pick(recording.hook)


def _of_layers(recording: Recording, pick: _Pick, ratio: float) -> tuple[int, ...]:
    """What each layer of the first run cost."""
    hook = pick(recording.hook)
    return tuple(max(0, round((pick(layer) - hook) * ratio)) for layer in recording.runs[0].layers)
