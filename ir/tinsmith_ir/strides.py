"""Strides of dense tensors, and walks over strided ones: fewer, longer dimensions for the same visit of elements."""

from collections.abc import Sequence

Strides = tuple[int, ...]


def dense_strides(shape: Sequence[int]) -> Strides:
    """Elements from one index to the next, of each dimension of a dense tensor."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def broadcast_strides(shape: Sequence[int], result: Sequence[int]) -> Strides:
    """Strides with which a dense `shape` is read to fill `result`, numpy's broadcasting: 0 repeats."""
    missing = len(result) - len(shape)
    strides = dense_strides(shape)
    repeated = tuple(0 if size == 1 else step for size, step in zip(shape, strides, strict=True))
    return (0,) * missing + repeated


def merged(
    shape: Sequence[int], walks: Sequence[Strides]
) -> tuple[tuple[int, ...], tuple[Strides, ...]]:
    """The same walks with as few dimensions as possible, at least one.

    walks: for each tensor, its strides along `shape`. Dimensions of size 1 vanish; two neighbours
    become one where every walk steps evenly over both.
    """
    sizes: list[int] = []
    steps: list[list[int]] = [[] for _ in walks]
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        inner = [walk[axis] for walk in walks]
        if sizes and all(
            outer[-1] == step * size for outer, step in zip(steps, inner, strict=True)
        ):
            sizes[-1] *= size
            for outer, step in zip(steps, inner, strict=True):
                outer[-1] = step
            continue
        sizes.append(size)
        for outer, step in zip(steps, inner, strict=True):
            outer.append(step)
    if not sizes:
        return (1,), tuple((0,) for _ in walks)
    return tuple(sizes), tuple(tuple(walk) for walk in steps)
