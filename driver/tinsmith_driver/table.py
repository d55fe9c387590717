"""Plain text tables and numbers for a terminal."""

import re
from collections.abc import Sequence

from tinsmith_ir.escape import visible

_NUMBER = re.compile(r"[-+<]?[0-9,.]*[0-9]( ?%)?")


def thousands(number: int | None) -> str:
    """12345 -> "12,345"; None -> "-"."""
    return "-" if number is None else f"{number:,}"


def listed(names: Sequence[str], shown: int = 3) -> str:
    """The first names, and how many there are beside them."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned: text to the left, what looks like a number to the right.

    Every row has as many cells as the header, each on one line whatever it holds. The result ends
    without a line feed.
    """
    rows = [[visible(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    numeric = [bool(rows) and all(_is_number(row[i]) for row in rows) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ]
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([line(header), rule, *(line(row) for row in rows)])


def _is_number(cell: str) -> bool:
    return cell in ("", "-") or _NUMBER.fullmatch(cell) is not None
