"""In which order of its axes a tensor of the graph lies in a file.

A form is a permutation: axis i of the file's tensor is axis form[i] of the graph's, whose images are channels last. A
form that is longer than the tensor's rank has axes of one element in front, as numpy broadcasts.
"""

from collections.abc import Sequence

Form = tuple[int, ...]

CHANNELS_FIRST: Form = (0, 3, 1, 2)
"""Of images, and of weights: OHWI as OIHW."""


def natural(rank: int) -> Form:
    """The graph's own order."""
    return tuple(range(rank))


def is_natural(form: Form) -> bool:
    """Whether it is the graph's own order."""
    return form == natural(len(form))


def permuted(sizes: Sequence[int], form: Form) -> tuple[int, ...]:
    """What belongs to each axis of the graph's tensor, in the order of the file's."""
    return tuple(sizes[axis] for axis in form)


def between(source: Form, target: Form) -> Form:
    """The permutation by which a tensor of one form becomes that of the other."""
    return tuple(source.index(axis) for axis in target)


def has_same_order(shape: Sequence[int], source: Form, target: Form) -> bool:
    """Whether elements lie in the same order in both: only axes of one element change their places."""
    moved = [[axis for axis in form if shape[axis] > 1] for form in (source, target)]
    return moved[0] == moved[1]


def without(form: Form, axes: Sequence[int]) -> Form:
    """The form of a tensor that has lost these axes of the graph's."""
    kept = [axis for axis in form if axis not in axes]
    return tuple(sorted(kept).index(axis) for axis in kept)


def suffix(form: Form) -> str:
    """For the name of a tensor that is there in several forms."""
    known = {CHANNELS_FIRST: "nchw", natural(4): "nhwc"}
    return "_" + known.get(form, "".join(map(str, form)) or "scalar")
