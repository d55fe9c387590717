"""What quantizing a network lost: by group of samples, by tensor, by layer."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import Array, Graph
from tinsmith_ir.escape import visible
from tinsmith_ir.operators import Lstm
from tinsmith_quantization import LayerWeights, TensorLoss, sqnr, top1_agreement

from tinsmith_driver.comparison import Comparison, comparison_text
from tinsmith_driver.float_islands import islands
from tinsmith_driver.inputs import Samples, is_classifier
from tinsmith_driver.network import evaluate
from tinsmith_driver.quantizing import (
    QuantizeChoice,
    QuantizedModel,
    as_integers,
    real_numbers,
)
from tinsmith_driver.table import table, thousands

QUANTIZATION_SCHEMA = "tinsmith.quantization/1"
_WORST = 5
_CLIPPED = 0.001
_FINE_DB = 40.0


class GroupLoss(TypedDict):
    """Of the network's outputs on a group of samples. sqnr_db: None without a difference. agree: samples whose largest
    output is at the same place, of a classifier; correct, correct_real: with that of the label, if there are labels.
    """

    group: str
    samples: int
    sqnr_db: float | None
    agree: int | None
    correct: int | None
    correct_real: int | None


class TensorRow(TypedDict):
    """See `TensorLoss`; decibels are None where nothing is lost."""

    name: str
    layer: str
    dtype: str
    scale: float
    zero_point: int
    low: float
    high: float
    clipped: float
    sqnr_db: float | None
    own_sqnr_db: float | None
    counts: list[int]


class WeightsRow(TypedDict):
    """See `LayerWeights`."""

    name: str
    operator: str
    bits: int
    elements: int
    size_bytes: int
    sqnr_db: float | None


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


class Worst(TypedDict):
    """A tensor at which much is lost, and what would help."""

    name: str
    lost_db: float
    advice: str


class QuantizationReport(TypedDict):
    """The answer of `tinsmith quantize`. budget: what bits were chosen for, by `sensitivities`; comparison: with other
    schemes; both where that was asked for.
    """

    schema: str
    network: str
    scheme: str
    calibration_samples: int
    groups: list[GroupLoss]
    tensors: list[TensorRow]
    weights: list[WeightsRow]
    sensitivities: list[SensitivityRow]
    budget: BudgetRow | None
    worst: list[Worst]
    weight_bytes: int
    float_operators: list[str]
    comparison: Comparison | None


def quantization_report(
    made: QuantizedModel,
    choice: QuantizeChoice,
    groups: Sequence[Samples],
    comparison: Comparison | None = None,
) -> QuantizationReport:
    """Of a model that was quantized, by groups of samples of the float network. comparison: with other schemes."""
    assert isinstance(made.model.graph, Graph)
    losses = made.losses
    return QuantizationReport(
        schema=QUANTIZATION_SCHEMA,
        network=made.model.graph.name,
        scheme=choice.text,
        calibration_samples=len(made.samples),
        groups=[_group(made.real, made.model.graph, group) for group in groups],
        tensors=[_tensor(found) for found in losses.tensors],
        weights=[_weights(found) for found in losses.weights],
        sensitivities=_sensitivities(made),
        budget=_budget(made, choice),
        worst=_worst(losses.tensors, losses.weights),
        weight_bytes=sum(found.size_bytes for found in losses.weights),
        float_operators=[node.name for node in islands(made.model.graph)],
        comparison=comparison,
    )


def _group(real: Graph, integers: Graph, samples: Samples) -> GroupLoss:
    wanted = [network_outputs(real, samples)]
    inputs = as_integers(samples, [value.type for value in integers.inputs])
    got = [network_outputs(integers, inputs)]
    losses = losses_of(real, [samples], wanted, got)
    return GroupLoss(
        group=samples.group,
        samples=len(samples),
        sqnr_db=decibels(losses.sqnr),
        agree=losses.agree,
        correct=right_answers([samples], got),
        correct_real=right_answers([samples], wanted),
    )


Outputs = Sequence[Sequence[Array]]
"""Of each sample of a group the outputs, as real numbers."""


@dataclass(frozen=True)
class OutputLosses:
    """sqnr: in decibels, infinite without a difference. agree: samples with their largest output at the same place,
    None of what is no classifier.
    """

    sqnr: float
    agree: int | None


def network_outputs(graph: Graph, samples: Samples) -> list[list[Array]]:
    """The outputs of each sample, as real numbers. samples: as the graph takes them."""
    return [
        [real_numbers(found[value.name], value.type) for value in graph.outputs]
        for found in evaluate(graph, samples.frames)
    ]


def losses_of(
    real: Graph, groups: Sequence[Samples], wanted: Sequence[Outputs], got: Sequence[Outputs]
) -> OutputLosses:
    """What a network gives beside what the float network `real` does, by group.

    It is a classifier if it ends in a softmax, or if the samples have labels.
    """
    decibels_ = sqnr(
        [array for group in wanted for row in group for array in row],
        [array for group in got for row in group for array in row],
    )
    is_judged = is_classifier(real) or _have_labels(groups)
    agree = top1_agreement(_rows(wanted), _rows(got))[0] if is_judged else None
    return OutputLosses(decibels_, agree)


def right_answers(groups: Sequence[Samples], outputs: Sequence[Outputs]) -> int | None:
    """How many samples have their largest output at the place of their label; None without labels."""
    if not _have_labels(groups):
        return None
    labels = np.concatenate([group.labels for group in groups if group.labels is not None])
    return int(np.count_nonzero(_rows(outputs).argmax(axis=1) == labels))


def _have_labels(groups: Sequence[Samples]) -> bool:
    return all(group.labels is not None for group in groups)


def _rows(groups: Sequence[Outputs]) -> NDArray[np.float64]:
    """(samples, elements): the first output of the samples of all groups."""
    return np.stack([row[0].astype(np.float64).reshape(-1) for group in groups for row in group])


def _tensor(found: TensorLoss) -> TensorRow:
    return TensorRow(
        name=found.name,
        layer=found.layer,
        dtype=found.dtype,
        scale=found.scale,
        zero_point=found.zero_point,
        low=found.low,
        high=found.high,
        clipped=found.clipped,
        sqnr_db=decibels(found.sqnr_db),
        own_sqnr_db=decibels(found.own_sqnr_db),
        counts=list(found.counts),
    )


def _weights(found: LayerWeights) -> WeightsRow:
    return WeightsRow(
        name=found.name,
        operator=found.operator,
        bits=found.bits,
        elements=found.elements,
        size_bytes=found.size_bytes,
        sqnr_db=decibels(found.sqnr_db),
    )


def _sensitivities(made: QuantizedModel) -> list[SensitivityRow]:
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


def _budget(made: QuantizedModel, choice: QuantizeChoice) -> BudgetRow | None:
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


def decibels(number: float) -> float | None:
    """For JSON: two decimals; None where nothing is lost."""
    return round(number, 2) if math.isfinite(number) else None


def _worst(tensors: Sequence[TensorLoss], weights: Sequence[LayerWeights]) -> list[Worst]:
    """The tensors with the least signal to noise, the worst first, and what would help there."""
    bits = {found.name: found.bits for found in weights}
    lost = [found for found in tensors if math.isfinite(found.sqnr_db)]
    lost.sort(key=lambda found: found.sqnr_db)
    return [
        Worst(name=found.name, lost_db=round(found.sqnr_db, 2), advice=_advice(found, bits))
        for found in lost[:_WORST]
        if found.sqnr_db < _FINE_DB
    ]


def _advice(found: TensorLoss, bits: dict[str, int]) -> str:
    if found.own_sqnr_db < found.sqnr_db + 3:
        if found.clipped > _CLIPPED:
            return (
                f"{100 * found.clipped:.2g} % of its numbers are clipped: method=minmax, or int16x8"
            )
        return "its own integers lose most of it: another method for ranges, or int16x8"
    if bits.get(found.name, 8) < 8:
        return f"its weights of {bits[found.name]} bits lose most of it: more bits for this layer"
    if found.layer == Lstm.mnemonic:
        return "each step reads what the one before rounded: more samples; int16x8 computes it in float32"
    return "it inherits what the layers before lost: more samples, or int16x8"


def quantization_text(report: QuantizationReport) -> str:
    """The tables for people."""
    parts = [
        table(
            ["samples", "count", "SQNR", "top 1 as float", "right", "float right"], _groups(report)
        ),
        f"weights {thousands(report['weight_bytes'])} bytes, {report['scheme']}, "
        f"{report['calibration_samples']} samples of calibration",
    ]
    if report["sensitivities"]:
        parts.append(table(sensitivity_header(report), sensitivity_cells(report)))
    if budget_text(report):
        parts.append(budget_text(report))
    if report["worst"]:
        rows = [
            [visible(w["name"]), f"{w['lost_db']:.1f} dB", w["advice"]] for w in report["worst"]
        ]
        parts.append(table(["least signal to noise", "SQNR", "what would help"], rows))
    if report["float_operators"]:
        names = ", ".join(map(visible, report["float_operators"][:_WORST]))
        parts.append(f"{len(report['float_operators'])} operators stay float32: {names}")
    if report["comparison"] is not None:
        parts.append(comparison_text(report["comparison"]))
    return "\n\n".join(parts)


def sensitivity_header(report: QuantizationReport) -> list[str]:
    """Titles of the columns: that of costs where they were measured."""
    counted = report["budget"] and report["budget"]["counted"]
    return ["layer alone", "bits", "bytes", "SQNR of outputs", *([counted] if counted else []), ""]


def sensitivity_cells(report: QuantizationReport) -> list[list[str]]:
    """A line for each layer and number of bits, as many cells as the header has."""
    is_counted = len(sensitivity_header(report)) > len(
        sensitivity_header({**report, "budget": None})
    )
    return [
        [
            visible(row["name"]),
            str(row["bits"]),
            thousands(row["size_bytes"]),
            "exact" if row["sqnr_db"] is None else f"{row['sqnr_db']:.1f} dB",
            *([thousands(row["cost"])] if is_counted else []),
            "chosen" if row["chosen"] else "",
        ]
        for row in report["sensitivities"]
    ]


def budget_text(report: QuantizationReport) -> str:
    """What the chosen bits cost on a target, beside what was foreseen and allowed; "" where no target was asked."""
    budget = report["budget"]
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


def _groups(report: QuantizationReport) -> list[list[str]]:
    return [
        [
            visible(found["group"]) or "samples",
            thousands(found["samples"]),
            "exact" if found["sqnr_db"] is None else f"{found['sqnr_db']:.1f} dB",
            _count(found["agree"]),
            _count(found["correct"]),
            _count(found["correct_real"]),
        ]
        for found in report["groups"]
    ]


def _count(number: int | None) -> str:
    return "-" if number is None else thousands(number)
