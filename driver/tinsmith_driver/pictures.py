"""Small grey images as text, side by side."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SHADES = " .:-=+*#%@"
_GAP = 3


def picture(image: NDArray[np.generic]) -> list[str]:
    """An int8 image (h, w) as h lines of 2*w characters, -128 blank, 127 darkest."""
    levels = (image.astype(np.int32) + 128) * len(_SHADES) // 256
    return ["".join(_SHADES[level] * 2 for level in row) for row in levels.tolist()]


def most_beside(columns: int, width: int) -> int:
    """How many pictures of images of that width stand side by side in so many columns; 1 at least."""
    return max((columns + _GAP) // (2 * width + _GAP), 1)


def side_by_side(pictures: Sequence[Sequence[str]], captions: Sequence[str]) -> str:
    """Pictures of the same height in one row, each with its caption below."""
    width = max(len(line) for lines in pictures for line in lines)
    rows = [*zip(*pictures, strict=True), tuple(caption.center(width) for caption in captions)]
    return "\n".join((" " * _GAP).join(cell.ljust(width) for cell in row).rstrip() for row in rows)
