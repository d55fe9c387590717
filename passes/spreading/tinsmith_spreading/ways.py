"""How a result is cut for the cores: into boxes that each lie densely, as alike as can be."""

from collections.abc import Iterator, Sequence
from itertools import product

from tinsmith_ir.boxes import Box, Range


def dense_cuts(shape: Sequence[int], parts: int) -> list[list[Box]]:
    """The ways to cut a dense tensor into 2 to `parts` boxes that are dense, too; the one with the smallest largest
    box first.

    One axis of several indices is cut into equal ranges, the last of which may be shorter; all such axes before it,
    into single indices. So rows come first where there are as many as parts, and batches are cut with their rows.
    """
    found: list[list[Box]] = []
    axes = [axis for axis, extent in enumerate(shape) if extent > 1]
    for depth, axis in enumerate(axes):
        ahead = axes[:depth]
        each = parts
        for before in ahead:
            each //= shape[before]
        if each == 0:
            break
        size = -(-shape[axis] // each)
        boxes = [*_boxes(shape, ahead, axis, size)]
        if len(boxes) > 1:
            found.append(boxes)
    return sorted(found, key=lambda boxes: boxes[0].elements)


def _boxes(shape: Sequence[int], ahead: Sequence[int], axis: int, size: int) -> Iterator[Box]:
    """In the order in which they lie."""
    ranges: list[list[Range]] = [[(0, extent)] for extent in shape]
    for before in ahead:
        ranges[before] = [(index, index + 1) for index in range(shape[before])]
    ranges[axis] = [
        (begin, min(begin + size, shape[axis])) for begin in range(0, shape[axis], size)
    ]
    yield from (Box(chosen) for chosen in product(*ranges))


def axis_cuts(shape: Sequence[int], parts: int) -> list[list[Box]]:
    """The ways to cut a tensor along one axis into 2 to `parts` boxes as equal as can be, which may lie with gaps."""
    return [
        [*_boxes(shape, (), axis, -(-extent // parts))]
        for axis, extent in enumerate(shape)
        if extent > 1 and parts > 1
    ]
