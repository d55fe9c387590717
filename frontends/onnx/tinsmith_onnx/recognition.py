"""How an ONNX file is told from others, without the onnx package."""

LARGEST_FILE_BYTES = 2**31 - 1
"""What protocol buffers may have."""
_HEAD_TAGS = b"\x12\x1a\x22\x28\x32\x3a\x42"
"""Of the fields that may follow the version of the format, which comes first."""


def is_onnx(data: bytes) -> bool:
    """Whether `data` begins as an ONNX file does; it may be damaged."""
    return len(data) > 2 and data[0] == 8 and 0 < data[1] < 32 and data[2] in _HEAD_TAGS
