"""A module's network held to what PyTorch computes."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
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
    array = array_of(tensor)
    return array.astype(value.type.dtype.numpy) if array.dtype.kind == "f" else array


def assert_equal(got: Array, expected: Array, tolerance: float, what: str) -> None:
    """Of the same shape, and apart by at most a share of the largest element."""
    assert got.shape == expected.shape, what
    if expected.dtype.kind != "f":
        assert got.dtype == expected.dtype, what
        assert np.array_equal(got, expected), what
        return
    values, wanted = got.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(wanted)
    assert np.array_equal(np.isfinite(values), finite), what
    assert np.array_equal(values[~finite], wanted[~finite], equal_nan=True), what
    largest = np.abs(wanted[finite]).max(initial=1e-6)
    assert np.abs(values[finite] - wanted[finite]).max(initial=0) <= tolerance * largest, what


def array_of(tensor: Tensor) -> Array:
    """Elements of a tensor."""
    array: Array = tensor.detach().numpy()
    return array


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
                assert_equal(array, array_of(want), tolerance, f"frame {number}, {name}")
    return graph
