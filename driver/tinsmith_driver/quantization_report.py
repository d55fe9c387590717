"""What quantizing a network lost: by group of samples, by tensor, by layer."""

import math
from collections.abc import Sequence
from typing import TypedDict

from tinsmith_ir import Graph
from tinsmith_ir.operators import Lstm
from tinsmith_quantization import LayerWeights, TensorLoss

from tinsmith_driver.budget_report import (
    BudgetRow,
    SensitivityRow,
    budget_report,
    sensitivity_rows,
)
from tinsmith_driver.comparison import Comparison
from tinsmith_driver.decibels import decibels
from tinsmith_driver.float_islands import islands
from tinsmith_driver.inputs import Samples
from tinsmith_driver.output_losses import losses_of, network_outputs, right_answers
from tinsmith_driver.quantizing import QuantizeChoice, QuantizedModel, as_integers
from tinsmith_driver.range_report import RangesReport, ranges_report
from tinsmith_driver.split_report import SplittingReport, splitting_report

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


class Worst(TypedDict):
    """A tensor at which much is lost, and what would help."""

    name: str
    lost_db: float
    advice: str


class QuantizationReport(TypedDict):
    """The answer of `tinsmith quantize`. splitting, learned_ranges: what they brought, where channels were to be split,
    ranges learned. budget: what bits were chosen for, by `sensitivities`. comparison: with other schemes. None of what
    was not asked for.
    """

    schema: str
    network: str
    scheme: str
    calibration_samples: int
    groups: list[GroupLoss]
    tensors: list[TensorRow]
    weights: list[WeightsRow]
    splitting: SplittingReport | None
    sensitivities: list[SensitivityRow]
    budget: BudgetRow | None
    learned_ranges: RangesReport | None
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
        splitting=splitting_report(made.splitting),
        sensitivities=sensitivity_rows(made),
        budget=budget_report(made, choice),
        learned_ranges=ranges_report(losses.learning),
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
