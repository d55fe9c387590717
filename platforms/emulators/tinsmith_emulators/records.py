"""The files between runner and harness: writes `input.bin`, reads `output.bin`.

Their format is written down at the head of `harness.c`.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tinsmith_emulators.counters import CoreCounts
from tinsmith_emulators.errors import OutputError

_WITH_LAYER_OUTPUTS = 1
_WITH_LAYER_STAGES = 2


_HEADER = struct.Struct("<4sIIII")


@dataclass(frozen=True)
class Counts:
    """What passed in an interval: ticks of the board's counter, and cycles (0 where none count)."""

    ticks: int
    cycles: int


@dataclass(frozen=True)
class Record:
    """One record of output.bin; what number, counts and payload are of depends on the tag."""

    tag: str
    number: int
    counts: Counts
    payload: bytes


@dataclass
class RunRecord:
    """Everything recorded during one run. Stack in bytes."""

    layers: list[Counts] = field(default_factory=list[Counts])
    layer_numbers: list[int] = field(default_factory=list[int])
    layer_outputs: list[bytes] = field(default_factory=list[bytes])
    outputs: list[bytes] = field(default_factory=list[bytes])
    counts: Counts = Counts(0, 0)
    stack_bytes: int = 0
    status: int = 0


@dataclass(frozen=True)
class Recording:
    """A whole output.bin. empty_run and hook are what measuring itself costs. cores: of a cluster, in the first
    run; counted by the emulator.
    """

    layer_count: int
    empty_run: Counts
    hook: Counts
    runs: tuple[RunRecord, ...]
    cores: tuple[CoreCounts, ...] = ()


def encode_inputs(
    inputs: Sequence[bytes], *, layer_outputs: bool = False, layer_stages: bool = False
) -> bytes:
    """input.bin for these runs; each element holds the bytes of all inputs of one run.

    layer_stages: layers are not recorded, but are stages for an emulator that counts those.
    """
    flags = _WITH_LAYER_OUTPUTS * layer_outputs | _WITH_LAYER_STAGES * layer_stages
    return b"TSI1" + struct.pack("<II", flags, len(inputs)) + b"".join(inputs)


def decode_outputs(data: bytes, expected_runs: int) -> Recording:
    """Read output.bin. Raises OutputError if it is cut off, out of order or lacks runs."""
    records = _records(data)
    head = _next(records, "HEAD")
    empty_run = _next(records, "EMPT").counts
    hook = _next(records, "HOOK").counts
    runs: list[RunRecord] = []
    current = RunRecord()
    for record in records:
        match record.tag:
            case "LAYR":
                if record.number >= head.number:
                    raise OutputError(
                        f"layer {record.number} was reported, but there are {head.number}"
                    )
                current.layers.append(record.counts)
                current.layer_numbers.append(record.number)
                current.layer_outputs.append(record.payload)
            case "RUN ":
                current.counts, current.stack_bytes = record.counts, record.number
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
    return Recording(head.number, empty_run, hook, tuple(runs))


def _records(data: bytes) -> Iterator[Record]:
    position = 0
    while position < len(data):
        if position + _HEADER.size > len(data):
            raise OutputError("output.bin is cut off inside a record")
        code, number, ticks, cycles, length = _HEADER.unpack_from(data, position)
        tag = code.decode("latin-1")
        position += _HEADER.size
        if position + length > len(data):
            raise OutputError(f"output.bin is cut off inside record '{tag}'")
        yield Record(tag, number, Counts(ticks, cycles), data[position : position + length])
        position += length


def _next(records: Iterator[Record], tag: str) -> Record:
    record = next(records, None)
    if record is None or record.tag != tag:
        found = "nothing" if record is None else f"'{record.tag}'"
        raise OutputError(f"output.bin: expected record '{tag}', found {found}")
    return record
