"""How a search goes about it: which section it fills next, and in which order it tries blocks.

No strategy is good for all problems, but of a handful one nearly always is, so each gets a short try before any gets a
long one. The orders are those of MiniMalloc (Moffitt, ASPLOS 2023: by steps, by bytes times steps, by the fullest step)
and one by bytes; the ways to choose a section are our own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tinsmith_allocation.descent import ChooseSection, Key
from tinsmith_allocation.skyline import Shape


@dataclass(frozen=True)
class Strategy:
    """choose: the section to fill next. ranks: of each block, when it is tried."""

    choose: ChooseSection
    ranks: tuple[int, ...]


def strategies(shape: Shape, seed: int) -> Iterator[list[Strategy]]:
    """Rounds of strategies, without end; from the second one on, orders are changed at random, ever more."""
    orders = _orders(shape)
    random = Random(seed)
    shake = 0.0
    while True:
        yield [Strategy(choose, _shaken(orders[order], shake, random)) for choose, order in _PAIRS]
        shake = min(0.5, shake + 0.05)


def _fewest(choices: int, floor: int, room: int, rank: int) -> Key:
    """The section with the fewest choices, wherever it is."""
    return choices, room, floor


def _forced_then_lowest(choices: int, floor: int, room: int, rank: int) -> Key:
    return choices > 1, floor, choices, room


def _forced_then_first(choices: int, floor: int, room: int, rank: int) -> Key:
    """Of the lowest sections that of the first block in the order."""
    return choices > 1, floor, rank, room


def _forced_then_tightest(choices: int, floor: int, room: int, rank: int) -> Key:
    """Of the lowest sections the one with the least room."""
    return choices > 1, floor, room


def _lowest_then_tightest(choices: int, floor: int, room: int, rank: int) -> Key:
    return floor, room, choices


def _forced_then_emptiest(choices: int, floor: int, room: int, rank: int) -> Key:
    """The section of which the most is left to be filled."""
    return choices > 1, floor + room, choices


# The first ones together solve all problems that were looked at; see tools/measure_planner.py.
_PAIRS: tuple[tuple[ChooseSection, str], ...] = (
    (_forced_then_lowest, "steps"),
    (_forced_then_first, "steps"),
    (_forced_then_tightest, "steps"),
    (_forced_then_emptiest, "bytes"),
    (_fewest, "area"),
    (_lowest_then_tightest, "crowd"),
    (_forced_then_lowest, "crowd"),
    (_forced_then_tightest, "bytes"),
    (_fewest, "bytes"),
    (_lowest_then_tightest, "bytes"),
    (_forced_then_first, "crowd"),
    (_fewest, "steps"),
)


def _orders(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Name -> rank of each block."""
    totals = shape.totals
    steps = [len(held) for held in shape.sections]
    crowds = [max(totals[section] for section in held) for held in shape.sections]
    areas = [count * size for count, size in zip(steps, shape.sizes, strict=True)]
    keys = {
        "steps": [(-a, -b, -c) for a, b, c in zip(steps, areas, crowds, strict=True)],
        "crowd": [(-c, -b, -a) for a, b, c in zip(steps, areas, crowds, strict=True)],
        "area": [(-b, 0, 0) for b in areas],
        "bytes": [(-size, -a, 0) for size, a in zip(shape.sizes, steps, strict=True)],
    }
    return {name: _ranks(found) for name, found in keys.items()}


def _ranks(keys: Sequence[tuple[float, ...]]) -> tuple[int, ...]:
    ranks = [0] * len(keys)
    for rank, block in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
        ranks[block] = rank
    return tuple(ranks)


def _shaken(ranks: tuple[int, ...], shake: float, random: Random) -> tuple[int, ...]:
    """The order, each block moved by up to this share of all."""
    if not shake:
        return ranks
    width = shake * len(ranks)
    return _ranks([(rank + width * random.random(),) for rank in ranks])
