"""Plain text tables and numbers for a terminal."""

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from tinsmith_ir.escape import visible

from tinsmith_driver.terminal import columns_of

_GAP = "  "
_LEAST_NAME, _LEAST_TEXT = 28, 16
"""Of a table that is fitted, what the first column keeps, which names the rows, and what others of text keep."""
_MARKS = "_./-:"
_OWN = "tinsmith_"
"""What all names of ours begin with tells none from another."""
_NUMBER = re.compile(r"[-+<]?[0-9,.]*[0-9]( ?%)?")


def thousands(number: int | None) -> str:
    """12345 -> "12,345"; None -> "-"."""
    return "-" if number is None else f"{number:,}"


def listed(names: Sequence[str], shown: int = 3) -> str:
    """The first names, and how many there are beside them."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more


def fitted_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """`table` in the columns of a terminal, wherever it goes."""
    return table(header, rows, columns_of(sys.stdout))


def table(header: Sequence[str], rows: Sequence[Sequence[str]], columns: int | None = None) -> str:
    """Columns aligned: text to the left, what looks like a number to the right.

    Every row has as many cells as the header, each on one line whatever it holds. What is wider than `columns`
    characters is fitted (None: than a terminal that is standard output, else nothing is): text goes on below
    itself; names are cut in their middle on a terminal, and elsewhere whole if there is room. Columns for which there
    is no room even so follow in a table below, behind the first column once more. The result ends without a line feed.
    """
    shown = [[visible(cell) for cell in row] for row in rows]
    natural = [max(len(row[i]) for row in [header, *shown]) for i in range(len(header))]
    numeric = [bool(shown) and all(_is_number(row[i]) for row in shown) for i in range(len(header))]
    if columns is None and sys.stdout.isatty():
        columns = columns_of(sys.stdout)
    if columns is None or _total(natural) <= columns:
        return _block(header, shown, natural, numeric)
    least = _least_widths(header, shown, numeric, columns)
    blocks: list[str] = []
    for chosen in _that_fit(least, columns):
        widths = _grown([least[i] for i in chosen], [natural[i] for i in chosen], columns)
        part = [[row[i] for i in chosen] for row in shown]
        titles = [header[i] for i in chosen]
        blocks.append(_block(titles, part, widths, [numeric[i] for i in chosen]))
    return "\n\n".join(blocks)


def _block(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    widths: Sequence[int],
    numeric: Sequence[bool],
) -> str:
    """One table whose columns have these widths."""

    def lines(cells: Sequence[str]) -> Iterator[str]:
        wrapped = [_wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
        for pieces in zip_longest(*wrapped, fillvalue=""):
            padded = [
                piece.rjust(width) if right else piece.ljust(width)
                for piece, width, right in zip(pieces, widths, numeric, strict=True)
            ]
            yield _GAP.join(padded).rstrip()

    rule = _GAP.join("-" * width for width in widths)
    return "\n".join([*lines(header), rule, *(line for row in rows for line in lines(row))])


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _least_widths(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    columns: int,
) -> list[int]:
    """Numbers are whole. So, off a terminal, where people search for them, are names that leave room for others."""
    widths: list[int] = []
    most = columns // 2 + len(_GAP)
    for i, title in enumerate(header):
        cells = [row[i] for row in rows]
        width = max(map(len, cells), default=0)
        if not numeric[i]:
            width = min(width, _LEAST_TEXT if i else _LEAST_NAME)
            if not sys.stdout.isatty():
                width = max(width, min(max(map(_longest_word, cells), default=0), most))
        widths.append(max(_longest_word(title), width))
        most = columns - widths[0] - len(_GAP)
    return widths


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _that_fit(least: Sequence[int], columns: int) -> list[list[int]]:
    """The columns of each table of several, all of which have the first one."""
    found = [[0]]
    for index in range(1, len(least)):
        together = [*found[-1], index]
        if len(found[-1]) > 1 and _total([least[i] for i in together]) > columns:
            together = [0, index]
            found.append(together)
        else:
            found[-1] = together
    return found


def _grown(least: Sequence[int], natural: Sequence[int], columns: int) -> list[int]:
    """Widths that fill the columns there are: who lacks little gets it first, so that few cells go on below."""
    widths, spare = list(least), max(columns - _total(least), 0)
    lacking = sorted(range(len(widths)), key=lambda i: natural[i] - widths[i])
    for position, index in enumerate(lacking):
        more = min(natural[index] - widths[index], spare // (len(lacking) - position))
        widths[index] += max(more, 0)
        spare -= max(more, 0)
    return widths


def _wrapped(cell: str, width: int) -> list[str]:
    """The cell in lines; words that are longer than one are cut in the middle on a terminal, else go on below."""
    if len(cell) <= width:
        return [cell]
    lines = [""]
    for word in cell.split():
        shown = middle_cut(word, width) if sys.stdout.isatty() else word
        first, *others = _pieces(shown, width)
        together = f"{lines[-1]} {first}" if lines[-1] else first
        if len(together) <= width:
            lines[-1] = together
        else:
            lines.append(first)
        lines += others
    return lines


def _pieces(word: str, width: int) -> Iterator[str]:
    """Of at most `width` characters, cut behind a mark where one stands in the second half."""
    while len(word) > width:
        marks = max(word.rfind(mark, width // 2, width) for mark in _MARKS)
        cut = marks + 1 if marks >= 0 else width
        yield word[:cut]
        word = word[cut:]
    yield word


def middle_cut(name: str, width: int) -> str:
    """The name in at most `width` characters, 3 or more: its middle gives way to an ellipsis, or `tinsmith_` if that
    is enough.
    """
    if len(name) <= width:
        return name
    if name.startswith(_OWN) and len(name) - len(_OWN) < width:
        return f"…{name[len(_OWN) :]}"
    behind = (width - 1) // 2
    return f"{name[: width - 1 - behind]}…{name[-behind:]}"


def _is_number(cell: str) -> bool:
    return cell in ("", "-") or _NUMBER.fullmatch(cell) is not None
