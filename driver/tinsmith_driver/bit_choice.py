"""Chooses bits of layers for a budget on a target, and sees to it that firmware keeps what was foreseen."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tinsmith_ir import DoesNotFitError
from tinsmith_quantization import Budget, Sensitivity, chosen_bits

from tinsmith_driver.bit_budget import BitBudget
from tinsmith_driver.layer_costs import LayerCosts

_Made = TypeVar("_Made")
_FEWEST_BITS = 2


@dataclass(frozen=True)
class BitsOnTarget:
    """What a choice of bits takes on a target, in one run, in what is `counted` there.

    whole: with the same bits in all layers, by bits. limit: at most, None for as few as can be. foreseen: the sum of
    the layers' and of all else; measured: on the emulator.
    """

    target: str
    counted: str
    whole: Mapping[int, int]
    limit: int | None
    foreseen: int
    measured: int


def chosen_within(found: Sequence[Sensitivity], budget: BitBudget, asked: Budget) -> dict[str, int]:
    """As `chosen_bits`, whose refusal says what else layers could have. asked: what the quantizer keeps of `budget`."""
    try:
        return chosen_bits(found, asked)
    except DoesNotFitError as error:
        if _FEWEST_BITS in budget.choices:
            raise
        more = ",".join(map(str, [_FEWEST_BITS, *budget.choices]))
        raise DoesNotFitError(f"{error}; --choices {more} lets layers have fewer bits") from error


def chosen_on_target(
    found: Sequence[Sensitivity],
    budget: BitBudget,
    costs: LayerCosts,
    run: Callable[[Mapping[str, int]], tuple[_Made, int]],
) -> tuple[_Made, BitsOnTarget]:
    """The network of integers that keeps the budget, as it runs.

    found: of the choices that there are, with costs. run: makes a network of bits, and measures it. What layers cost is
    not wholly independent of their neighbours and weights: where firmware takes more than the budget, what it takes
    more than was foreseen counts against the budget, and bits are chosen again. Raises DoesNotFitError where no choice
    is left; see `chosen_bits` for the rest.
    """
    assert budget.target is not None
    limit = None if budget.most is None else budget.most.most(costs.eight_bits)
    asked = replace(budget.of_layers(), cycles=limit, other_cycles=costs.other)
    tried: list[tuple[int, int]] = []
    while True:
        try:
            bits = chosen_within(found, budget, asked)
        except DoesNotFitError as error:
            if not tried:
                raise
            raise DoesNotFitError(_missed(tried, budget, limit)) from error
        foreseen = costs.other + sum(
            choice.cycles or 0 for choice in found if bits[choice.name] == choice.bits
        )
        made, measured = run(bits)
        tried.append((foreseen, measured))
        if limit is None or measured <= limit:
            whole = dict(sorted(costs.whole.items()))
            return made, BitsOnTarget(
                budget.target, budget.counted, whole, limit, foreseen, measured
            )
        asked = replace(asked, cycles=foreseen - (measured - limit))


def _missed(tried: Sequence[tuple[int, int]], budget: BitBudget, limit: int | None) -> str:
    foreseen, measured = min(tried, key=lambda pair: pair[1])
    return (
        f"no bits keep the budget on {budget.target}: firmware takes {measured:,} {budget.counted} where "
        f"{foreseen:,} were foreseen, available {limit:,}"
    )
