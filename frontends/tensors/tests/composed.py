"""Graphs of one function of this library, and what they give: shared by tests, whose float64 is a graph's float32."""

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tinsmith_ir import Array, Graph, evaluate_graph
from tinsmith_ir.dtypes import COMPUTED_DTYPES
from tinsmith_ir.types import TensorType
from tinsmith_tensors import Composer, Tensor

Reals = NDArray[np.float64]
Made = Tensor | Sequence[Tensor]
Function = (
    Callable[[Composer, Tensor], Made]
    | Callable[[Composer, Tensor, Tensor], Made]
    | Callable[[Composer, Tensor, Tensor, Tensor], Made]
    | Callable[[Composer, Tensor, Tensor, Tensor, Tensor], Made]
    | Callable[[Composer, Tensor, Tensor, Tensor, Tensor, Tensor], Made]
    | Callable[[Composer, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], Made]
    | Callable[[Composer, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], Made]
)
_DTYPES = {dtype.numpy: dtype for dtype in COMPUTED_DTYPES}


def composed(function: Function, *arrays: Array, known: Sequence[int] = ()) -> Graph:
    """The graph of `function(c, *tensors)`. known: which operands are known, the others are inputs of the graph."""
    c = Composer("g")
    tensors = [
        c.known(array)
        if index in known
        else c.input(f"x{index}", TensorType(array.shape, _DTYPES[array.dtype]))
        for index, array in enumerate(map(_as_in_graphs, arrays))
    ]
    made = cast("Callable[..., Made]", function)(c, *tensors)
    made = [made] if isinstance(made, Tensor) else made
    return c.build({c.reserve(f"y{index}"): tensor for index, tensor in enumerate(made)})


def results(function: Function, *arrays: Array, known: Sequence[int] = ()) -> list[Reals]:
    """What that graph gives."""
    graph = composed(function, *arrays, known=known)
    given = [_as_in_graphs(array) for index, array in enumerate(arrays) if index not in known]
    return [array.astype(np.float64) for array in evaluate_graph(graph, given).values()]


def result(function: Function, *arrays: Array, known: Sequence[int] = ()) -> Reals:
    """The only result of that graph."""
    (only,) = results(function, *arrays, known=known)
    return only


def numbers(seed: int, *shape: int) -> Reals:
    """Random numbers around 0 that float32 has."""
    found = np.random.default_rng(seed).standard_normal(shape)
    return np.asarray(found.astype(np.float32), np.float64)


def assert_close(
    found: Reals, expected: ArrayLike, *, rtol: float = 2e-5, atol: float = 2e-6
) -> None:
    """Raise AssertionError where they differ by more, or in shape."""
    np.testing.assert_allclose(
        found, np.asarray(expected, np.float64), rtol=rtol, atol=atol, strict=True
    )


def _as_in_graphs(array: Array) -> Array:
    return array.astype(np.float32) if array.dtype == np.float64 else array
