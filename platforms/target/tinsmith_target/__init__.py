"""Hardware as data: CPUs, boards, memories, counters and how to emulate them."""

from tinsmith_target.model import (
    Board,
    ChipConstant,
    Cluster,
    Counter,
    Dma,
    Emulator,
    Feature,
    Memory,
    Qemu,
    Scratchpad,
    SocSimulator,
    Target,
)
from tinsmith_target.registry import UnknownTargetError, target, targets

__all__ = [
    "Board",
    "ChipConstant",
    "Cluster",
    "Counter",
    "Dma",
    "Emulator",
    "Feature",
    "Memory",
    "Qemu",
    "Scratchpad",
    "SocSimulator",
    "Target",
    "UnknownTargetError",
    "target",
    "targets",
]
