"""What a file that is no TFLite model seems to be, from its first bytes, and what its owner can do."""

import re
from collections.abc import Callable
from dataclasses import dataclass

_HEAD_BYTES = 4096
_CONVERT = "convert it to .tflite first"
_EXPORT = "export the module with torch.export, and give the .pt2 that torch.export.save writes"
# torch.save begins with its pickle; TorchScript may with a tensor, which PyTorch pads by a field called FB.
_TORCH = rb"PK\x03\x04.{26}[^/]*/(data\.pkl|byteorder|(version|(data|constants)/\d+)FB)"
_ONNX_FIELDS = b"\x12\x1a\x22\x28\x32\x3a\x42"  # tags of what may follow its version


@dataclass(frozen=True)
class _Kind:
    """A kind of file, told by its first bytes; what it is called, and the remedy."""

    matches: Callable[[bytes], object]
    name: str
    remedy: str


def _starts(*beginnings: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(beginnings)


def _searches(pattern: bytes) -> Callable[[bytes], object]:
    return re.compile(pattern, re.DOTALL | re.IGNORECASE).match


def _is_onnx(head: bytes) -> bool:
    return len(head) > 2 and head[0] == 8 and 0 < head[1] < 32 and head[2] in _ONNX_FIELDS


_KINDS = (
    _Kind(lambda head: not head, "an empty file", "copy or convert the model again"),
    _Kind(
        _starts(b"version https://git-lfs.github.com/"),
        "a Git LFS pointer, which stands for the model",
        "run `git lfs pull` in its repository",
    ),
    _Kind(
        _searches(rb"(\.\./)*(\.git)?/annex/objects/"),
        "a git-annex pointer, which stands for the model",
        "run `git annex get` in its repository",
    ),
    _Kind(
        _searches(rb"\s*(<!doctype html|<html)"),
        "a web page",
        "download the file itself, not the page that shows it",
    ),
    _Kind(
        _searches(rb"(\s|#[^\n]*\n)*(graph|program)\s+\""),
        "Tinsmith's IR as text",
        "parse it with tinsmith_ir.parser, or give it to `tinsmith`",
    ),
    _Kind(
        _searches(rb".*\bchar\s+(\w+\s+)*\w+\s*\[[^\]]*\][^=]{0,200}=\s*\{\s*0x"),
        "C source with an array",
        "give the .tflite that it was made from",
    ),
    _Kind(lambda head: head[4:7] == b"TFL", "a TFLite file of another format version", _CONVERT),
    _Kind(
        lambda head: head[8:12] == b"TFL3",
        "a TFLite file behind a size of 4 bytes",
        "cut those off",
    ),
    _Kind(lambda head: head[4:8] == b"ORTM", "an ONNX Runtime model", _CONVERT),
    _Kind(
        lambda head: head[4:6] == b"ET", "an ExecuTorch program", "export the network as .tflite"
    ),
    _Kind(_starts(b"\x89HDF\r\n\x1a\n"), "an HDF5 file (Keras)", _CONVERT),
    _Kind(
        _searches(rb"PK\x03\x04.{26}[^/]*\.npy"),
        "samples (.npz)",
        "give the model, and samples with --inputs",
    ),
    _Kind(_searches(rb"PK\x03\x04.{26}(metadata|config)\.json"), "a Keras model", _CONVERT),
    _Kind(_searches(_TORCH), "a PyTorch file", _EXPORT),
    _Kind(_starts(b"PK\x03\x04"), "a zip archive", "unpack it"),
    _Kind(
        _starts(b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"),
        "a packed file",
        "unpack it",
    ),
    _Kind(_starts(b"\x93NUMPY"), "a numpy array", "give the model"),
    _Kind(_searches(rb"\x80[\x02-\x05]"), "a Python pickle", _CONVERT),
    _Kind(_starts(b"\x08\x01\x12"), "a TensorFlow SavedModel", _CONVERT),
    _Kind(_is_onnx, "an ONNX model", _CONVERT),
    _Kind(_searches(rb"\n.*\x12.?(Placeholder|Const)"), "a frozen TensorFlow graph", _CONVERT),
    _Kind(_starts(b"GGUF"), "a GGUF language model", "choose a network for a microcontroller"),
    _Kind(_starts(b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), "a picture", "give the model"),
    _Kind(_starts(b"\x7fELF", b"MZ", b"!<arch>"), "machine code", "give the model"),
    _Kind(_searches(rb"\s*[\[{]"), "JSON", "give the model"),
)


def seeming(data: bytes) -> str:
    """What `data` seems to be, with a remedy; its first bytes where nothing is known of it."""
    head = data[:_HEAD_BYTES]
    for kind in _KINDS:
        if kind.matches(head):
            return f"what seems to be {kind.name}; {kind.remedy}"
    return f"{head[4:8]!r} in a file of {len(data)} bytes"
