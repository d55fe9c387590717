"""Bits of each layer's weights, chosen for all budgets together: bytes, cycles, loss.

Errors of different layers are nearly independent, so what they lose adds up, as bytes and cycles do; the choice that
minds only these sums is exact, by CP-SAT. What the whole network then loses, `quantize` tells; what it takes, a target.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import DoesNotFitError, UsageError
from tinsmith_ir.escape import visible

from tinsmith_quantization.bits.precision import Sensitivity
from tinsmith_quantization.extras import needs
from tinsmith_quantization.statistics import decibels

LEAST = ("noise", "bytes", "cycles")
"""What a choice can be to have as little of as it may."""

_UNITS = 1 << 40
"""Steps that the largest of numbers that are no integers is counted in, since CP-SAT takes integers."""


@dataclass(frozen=True)
class Budget(Checked):
    """What bits of layers are to keep, None for any, and what there is to be as little of as that allows.

    size_bytes: most, of all weights together. cycles: most, of a run, of which `other_cycles` are not the layers'.
    counted: what people call these, as `instructions` where a target counts them. sqnr_db: least signal to noise of the
    outputs, for the noise of all layers added up. least: one of LEAST; of choices that are the same in it, the one with
    the least noise is taken.
    """

    size_bytes: int | None = None
    cycles: int | None = None
    sqnr_db: float | None = None
    least: str = "noise"
    other_cycles: int = 0
    counted: str = "cycles"

    def __post_init__(self) -> None:
        """Raise UsageError for something else to have little of."""
        super().__post_init__()
        if self.least not in LEAST:
            raise UsageError(
                f"budget: expected the least of {', '.join(LEAST)}, got {visible(self.least)!r}"
            )


@checked
def chosen_bits(found: Sequence[Sensitivity], budget: Budget) -> dict[str, int]:
    """The bits of each layer, one of those that were measured, that keep the budget with the least of what it names.

    found: see `sensitivities`; with cycles where the budget names these. Raises DoesNotFitError where no choice takes
    so few bytes or cycles, alone or together with the other bounds, UsageError where none loses so little, or cycles
    are not there; all say what the least is.
    """
    quantities = {quantity.name: quantity for quantity in _quantities(found, budget)}
    if "cycles" in quantities:
        _check_cycles(found)
    bounded = [quantity for quantity in quantities.values() if quantity.most is not None]
    for quantity in bounded:
        _check_alone(found, budget, quantity)
    others = [quantity for name, quantity in quantities.items() if name != budget.least]
    chosen = _least(found, bounded, [quantities[budget.least], *others])
    if chosen is None:
        raise DoesNotFitError(_together(found, budget, bounded))
    return {choice.name: choice.bits for choice in chosen}


@dataclass(frozen=True)
class _Quantity:
    """What each choice has some of. most: of all layers together."""

    name: str
    of: Callable[[Sensitivity], float]
    most: float | None

    def total(self, choices: Sequence[Sensitivity]) -> float:
        return sum(map(self.of, choices))


def _quantities(found: Sequence[Sensitivity], budget: Budget) -> list[_Quantity]:
    """In the order in which choices that are otherwise the same differ; cycles where they are asked for."""
    most_noise = None if budget.sqnr_db is None else 10 ** (-budget.sqnr_db / 10)
    quantities = [
        _Quantity("noise", lambda choice: choice.noise, most_noise),
        _Quantity("bytes", lambda choice: choice.size_bytes, budget.size_bytes),
    ]
    if budget.cycles is not None or budget.least == "cycles":
        most = None if budget.cycles is None else budget.cycles - budget.other_cycles
        quantities.append(_Quantity("cycles", lambda choice: choice.cycles or 0, most))
    return quantities


def _check_cycles(found: Sequence[Sensitivity]) -> None:
    for choice in found:
        if choice.cycles is None:
            raise UsageError(
                f"budget: expected measured cycles of each choice, got none of layer {visible(choice.name)} with "
                f"{choice.bits} bits"
            )


def _check_alone(found: Sequence[Sensitivity], budget: Budget, quantity: _Quantity) -> None:
    """Raise the error of a bound that no choice keeps, whatever else it takes."""
    layers = _layers(found).values()
    least = quantity.total([min(choices, key=quantity.of) for choices in layers])
    assert quantity.most is not None
    if least <= quantity.most:
        return
    if quantity.name == "noise":
        raise UsageError(
            f"expected a signal to noise that weights can keep, at most {decibels(1.0, least):.1f} dB, got "
            f"{budget.sqnr_db:g}"
        )
    raise DoesNotFitError(_shortage(budget, quantity, least))


def _shortage(budget: Budget, quantity: _Quantity, least: float) -> str:
    """Of bytes or cycles, `least` of all layers."""
    assert quantity.most is not None
    if quantity.name == "bytes":
        return (
            f"weights of the fewest bits take {least:,.0f} bytes, available {quantity.most:,} bytes"
        )
    needed = f"{least + budget.other_cycles:,.0f} {budget.counted}"
    return f"bits with the fewest {budget.counted} take {needed}, available {budget.cycles:,}"


def _together(found: Sequence[Sensitivity], budget: Budget, bounded: Sequence[_Quantity]) -> str:
    """What is wrong with bounds that choices keep one by one: the least of one where the others hold."""
    for quantity in reversed(bounded):
        others = [other for other in bounded if other is not quantity]
        chosen = _least(found, others, [quantity])
        if chosen is not None:
            kept = " and ".join(_bound(budget, other) for other in others)
            return f"no bits keep all bounds: with {kept} {_said(budget, quantity, chosen)}"
    return f"no bits keep any two of {', '.join(_bound(budget, quantity) for quantity in bounded)}"


def _bound(budget: Budget, quantity: _Quantity) -> str:
    if quantity.name == "noise":
        return f"{budget.sqnr_db:g} dB or more"
    if quantity.name == "bytes":
        return f"at most {budget.size_bytes:,} bytes of weights"
    return f"at most {budget.cycles:,} {budget.counted}"


def _said(budget: Budget, quantity: _Quantity, chosen: Sequence[Sensitivity]) -> str:
    least = quantity.total(chosen)
    if quantity.name == "noise":
        return f"weights keep {decibels(1.0, least):.1f} dB at most, wanted {budget.sqnr_db:g} dB"
    return _shortage(budget, quantity, least)


def _layers(found: Sequence[Sensitivity]) -> dict[str, list[Sensitivity]]:
    layers: dict[str, list[Sensitivity]] = {}
    for choice in found:
        layers.setdefault(choice.name, []).append(choice)
    return layers


def _least(
    found: Sequence[Sensitivity], bounded: Sequence[_Quantity], costs: Sequence[_Quantity]
) -> list[Sensitivity] | None:
    """One choice for each layer that keeps the bounds, with the least of the first cost, among these of the next, and
    so on; None if none keeps the bounds.
    """
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise UsageError(needs("choosing bits of layers", "ortools", "mixed")) from error
    model = cp_model.CpModel()
    taken = [model.new_bool_var(f"{visible(choice.name)}_{choice.bits}") for choice in found]
    of_layers: dict[str, list[cp_model.IntVar]] = {}
    for variable, choice in zip(taken, found, strict=True):
        of_layers.setdefault(choice.name, []).append(variable)
    for variables in of_layers.values():
        model.add_exactly_one(variables)
    for quantity in bounded:
        assert quantity.most is not None
        scale = _scale([quantity.of(choice) for choice in found])
        # Rounded up, so that what is chosen keeps the bound.
        amounts = [math.ceil(quantity.of(choice) * scale) for choice in found]
        total = sum(amount * variable for amount, variable in zip(amounts, taken, strict=True))
        model.add(total <= math.floor(quantity.most * scale))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1  # the same choice in each run
    solver.parameters.linearization_level = 2  # all of it is linear
    solver.parameters.catch_sigint_signal = False
    for cost in costs:
        scale = _scale([cost.of(choice) for choice in found])
        amounts = [round(cost.of(choice) * scale) for choice in found]
        total = sum(amount * variable for amount, variable in zip(amounts, taken, strict=True))
        model.minimize(total)
        status = solver.solve(model)
        if status == cp_model.INFEASIBLE:
            return None
        assert status == cp_model.OPTIMAL, solver.status_name(status)
        model.add(total <= round(solver.objective_value))
    return [choice for variable, choice in zip(taken, found, strict=True) if solver.value(variable)]


def _scale(numbers: Sequence[float]) -> float:
    """Of numbers that are no integers, such that the largest is _UNITS."""
    if all(float(number).is_integer() for number in numbers):
        return 1.0
    return _UNITS / max(max(numbers), 1e-300)
