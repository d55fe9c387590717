"""Calibration data: what a float network is shown, checked before anything is learned from it."""

from collections.abc import Iterable, Mapping

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Array, Graph, Value


def checked_samples(graph: Graph, samples: Iterable[Mapping[str, Array]]) -> dict[str, Array]:
    """All samples by the name of the input, (samples, *shape), float32.

    samples: one after another, each an array for every input of the graph, of its shape, with or without the
    leading dimensions of 1.
    Raises UsageError for no samples, missing or unknown inputs, other shapes, integers where the network takes real
    numbers, numbers that are not finite, and inputs that are the same number everywhere.
    """
    collected: dict[str, list[Array]] = {value.name: [] for value in graph.inputs}
    for index, sample in enumerate(samples):
        _check_names(graph, sample, index)
        for value in graph.inputs:
            collected[value.name].append(_of_value(value, np.asarray(sample[value.name]), index))
    found: dict[str, Array] = {}
    for value in graph.inputs:
        if not collected[value.name]:
            raise UsageError("calibration: expected at least one sample, got none")
        found[value.name] = np.stack(collected[value.name])
        _check_range(value, found[value.name])
    return found


def _check_names(graph: Graph, sample: Mapping[str, Array], index: int) -> None:
    names = {value.name for value in graph.inputs}
    if set(sample) != names:
        got = ", ".join(sorted(map(visible, sample))) or "none"
        raise UsageError(
            f"calibration: sample {index}: expected arrays for the inputs {', '.join(sorted(map(visible, names)))}, "
            f"got {got}"
        )


def _of_value(value: Value, array: Array, index: int) -> Array:
    where = f"calibration: sample {index} of input {visible(value.name)!r}"
    if value.type.dtype is not DType.FLOAT32:
        if array.dtype != value.type.dtype.numpy:
            raise UsageError(f"{where}: expected {value.type.dtype.value}, got {array.dtype}")
    elif array.dtype.kind != "f":
        raise UsageError(
            f"{where}: expected real numbers as the float network takes them, got {array.dtype}; integers of a "
            "quantized network or raw bytes have to be scaled first, as they were for training"
        )
    shape = value.type.shape
    if array.shape != shape and array.shape != _without_ones(shape, array.ndim):
        raise UsageError(f"{where}: expected shape {list(shape)}, got {list(array.shape)}")
    if not np.isfinite(array).all():
        raise UsageError(f"{where}: expected finite numbers, got NaN or infinity")
    return array.astype(value.type.dtype.numpy).reshape(shape)


def _without_ones(shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """A shape without as many leading dimensions of 1 as leave `rank`."""
    leading = len(shape) - rank
    return shape[leading:] if leading > 0 and set(shape[:leading]) == {1} else shape


def _check_range(value: Value, arrays: Array) -> None:
    if value.type.dtype is not DType.FLOAT32 or value.type.elements == 1:
        return
    low, high = float(arrays.min()), float(arrays.max())
    if low == high:
        raise UsageError(
            f"calibration: input {visible(value.name)!r} is {low:g} everywhere in all {len(arrays)} samples, which "
            "says nothing of its range; give samples as the network will see them"
        )
