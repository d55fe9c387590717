"""What a pass that cuts calls into tiles has decided: its facts, for who reports them and knows no such pass."""

from collections.abc import Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import Checked


@dataclass(frozen=True)
class TiledLayer(Checked):
    """One call. calls: those that compute its tiles, by name, one in a loop for several. way: how it is cut, in a word
    of the pass. tiles: how many. near: of the buffers that it reads and writes, the ones that stay in the near memory.
    is_prefetched: its constants are copied while the call before it runs. cycles: what it takes by the model.
    """

    name: str
    calls: tuple[str, ...]
    way: str
    tiles: int
    near: tuple[str, ...]
    is_prefetched: bool
    cycles: int


@dataclass(frozen=True)
class TilePlan(Checked):
    """All calls that are tiled. status: `optimal`, or `feasible` where that is not proven. bound: no plan takes fewer
    cycles by the model. gap: how far the cycles of the best plan may be below its cycles, as a part of them.
    """

    layers: Sequence[TiledLayer]
    status: str
    bound: int
    gap: float

    @property
    def cycles(self) -> int:
        """Of all layers."""
        return sum(layer.cycles for layer in self.layers)
