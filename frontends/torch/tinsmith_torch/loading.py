"""Opens a checked archive by PyTorch."""

import io
import warnings

import torch
from tinsmith_ir.errors import ModelError
from torch.export import ExportedProgram


def load(data: bytes, name: str) -> ExportedProgram:
    """The program in what `checked_archive` gave. Raises ModelError for one that PyTorch does not take."""
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
