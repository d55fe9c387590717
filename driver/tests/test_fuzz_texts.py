"""A few damaged files, texts and plans: taken, or refused for a reason. driver/tools/fuzz.py tries many more."""

import pytest
from fuzz import KINDS, read_file, tried


@pytest.mark.parametrize(
    ("kind", "count"), [("files", 300), ("onnx", 300), ("texts", 300), ("plans", 100)]
)
def test_damaged_inputs_are_taken_or_refused(kind: str, count: int) -> None:
    made, reader = KINDS[kind]
    found = tried(reader, made(count, 1))
    assert found.failures == []
    assert found.counts["refused"] + found.counts["taken"] == count
    assert min(found.counts["refused"], found.counts["taken"]) > 0


def test_what_is_no_refusal_is_a_failure() -> None:
    def broken(data: bytes) -> None:
        if data == b"much":
            bytearray(1 << 34)
        raise KeyError(data)

    found = tried(broken, iter([b"much", b"any"]))
    assert [reason for _, reason in found.failures] == ["too much memory", "KeyError: b'any'"]
    assert tried(read_file, iter([b"none"])).counts["refused"] == 1
