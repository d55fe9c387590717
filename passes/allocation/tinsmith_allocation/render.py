"""A plan as text: bytes downwards, steps to the right."""

from collections.abc import Iterator

from tinsmith_allocation.foundation import checked
from tinsmith_allocation.model import Block, Leave, Plan

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


@checked
def render_map(plan: Plan, *, rows: int = 16) -> str:
    """A picture of the arena over time, then the list of its blocks.

    Each of at most `rows` lines stands for a band of bytes and shows who holds most of it in each
    step; a dot is nobody. After 62 blocks the letters repeat. The list says what lies over which other block that lives
    then, and how many bytes behind its start.
    """
    arena = plan.arena_bytes
    title = f"arena {arena:,} bytes, {plan.status.value} (bound {plan.lower_bound:,} bytes)"
    if not plan.blocks:
        return title + "\n"
    blocks = sorted(plan.blocks, key=lambda block: (block.first_step, plan.offsets[block.name]))
    letters = {b.name: _LETTERS[index % len(_LETTERS)] for index, b in enumerate(blocks)}
    rows = min(rows, arena)
    width = len(f"{arena:,}")
    lines = [title]
    for row in range(rows):
        low, high = row * arena // rows, (row + 1) * arena // rows
        lines.append(f"{low:>{width},} |{_band(plan, low, high, letters)}|")
    name_width = max(len(block.name) for block in blocks)
    lines += [_legend(plan, block, letters[block.name], name_width, width) for block in blocks]
    lines += [f"{leave.output} over {leave.source}{at:+,}" for leave, at in _taken(plan)]
    return "\n".join(lines) + "\n"


def _taken(plan: Plan) -> Iterator[tuple[Leave, int]]:
    """The leaves by which two blocks share bytes, and the distances of these."""
    sizes = {block.name: block.size_bytes for block in plan.blocks}
    for leave in plan.leaves:
        distance = plan.offsets[leave.output] - plan.offsets[leave.source]
        if -sizes[leave.output] < distance < sizes[leave.source]:
            yield leave, distance


def _band(plan: Plan, low: int, high: int, letters: dict[str, str]) -> str:
    """One line: who holds most of the bytes from `low` to below `high`, in each step.

    Of two blocks that hold as many, the one that starts later (it is written over the other).
    """
    first = min(block.first_step for block in plan.blocks)
    last = max(block.last_step for block in plan.blocks)

    def share(block: Block) -> tuple[int, int]:
        start = plan.offsets[block.name]
        return min(high, start + block.size_bytes) - max(low, start), block.first_step

    cells: list[str] = []
    for step in range(first, last + 1):
        holders = [block for block in plan.live(step) if share(block)[0] > 0]
        cells.append(letters[max(holders, key=share).name] if holders else ".")
    return "".join(cells)


def _legend(plan: Plan, block: Block, letter: str, name_width: int, width: int) -> str:
    start = plan.offsets[block.name]
    end = start + block.size_bytes
    return (
        f"{letter}  {block.name:<{name_width}}  {start:>{width},} .. {end:>{width},}  "
        f"{block.size_bytes:>{width},} bytes, steps {block.first_step} to {block.last_step}"
    )
