"""Blocks that have their offsets before anything is planned."""

from collections.abc import Sequence

from tinsmith_allocation.model import Block, LeavesOf, PlanError


def check_fixed(blocks: Sequence[Block], leaves: LeavesOf) -> None:
    """Raise PlanError for two blocks that live together and whose own offsets share a byte, unless a leave says so."""
    fixed = sorted(
        ((block.offset, index) for index, block in enumerate(blocks) if block.offset is not None)
    )
    for at, (offset, index) in enumerate(fixed):
        block = blocks[index]
        for higher, other_index in fixed[at + 1 :]:
            if higher >= offset + block.size_bytes:
                break
            other = blocks[other_index]
            if block.lives_with(other) and not _may_share(block, other, leaves):
                raise PlanError(
                    f"blocks {block.name} and {other.name} live together and have the offsets {offset} and {higher}, "
                    f"so they share byte {higher}: give one of them another offset, or none"
                )


def _may_share(block: Block, other: Block, leaves: LeavesOf) -> bool:
    found = leaves.get(block.name, {}).get(other.name)
    if found is None:
        return False
    leave, output, source = found
    return leave.allows((output.offset or 0) - (source.offset or 0), output, source)
