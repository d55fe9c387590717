"""Steps that stand in a row in several places, as functions of their own: phrases.

Rows that stream are made by the same few steps before, in and behind a loop, and within its body for every other row.
What may differ from place to place is where they begin to read what the caller hands over.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tinsmith_ir.expressions import Counter, Expression, Term
from tinsmith_ir.program import Call, Copy, Fill, Loop, SimpleStep, Step

from tinsmith_c.functions import Functions, operands
from tinsmith_c.layout import Layout

_FUNCTION_BYTES, _SAY_BYTES, _LOOP_BYTES = 12, 8, 14
_COPY_BYTES, _FILL_BYTES, _READ_BYTES = 20, 16, 24
_CALL_BYTES, _ARGUMENT_BYTES = 10, 4
"""What each is compiled to on Cortex-M, about."""

_MOST_ITEMS = 64
"""Of a phrase."""


@dataclass(frozen=True, eq=False)
class Phrase:
    """items: as where they stand first. places: how many there are. reads: where the first of them begins to read what
    the caller hands over, None if it does not. first: the number of its first call, None without one.
    """

    name: str
    items: "list[Item]"
    places: int
    reads: Expression | None
    first: int | None


@dataclass(frozen=True, eq=False)
class Looped:
    """A loop, its body in items."""

    loop: Loop
    items: "list[Item]"


@dataclass(frozen=True, eq=False)
class Said:
    """A phrase where it stands. reads, first: as of a Phrase."""

    phrase: Phrase
    reads: Expression | None
    first: int | None


Item = SimpleStep | Looped | Said


@dataclass(frozen=True)
class _Token:
    """An item as it is compared. key: equal where items are; None of one that stands in no phrase. size: bytes.

    reads, first: as of a Phrase, but for loops that belong to the item.
    """

    key: object
    size: int
    reads: Expression | None = None
    first: int | None = None


@dataclass(frozen=True)
class _Place:
    """Where items that are repeated begin: in which row, at which item. reads: as of a Phrase, as far as they go."""

    row: int
    begin: int
    reads: Expression | None = None


class Phrases:
    """The steps of a program, with phrases in the place of what is repeated, where that is less code."""

    def __init__(self, layout: Layout, functions: Functions) -> None:
        self._layout = layout
        self._functions = functions
        self._found: list[Phrase] = []
        self.items = _items(layout.program.steps)
        # Programs without loops stream no rows.
        if layout.counters and not layout.program.engines:
            while self._shorten():
                pass

    def in_order(self) -> list[Phrase]:
        """The phrases, each behind those that it says."""
        found: list[Phrase] = []

        def walk(items: Sequence[Item]) -> None:
            for item in items:
                if isinstance(item, Looped):
                    walk(item.items)
                elif isinstance(item, Said) and item.phrase not in found:
                    walk(item.phrase.items)
                    found.append(item.phrase)

        walk(self.items)
        return found

    def _shorten(self) -> bool:
        """Put one more phrase in its places, that which saves most; False if none saves anything."""
        rows = [row for items in self._texts() for row in _rows(items)]
        tokens = [[self._token(item, ()) for item in row] for row in rows]
        best = max(_repeats(tokens), key=lambda found: found[0], default=None)
        if best is None or best[0] <= 0:
            return False
        _, length, places = best
        said = [_said(tokens[it.row][it.begin : it.begin + length]) for it in places]
        model = places[0]
        items = rows[model.row][model.begin : model.begin + length]
        phrase = Phrase(f"steps_{len(self._found)}", items, len(places), *said[0])
        self._found.append(phrase)
        for place, given in reversed([*zip(places, said, strict=True)]):
            end = place.begin + length
            rows[place.row][place.begin : end] = [Said(phrase, *given)]
        return True

    def _texts(self) -> Iterator[list[Item]]:
        yield self.items
        yield from (phrase.items for phrase in self._found)

    def _token(self, item: Item, inner: tuple[str, ...]) -> _Token:
        """inner: counters of the loops around it that belong to the same item."""
        match item:
            case Said():
                return self._of_phrase(item, inner)
            case Looped():
                return self._of_loop(item, (*inner, item.loop.counter))
            case Call():
                return self._of_call(item, inner)
            case Copy() if item.guard is None and self._layout.asks(item):
                return self._of_reading(item, inner)
            case Copy() if item.guard is None:
                key = self._where(inner, item.source, item.destination)
                return _Token(key and ("copy", key), _COPY_BYTES)
            case Fill() if item.guard is None:
                key = self._where(inner, item.destination)
                return _Token(key and ("fill", repr(item.value), key), _FILL_BYTES)
            case _:
                return _Token(None, 0)

    def _of_phrase(self, said: Said, inner: tuple[str, ...]) -> _Token:
        if said.reads is None:
            return _Token((said.phrase.name, ()), _SAY_BYTES, None, said.first)
        moves, reads = _apart(said.reads, inner)
        return _Token(
            moves and (said.phrase.name, moves), _SAY_BYTES + _ARGUMENT_BYTES, reads, said.first
        )

    def _of_loop(self, looped: Looped, inner: tuple[str, ...]) -> _Token:
        tokens = [self._token(item, inner) for item in looped.items]
        size = _LOOP_BYTES + sum(token.size for token in tokens)
        distances = _distances(tokens)
        if distances is None or any(token.key is None for token in tokens):
            return _Token(None, size)
        key = "loop", looped.loop.count, tuple(token.key for token in tokens), distances
        return _Token(key, size, *_said(tokens))

    def _of_call(self, call: Call, inner: tuple[str, ...]) -> _Token:
        function = self._functions.of(call)
        views = self._layout.program.view
        names = (*operands(call), *(held.view for held in call.held))
        places = self._where(inner, *(name for name in names if name and name in views))
        size = _CALL_BYTES + _ARGUMENT_BYTES * len(function.moves)
        key = places and call.guard is None and ("call", function.name, places)
        return _Token(key or None, size, None, self._layout.numbers[call.name])

    def _of_reading(self, copy: Copy, inner: tuple[str, ...]) -> _Token:
        moves, reads = _apart(self._layout.begin(copy.source), inner)
        to = self._where(inner, copy.destination)
        key = to and moves and ("read", to, moves, self._layout.program.view[copy.source].type)
        return _Token(key, _READ_BYTES, reads)

    def _where(self, inner: tuple[str, ...], *names: str) -> tuple[object, ...] | None:
        """Where tensors are and how they lie; None if loops around the item move one of them."""
        program = self._layout.program
        found: list[object] = []
        for name in names:
            if name not in program.view:
                found.append(name)
                continue
            view = program.view[name]
            moves, reads = _apart(view.start, inner)
            if moves is None or reads is None or reads.terms or view.ring or name in program.table:
                return None
            memory = program.buffer_of(name).memory
            shape = view.type, view.strides, view.layout
            found.append((memory, self._layout.offset(name), moves, shape))
        return tuple(found)


def _items(steps: Sequence[Step]) -> list[Item]:
    return [Looped(it, _items(it.body)) if isinstance(it, Loop) else it for it in steps]


def _rows(items: list[Item]) -> Iterator[list[Item]]:
    yield items
    for item in items:
        if isinstance(item, Looped):
            yield from _rows(item.items)


def _apart(
    start: Expression, inner: tuple[str, ...]
) -> tuple[tuple[object, ...], Expression] | tuple[None, None]:
    """How loops within an item move a start, whatever they are called, and the start as others move it; None of one
    that is moved otherwise than by steps.
    """
    moves: list[object] = ["moves"]
    outer: list[Term] = []
    for term in start.terms:
        if not isinstance(term.factor, Counter):
            return None, None
        if term.factor.name in inner:
            moves.append((term.times, inner.index(term.factor.name)))
        else:
            outer.append(term)
    return tuple(moves), Expression(start.base, tuple(outer))


def _said(tokens: Iterable[_Token]) -> tuple[Expression | None, int | None]:
    """Where items begin to read, and the number of their first call."""
    tokens = [*tokens]
    reads = (token.reads for token in tokens if token.reads is not None)
    calls = (token.first for token in tokens if token.first is not None)
    return next(reads, None), next(calls, None)


def _distances(tokens: Sequence[_Token]) -> tuple[int, ...] | None:
    """From where the first item reads to where others do; None if loops change that."""
    reads = [token.reads for token in tokens if token.reads is not None]
    if any(it.terms != reads[0].terms for it in reads):
        return None
    return tuple(it.base - reads[0].base for it in reads)


def _repeats(rows: Sequence[Sequence[_Token]]) -> Iterator[tuple[int, int, list[_Place]]]:
    """Items in a row that are the same in several places: bytes saved, how many items, and the places."""
    numbers: dict[object, int] = {}
    keys = [[numbers.setdefault(token.key, len(numbers)) for token in row] for row in rows]
    groups: list[list[_Place]] = [
        [_Place(row, at) for row, tokens in enumerate(rows) for at in range(len(tokens))]
    ]
    for length in range(1, _MOST_ITEMS + 1):
        longer: dict[object, list[_Place]] = {}
        for number, group in enumerate(groups):
            for place in group:
                at = place.begin + length - 1
                tokens = rows[place.row]
                if at >= len(tokens) or tokens[at].key is None:
                    continue
                reads, distance = place.reads or tokens[at].reads, None
                if reads is not None and tokens[at].reads is not None:
                    distance = _distances([_Token(None, 0, reads), tokens[at]])
                    if distance is None:
                        continue
                key = number, keys[place.row][at], distance
                longer.setdefault(key, []).append(_Place(place.row, place.begin, reads))
        groups = [group for group in longer.values() if len(group) > 1]
        for group in groups:
            places = [*_without_overlaps(group, length)]
            model = places[0]
            body = sum(it.size for it in rows[model.row][model.begin : model.begin + length])
            say = _SAY_BYTES + _ARGUMENT_BYTES * (model.reads is not None)
            if len(places) > 1:
                yield (len(places) - 1) * body - len(places) * say - _FUNCTION_BYTES, length, places


def _without_overlaps(places: Iterable[_Place], length: int) -> Iterator[_Place]:
    """Those of places in order that begin behind the one before."""
    row, free = -1, 0
    for place in places:
        if place.row != row or place.begin >= free:
            row, free = place.row, place.begin + length
            yield place
