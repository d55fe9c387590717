"""Minimum cuts: which of several things to do if doing one without another has a price."""

from collections import deque
from collections.abc import Callable, Sequence

_NEVER = 1 << 200
_DIVES = 3
"""Searches in depth at first: each for one way, but the last."""


class Cut:
    """Things that are done or not, and prices of combinations."""

    def __init__(self, tell: Callable[[str], None] = lambda _: None) -> None:
        """Nothing to decide yet.

        tell: called once for each thing that might be worth doing, and may say what concerns it: prices of doing it,
        and of doing it without others or others without it. So what nothing speaks for needs no price. What it costs
        to leave something whatever else is done, has to be said before.
        """
        self._tell = tell
        self._places: dict[str, int] = {}
        # For each place the thing that was not told of yet.
        self._untold: list[str | None] = [None, None]
        # For each place what doing it costs by itself, less what leaving it does.
        self._dearer: dict[int, int] = {}
        # For each place its edges, for each edge where it goes and what it can still take; edge ^ 1 is the way back.
        self._edges: list[list[int]] = [[], []]
        self._ends: list[int] = []
        self._rooms: list[int] = []

    def if_done(self, name: str, price: int) -> None:
        """Doing it costs so much."""
        self._add(self._place(name), _NOT_DONE, price)

    def if_left(self, name: str, price: int) -> None:
        """Leaving it costs so much."""
        self._add(_DONE, self._place(name), price)

    def if_any_done(self, names: set[str], price: int, *, unless: str | None = None) -> None:
        """Doing one or more of them costs so much once, unless the other is done, too."""
        shared = self._place(*names) if len(names) == 1 else self._shared()
        for name in sorted(names) if len(names) > 1 else ():
            self._add(self._place(name), shared, _NEVER)
        self._add(shared, _NOT_DONE if unless is None else self._place(unless), price)

    def if_any_left(self, names: set[str], price: int, *, unless_left: str | None = None) -> None:
        """Leaving one or more of them costs so much once, unless the other is left, too."""
        shared = self._place(*names) if len(names) == 1 else self._shared()
        for name in sorted(names) if len(names) > 1 else ():
            self._add(shared, self._place(name), _NEVER)
        self._add(_DONE if unless_left is None else self._place(unless_left), shared, price)

    def cheapest(self) -> set[str]:
        """What to do; of several equally cheap answers the one that does least."""
        self._settle()
        for at in range(_DIVES):
            has_flowed, seen = self._dive(is_last=at == _DIVES - 1)
            if not has_flowed:
                return {name for name, place in self._places.items() if place in seen}
        while True:
            levels = self._levels()
            if levels[_NOT_DONE] < 0:
                return {name for name, place in self._places.items() if levels[place] >= 0}
            self._fill(levels)

    def _place(self, name: str) -> int:
        if name not in self._places:
            self._places[name] = self._shared()
            self._untold[-1] = name
        return self._places[name]

    def _shared(self) -> int:
        self._edges.append([])
        self._untold.append(None)
        return len(self._edges) - 1

    def _add(self, start: int, end: int, price: int) -> None:
        """To have `start` done and `end` not costs so much.

        What a place costs done as left is paid anyway: it flows straight through, and needs no edges.
        """
        if end == _NOT_DONE:
            self._dearer[start] = self._dearer.get(start, 0) + price
        elif start == _DONE:
            self._dearer[end] = self._dearer.get(end, 0) - price
        elif price:
            self._connect(start, end, price)

    def _connect(self, start: int, end: int, room: int) -> None:
        for here, there, free in ((start, end, room), (end, start, 0)):
            self._edges[here].append(len(self._ends))
            self._ends.append(there)
            self._rooms.append(free)

    def _settle(self) -> None:
        """Connect what was said of places by themselves."""
        for place, price in self._dearer.items():
            if price > 0:
                self._connect(place, _NOT_DONE, price)
                # Looked at first: the shortest way.
                self._edges[place].insert(0, self._edges[place].pop())
            elif price < 0:
                self._connect(_DONE, place, -price)
        self._dearer.clear()

    def _tell_of(self, place: int) -> None:
        """Let be said what concerns the thing at a place that might be worth doing."""
        name = self._untold[place]
        if name is not None:
            self._untold[place] = None
            self._tell(name)
            self._settle()

    def _dive(self, *, is_last: bool) -> tuple[bool, set[int]]:
        """Let flow what can along one way, or in the last search along many, that go on from what was reached last.

        Returns whether anything flowed, and the places seen, which are all that can be reached if nothing did.
        Of a wide region one way sees little, while levels go through all its width; in a long one, ways end at each
        step, and levels would be counted for each length.
        """
        dive = _Dive(self._edges, self._ends, self._rooms)
        while True:
            edge = dive.edge() if is_last or not dive.sent[-1] else None
            if edge is not None:
                dive.follow(edge)
                self._tell_of(dive.place)
            elif dive.way:
                dive.retreat()
            else:
                return dive.sent[0] > 0, dive.seen

    def _levels(self) -> list[int]:
        """Distances from what is done, until there is a way; -1 where nothing more gets to."""
        levels = [-1] * len(self._edges)
        levels[_DONE] = 0
        waiting = deque([_DONE])
        while waiting and levels[_NOT_DONE] < 0:
            place = waiting.popleft()
            self._tell_of(place)
            levels += [-1] * (len(self._edges) - len(levels))
            for edge in self._edges[place]:
                end = self._ends[edge]
                if self._rooms[edge] and levels[end] < 0:
                    levels[end] = levels[place] + 1
                    waiting.append(end)
        return levels

    def _fill(self, levels: list[int]) -> None:
        """Let flow what can along shortest ways (Dinic's blocking flow)."""
        edges, ends, rooms = self._edges, self._ends, self._rooms
        tried = [0] * len(edges)
        way: list[int] = []
        place = _DONE
        while True:
            if place == _NOT_DONE:
                least = min(rooms[edge] for edge in way)
                for edge in way:
                    rooms[edge] -= least
                    rooms[edge ^ 1] += least
                way, place = [], _DONE
            own, at, following = edges[place], tried[place], levels[place] + 1
            while at < len(own) and not (rooms[own[at]] and levels[ends[own[at]]] == following):
                at += 1
            tried[place] = at
            if at < len(own):
                way.append(own[at])
                place = ends[own[at]]
            elif way:
                place = ends[way.pop() ^ 1]
                tried[place] += 1
            else:
                return


class _Dive:
    """A search in depth that lets flow what it can.

    way: the edges to where it is. sent: for each place on the way, what flowed on from there and is not yet counted
    at the edge that led there.
    """

    def __init__(
        self, edges: Sequence[Sequence[int]], ends: Sequence[int], rooms: list[int]
    ) -> None:
        """At the beginning; edges, ends and rooms as a cut has them, and may get more of."""
        self._edges = edges
        self._ends = ends
        self._rooms = rooms
        self.place = _DONE
        self.way: list[int] = []
        self.sent = [0]
        self._left = [_NEVER]
        self.seen = {_DONE}
        # On the way, or known to lead nowhere.
        self._closed = {_DONE}
        self._tried: dict[int, int] = {}

    def edge(self) -> int | None:
        """An edge to go on along, once what can has flowed to the end from here; None if nothing more can."""
        own, at = self._edges[self.place], self._tried.get(self.place, 0)
        while at < len(own) and self._left[-1]:
            edge = own[at]
            end, room = self._ends[edge], self._rooms[edge]
            if room and end == _NOT_DONE:
                self._pass(edge, min(room, self._left[-1]))
                continue
            if room and end not in self._closed:
                break
            at += 1
        self._tried[self.place] = at
        return own[at] if at < len(own) and self._left[-1] else None

    def follow(self, edge: int) -> None:
        """Go on."""
        self.place = self._ends[edge]
        self.way.append(edge)
        self.sent.append(0)
        self._left.append(min(self._left[-1], self._rooms[edge]))
        self.seen.add(self.place)
        self._closed.add(self.place)

    def retreat(self) -> None:
        """Go back by an edge, and let flow along it what flowed on; a place stays open if it could have sent more."""
        edge, amount = self.way.pop(), self.sent.pop()
        if not self._left.pop():
            self._closed.remove(self.place)
        self.place = self._ends[edge ^ 1]
        self._pass(edge, amount)

    def _pass(self, edge: int, amount: int) -> None:
        self._rooms[edge] -= amount
        self._rooms[edge ^ 1] += amount
        self._left[-1] -= amount
        self.sent[-1] += amount


_DONE, _NOT_DONE = 0, 1
