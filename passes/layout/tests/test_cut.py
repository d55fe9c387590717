"""Minimum cuts, against all choices."""

from itertools import product

import numpy as np
import pytest
from tinsmith_layout.cut import Cut


def test_nothing_is_done_for_nothing() -> None:
    cut = Cut()
    cut.if_done("a", 3)
    cut.if_left("a", 3)
    assert cut.cheapest() == set()


def test_what_pays_is_done() -> None:
    cut = Cut()
    cut.if_left("a", 5)
    cut.if_done("a", 4)
    cut.if_done("b", 1)
    assert cut.cheapest() == {"a"}


def test_two_pay_together_that_do_not_alone() -> None:
    cut = Cut()
    for name in "ab":
        cut.if_left(name, 3)
        cut.if_done(name, 2)
    cut.if_any_done({"a", "b"}, 1)
    assert cut.cheapest() == {"a", "b"}


def price(names: str, done: set[str], terms: list[tuple[str, set[str], int, str | None]]) -> int:
    """Of a choice, by what the methods promise."""
    total = 0
    for kind, some, amount, other in terms:
        match kind:
            case "done":
                counts = bool(some & done) and not (other and other in done)
            case _:
                counts = bool(some - done) and not (other and other not in done)
        total += amount * counts
    assert set(names) >= done
    return total


@pytest.mark.parametrize("seed", range(60))
def test_no_choice_is_cheaper(seed: int) -> None:
    random = np.random.default_rng(seed)
    names = "abcdef"
    terms: list[tuple[str, set[str], int, str | None]] = []
    cut = Cut()
    for _ in range(12):
        some = {names[index] for index in random.choice(6, int(random.integers(1, 4)), False)}
        others = sorted(set(names) - some)
        other = others[int(random.integers(len(others)))] if random.random() < 0.5 else None
        amount, kind = int(random.integers(1, 20)), "done" if random.random() < 0.5 else "left"
        terms.append((kind, some, amount, other))
        if kind == "done":
            cut.if_any_done(some, amount, unless=other)
        else:
            cut.if_any_left(some, amount, unless_left=other)
    choices = [
        {name for name, is_done in zip(names, choice, strict=True) if is_done}
        for choice in product([False, True], repeat=6)
    ]
    least = min(price(names, done, terms) for done in choices)
    found = cut.cheapest()
    assert price(names, found, terms) == least
    fewest = min(len(done) for done in choices if price(names, done, terms) == least)
    assert len(found) == fewest


def test_a_long_chain_that_ends_at_each_step_is_done_as_far_as_it_pays() -> None:
    """400 things, each done with the one before it; all together cost as much as they save, or one less."""
    for saved, wanted in ((400, 0), (401, 400)):
        cut = Cut()
        cut.if_left("0", saved)
        for step in range(400):
            cut.if_done(f"{step}", 1)
            if step:
                cut.if_any_done({f"{step - 1}"}, 1000, unless=f"{step}")
        assert len(cut.cheapest()) == wanted
