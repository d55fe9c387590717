"""How the tensors of a network lie, what that costs, and what would cost less."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from tinsmith_ir.graph import Node, Value

from tinsmith_layout.answers import Answers
from tinsmith_layout.choice import Choice, Need, need_of
from tinsmith_layout.network import Network, Read
from tinsmith_layout.prices import Prices
from tinsmith_layout.rearrangement import Rearrangement
from tinsmith_layout.region import Region
from tinsmith_layout.rules import heeds_wishes
from tinsmith_layout.variants import RESULT, Variant, nothing

_SPREADS, _LEAST = 10, 30
"""Nodes that changes may spread to, for each node of the network; and of each change at least."""


Seed = tuple[Node, int, Rearrangement]
"""A node, and how one of its tensors is to lie, by its port."""


class Layouts:
    """A variant for each node that is not computed as the graph says."""

    def __init__(self, network: Network, answers: Answers) -> None:
        """All as the graph says."""
        self._network = network
        self._answers = answers
        self._prices = Prices(network)
        self._choice = Choice(network, self._prices)
        self._kinds: dict[str, int] = {}
        self._tried: dict[str, set[Variant]] = {}
        self._spreads = _SPREADS * len(network.nodes)

    def variant(self, node: Node) -> Variant | None:
        """How a node is computed; None if as the graph says."""
        return self._choice.variant(node.name)

    def _kind(self, node: Node) -> int:
        name = node.name
        found = self._kinds.get(name)
        if found is None:
            found = self._kinds[name] = self._answers.kind(node)
        return found

    def label(self, root: Value) -> Rearrangement:
        """How a root lies."""
        return self._choice.label(root.name) or nothing(root.type.shape)

    def need(self, read: Read) -> Need:
        """What a reading takes; it can always be had."""
        found = need_of(self._choice.use(read), self._choice.label(read.root.name))
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
        """Of each root with which something is done, and which is no constant."""
        for name, reads in self._network.readings.items():
            if name not in self._network.graph.constant_data and self._choice.is_costly(name):
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
            variant = None if reader is None else self.variant(reader)
            operand = None if variant is None else variant.operands[read.port]
            label = read.way if operand is None else read.way.then(operand)
            if label is not None:
                yield producer, RESULT, label

    def _try(self, *seeds: Seed) -> bool:
        """Whether the region that changes spread to, or a part of it, was worth changing; then it is done."""
        proposed = self._spread(seeds)
        if not proposed:
            return False
        region = Region(self._network, self._prices, self._choice, proposed)
        changed = {name: proposed[name] for name in region.cheapest()}
        if changed:
            self._choose(proposed, changed)
        return bool(changed)

    def _choose(self, proposed: Mapping[str, Variant], changed: Mapping[str, Variant]) -> None:
        """Change some of what was proposed; then what was tried around it is worth another try."""
        self._choice.change(changed)
        for name in proposed:
            self._tried.pop(name, None)
        for name, variant in changed.items():
            for node, _, _ in self._neighbours(name, variant, {}):
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
            name = node.name
            if name in found or name not in self._network.rules:
                continue
            variant = self._answer(node, port, label, found)
            if variant is None:
                continue
            if len(seeds) == 1 and not found and variant in self._tried.get(name, ()):
                return {}
            found[name] = variant
            waiting += self._neighbours(name, variant, found)
        self._spreads -= len(found)
        for name, variant in found.items():
            self._tried.setdefault(name, set()).add(variant)
        return found

    def _answer(
        self, node: Node, port: int, label: Rearrangement, found: Mapping[str, Variant]
    ) -> Variant | None:
        """Another variant of a node, by its rule; None if there is none that kernels take."""
        name, kind = node.name, self._kind(node)
        rule = self._network.rules[name]
        current = self._choice.variant(name) or self._answers.as_it_is(node, kind)
        wishes = self._wishes(node, found) if heeds_wishes(node.operator) else ()
        variant = self._answers.variant(rule, node, kind, port, label, current, wishes)
        return None if variant is current or variant is None or variant.is_deep else variant

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

    def _neighbours(
        self, name: str, variant: Variant, found: Mapping[str, Variant]
    ) -> Iterator[Seed]:
        """What makes and reads the tensors of a node, but for what was found already, as it would have to become."""
        network = self._network
        for read, operand in zip(network.reads[name], variant.operands, strict=True):
            if read is None or operand is None or read.root.name in found:
                continue
            producer = network.producer(read.root)
            label = None if producer is None else read.way.then(operand)
            if producer is None or label is None:
                continue
            lies = self._choice.label(read.root.name)
            if not (label.is_nothing if lies is None else label == lies):
                yield producer, RESULT, label
        for read in network.readings.get(name, ()):
            if read.reader is None or read.reader.name in found:
                continue
            label = read.way.inverse.then(variant.result)
            if label is not None:
                yield read.reader, read.port, label
