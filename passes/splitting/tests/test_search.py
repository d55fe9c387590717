"""Paths of ways, against all there are."""

import itertools
import random
from collections.abc import Iterable

import pytest
from tinsmith_splitting.search import Candidate, Way, cheapest, least_budget


def ways_of(generator: random.Random, steps: int) -> list[Way[str]]:
    found = [
        Way(at, at, generator.randint(1, 30), 0.0, f"{at}")
        for at in range(steps)
        if generator.random() < 0.95
    ]
    for first, last in itertools.combinations_with_replacement(range(steps), 2):
        if generator.random() < 0.5:
            live, extra = generator.randint(1, 30), float(generator.randint(0, 9))
            found.append(Way(first, last, live, extra, f"{first}-{last}"))
    return found


def candidate_of(way: Way[str], generator: random.Random) -> Candidate:
    return Candidate(
        way.first, way.last, generator.randint(0, way.live_bytes), lambda: way.live_bytes
    )


def all_paths(ways: list[Way[str]], steps: int, at: int = 0) -> list[tuple[Way[str], ...]]:
    if at == steps:
        return [()]
    return [
        (way, *rest)
        for way in ways
        if way.first == at
        for rest in all_paths(ways, steps, way.last + 1)
    ]


@pytest.mark.parametrize("seed", range(200))
def test_no_path_is_better(seed: int) -> None:
    generator = random.Random(seed)
    steps = generator.randint(1, 6)
    ways = ways_of(generator, steps)
    paths = [
        (max(way.live_bytes for way in path), sum(way.extra for way in path))
        for path in all_paths(ways, steps)
    ]
    candidates = [candidate_of(way, generator) for way in ways]
    assert least_budget(candidates, steps) == min((live for live, _ in paths), default=None)
    for budget in range(32):
        fitting = [extra for live, extra in paths if live <= budget]
        found = cheapest(ways, steps, budget)
        if found is None:
            assert not fitting
            continue
        assert found.live_bytes <= budget
        assert found.extra == min(fitting)
        assert [way.first for way in found.ways] == [0, *(w.last + 1 for w in found.ways[:-1])]


@pytest.mark.parametrize("seed", range(200))
def test_no_path_exceeds_an_aim_by_less_or_costs_less_then(seed: int) -> None:
    generator = random.Random(seed)
    steps = generator.randint(1, 6)
    ways = ways_of(generator, steps)
    budget, aim = sorted((generator.randint(1, 32), generator.randint(0, 32)), reverse=True)

    def value(path: Iterable[Way[str]]) -> tuple[int, float]:
        path = tuple(path)
        return sum(max(0, way.live_bytes - aim) for way in path), sum(way.extra for way in path)

    paths = [
        path for path in all_paths(ways, steps) if all(way.live_bytes <= budget for way in path)
    ]
    found = cheapest(ways, steps, budget, aim)
    assert (None if found is None else value(found.ways)) == min(map(value, paths), default=None)


def test_only_what_is_in_question_is_found_out() -> None:
    asked: list[str] = []

    def candidate(name: str, last: int, at_least: int, live: int | None) -> Candidate:
        def find() -> int | None:
            asked.append(name)
            return live

        return Candidate(0, last, at_least, find)

    far = candidate("far", 0, 9, 9)
    absent = candidate("absent", 0, 2, None)
    near = candidate("near", 0, 3, 5)
    assert least_budget([far, absent, near], 1) == 5
    assert asked == ["absent", "near"]
    assert least_budget([absent], 1) is None
