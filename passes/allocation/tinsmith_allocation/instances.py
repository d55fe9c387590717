"""Hard problems of which the least arena is known: rectangles that a full arena is cut into."""

import random

from tinsmith_allocation.model import Block


def packed_blocks(seed: int, *, count: int, steps: int, height: int) -> list[Block]:
    """At least `count` blocks (fewer if they become too small) that fill an arena of `height` bytes for so many steps.

    A rectangle is cut in two again and again, the largest first, across time or across bytes.
    """
    draw = random.Random(seed)
    pieces = [(0, steps, 0, height)]
    while len(pieces) < count:
        pieces.sort(key=lambda piece: (piece[1] - piece[0]) * (piece[3] - piece[2]))
        first, end, low, high = piece = pieces[-1]
        if end - first < 2 and high - low < 2:
            break
        pieces.remove(piece)
        across_time = high - low < 2 or (end - first >= 2 and draw.random() < 0.5)
        if across_time:
            at = draw.randint(first + 1, end - 1)
            pieces += [(first, at, low, high), (at, end, low, high)]
        else:
            at = draw.randint(low + 1, high - 1)
            pieces += [(first, end, low, at), (first, end, at, high)]
    draw.shuffle(pieces)
    return [
        Block(f"b{index}", high - low, first, end - 1)
        for index, (first, end, low, high) in enumerate(pieces)
    ]
