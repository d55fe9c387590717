"""Which way a call of an accelerator is cut: by fewest cycles, or by rules of others for comparison.

A small problem for CP-SAT: an extent of the parts along each axis, so that what is in the scratchpad at once fits
there. What extents give comes from a table, as `job_tiles` finds it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from tinsmith_tiling.cp import Effort, run
from tinsmith_tiling.job_tiles import JobWay
from tinsmith_tiling.model import TilingError

_EFFORT = Effort(time_limit=10.0, seed=0)


class Rule(Enum):
    """How tiles are chosen: by fewest cycles; by HTVM's weights; the one of most bytes."""

    COST = "cost"
    HTVM = "htvm"
    LARGEST = "largest"


@dataclass(frozen=True, eq=False)
class Choice:
    """is_proven: no way is better by the rule."""

    way: JobWay
    is_proven: bool


@dataclass(frozen=True, eq=False)
class _Column:
    """A way, and its price: the less the better."""

    way: JobWay
    price: int


Weigh = Callable[[JobWay], int]
"""By another compiler's rule: the more the better."""


def choose(ways: Sequence[JobWay], room: int, rule: Rule, weigh: Weigh) -> Choice | None:
    """The best of the ways that fit `room` bytes; None if none does. weigh: for HTVM's rule, which first asks for tiles
    that are whole along the first axis, as its solver does.
    """
    fitting = [way for way in ways if way.bytes <= room]
    if rule is Rule.HTVM:
        fitting = [way for way in fitting if way.parts[0] == 1] or fitting
    if not fitting:
        return None
    prices = _PRICES[rule]
    return _solved([_Column(way, prices(way, weigh)) for way in fitting], room)


def _cost(way: JobWay, weigh: Weigh) -> int:
    """Cycles, then tiles."""
    del weigh
    return way.cycles << 16 | min(len(way.tiles), 0xFFFF)


def _weighed(way: JobWay, weigh: Weigh) -> int:
    """By weight, then extent along the first axis."""
    return -(weigh(way) << 16 | min(way.sizes[0], 0xFFFF))


def _bytes(way: JobWay, weigh: Weigh) -> int:
    """The most bytes of tensors, without what pads them; then cycles, as several often have as many."""
    del weigh
    tile = way.tiles[0]
    types = (move.near.type for move in (*tile.operands.values(), tile.result))
    return -(sum(type_.size_bytes for type_ in types) << 32) + way.cycles


_PRICES: Mapping[Rule, Callable[[JobWay, Weigh], int]] = {
    Rule.COST: _cost,
    Rule.HTVM: _weighed,
    Rule.LARGEST: _bytes,
}


def _solved(columns: Sequence[_Column], room: int) -> Choice | None:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    axes = range(len(columns[0].way.sizes))

    def numbers(values: Sequence[int], name: str) -> cp_model.IntVar:
        return model.new_int_var_from_domain(cp_model.Domain.from_values([*values]), name)

    sizes = [numbers([each.way.sizes[axis] for each in columns], f"size {axis}") for axis in axes]
    read = numbers([each.way.read_bytes for each in columns], "read")
    written = numbers([each.way.written_bytes for each in columns], "written")
    price = numbers([each.price for each in columns], "price")
    model.add_allowed_assignments(
        [*sizes, read, written, price],
        [
            (*each.way.sizes, each.way.read_bytes, each.way.written_bytes, each.price)
            for each in columns
        ],
    )
    model.add(read + written <= room)
    model.minimize(price)
    answer = run(model, _EFFORT)
    if not answer.has_values:
        return None
    value = answer.solver.value
    found = tuple(map(value, sizes))
    chosen = next((each for each in columns if each.way.sizes == found), None)
    if chosen is None:
        raise TilingError(f"the solver gave extents {found}, which no way has")
    return Choice(chosen.way, answer.bound == chosen.price)
