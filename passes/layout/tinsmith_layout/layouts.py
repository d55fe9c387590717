"""How the tensors of a network lie, what that costs, and what would cost less."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.graph import Node, Value
from tinsmith_ir.operators import BatchMatmul

from tinsmith_layout.cut import Cut
from tinsmith_layout.network import Network, Read
from tinsmith_layout.prices import Part, Prices
from tinsmith_layout.rearrangement import Rearrangement, transposed
from tinsmith_layout.terms import Term
from tinsmith_layout.variants import RESULT, Case, Variant, as_it_is, nothing

_SPREADS, _LEAST = 10, 30
"""Nodes that changes may spread to, for each node of the network; and of each change at least."""


Seed = tuple[Node, int, Rearrangement]
"""A node, and how one of its tensors is to lie, by its port."""


@dataclass(frozen=True)
class Need:
    """What has to be done with a root, as it lies, for one reading.

    is_swapped: the reader takes a matrix that is transposed to what it is without rearrangements.
    """

    way: Rearrangement
    is_swapped: bool = False


class Layouts:
    """A variant for each node that is not computed as the graph says."""

    def __init__(self, network: Network, *, may_round: bool = False) -> None:
        """All as the graph says. may_round: whether sums of float32 may be rounded otherwise."""
        self._network = network
        self._may_round = may_round
        self._prices = Prices(network)
        self._chosen: dict[str, Variant] = {}
        self._given: dict[str, Variant] = {}
        self._tried: dict[str, set[Variant]] = {}
        self._spreads = _SPREADS * len(network.nodes)

    def variant(self, node: Node) -> Variant:
        """How a node is computed."""
        found = self._chosen.get(node.name) or self._given.get(node.name)
        if found is None:
            found = self._given[node.name] = as_it_is(node)
        return found

    def label(self, root: Value) -> Rearrangement:
        """How a root lies."""
        chosen = self._chosen.get(root.name)
        return nothing(root.type.shape) if chosen is None else chosen.result

    def need(self, read: Read) -> Need:
        """What a reading takes; it can always be had."""
        found = _need(read, *self._around(read, {}))
        assert found is not None
        return found

    def improve(self) -> None:
        """Choose variants until no change of one region makes it cheaper, begun at one reader, or at all that share
        what is done with what they read.
        """
        while self._improve_at_one() or self._improve_at_several():
            pass

    def _improve_at_one(self) -> bool:
        improved = False
        for reads in self._readings():
            for read in reads:
                for seed in self._seeds(read):
                    improved |= self._try(seed)
        return improved

    def _improve_at_several(self) -> bool:
        return any(self._try(*seeds) for reads in self._readings() for seeds in self._shared(reads))

    def _readings(self) -> Iterator[Sequence[Read]]:
        """Of each root that is no constant."""
        for name, reads in self._network.readings.items():
            if name not in self._network.graph.constant_data:
                yield reads

    def _shared(self, reads: Sequence[Read]) -> Iterator[list[Seed]]:
        """Changes of all readers that read a root in the same way."""
        found: dict[Rearrangement, list[Seed]] = {}
        for read in reads:
            way = self.need(read).way
            for seed in () if way.is_nothing else self._of_reader(read):
                found.setdefault(way, []).append(seed)
        yield from (seeds for seeds in found.values() if len(seeds) > 1)

    def _of_reader(self, read: Read) -> Iterator[Seed]:
        """The change of the reader for which nothing had to be done here."""
        label = read.way.inverse.then(self.label(read.root))
        if read.reader is not None and label is not None:
            yield read.reader, read.port, label

    def _seeds(self, read: Read) -> Iterator[Seed]:
        """Changes of the reader, or of what it reads, for which nothing had to be done here."""
        if self.need(read).way.is_nothing:
            return
        yield from self._of_reader(read)
        reader = read.reader
        producer = self._network.producer(read.root)
        if producer is not None:
            operand = None if reader is None else self.variant(reader).operands[read.port]
            label = read.way if operand is None else read.way.then(operand)
            if label is not None:
                yield producer, RESULT, label

    def _try(self, *seeds: Seed) -> bool:
        """Whether the region that changes spread to, or a part of it, was worth changing; then it is done."""
        proposed = self._spread(seeds)
        if not proposed:
            return False
        roots = self._concerned(proposed)
        now = self._price(roots, proposed, {})
        for on_root in (False, True):
            cut, is_exact = self._cut(proposed, roots, on_root=on_root)
            changed = {name: proposed[name] for name in cut.cheapest()}
            if self._price(roots, proposed, changed) < now:
                self._choose(proposed, changed)
                return True
            if is_exact:
                break
        return False

    def _choose(self, proposed: Mapping[str, Variant], changed: Mapping[str, Variant]) -> None:
        """Change some of what was proposed; then what was tried around it is worth another try."""
        self._chosen |= changed
        for name in proposed:
            self._tried.pop(name, None)
        for name, variant in changed.items():
            for node, _, _ in self._neighbours(self._network.node(name), variant):
                self._tried.pop(node.name, None)

    def _spread(self, seeds: Sequence[Seed]) -> dict[str, Variant]:
        """What nodes would have to become so that nothing has to be done between them; {} if that was tried of one.

        No further than a few nodes, once all together have gone far: else effort would grow with the square of nodes.
        """
        found: dict[str, Variant] = {}
        waiting = deque(seeds)
        most = max(_LEAST, self._spreads)
        while waiting and len(found) < most:
            node, port, label = waiting.popleft()
            rule = self._network.rules.get(node.name)
            if rule is None or node.name in found:
                continue
            current, wishes = self.variant(node), self._wishes(node, found)
            variant = rule(Case(node, port, label, current, wishes, self._may_round))
            if variant is None or variant == current or variant.is_deep:
                continue
            if len(seeds) == 1 and not found and variant in self._tried.get(node.name, ()):
                return {}
            found[node.name] = variant
            waiting += self._neighbours(node, variant)
        self._spreads -= len(found)
        for name, variant in found.items():
            self._tried.setdefault(name, set()).add(variant)
        return found

    def _wishes(self, node: Node, found: Mapping[str, Variant]) -> tuple[Rearrangement | None, ...]:
        wishes: list[Rearrangement | None] = []
        for read in self._network.reads[node.name]:
            if read is None:
                wishes.append(None)
                continue
            proposed = found.get(read.root.name)
            lies = self.label(read.root) if proposed is None else proposed.result
            wishes.append(read.way.inverse.then(lies))
        return tuple(wishes)

    def _neighbours(self, node: Node, variant: Variant) -> Iterator[Seed]:
        network = self._network
        for read, operand in zip(network.reads[node.name], variant.operands, strict=True):
            producer = None if read is None else network.producer(read.root)
            if read is not None and operand is not None and producer is not None:
                label = read.way.then(operand)
                if label is not None and label != self.label(read.root):
                    yield producer, RESULT, label
        for read in network.readings.get(node.name, ()):
            label = read.way.inverse.then(variant.result)
            if read.reader is not None and label is not None:
                yield read.reader, read.port, label

    def _concerned(self, proposed: Mapping[str, Variant]) -> dict[str, Value]:
        """The roots whose readings change, by name."""
        found: dict[str, Value] = {}
        for name in proposed:
            for read in (*self._network.readings.get(name, ()), *self._network.reads[name]):
                if read is not None and read.root.name in self._network.readings:
                    found[read.root.name] = read.root
        return found

    def _price(
        self, roots: Mapping[str, Value], names: Iterable[str], changed: Mapping[str, Variant]
    ) -> int:
        """What is done with these roots and by those nodes in all, if some variants are chosen, too."""
        nodes = [self._network.node(name) for name in names]
        total = sum(
            self._prices.node(node, changed.get(node.name) or self.variant(node)) for node in nodes
        )
        for name in roots:
            parts: dict[Part, int] = {}
            for read in self._network.readings[name]:
                parts |= self._parts(read, *self._around(read, changed))
            total += sum(parts.values())
        return total

    def _around(
        self, read: Read, changed: Mapping[str, Variant]
    ) -> tuple[Variant | None, Variant | None]:
        """The variants of what makes the root and of the reader; None where it is as the graph says."""
        root = changed.get(read.root.name) or self._chosen.get(read.root.name)
        if read.reader is None:
            return root, None
        name = read.reader.name
        return root, changed.get(name) or self._chosen.get(name)

    def _parts(self, read: Read, root: Variant | None, reader: Variant | None) -> dict[Part, int]:
        need = _need(read, root, reader)
        return dict(self._prices.parts(read.root, None if need is None else need.way))

    def _cut(
        self, proposed: Mapping[str, Variant], roots: Mapping[str, Value], *, on_root: bool
    ) -> tuple[Cut, bool]:
        """The prices of doing some of what is proposed, and whether they are exact; see `Term`."""
        cut = Cut()
        for name, variant in proposed.items():
            node = self._network.node(name)
            cut.if_done(name, self._prices.node(node, variant))
            cut.if_left(name, self._prices.node(node, self.variant(node)))
        is_exact = True
        for name, root in roots.items():
            if name not in proposed:
                for term in self._terms(root, proposed, is_moved=False):
                    term.charge(cut)
                continue
            for is_moved in (False, True):
                for term in self._terms(root, proposed, is_moved=is_moved):
                    is_exact &= term.charge_if(cut, name, is_done=is_moved, on_root=on_root)
        return cut, is_exact

    def _terms(
        self, root: Value, proposed: Mapping[str, Variant], *, is_moved: bool
    ) -> Iterable[Term]:
        """What is done with a root, while that is as proposed or as now."""
        terms: dict[Part, Term] = {}
        for read in self._network.readings[root.name]:
            made, reader = self._around(read, {})
            name = None if read.reader is None else read.reader.name
            changed = None if name is None else proposed.get(name)
            made = proposed[root.name] if is_moved else made
            for variant in (reader,) if changed is None else (reader, changed):
                for part, price in self._parts(read, made, variant).items():
                    term = terms.setdefault(part, Term(price))
                    term.add(name if changed else None, is_done=variant is changed)
        return terms.values()


def _need(read: Read, root: Variant | None, reader: Variant | None) -> Need | None:
    """What a reading takes, given the variants of its ends; None where no rearrangement does it."""
    way = read.way if root is None else root.result.inverse.then(read.way)
    operand = None if reader is None else reader.operands[read.port]
    if way is not None and operand is not None:
        way = way.then(operand)
    if way is None:
        return None
    is_matrix = read.reader is not None and isinstance(read.reader.operator, BatchMatmul)
    if way.is_reshape or not is_matrix:
        return Need(way)
    rank = len(way.after)
    swapped = way.then(transposed(way.after, (*range(rank - 2), rank - 1, rank - 2)))
    is_free = swapped is not None and swapped.is_reshape
    return Need(swapped, is_swapped=True) if swapped is not None and is_free else Need(way)
