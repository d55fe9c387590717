"""Bits of layers that were chosen for budgets, in the report of `tinsmith quantize`."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from tinsmith_ir.escape import visible

from tinsmith_driver.decibels import decibels, decibels_text
from tinsmith_driver.quantizing import QuantizeChoice, QuantizedModel
from tinsmith_driver.table import thousands


class SensitivityRow(TypedDict):
    """See `Sensitivity`. cost: what a run takes in the layer, in what the budget counts; None where that is not
    measured or not known. chosen: whether the layer has these bits.
    """

    name: str
    bits: int
    size_bytes: int
    sqnr_db: float | None
    cost: int | None
    chosen: bool


class WholeCost(TypedDict):
    """What a run takes with the same bits in all layers."""

    bits: int
    cost: int


class BudgetRow(TypedDict):
    """What bits were chosen for, None where nothing was asked: of these weight_bytes and most are bounds from above,
    least_sqnr from below, and fewest is what there was to be little of beside the latter. target, counted, whole,
    foreseen, measured: of costs; see `BitsOnTarget`.
    """

    weight_bytes: int | None
    least_sqnr: float | None
    fewest: str | None
    target: str | None
    counted: str | None
    most: int | None
    whole: list[WholeCost]
    foreseen: int | None
    measured: int | None


def sensitivity_rows(made: QuantizedModel) -> list[SensitivityRow]:
    """Of each layer and number of bits that was tried, in the order of the network."""
    bits = {found.name: found.bits for found in made.losses.weights}
    return [
        SensitivityRow(
            name=found.name,
            bits=found.bits,
            size_bytes=found.size_bytes,
            sqnr_db=decibels(found.sqnr_db),
            cost=found.cycles or None,
            chosen=bits.get(found.name) == found.bits,
        )
        for found in made.sensitivities
    ]


def budget_report(made: QuantizedModel, choice: QuantizeChoice) -> BudgetRow | None:
    """None if bits were not chosen for a budget."""
    asked, found = choice.budget, made.on_target
    if asked is None:
        return None
    whole: Mapping[int, int] = {} if found is None else found.whole
    return BudgetRow(
        weight_bytes=asked.weight_bytes,
        least_sqnr=asked.least_sqnr,
        fewest=None if asked.least_sqnr is None else asked.fewest,
        target=asked.target,
        counted=None if found is None else found.counted,
        most=None if found is None else found.limit,
        whole=[WholeCost(bits=bits, cost=cost) for bits, cost in whole.items()],
        foreseen=None if found is None else found.foreseen,
        measured=None if found is None else found.measured,
    )


def sensitivity_header(budget: BudgetRow | None) -> list[str]:
    """Titles of the columns: that of costs where they were measured."""
    counted = None if budget is None else budget["counted"]
    return ["layer alone", "bits", "bytes", "SQNR of outputs", *([counted] if counted else []), ""]


def sensitivity_cells(rows: Sequence[SensitivityRow], budget: BudgetRow | None) -> list[list[str]]:
    """A line for each layer and number of bits, as many cells as the header has."""
    is_counted = budget is not None and budget["counted"] is not None
    return [
        [
            visible(row["name"]),
            str(row["bits"]),
            thousands(row["size_bytes"]),
            decibels_text(row["sqnr_db"]),
            *([thousands(row["cost"])] if is_counted else []),
            "chosen" if row["chosen"] else "",
        ]
        for row in rows
    ]


def budget_sentence(budget: BudgetRow | None) -> str:
    """What the chosen bits cost on a target, beside what was foreseen and allowed; "" where no target was asked."""
    if budget is None or budget["measured"] is None:
        return ""
    most = "" if budget["most"] is None else f", at most {thousands(budget['most'])}"
    whole = ", ".join(
        f"{thousands(row['cost'])} with {row['bits']} bits everywhere" for row in budget["whole"]
    )
    return (
        f"{thousands(budget['measured'])} {budget['counted']} on {budget['target']}, "
        f"{thousands(budget['foreseen'])} foreseen{most}; {whole}"
    )
