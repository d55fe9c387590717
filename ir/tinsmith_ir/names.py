"""Identifiers for the values of a graph, made from the names of tensors."""

import re

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


def identifier(text: str) -> str:
    """`text` as an identifier of at most 48 characters; `value` if nothing of it can be used."""
    words = re.findall(r"[A-Za-z0-9]+", text.split(";", 1)[0][-4 * _LONGEST :])
    name = "_".join(words)
    while len(name) > _LONGEST and len(words) > 1:
        words = words[1:]
        name = "_".join(words)
    name = name[-_LONGEST:] or "value"
    return f"_{name}"[:_LONGEST] if name[0].isdigit() else name
