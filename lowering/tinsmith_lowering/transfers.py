"""What copies of a cluster's DMA cost, in cycles; who copies more than bytes that lie together adds to it."""

START_CYCLES = 20
"""From the command to the first byte."""

BYTES_PER_CYCLE = 8

COPY_CORE_CYCLES = 60
"""Of the core that starts a copy and waits for it, which computes nothing meanwhile."""


def bytes_cycles(size_bytes: int) -> int:
    """Of bytes that lie together on both sides."""
    return START_CYCLES + -(-size_bytes // BYTES_PER_CYCLE)
