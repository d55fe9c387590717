"""The files between runner and harness."""

import struct

import pytest
from tinsmith_emulators import OutputError
from tinsmith_emulators.records import decode_outputs, encode_inputs


def _record(tag: bytes, a: int = 0, b: int = 0, payload: bytes = b"") -> bytes:
    return struct.pack("<4sIII", tag, a, b, len(payload)) + payload


_START = _record(b"HEAD", 2, 1) + _record(b"CALI", 5, 11)
_RUN = (
    _record(b"LAYR", 0, 100, b"xy")
    + _record(b"LAYR", 1, 200, b"z")
    + _record(b"RUN ", 310, 64, struct.pack("<i", 0))
    + _record(b"OUTP", 0, 0, b"result")
)
_END = _record(b"END ", 1)


def test_inputs_follow_a_header() -> None:
    data = encode_inputs([b"abc", b"def"], layer_outputs=True)

    assert data == b"TSI1" + struct.pack("<II", 1, 2) + b"abcdef"


def test_recording_is_read_back() -> None:
    recording = decode_outputs(_START + _RUN + _END, expected_runs=1)

    assert (recording.layer_count, recording.empty_run_ticks, recording.hook_ticks) == (2, 5, 11)
    (run,) = recording.runs
    assert (run.layer_ticks, run.layer_outputs) == ([100, 200], [b"xy", b"z"])
    assert (run.ticks, run.stack_bytes, run.status) == (310, 64, 0)
    assert run.outputs == [b"result"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected record 'HEAD', found nothing"),
        (_START + _RUN, "ends after 1 of 1 runs"),
        (_START + _RUN + _END[:-1], "cut off inside a record"),
        (_START + _RUN[:17], "cut off inside record 'LAYR'"),
        (_START + _record(b"LAYR", 1), "layer 1 was reported where 0 was due"),
        (_START + _record(b"????"), "unexpected record"),
        (_START + _record(b"OUTP"), "unexpected record 'OUTP'"),
        (_START + _END, "holds 0 runs, expected 1"),
    ],
)
def test_damaged_recordings_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(OutputError, match=message.replace("?", r"\?")):
        decode_outputs(data, expected_runs=1)
