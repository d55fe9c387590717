"""Steps of random networks: elements that move, are repeated or left out."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Broadcast, Concat, Gather, Pad, Reshape, Slice, Transpose
from tinsmith_ir.random_steps.network import MAX_ELEMENTS, Network


def concat(network: Network, value: Value) -> None:
    """Concat of a value and one of the same shape, along any axis."""
    if not value.type.shape or value.type.elements > MAX_ELEMENTS:
        return
    same = [other for other in network.values if other.type.shape == value.type.shape]
    other = same[network.pick(0, len(same) - 1)]
    rank = len(value.type.shape)
    axis = network.pick(min(1, rank - 1), rank - 1)
    chosen = value.type.quantization
    if network.random.random() < 0.5:
        chosen = network.quantization(network.scale(value))
    network.add(Concat(axis=axis), [value, other], chosen)


def reshape(network: Network, value: Value) -> None:
    """Reshape to one row, or to the same with a dimension split off."""
    elements = value.type.elements
    shape = (
        (1, elements) if network.random.random() < 0.5 or elements % 2 else (1, 2, elements // 2)
    )
    network.add(Reshape(shape=shape), [value], None)


def transpose(network: Network, value: Value) -> None:
    """Transpose that leaves the batch first; of no scalar."""
    if not value.type.shape:
        return
    axes = network.random.permutation(np.arange(1, len(value.type.shape)))
    network.add(Transpose(permutation=(0, *(int(axis) for axis in axes))), [value], None)


def pad(network: Network, value: Value) -> None:
    """Pad of height and width with zero or another value."""
    if value.type.elements > MAX_ELEMENTS:
        return
    other = 0.5 if network.dtype is DType.FLOAT32 else -5
    padding = (
        0,
        0,
        network.pick(0, 2),
        network.pick(0, 2),
        network.pick(0, 2),
        network.pick(0, 2),
        0,
        0,
    )
    chosen = None if network.random.random() < 0.7 else other
    network.add(Pad(padding=padding, value=chosen), [value], None)


def slice_(network: Network, random: np.random.Generator, value: Value) -> None:
    """Slice of one or all axes, now and then in strides or backwards."""
    shape = value.type.shape
    only = int(random.integers(len(shape))) if shape and random.random() < 0.5 else None
    begin, sizes, strides = [0] * len(shape), [*shape], [1] * len(shape)
    for axis, length in enumerate(shape):
        if only not in (None, axis):
            continue
        first, last = sorted(int(at) for at in random.integers(0, length, 2))
        step = int(random.integers(1, 4)) if random.random() < 0.3 else 1
        sizes[axis] = (last - first) // step + 1
        is_backwards = random.random() < 0.2
        begin[axis] = last if is_backwards else first
        strides[axis] = -step if is_backwards else step
    operator = Slice(tuple(begin), tuple(sizes), tuple(strides))
    network.add(operator, [value], None)


def gather(network: Network, random: np.random.Generator, value: Value) -> None:
    """Gather along any axis by constant indices of one dimension or two."""
    shape = value.type.shape
    if not shape or value.type.elements > MAX_ELEMENTS:
        return
    axis = int(random.integers(len(shape)))
    size = (2, 2) if random.random() < 0.2 and len(shape) < 4 else int(random.integers(1, 6))
    indices = random.integers(0, shape[axis], size).astype(np.int32)
    operand = network.builder.constant("indices", indices)
    network.add(Gather(axis=axis), [value, operand], None)


def broadcast(network: Network, random: np.random.Generator, value: Value) -> None:
    """Broadcast of the first element along an axis, or each twice."""
    shape = value.type.shape
    if not shape or value.type.elements > MAX_ELEMENTS:
        return
    axis = int(random.integers(len(shape)))
    if random.random() < 0.5:
        first = (*shape[:axis], 1, *shape[axis + 1 :])
        sliced = network.builder.add(Slice((0,) * len(shape), first), [value])
        network.read.add(value.name)
        network.add(Broadcast(shape=(*shape[:axis], 3, *shape[axis + 1 :])), [sliced], None)
        return
    apart = network.builder.add(Reshape(shape=(*shape[: axis + 1], 1, *shape[axis + 1 :])), [value])
    network.read.add(value.name)
    pairs = Broadcast(shape=(*shape[: axis + 1], 2, *shape[axis + 1 :]))
    repeated = network.builder.add(pairs, [apart])
    whole = (*shape[:axis], 2 * shape[axis], *shape[axis + 1 :])
    network.add(Reshape(shape=whole), [repeated], None)
