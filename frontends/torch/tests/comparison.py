"""A module's network held to what PyTorch computes."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from tinsmith_ir import Array, Graph, Value, evaluate_frames
from tinsmith_torch import import_torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

Frame = Sequence[Tensor]


def networks_results(graph: Graph, frames: Sequence[Frame]) -> list[Mapping[str, Array]]:
    """Outputs of each run by name. Inputs of another layout are given so."""
    inputs = [
        [_as_input(value, tensor) for value, tensor in zip(graph.inputs, frame, strict=True)]
        for frame in frames
    ]
    return list(evaluate_frames(graph, inputs))


def _as_input(value: Value, tensor: Tensor) -> Array:
    array = tensor.detach().numpy()
    return array.astype(value.type.dtype.numpy) if array.dtype.kind == "f" else array


def assert_equal(got: Array, want: Tensor, tolerance: float, what: str) -> None:
    """Of the same shape, and apart by at most a share of the largest element."""
    expected: NDArray[np.generic] = want.detach().numpy()
    assert got.shape == expected.shape, what
    if expected.dtype.kind != "f":
        assert got.dtype == expected.dtype, what
        assert np.array_equal(got, expected), what
        return
    finite = np.isfinite(expected)
    assert np.array_equal(np.isfinite(got), finite), what
    same = np.array_equal(got[~finite], expected[~finite].astype(got.dtype), equal_nan=True)
    assert same, what
    largest = np.abs(expected[finite]).max(initial=1e-6)
    assert np.abs(got[finite] - expected[finite]).max(initial=0) <= tolerance * largest, what


def check(
    module: nn.Module,
    *frames: Frame,
    tolerance: float = 1e-5,
    graph: Graph | None = None,
) -> Graph:
    """The network of a module, whose results over frames are those of PyTorch."""
    module = module.eval()
    graph = graph or import_torch(module, frames[0], channels_last=False)
    results = networks_results(graph, frames)
    with torch.no_grad():
        for number, (frame, got) in enumerate(zip(frames, results, strict=True)):
            wanted = [
                leaf for leaf in pytree.tree_leaves(module(*frame)) if isinstance(leaf, Tensor)
            ]
            assert len(got) == len(wanted)
            for (name, array), want in zip(got.items(), wanted, strict=True):
                assert_equal(array, want, tolerance, f"frame {number}, {name}")
    return graph
