"""Sizes in bytes as people write them: `320000`, `256k`, `64KiB`, `1M`."""

import re

UNITS = "k and M are 1024 and 1024 * 1024 bytes"
"""What helps say of them."""

EXAMPLES = "65536, 64k, 64KiB or 1M"
"""What messages say of them."""

_FACTORS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SIZE = re.compile(r"(\d+) ?(?:([kmg])(?:i?b)?)?", re.ASCII | re.IGNORECASE)


def bytes_in(text: str) -> int:
    """The bytes, 0 or more. Units are powers of 1024 in any case, with or without `B` or `iB` behind them.

    Raises ValueError, which says what was expected and what came.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"expected a size such as {EXAMPLES}, got {text!r}")
    return int(found[1]) * _FACTORS.get((found[2] or "").lower(), 1)
