"""Paddings with fewer, longer dimensions."""

from collections.abc import Sequence


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
