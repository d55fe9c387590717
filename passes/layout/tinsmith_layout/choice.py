"""How nodes are computed now, and what their readings take.

Readings that are alike are counted, not looked at one by one: a weight of an unrolled cell has hundreds.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tinsmith_ir.operators import BatchMatmul

from tinsmith_layout.network import Network, Read
from tinsmith_layout.prices import Prices
from tinsmith_layout.rearrangement import Rearrangement, transposed
from tinsmith_layout.variants import Variant


class Use(NamedTuple):
    """All about a reading that what has to be done for it depends on, beside the root and how that lies.

    way: from the root, as the graph says. operand: how the reader takes it, seen from there; None if as the graph says.
    is_matrix: whether the reader takes it transposed, too.
    """

    way: Rearrangement
    operand: Rearrangement | None
    is_matrix: bool


@dataclass(frozen=True)
class Need:
    """What has to be done with a root, as it lies, for one reading.

    is_swapped: the reader takes a matrix that is transposed to what it is without rearrangements.
    """

    way: Rearrangement
    is_swapped: bool = False


def use_of(read: Read, variant: Variant | None) -> Use:
    """That of a reading; variant: of its reader, None if it is as the graph says."""
    operand = None if variant is None else variant.operands[read.port]
    is_matrix = read.reader is not None and isinstance(read.reader.operator, BatchMatmul)
    return Use(read.way, operand, is_matrix)


@lru_cache(maxsize=1 << 14)
def need_of(use: Use, label: Rearrangement | None) -> Need | None:
    """What a use takes of a root that lies as `label` says, or as in the graph; None where no rearrangement does it."""
    way = use.way if label is None else label.inverse.then(use.way)
    if way is not None and use.operand is not None:
        way = way.then(use.operand)
    if way is None:
        return None
    if way.is_reshape or not use.is_matrix:
        return Need(way)
    rank = len(way.after)
    swapped = way.then(transposed(way.after, (*range(rank - 2), rank - 1, rank - 2)))
    is_free = swapped is not None and swapped.is_reshape
    return Need(swapped, is_swapped=True) if swapped is not None and is_free else Need(way)


def way_of(use: Use, label: Rearrangement | None) -> Rearrangement | None:
    """The rearrangement that `need_of` says."""
    need = need_of(use, label)
    return None if need is None else need.way


class Choice:
    """A variant for each node that is not computed as the graph says, and what readings take thereby."""

    def __init__(self, network: Network, prices: Prices) -> None:
        """All as the graph says."""
        self._network = network
        self._prices = prices
        self._variants: dict[str, Variant] = {}
        self._uses: dict[Read, Use] = {}
        self._counts: dict[str, Counter[Use]] = {}
        self._costly: dict[str, bool] = {}

    def variant(self, name: str) -> Variant | None:
        """How the node of that name is computed; None if as the graph says."""
        return self._variants.get(name)

    def label(self, root: str) -> Rearrangement | None:
        """How the root of that name lies; None if as the graph says."""
        variant = self._variants.get(root)
        return None if variant is None else variant.result

    def use(self, read: Read) -> Use:
        """Of a reading as it is."""
        found = self._uses.get(read)
        if found is None:
            found = self._uses[read] = use_of(read, None)
        return found

    def others(self, root: str, readings: Sequence[Read]) -> Iterable[Use]:
        """The different uses of a root, by its name, that all its readings but these make."""
        everyone = self._network.readings[root]
        if len(readings) == len(everyone):
            return ()
        if len(everyone) == 1:
            return (self.use(everyone[0]),)
        if root not in self._counts:
            self._counts[root] = Counter(map(self.use, everyone))
        left_out = Counter(map(self.use, readings))
        return [use for use, count in self._counts[root].items() if count > left_out[use]]

    def is_costly(self, root: str) -> bool:
        """Whether something is done with a root, by its name."""
        found = self._costly.get(root)
        if found is None:
            value, label = self._network.readings[root][0].root, self.label(root)
            found = self._costly[root] = any(
                any(self._prices.parts(value, way_of(use, label)))
                for use in self.others(root, ())
                if label is not None or use.operand is not None or not use.way.is_nothing
            )
        return found

    def change(self, changed: Mapping[str, Variant]) -> None:
        """Choose these variants, by the names of nodes."""
        for name, variant in changed.items():
            self._variants[name] = variant
            self._costly.pop(name, None)
            for read in self._network.reads[name]:
                if read is not None:
                    self._use_otherwise(read, use_of(read, variant))

    def _use_otherwise(self, read: Read, after: Use) -> None:
        root, before = read.root.name, self.use(read)
        self._uses[read] = after
        self._costly.pop(root, None)
        if root in self._counts:
            self._counts[root][before] -= 1
            self._counts[root][after] += 1
