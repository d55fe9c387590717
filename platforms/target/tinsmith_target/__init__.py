"""Hardware as data: CPUs, boards, memories, counters and how to emulate them."""

from tinsmith_target.model import (
    INSTRUCTIONS_A_JOB,
    AcceleratorFeature,
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
    Unpublished,
)
from tinsmith_target.registry import UnknownTargetError, target, target_among, targets

__all__ = [
    "INSTRUCTIONS_A_JOB",
    "AcceleratorFeature",
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
    "Unpublished",
    "target",
    "target_among",
    "targets",
]
