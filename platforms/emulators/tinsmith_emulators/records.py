"""The files between runner and harness: writes `input.bin`, reads `output.bin`.

Their format is written down at the head of `harness.c`.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tinsmith_emulators.errors import OutputError

_WITH_LAYER_OUTPUTS = 1


@dataclass(frozen=True)
class Record:
    """One record of output.bin; what a and b mean depends on the tag."""

    tag: str
    a: int
    b: int
    payload: bytes


@dataclass
class RunRecord:
    """Everything recorded during one run. Ticks are the counter's, stack in bytes."""

    layer_ticks: list[int] = field(default_factory=list[int])
    layer_outputs: list[bytes] = field(default_factory=list[bytes])
    outputs: list[bytes] = field(default_factory=list[bytes])
    ticks: int = 0
    stack_bytes: int = 0
    status: int = 0


@dataclass(frozen=True)
class Recording:
    """A whole output.bin. empty_run_ticks and hook_ticks are what measuring itself costs."""

    layer_count: int
    empty_run_ticks: int
    hook_ticks: int
    runs: tuple[RunRecord, ...]


def encode_inputs(inputs: Sequence[bytes], *, layer_outputs: bool) -> bytes:
    """input.bin for these runs; each element holds the bytes of all inputs of one run."""
    flags = _WITH_LAYER_OUTPUTS if layer_outputs else 0
    return b"TSI1" + struct.pack("<II", flags, len(inputs)) + b"".join(inputs)


def decode_outputs(data: bytes, expected_runs: int) -> Recording:
    """Read output.bin. Raises OutputError if it is cut off, out of order or lacks runs."""
    records = _records(data)
    head = _next(records, "HEAD")
    calibration = _next(records, "CALI")
    runs: list[RunRecord] = []
    current = RunRecord()
    for record in records:
        match record.tag:
            case "LAYR":
                if record.a != len(current.layer_ticks):
                    expected = len(current.layer_ticks)
                    raise OutputError(f"layer {record.a} was reported where {expected} was due")
                current.layer_ticks.append(record.b)
                current.layer_outputs.append(record.payload)
            case "RUN ":
                current.ticks, current.stack_bytes = record.a, record.b
                (current.status,) = struct.unpack("<i", record.payload)
                runs.append(current)
                current = RunRecord()
            case "OUTP" if runs:
                runs[-1].outputs.append(record.payload)
            case "END ":
                break
            case _:
                raise OutputError(f"unexpected record '{record.tag}' in output.bin")
    else:
        raise OutputError(f"output.bin ends after {len(runs)} of {expected_runs} runs")
    if len(runs) != expected_runs:
        raise OutputError(f"output.bin holds {len(runs)} runs, expected {expected_runs}")
    return Recording(head.a, calibration.a, calibration.b, tuple(runs))


def _records(data: bytes) -> Iterator[Record]:
    position = 0
    while position < len(data):
        if position + 16 > len(data):
            raise OutputError("output.bin is cut off inside a record")
        tag, a, b, length = struct.unpack_from("<4sIII", data, position)
        position += 16
        if position + length > len(data):
            raise OutputError(f"output.bin is cut off inside record '{tag.decode('latin-1')}'")
        yield Record(tag.decode("latin-1"), a, b, data[position : position + length])
        position += length


def _next(records: Iterator[Record], tag: str) -> Record:
    record = next(records, None)
    if record is None or record.tag != tag:
        found = "nothing" if record is None else f"'{record.tag}'"
        raise OutputError(f"output.bin: expected record '{tag}', found {found}")
    return record
