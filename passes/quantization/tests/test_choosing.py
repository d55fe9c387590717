"""Bits of layers, chosen for all budgets together."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir.errors import DoesNotFitError, UsageError
from tinsmith_quantization import Budget, Sensitivity, chosen_bits

_OTHER = 1000
_LAYERS = 6


def _random(seed: int) -> list[Sensitivity]:
    """Layers with three choices each; fewer bits lose more, and may take more cycles or fewer."""
    random = np.random.default_rng(seed)
    return [
        Sensitivity(
            f"l{layer}",
            bits,
            int(size) * bits,
            float(random.uniform(0.1, 1) / 4**bits),
            int(random.integers(100, 1000)),
        )
        for layer, size in enumerate(random.integers(5, 70, _LAYERS))
        for bits in (2, 4, 8)
    ]


def _combinations(found: Sequence[Sensitivity]) -> list[tuple[Sensitivity, ...]]:
    layers: dict[str, list[Sensitivity]] = {}
    for choice in found:
        layers.setdefault(choice.name, []).append(choice)
    return list(itertools.product(*layers.values()))


def _bytes(choices: Sequence[Sensitivity]) -> int:
    return sum(choice.size_bytes for choice in choices)


def _cycles(choices: Sequence[Sensitivity]) -> int:
    return _OTHER + sum(choice.cycles or 0 for choice in choices)


def _noise(choices: Sequence[Sensitivity]) -> float:
    return sum(choice.noise for choice in choices)


_COSTS: dict[str, Callable[[Sequence[Sensitivity]], float]] = {
    "noise": _noise,
    "bytes": _bytes,
    "cycles": _cycles,
}


def _keeps(choices: Sequence[Sensitivity], budget: Budget) -> bool:
    return (
        (budget.size_bytes is None or _bytes(choices) <= budget.size_bytes)
        and (budget.cycles is None or _cycles(choices) <= budget.cycles)
        and (budget.sqnr_db is None or _noise(choices) <= 10 ** (-budget.sqnr_db / 10))
    )


_BUDGETS = [
    Budget(size_bytes=900),
    Budget(cycles=4000),
    Budget(size_bytes=1100, cycles=3900),
    Budget(sqnr_db=25.0, least="bytes"),
    Budget(sqnr_db=25.0, least="cycles"),
    Budget(sqnr_db=20.0, cycles=4200, least="bytes"),
    Budget(sqnr_db=20.0, size_bytes=1200, least="cycles"),
    Budget(sqnr_db=18.0, size_bytes=1300, cycles=4500),
]


@pytest.mark.parametrize("budget", _BUDGETS)
def test_the_choice_is_the_best_of_all_combinations(budget: Budget) -> None:
    kept = 0
    for seed in range(12):
        found = _random(seed)
        asked = replace(budget, other_cycles=_OTHER)
        fitting = [each for each in _combinations(found) if _keeps(each, asked)]
        if not fitting:
            with pytest.raises((DoesNotFitError, UsageError)):
                chosen_bits(found, asked)
            continue
        kept += 1
        best = min(fitting, key=lambda each: (_COSTS[budget.least](each), _noise(each)))
        assert chosen_bits(found, asked) == {choice.name: choice.bits for choice in best}
    assert kept >= 4


def test_of_choices_that_take_the_same_the_one_that_loses_least_is_taken() -> None:
    found = [
        *(Sensitivity("a", 4, 50, 0.02, 10), Sensitivity("a", 8, 100, 0.001, 10)),
        *(Sensitivity("b", 4, 50, 0.03, 7), Sensitivity("b", 8, 100, 0.002, 9)),
    ]
    assert chosen_bits(found, Budget(sqnr_db=10.0, least="cycles")) == {"a": 8, "b": 4}


def test_many_layers_are_chosen_for_at_once() -> None:
    found = [
        replace(choice, name=f"{seed}_{choice.name}")
        for seed in range(10)
        for choice in _random(seed)
    ]
    budget = Budget(size_bytes=11000, cycles=30000)
    chosen = chosen_bits(found, budget)
    taken = [choice for choice in found if chosen[choice.name] == choice.bits]
    assert len(taken) == len(chosen) == 10 * _LAYERS
    assert _bytes(taken) <= 11000
    assert _cycles(taken) - _OTHER <= 30000


_FOUND = [
    *(Sensitivity("a", 4, 100, 0.1, 50), Sensitivity("a", 8, 200, 0.01, 40)),
    *(Sensitivity("b", 4, 100, 0.1, 30), Sensitivity("b", 8, 200, 0.01, 60)),
]


@pytest.mark.parametrize(
    ("budget", "error", "reason"),
    [
        (Budget(size_bytes=199), DoesNotFitError, "take 200 bytes, available 199 bytes"),
        (
            Budget(cycles=79, other_cycles=10, counted="instructions"),
            DoesNotFitError,
            "bits with the fewest instructions take 80 instructions, available 79",
        ),
        (Budget(sqnr_db=30.0, least="bytes"), UsageError, r"at most 17\.0 dB, got 30"),
        (
            Budget(size_bytes=250, cycles=75),
            DoesNotFitError,
            "with at most 250 bytes of weights bits with the fewest cycles take 80 cycles, available 75",
        ),
        (
            Budget(cycles=75, sqnr_db=15.0, least="bytes"),
            DoesNotFitError,
            "with 15 dB or more bits with the fewest cycles take 100 cycles, available 75",
        ),
        (
            Budget(size_bytes=200, cycles=70, sqnr_db=16.0),
            DoesNotFitError,
            "no bits keep any two of 16 dB or more, at most 200 bytes of weights, at most 70 cycles",
        ),
    ],
)
def test_what_cannot_be_kept_is_refused_with_the_least_that_can(
    budget: Budget, error: type[Exception], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        chosen_bits(_FOUND, budget)


def test_cycles_have_to_be_measured() -> None:
    found = [replace(choice, cycles=None) for choice in _FOUND]
    assert chosen_bits(found, Budget(size_bytes=400)) == {"a": 8, "b": 8}
    with pytest.raises(UsageError, match="got none of layer a with 4 bits"):
        chosen_bits(found, Budget(cycles=100))
    with pytest.raises(UsageError, match="expected the least of noise, bytes, cycles, got 'time'"):
        Budget(least="time")
