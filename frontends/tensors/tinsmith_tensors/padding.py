"""Elements added around a tensor: of one value, or those that are there, mirrored, repeated or from the other end."""

import enum
from collections.abc import Sequence

import numpy as np
from tinsmith_ir.errors import UnsupportedError

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import where
from tinsmith_tensors.movement import pad
from tinsmith_tensors.selection import pick

Widths = Sequence[tuple[int, int]]
"""Elements added before and after each axis; below 0 as many are cut off."""


class PadMode(enum.Enum):
    """What is added along an axis of a b c d, by the names that NumPy has for it.

    REFLECT: c b | a b c d | c b. SYMMETRIC: b a | a b c d | d c. EDGE: a a | a b c d | d d. WRAP: c d | a b c d | a b.
    """

    REFLECT = "reflect"
    SYMMETRIC = "symmetric"
    EDGE = "edge"
    WRAP = "wrap"


def pad_by_elements(c: Composer, x: Tensor, widths: Widths, mode: PadMode) -> Tensor:
    """x with its own elements around it; axes one by one, so that corners are of both.

    What is cut off is so first, and not mirrored.
    """
    x = pad(c, x, [(min(before, 0), min(after, 0)) for before, after in widths], None)
    for axis, (before, after) in enumerate(widths):
        added = max(before, 0), max(after, 0)
        if not any(added):
            continue
        if x.shape[axis] == 0:
            raise UnsupportedError(
                f"expected elements to pad with along axis {axis}, got shape {list(x.shape)}"
            )
        c.check_known_size([x.shape[axis] + sum(added)])
        x = pick(c, x, axis, np.pad(c.numbers(x.shape[axis]), added, mode=mode.value))
    return x


def pad_by_value(c: Composer, x: Tensor, widths: Widths, value: Tensor) -> Tensor:
    """x with one value around it. value: a tensor of one element, known or computed."""
    if value.elements != 1:
        raise UnsupportedError(f"expected one value to pad with, got shape {list(value.shape)}")
    if value.array is not None:
        return pad(c, x, widths, value.array.reshape(-1)[0].item())
    padded = pad(c, x, widths, 0)
    if all(max(pair) <= 0 for pair in widths):
        return padded
    c.check_known_size(padded.shape, 1)
    inside = np.zeros(padded.shape, np.bool_)
    inside[
        tuple(
            slice(max(before, 0), size - max(after, 0))
            for size, (before, after) in zip(padded.shape, widths, strict=True)
        )
    ] = True
    return where(c, c.known(inside), padded, value)
