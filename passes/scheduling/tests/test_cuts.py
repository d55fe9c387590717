"""Sets with the fewest live bytes, against all sets; and what no order can do without."""

from itertools import pairwise

import pytest
from random_problems import busy_problem, least_peak, random_problem
from tinsmith_scheduling import Problem
from tinsmith_scheduling.cuts import least_live
from tinsmith_scheduling.lattice import Lattice, positions


def all_sets(lattice: Lattice) -> set[int]:
    found, waiting = {0}, [0]
    while waiting:
        finished = waiting.pop()
        for task in positions(lattice.all & ~finished):
            if not lattice.after[task] & ~finished and finished | 1 << task not in found:
                found.add(finished | 1 << task)
                waiting.append(finished | 1 << task)
    return found


def longest_chain(sets: list[int]) -> int:
    lengths: dict[int, int] = {}
    for one in sorted(sets, key=int.bit_count):
        below = [length for other, length in lengths.items() if other & ~one == 0]
        lengths[one] = 1 + max(below, default=0)
    return max(lengths.values())


def problems(seed: int) -> list[Problem]:
    return [random_problem(seed, 7), busy_problem(seed, 7)]


@pytest.mark.parametrize("seed", range(40))
def test_cuts_are_a_longest_chain_of_the_sets_with_the_fewest_live_bytes(seed: int) -> None:
    for problem in problems(seed):
        lattice = Lattice(problem)
        live = {finished: lattice.live_bytes(finished) for finished in all_sets(lattice)}
        least = min(live.values())
        chain = least_live(lattice, 0, lattice.all)
        assert all(live[finished] == least for finished in chain)
        assert all(low & ~high == 0 for low, high in pairwise(chain))
        assert len(set(chain)) == len(chain)
        assert len(chain) == longest_chain([one for one in live if live[one] == least])


@pytest.mark.parametrize("seed", range(20))
def test_what_each_order_needs_is_no_more_than_the_best_does(seed: int) -> None:
    for problem in problems(seed):
        lattice = Lattice(problem)
        own = max(lattice.own_need(task) for task in range(lattice.count))
        assert own <= lattice.least_need() <= least_peak(problem)


def test_growth_is_the_difference_of_live_bytes() -> None:
    lattice = Lattice(busy_problem(5, 9))
    for low in (0, 0b11, 0b10111):
        if low in all_sets(lattice):
            difference = lattice.live_bytes(lattice.all) - lattice.live_bytes(low)
            assert lattice.growth(low, lattice.all) == difference
