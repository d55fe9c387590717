"""A graph that is being rewritten, for `apply_patterns`: its nodes in an order that changes under way.

Patterns are pure: what one says of a node depends on what it asked of the graph. The draft remembers who
asked what, and after a change has those nodes looked at again that would be answered otherwise. So the
same rewrites happen in the same order as if every node were looked at again after each of them.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tinsmith_ir.graph import Array, Constant, Graph, Node, Value

_GAP = 1 << 20


@dataclass(eq=False)
class Place:
    """Where a node stands. key: grows from place to place. waits: the node is to be looked at.

    askers: where patterns stand that have seen this node. renames: what the node reads now instead of
    the values of those names; put into the node when it is wanted, so that a node of many operands is
    not made anew for each.
    """

    key: int
    latest: Node
    before: "Place | None" = None
    after: "Place | None" = None
    waits: bool = False
    is_gone: bool = False
    askers: set["Place"] = field(default_factory=set["Place"])
    renames: dict[str, Value] = field(default_factory=dict[str, Value])
    renamed: set[str] = field(default_factory=set[str])

    @property
    def node(self) -> Node:
        """The node as it is now."""
        if self.renames:
            inputs = [value and self.renames.get(value.name, value) for value in self.latest.inputs]
            self.latest = self.latest.with_inputs(inputs)
            self.renames, self.renamed = {}, set()
        return self.latest

    def read(self, name: str, value: Value) -> None:
        """Read `value` instead of what has that name."""
        if name in self.renamed:
            _ = self.node
        self.renames[name] = value
        self.renamed.add(value.name)


class Draft:
    """What patterns may ask (it is a GraphView), and the changes that they ask for."""

    def __init__(self, graph: Graph) -> None:
        """All nodes of `graph` wait to be looked at."""
        self._graph = graph
        self._outputs = dict(graph.kept)
        self._constants = list(graph.constants)
        self._data = dict(graph.constant_data)
        self._given = {value.name for value in graph.inputs} | self._data.keys()
        self._given |= {state.value.name for state in graph.states}
        self._producers: dict[str, Place] = {}
        self._readers: dict[str, dict[Place, None]] = {}
        self._asked: dict[tuple[str, str], set[Place]] = {}
        self._only: dict[str, Place | None] = {}
        self._looking: Place | None = None
        self._first: Place | None = None
        self._key = 0
        self._serial = 0
        self._ahead: list[tuple[int, int, Place]] = []
        self._behind: list[tuple[int, int, Place]] = []
        last: Place | None = None
        for index, node in enumerate(graph.nodes):
            last = self._linked(Place(index * _GAP, node), last, None)

    def producer(self, value: Value) -> Node | None:
        """See GraphView."""
        self._ask("producer", value.name)
        return self._seen(self._producers.get(value.name))

    def constant(self, value: Value | None) -> Array | None:
        """See GraphView."""
        if value is None:
            return None
        self._ask("name", value.name)
        return self._data.get(value.name)

    def readers(self, value: Value) -> tuple[Node, ...]:
        """See GraphView."""
        self._ask("readers", value.name)
        places = sorted(self._readers.get(value.name, ()), key=lambda place: place.key)
        return tuple(node for node in map(self._seen, places) if node is not None)

    def only_user(self, value: Value) -> Node | None:
        """See GraphView."""
        self._ask("only user", value.name)
        self._only[value.name] = found = self._only_user(value.name)
        return self._seen(found)

    def is_output(self, value: Value) -> bool:
        """See GraphView."""
        return value.name in self._outputs

    def has_name(self, name: str) -> bool:
        """See GraphView."""
        self._ask("name", name)
        return name in self._given or name in self._producers

    def waiting(self) -> Iterator[Place]:
        """The places to look at, in the order of the graph and then from the front again, until none
        waits. What is asked meanwhile is asked for the last of them.
        """
        while self._ahead or self._behind:
            if not self._ahead:
                self._ahead, self._behind = self._behind, []
                heapq.heapify(self._ahead)
            _, _, place = heapq.heappop(self._ahead)
            if place.waits and not place.is_gone:
                place.waits = False
                self._looking, self._key = place, place.key
                yield place

    def replace(
        self,
        place: Place,
        nodes: Sequence[Node],
        constants: Iterable[Constant],
        values: Sequence[Value],
    ) -> bool:
        """Put `nodes` where `place` is, and let `values` stand in for the results of its node.

        False, and nothing is changed, if a graph output could not keep its name: because its stand-in
        is an output too, or no result of a node.
        """
        pairs = [
            (old, new) for old, new in zip(place.node.outputs, values, strict=True) if old != new
        ]
        if not self._can_keep_names(place, nodes, pairs):
            return False
        self._exchange(place, nodes)
        for constant in constants:
            self._constants.append(constant)
            self._data[constant.value.name] = constant.data
            self._given.add(constant.value.name)
            self._tell("name", constant.value.name)
        renamed: dict[Value, Value] = {}
        for old, new in pairs:
            self._stand_in(old, renamed.get(new, new), renamed)
        return True

    def graph(self) -> Graph:
        """The graph as it is now."""
        return self._graph.rebuilt(
            nodes=[place.node for place in self._places()],
            constants=self._constants,
            outputs=[self._outputs[value.name] for value in self._graph.outputs],
            states=[
                state
                if self._outputs[state.next.name] == state.next
                else replace(state, next=self._outputs[state.next.name])
                for state in self._graph.states
            ],
        )

    def _places(self) -> Iterator[Place]:
        place = self._first
        while place is not None:
            yield place
            place = place.after

    def _can_keep_names(
        self, place: Place, nodes: Sequence[Node], pairs: Sequence[tuple[Value, Value]]
    ) -> bool:
        made = {value.name for node in nodes for value in node.outputs}
        taken: set[str] = set()
        for old, new in pairs:
            if old.name not in self._outputs or old.name == new.name:
                continue
            self._ask("producer", new.name)
            is_made = new.name in made or self._producers.get(new.name, place) is not place
            if not is_made or new.name in self._outputs or new.name in taken:
                return False
            taken.add(new.name)
        return True

    def _stand_in(self, old: Value, new: Value, renamed: dict[Value, Value]) -> None:
        """Let everything read `new` instead of `old`; as a graph output it takes the name of `old`."""
        if old.name in self._outputs:
            kept = Value(old.name, new.type)
            self._outputs[old.name] = kept
            if new.name != old.name:
                maker = self._producers[new.name]
                outputs = tuple(kept if value == new else value for value in maker.node.outputs)
                maker.latest = replace(maker.node, outputs=outputs)
                self._define(new.name, None)
                self._define(old.name, maker)
                self._changed(maker)
                self._read(new.name, kept)
                renamed[new] = kept
            new = kept
        if old != new:
            self._read(old.name, new)

    def _read(self, name: str, new: Value) -> None:
        """Let all that read `name` read `new`."""
        places = self._readers.pop(name, {})
        for place in places:
            place.read(name, new)
            self._changed(place)
        self._readers.setdefault(new.name, {}).update(places)
        self._tell_readers(name)
        self._tell_readers(new.name)

    def _exchange(self, place: Place, nodes: Sequence[Node]) -> None:
        """`nodes` in the place of a node."""
        keys = self._keys(place, len(nodes))
        before, after = place.before, place.after
        self._unlinked(place)
        for key, node in zip(keys, nodes, strict=True):
            before = self._linked(Place(key, node), before, after)

    def _keys(self, place: Place, count: int) -> list[int]:
        """Keys for so many places in the stead of one."""
        if count == 0:
            return []
        end = place.key + count * _GAP if place.after is None else place.after.key
        if end - place.key < count:
            self._renumber()
            return self._keys(place, count)
        step = (end - place.key) // count
        return [place.key + index * step for index in range(count)]

    def _renumber(self) -> None:
        """Make room between all keys."""
        for index, place in enumerate(self._places()):
            place.key = index * _GAP
            if place is self._looking:
                self._key = place.key
        waiting = [place for _, _, place in (*self._ahead, *self._behind) if not place.is_gone]
        self._ahead, self._behind = [], []
        for place in waiting:
            self._push(place)

    def _linked(self, place: Place, before: Place | None, after: Place | None) -> Place:
        """Put a place, which then waits, between two neighbours."""
        place.before, place.after = before, after
        if before is None:
            self._first = place
        else:
            before.after = place
        if after is not None:
            after.before = place
        self._register(place)
        self._wait(place)
        return place

    def _unlinked(self, place: Place) -> None:
        if place.before is None:
            self._first = place.after
        else:
            place.before.after = place.after
        if place.after is not None:
            place.after.before = place.before
        place.is_gone = True
        self._forget(place)

    def _changed(self, place: Place) -> None:
        """The node of a place is another: it waits, and so do those that have seen it."""
        askers, place.askers = place.askers, set()
        for asker in (place, *askers):
            self._wait(asker)

    def _register(self, place: Place) -> None:
        for value in place.node.outputs:
            self._define(value.name, place)
        for value in place.node.present_inputs:
            self._readers.setdefault(value.name, {})[place] = None
            self._tell_readers(value.name)

    def _forget(self, place: Place) -> None:
        for value in place.node.outputs:
            self._define(value.name, None)
        for value in place.node.present_inputs:
            self._readers[value.name].pop(place, None)
            self._tell_readers(value.name)

    def _define(self, name: str, place: Place | None) -> None:
        """`name` is a result of the node there from now on, or of none."""
        if place is None:
            self._producers.pop(name, None)
        else:
            self._producers[name] = place
        self._tell("producer", name)
        self._tell("name", name)

    def _only_user(self, name: str) -> Place | None:
        readers = self._readers.get(name, {})
        return next(iter(readers)) if len(readers) == 1 and name not in self._outputs else None

    def _seen(self, place: Place | None) -> Node | None:
        """The node of a place, shown to the pattern that asks."""
        if place is None:
            return None
        if self._looking is not None:
            place.askers.add(self._looking)
        return place.node

    def _ask(self, what: str, name: str) -> None:
        if self._looking is not None:
            self._asked.setdefault((what, name), set()).add(self._looking)

    def _tell(self, what: str, name: str) -> None:
        """Let those wait that have asked this, as the answer may be another now."""
        for place in self._asked.pop((what, name), ()):
            self._wait(place)

    def _tell_readers(self, name: str) -> None:
        self._tell("readers", name)
        if name in self._only and self._only[name] is not self._only_user(name):
            del self._only[name]
            self._tell("only user", name)

    def _wait(self, place: Place) -> None:
        if not place.waits and not place.is_gone:
            place.waits = True
            self._push(place)

    def _push(self, place: Place) -> None:
        self._serial += 1
        entry = (place.key, self._serial, place)
        if place.key >= self._key:
            heapq.heappush(self._ahead, entry)
        else:
            self._behind.append(entry)
