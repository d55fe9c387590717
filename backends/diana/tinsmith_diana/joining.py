"""How few jobs of DIANA's digital accelerator the runs of an instruction can be: by the memory for weights, and by what
a target says that the array takes.
"""

from tinsmith_target import INSTRUCTIONS_A_JOB, AcceleratorFeature

WEIGHT_MEMORY_BYTES = 64 * 1024

Features = frozenset[AcceleratorFeature]
"""What the array may be asked beyond what published software asks of it."""


def least_parts(blocks: int, block_bytes: int) -> int:
    """The fewest equal parts of blocks whose weights the memory takes; a block each if even that is too much."""
    parts = (part for part in range(1, blocks) if blocks % part == 0)
    return next(
        (part for part in parts if blocks // part * block_bytes <= WEIGHT_MEMORY_BYTES), blocks
    )


def most_joined(features: Features, weight_bytes: int, *, loops: bool) -> int:
    """Runs of so many bytes of weights that can be a job."""
    fit = max(1, WEIGHT_MEMORY_BYTES // weight_bytes)
    if loops:
        return fit
    return min(fit, INSTRUCTIONS_A_JOB) if "instruction-lists" in features else 1
