"""Changes that are proposed together: what doing some of them costs, and the part that pays."""

from collections.abc import Iterable, Mapping

from tinsmith_ir.graph import Value

from tinsmith_layout.choice import Choice, Use, use_of, way_of
from tinsmith_layout.cut import Cut
from tinsmith_layout.network import Network, Read
from tinsmith_layout.prices import Part, Prices, may_copy
from tinsmith_layout.rearrangement import Rearrangement
from tinsmith_layout.terms import Term
from tinsmith_layout.variants import Variant, as_it_is


class Region:
    """A proposed variant for each of some nodes.

    What is done with roots that no such node gives or reads does not change, and is not looked at.
    """

    def __init__(
        self, network: Network, prices: Prices, choice: Choice, proposed: Mapping[str, Variant]
    ) -> None:
        """proposed: by the name of a node, how it would be computed, which is not how it is."""
        self._network = network
        self._prices = prices
        self._choice = choice
        self._proposed = proposed
        self._roots = self._concerned()
        self._copies = self._copied()
        self._known: dict[tuple[str, Rearrangement | None], Iterable[Term]] = {}

    def cheapest(self) -> set[str]:
        """The nodes to change; none if no part is cheaper than what is.

        What a cut says is never too low, and right if nothing changes; so a part that it prefers is cheaper.
        """
        for on_root in (False, True):
            found, is_exact = self._cheapest(on_root=on_root)
            if found or is_exact:
                return found
        return set()

    def _cheapest(self, *, on_root: bool) -> tuple[set[str], bool]:
        """What a cut prefers, and whether its prices are exact; see `Term`."""
        told: set[str] = set()
        exact: list[bool] = []

        def charge(root: str) -> None:
            if root in self._roots and root not in told:
                told.add(root)
                exact.append(self._charge(cut, root, on_root=on_root))

        def tell(name: str) -> None:
            charge(name)
            for read in self._network.reads[name]:
                if read is not None:
                    charge(read.root.name)

        cut = Cut(tell)
        for name, done, left in self._copies:
            cut.if_done(name, done)
            cut.if_left(name, left)
        for root in self._roots:
            if self._choice.is_costly(root):
                charge(root)
        return cut.cheapest(), all(exact)

    def _copied(self) -> list[tuple[str, int, int]]:
        """The names of nodes that copy less or more if changed, with the price if they are, and if not."""
        found: list[tuple[str, int, int]] = []
        for name, variant in self._proposed.items():
            node = self._network.node(name)
            if may_copy(node):
                now = self._choice.variant(name) or as_it_is(node)
                found.append((name, self._prices.node(node, variant), self._prices.node(node, now)))
        return [(name, done, left) for name, done, left in found if done != left]

    def _concerned(self) -> dict[str, tuple[Value, list[Read]]]:
        """The roots whose readings change, by name, with the readings of which the reader may."""
        found: dict[str, tuple[Value, list[Read]]] = {}
        readings = self._network.readings
        for name in self._proposed:
            if name in readings:
                found.setdefault(name, (readings[name][0].root, []))
            for read in self._network.reads[name]:
                if read is not None and read.root.name in readings:
                    found.setdefault(read.root.name, (read.root, []))[1].append(read)
        return found

    def _charge(self, cut: Cut, name: str, *, on_root: bool) -> bool:
        """Say what is done with a root; whether that is exact."""
        label = self._choice.label(name)
        if name not in self._proposed:
            for term in self._terms(name, label):
                term.charge(cut)
            return True
        after = self._proposed[name].result
        exact = [
            term.charge_if(cut, name, is_done=is_done, on_root=on_root)
            for is_done, lies in ((False, label), (True, after))
            for term in self._terms(name, lies)
        ]
        return all(exact)

    def _terms(self, name: str, label: Rearrangement | None) -> Iterable[Term]:
        """What is done with a root, by its name, if it lies so."""
        key = name, label
        if key not in self._known:
            self._known[key] = self._new_terms(name, label)
        return self._known[key]

    def _new_terms(self, name: str, label: Rearrangement | None) -> Iterable[Term]:
        root, reads = self._roots[name]
        terms: dict[Part, Term] = {}

        def add(use: Use, reader: str | None, *, is_done: bool = False) -> None:
            way = way_of(use, label)
            if way is not None and way.is_nothing:
                return
            for part, price in self._prices.parts(root, way):
                if part not in terms:
                    terms[part] = Term(price)
                terms[part].add(reader, is_done=is_done)

        for use in self._choice.others(name, reads):
            add(use, None)
        for read in reads:
            assert read.reader is not None
            reader = read.reader.name
            add(self._choice.use(read), reader)
            add(use_of(read, self._proposed[reader]), reader, is_done=True)
        return terms.values()
