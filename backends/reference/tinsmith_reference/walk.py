"""Walks over dense and strided tensors: fewer, longer dimensions for the same visit of elements."""

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


def merged_padding(
    shape: Sequence[int], padding: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """(shape, before, after) of a padding with as few dimensions as possible, at least one.

    padding: (before0, after0, before1, …). A dimension that is not padded joins the one in front.
    """
    sizes: list[int] = []
    before: list[int] = []
    after: list[int] = []
    for axis, size in enumerate(shape):
        front, back = padding[2 * axis], padding[2 * axis + 1]
        if sizes and front == 0 and back == 0:
            sizes[-1] *= size
            before[-1] *= size
            after[-1] *= size
            continue
        sizes.append(size)
        before.append(front)
        after.append(back)
    return (tuple(sizes), tuple(before), tuple(after)) if sizes else ((1,), (0,), (0,))
