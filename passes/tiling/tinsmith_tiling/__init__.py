"""How layers are cut into tiles, where tensors live, and what lies where in near memory, chosen together."""

from tinsmith_tiling.check import check
from tinsmith_tiling.greedy import solve_greedy
from tinsmith_tiling.model import (
    Layer,
    Memory,
    Plan,
    Problem,
    Staging,
    Status,
    Tensor,
    TilingError,
    Way,
)
from tinsmith_tiling.solve import solve
from tinsmith_tiling.tile import TileCalls, Tiling
from tinsmith_tiling.tile_jobs import CutLayer, TileJobs

__all__ = [
    "CutLayer",
    "Layer",
    "Memory",
    "Plan",
    "Problem",
    "Staging",
    "Status",
    "Tensor",
    "TileCalls",
    "TileJobs",
    "Tiling",
    "TilingError",
    "Way",
    "check",
    "solve",
    "solve_greedy",
]
