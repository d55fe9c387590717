"""What the drawings of the report's page are made of."""

import zlib
from dataclasses import dataclass

from tinsmith_driver.table import thousands

_TICKS = 5


@dataclass(frozen=True)
class Rectangle:
    """label is "" where there is no room for it. colour: of CSS, or "" for that of `kind`, a class of the page."""

    title: str
    label: str
    x: float
    y: float
    width: float
    height: float
    colour: str = ""
    kind: str = ""


def rectangle(
    title: str,
    label: str,
    x: float,
    y: float,
    width: float,
    height: float,
    colour: str = "",
    kind: str = "",
) -> Rectangle:
    """With places of two decimals."""
    return Rectangle(
        title, label, round(x, 2), round(y, 2), round(width, 2), round(height, 2), colour, kind
    )


def ticks(left: float, scale: float, length: int) -> list[tuple[float, str]]:
    """Place and number along an axis of whole numbers from 0 to `length`; rounded down where it does not divide evenly.

    left: place of 0. scale: how far apart two numbers are that follow each other.
    """
    numbers = [i * length // _TICKS for i in range(_TICKS + 1)]
    return [(round(left + number * scale, 2), thousands(number)) for number in numbers]


def room_for_text(width: float, character_width: float) -> int:
    """Characters that a rectangle holds beside its margins."""
    return int((width - 8) / character_width)


def colour_of(name: str) -> str:
    """The same for the same name."""
    return f"hsl({zlib.crc32(name.encode()) % 360} 55% 75%)"
