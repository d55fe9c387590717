"""Names that nobody has: identifiers for the values of a graph, made from the names of tensors; names in Programs."""

import re
from collections.abc import Iterable

_LONGEST = 48


class Names:
    """Gives each tensor an identifier that is unique in the graph and readable in C.

    TFLite joins the names of operators it has merged by `;`; the first one is kept, and of its path
    as much from the right as fits: `model/conv2d_1/Relu;model/bn/Fused` becomes `model_conv2d_1_Relu`.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def unique(self, text: str) -> str:
        """An identifier `[A-Za-z_][A-Za-z0-9_]*` for `text`, numbered if already given out."""
        name = stem = identifier(text)
        while name in self._taken:
            self._next[stem] = self._next.get(stem, 1) + 1
            name = f"{stem}_{self._next[stem]}"
        self._taken.add(name)
        return name


class FreshNames:
    """Gives names that nobody has, neither `taken` nor given before: a wish as it is, or with a number behind it.

    first: the number of the second one with the same wish.
    """

    def __init__(self, taken: Iterable[str], *, first: int = 2) -> None:
        self._taken = {*taken}
        self._first = first
        self._next: dict[str, int] = {}

    def name(self, wish: str) -> str:
        """`wish`, `wish.2`, `wish.3`, whichever is free."""
        found = wish
        while found in self._taken:
            number = self._next.get(wish, self._first)
            self._next[wish] = number + 1
            found = f"{wish}.{number}"
        self._taken.add(found)
        return found


def identifier(text: str) -> str:
    """`text` as an identifier of at most 48 characters; `value` if nothing of it can be used."""
    words = re.findall(r"[A-Za-z0-9]+", text.split(";", 1)[0][-4 * _LONGEST :])
    name = "_".join(words)
    while len(name) > _LONGEST and len(words) > 1:
        words = words[1:]
        name = "_".join(words)
    name = name[-_LONGEST:] or "value"
    return f"_{name}"[:_LONGEST] if name[0].isdigit() else name
