"""What an argument of the command line says, read: sizes, memories, shapes, shares. Each raises
`argparse.ArgumentTypeError`, which says what was expected and what came.
"""

import argparse
import math
import re
from collections.abc import Callable
from dataclasses import replace

from tinsmith_driver.bit_budget import CostLimit
from tinsmith_driver.options import Memories
from tinsmith_driver.passes import PassChoice
from tinsmith_driver.sizes import EXAMPLES, bytes_in

STREAMED = PassChoice("stream-frames")
"""What `--stream` asks for."""


def pair(text: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not (equals and name and value):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name, value


def shape(text: str) -> tuple[str, tuple[int, ...]]:
    name, sizes = pair(text)
    return name, tuple(positive(size) for size in sizes.split(","))


def positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return number


def most(counted: str) -> Callable[[str], tuple[str, CostLimit]]:
    """Reads `8000000` or `95%` of what is counted."""

    def read(text: str) -> tuple[str, CostLimit]:
        found = re.fullmatch(r"(\d+)|(\d+(?:\.\d+)?) ?%", text.strip(), re.ASCII)
        number = float(found[1] or found[2]) if found else 0.0
        if not number:
            raise argparse.ArgumentTypeError(
                f"expected a number of {counted}, or a share of what 8 bits take such as 95%, got {text!r}"
            )
        assert found is not None
        return counted, CostLimit(number, found[1] is None)

    return read


def bit_choices(text: str) -> tuple[int, ...]:
    found = text.split(",")
    if not set(found) <= {"2", "3", "4", "8"} or len(set(found)) < max(len(found), 2):
        raise argparse.ArgumentTypeError(
            f"expected several of 2, 3, 4 and 8, each once, such as 2,4,8, got {text!r}"
        )
    return tuple(sorted(map(int, found)))


def byte_count(text: str) -> int:
    """Bytes, 1 or more: `320000`, `256k`, `64KiB`, `1M`."""
    try:
        size = bytes_in(text)
    except ValueError:
        size = 0
    if size < 1:
        raise argparse.ArgumentTypeError(
            f"expected a size above 0 such as {EXAMPLES}, got {text!r}"
        )
    return size


def ram(text: str) -> int | Memories:
    """Bytes of one memory, or of each of several by name: `dtcm=16KiB,psram`."""
    if "=" not in text and "," not in text:
        return byte_count(text)
    found = Memories()
    for part in text.split(","):
        name, size = pair(part) if "=" in part else (part, "")
        if re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) is None or name in found:
            raise argparse.ArgumentTypeError(
                f"expected memories of different names, fast to slow, such as dtcm=16k,psram=8M, got {text!r}"
            )
        found[name] = byte_count(size) if size else None
    return found


def waits(text: str) -> dict[str, float]:
    """Wait states by the name of a memory: `flash=5,psram=8`."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, cycles = pair(part)
        if name in found:
            raise argparse.ArgumentTypeError(f"expected each memory once, got {text!r}")
        found[name] = share(cycles)
    return found


def share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number from 0, got {text!r}")
    return number


def streamed(text: str) -> PassChoice:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(
            f"expected the number of an axis, or nothing behind it but further options, got {text!r}"
        )
    return replace(STREAMED, options={"axis": text})
