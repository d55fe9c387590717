"""Bits of layers for budgets of instructions: what is chosen, what it loses, and what firmware takes.

Each choice is held against all combinations of bits, by the same figures of layers.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tinsmith_ir import Graph
from tinsmith_plugins import ImportChoices
from tinsmith_quantization import Sensitivity

from tinsmith_driver.benchmarks.mlperf_tiny import float_files
from tinsmith_driver.bit_budget import BitBudget, CostLimit
from tinsmith_driver.bit_choice import BitsOnTarget
from tinsmith_driver.float_islands import FloatIslands
from tinsmith_driver.models import read_model
from tinsmith_driver.output_losses import integer_losses
from tinsmith_driver.quantizing import QuantizeChoice, QuantizedModel, quantized
from tinsmith_driver.table import table, thousands

_SAMPLES = 10
_NEAR = 0.005
_EXACT = 1e-9
_EIGHT = 8


@dataclass(frozen=True)
class Case:
    """share: of the instructions with 8 bits in all layers, in hundredths."""

    network: str
    target: str
    share: float
    choices: tuple[int, ...] = (4, 8)


CASES = (
    Case("kws", "riscv32", 92),
    Case("kws", "cortex-m0", 80),
    Case("kws", "cortex-m0", 70),
    Case("kws", "cortex-m4", 95, (2, 4, 8)),
    Case("ic", "riscv32", 92),
    Case("ic", "cortex-m0", 80),
    Case("ic", "cortex-m4", 95, (2, 4, 8)),
)


@dataclass(frozen=True)
class BudgetRow:
    """eight: instructions with 8 bits in all layers; most: of the budget; foreseen, measured: of what was chosen.
    bits: of each layer in order. sqnr: of the outputs in dB; agree: samples with the same largest output as the float
    network's. weights: bytes. is_best: whether no combination of bits within the budget loses less, by the same
    figures.
    """

    network: str
    target: str
    choices: tuple[int, ...]
    share: float
    eight: int
    most: int
    foreseen: int
    measured: int
    bits: tuple[int, ...]
    sqnr: float
    agree: int
    samples: int
    weights: int
    is_best: bool


def budget_rows(
    networks: Sequence[str], targets: Sequence[str], on_step: Callable[[str], None]
) -> list[BudgetRow]:
    """Of the cases of some networks and targets."""
    rows: list[BudgetRow] = []
    for case in CASES:
        if case.network in networks and case.target in targets:
            on_step(f"{case.network} on {case.target}, {case.share:g} %")
            rows.append(_row(case))
    return rows


def _row(case: Case) -> BudgetRow:
    path, inputs = float_files(case.network)
    model = read_model(path, choices=ImportChoices(real_weights=True))
    limit = CostLimit(case.share, is_share=True)
    budget = BitBudget(most=limit, choices=case.choices, target=case.target)
    choice = QuantizeChoice.parse("int8", inputs, _SAMPLES, FloatIslands(all=True))
    made = quantized(model, replace(choice, budget=budget))
    found = made.on_target
    assert found is not None
    assert found.limit is not None
    graph = made.model.graph
    assert isinstance(graph, Graph)
    lost = integer_losses(made.real, graph, made.calibration)
    assert lost.agree is not None  # all of the cases are classifiers
    return BudgetRow(
        case.network,
        case.target,
        case.choices,
        case.share,
        found.whole[_EIGHT],
        found.limit,
        found.foreseen,
        found.measured,
        tuple(layer.bits for layer in made.losses.weights),
        round(lost.sqnr, 2),
        lost.agree,
        len(made.samples),
        sum(layer.size_bytes for layer in made.losses.weights),
        _is_best(made, found),
    )


def _is_best(made: QuantizedModel, found: BitsOnTarget) -> bool:
    """Tries all combinations."""
    bits = {layer.name: layer.bits for layer in made.losses.weights}
    layers: dict[str, list[Sensitivity]] = {}
    for choice in made.sensitivities:
        layers.setdefault(choice.name, []).append(choice)
    chosen = [choice for choice in made.sensitivities if bits[choice.name] == choice.bits]
    assert found.limit is not None
    room = found.limit - found.foreseen + _cost(chosen)
    within = (each for each in itertools.product(*layers.values()) if _cost(each) <= room)
    return _noise(chosen) <= min(map(_noise, within)) * (1 + _EXACT)


def _cost(choices: Sequence[Sensitivity]) -> int:
    return sum(choice.cycles or 0 for choice in choices)


def _noise(choices: Sequence[Sensitivity]) -> float:
    return sum(choice.noise for choice in choices)


def budget_misses(rows: Sequence[BudgetRow]) -> Iterator[str]:
    """What does not hold: the budget, what was foreseen within half a percent, that no other choice loses less."""
    for row in rows:
        where = f"{row.network} on {row.target}, {row.share:g} %"
        if row.measured > row.most:
            yield f"{where}: {row.measured:,} instructions, at most {row.most:,}"
        if abs(row.measured - row.foreseen) > _NEAR * row.eight:
            yield f"{where}: {row.measured:,} instructions, {row.foreseen:,} were foreseen"
        if not row.is_best:
            yield f"{where}: other bits lose less within the budget"


def budget_text(rows: Sequence[BudgetRow]) -> str:
    """The table; "" of no rows."""
    header = ["network", "target", "of", "8 bits", "at most", "foreseen", "measured", "bits"]
    header += ["SQNR", "top 1", "weights"]
    lines = [
        [
            row.network,
            row.target,
            ",".join(map(str, row.choices)),
            thousands(row.eight),
            f"{thousands(row.most)} ({row.share:g} %)",
            thousands(row.foreseen),
            thousands(row.measured),
            "".join(map(str, row.bits)),
            f"{row.sqnr:.1f}",
            f"{row.agree}/{row.samples}",
            thousands(row.weights),
        ]
        for row in rows
    ]
    return table(header, lines) if lines else ""
