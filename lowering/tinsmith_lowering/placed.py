"""What a pass that gives layers to engines has decided: its facts, for who reports them and knows no such pass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import Checked


@dataclass(frozen=True)
class PlacedLayer(Checked):
    """One layer that several engines can compute. engine: the chosen one. cycles: by the model, of each that can;
    fetch_cycles: of what is brought for it before.
    """

    name: str
    engine: str
    cycles: Mapping[str, int]
    fetch_cycles: Mapping[str, int]


@dataclass(frozen=True)
class PlacementPlan(Checked):
    """layers: those for which there was a choice, in order. others: how many there are beside. status: `optimal`, or
    `feasible` where that is not proven. cycles: of all layers whose kernels know theirs, by the model; bound: no choice
    has fewer.
    """

    layers: Sequence[PlacedLayer]
    others: int
    status: str
    cycles: int
    bound: int
