"""Which engine of a chip computes which layer: by a model of cycles, transfers and what runs at the same time."""

from tinsmith_placement.check import check
from tinsmith_placement.exact import Effort
from tinsmith_placement.greedy import solve_greedy
from tinsmith_placement.model import (
    Layer,
    Option,
    PlacementError,
    Plan,
    Problem,
    Status,
    Turn,
    Turned,
)
from tinsmith_placement.place import PlaceLayers
from tinsmith_placement.solve import solve

__all__ = [
    "Effort",
    "Layer",
    "Option",
    "PlaceLayers",
    "PlacementError",
    "Plan",
    "Problem",
    "Status",
    "Turn",
    "Turned",
    "check",
    "solve",
    "solve_greedy",
]
