"""Prices that several readers of a root share, as a cut can have them."""

from tinsmith_layout.cut import Cut


class Term:
    """Something done with a root, once for all of its readers that need it, and whose change makes them need it.

    A cut can have a price for doing one thing and leaving another, but none for doing both or leaving both. Where it
    would have to, the price is put on one of the two: never too low, and right as long as nothing is changed.
    """

    def __init__(self, price: int) -> None:
        """Nobody needs it yet."""
        self._price = price
        self._always = False
        self._done: set[str] = set()
        self._left: set[str] = set()

    def add(self, reader: str | None, *, is_done: bool) -> None:
        """A reader needs it if it is changed, or if it is left; None is one that does not change."""
        if reader is None:
            self._always = True
        else:
            (self._done if is_done else self._left).add(reader)

    @property
    def _is_certain(self) -> bool:
        return self._always or bool(self._done & self._left)

    def charge(self, cut: Cut) -> None:
        """Of a root that does not change."""
        if self._is_certain:
            return
        if self._done:
            cut.if_any_done(self._done, self._price)
        if self._left:
            cut.if_any_left(self._left, self._price)

    def charge_if(self, cut: Cut, root: str, *, is_done: bool, on_root: bool) -> bool:
        """If the root is changed, or if it is left; whether the price is exact.

        on_root: where a price goes that belongs to the root and its readers together; else it goes to them.
        """
        if self._is_certain:
            (cut.if_done if is_done else cut.if_left)(root, self._price)
            return True
        if is_done and self._left:
            cut.if_any_left(self._left, self._price, unless_left=root)
        if not is_done and self._done:
            cut.if_any_done(self._done, self._price, unless=root)
        together = self._done if is_done else self._left
        if not together:
            return True
        if on_root:
            (cut.if_done if is_done else cut.if_left)(root, self._price)
        else:
            (cut.if_any_done if is_done else cut.if_any_left)(together, self._price)
        return False
