"""Opens a checked archive by PyTorch."""

import importlib
import io
import warnings
from contextlib import suppress

import torch
from tinsmith_ir.errors import ModelError
from torch.export import ExportedProgram

_LIBRARIES = ("torch.ao.quantization.fx._decomposed", "torchao")
"""What brings the operators of quantized programs, where it is installed."""


def load(data: bytes, name: str) -> ExportedProgram:
    """The program in what `checked_archive` gave. Raises ModelError for one that PyTorch does not take."""
    for library in _LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(library)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.export.load(io.BytesIO(data))
    except Exception as error:  # PyTorch's loader has no class of errors of its own
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        text = " ".join(lines[-3:])[-400:]
        raise ModelError(
            f"{name}: expected a program that torch.export.load takes, which says: {type(error).__name__}: {text}"
        ) from error
