"""Networks that PyTorch computes, as cases for the benchmark of imports: each exported, saved, and run."""

import io
from collections.abc import Iterator

import torch
from tinsmith_plugins import ImportCase, ModelSource

from tinsmith_torch.architectures import ARCHITECTURES, Architecture

_SHARE = 1e-4
_TARGETS = ("cortex-m4", "cortex-m55")


def cases() -> Iterator[ImportCase]:
    """All architectures."""
    for name, architecture in ARCHITECTURES.items():
        yield _case(name, architecture)


def _case(name: str, architecture: Architecture) -> ImportCase:
    module, frames = architecture.module(), architecture.inputs()
    # Exported before it runs: buffers that it changes are to begin as they are.
    source = ModelSource(_saved(module, frames[0]), f"{name}.pt2")
    with torch.no_grad():
        results = [module(frame).numpy() for frame in frames]
    return ImportCase(
        "networks",
        name,
        lambda: source,
        tuple({"x": frame.numpy()} for frame in frames),
        tuple((result,) for result in results),
        share=_SHARE,
        transposes=architecture.transposes,
        targets=_TARGETS,
    )


def _saved(module: torch.nn.Module, frame: torch.Tensor) -> bytes:
    file = io.BytesIO()
    torch.export.save(torch.export.export(module, (frame,)), file)
    return file.getvalue()
