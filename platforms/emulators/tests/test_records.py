"""The files between runner and harness."""

import struct

import pytest
from tinsmith_emulators import OutputError
from tinsmith_emulators.records import Counts, decode_outputs, encode_inputs


def _record(
    tag: bytes, number: int = 0, ticks: int = 0, cycles: int = 0, payload: bytes = b""
) -> bytes:
    return struct.pack("<4sIIII", tag, number, ticks, cycles, len(payload)) + payload


_START = _record(b"HEAD", 2) + _record(b"EMPT", 0, 5, 9) + _record(b"HOOK", 0, 11, 13)
_RUN = (
    _record(b"LAYR", 0, 100, 150, b"xy")
    + _record(b"LAYR", 1, 200, 250, b"z")
    + _record(b"RUN ", 64, 310, 420, struct.pack("<i", 0))
    + _record(b"OUTP", payload=b"result")
)
_END = _record(b"END ", 1)


def test_inputs_follow_a_header() -> None:
    data = encode_inputs([b"abc", b"def"], layer_outputs=True)

    assert data == b"TSI1" + struct.pack("<II", 1, 2) + b"abcdef"


def test_recording_is_read_back() -> None:
    recording = decode_outputs(_START + _RUN + _END, expected_runs=1)

    assert recording.layer_count == 2
    assert (recording.empty_run, recording.hook) == (Counts(5, 9), Counts(11, 13))
    (run,) = recording.runs
    assert run.layers == [Counts(100, 150), Counts(200, 250)]
    assert run.layer_numbers == [0, 1]
    assert run.layer_outputs == [b"xy", b"z"]
    assert (run.counts, run.stack_bytes, run.status) == (Counts(310, 420), 64, 0)
    assert run.outputs == [b"result"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected record 'HEAD', found nothing"),
        (_START + _RUN, "ends after 1 of 1 runs"),
        (_START + _RUN + _END[:-1], "cut off inside a record"),
        (_START + _RUN[:21], "cut off inside record 'LAYR'"),
        (_START + _record(b"LAYR", 2), "layer 2 was reported, but there are 2"),
        (_START + _record(b"????"), "unexpected record"),
        (_START + _record(b"OUTP"), "unexpected record 'OUTP'"),
        (_START + _END, "holds 0 runs, expected 1"),
    ],
)
def test_damaged_recordings_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(OutputError, match=message.replace("?", r"\?")):
        decode_outputs(data, expected_runs=1)
