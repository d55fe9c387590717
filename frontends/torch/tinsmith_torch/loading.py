"""Opens a checked archive by PyTorch."""

import importlib
import io
import logging
import warnings

import torch
from tinsmith_ir.errors import ModelError, UsageError
from torch.export import ExportedProgram

_LIBRARIES = {
    "quantized_decomposed": "torch.ao.quantization.fx._decomposed",
    "torchao": "torchao.quantization",
}
"""What brings the operators of quantized programs, which PyTorch has to know before it reads them."""


def load(data: bytes, name: str) -> ExportedProgram:
    """The program in what `checked_archive` gave.

    Raises ModelError for one that PyTorch does not take, UsageError if it wants a library that is not installed.
    """
    for operators, library in _LIBRARIES.items():
        if f"torch.ops.{operators}.".encode() in data:
            _register(library, name)
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


def _register(library: str, name: str) -> None:
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)  # of torchao about kernels for GPUs that it does not find
    try:
        importlib.import_module(library)
    except ImportError as error:
        package = library.partition(".")[0]
        raise UsageError(
            f"{name}: expected {package} to be installed, whose operators the program has, got none ({error}); "
            f"pip install {package}"
        ) from error
    finally:
        logging.disable(before)
