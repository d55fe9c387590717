"""MLPerf Tiny's networks on DIANA's digital array: their float files, made integers whose scales are powers of two.

The official files of int8 have other scales, so that their layers are the core's. Each network is quantized with its
ten real samples and judged by these, beside the official one; and once more by each half of them, quantized with the
other half. Every output byte of the firmware is compared with the evaluator's, so its answers are those counted here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import Array, Graph
from tinsmith_ir.operators import Add, Weighted
from tinsmith_plugins import ImportChoices
from tinsmith_quantization import sqnr
from tinsmith_toolchains import temporary_folder

from tinsmith_driver.benchmarks.diana_layers import DIGITAL, TARGET, compiled
from tinsmith_driver.benchmarks.mlperf_tiny import (
    FLOAT_MODELS,
    float_files,
    network_files,
    read_baseline,
)
from tinsmith_driver.benchmarks.subjects import compared, wrong_bytes
from tinsmith_driver.float_islands import FloatIslands
from tinsmith_driver.inputs import Samples, is_classifier, load_samples
from tinsmith_driver.models import Model, read_model
from tinsmith_driver.output_losses import Outputs, network_outputs, right_answers
from tinsmith_driver.plugins import registry
from tinsmith_driver.quantizing import QuantizeChoice, QuantizedModel, as_integers, quantized
from tinsmith_driver.table import table, thousands

SCHEME = "power-of-two{per_channel=no,alike_sums=yes,equalize=yes}"
"""What the array computes: one shift for a layer, and sums without multipliers."""
PASSES = ("fit-digital",)
_KERNEL = "tinsmith_diana_digital"
_SAMPLES = 10
_MOST_SECONDS = 60.0
_TIMEOUT_SECONDS = 600
_MOST_MS: Mapping[str, float] = {"kws": 0.83, "vww": 1.95, "ic": 0.73, "ad": 0.16}


@dataclass(frozen=True)
class Judgement:
    """A network beside the float one, on real samples. right: answers that are the labels; None without answers.
    score_error: of the anomaly score, the mean square of output less input, the largest part by which a sample's
    differs from the float network's; None of classifiers. sqnr: of the outputs, in dB.
    """

    sqnr: float
    right: int | None = None
    score_error: float | None = None


@dataclass(frozen=True)
class OfficialRow:
    """jobs: of `layers` with weights and sums, those that are the array's. seconds: of quantizing. unseen: of samples
    that the network was not quantized with, all together. official: of the file of int8.
    """

    network: str
    layers: int
    jobs: int
    cycles: int
    ms: float
    bit_exact: bool
    seconds: float
    samples: int
    made: Judgement
    unseen: Judgement
    official: Judgement

    @property
    def most_ms(self) -> float:
        """What an inference may take."""
        return _MOST_MS[self.network]


def official_networks(names: Sequence[str]) -> list[str]:
    """Those of which there is a file of floats."""
    return [name for name in names if name in FLOAT_MODELS]


def official_row(name: str) -> OfficialRow:
    """Quantize, run and judge a network. Raises UsageError if its files are absent."""
    path, inputs = float_files(name)
    start = perf_counter()
    made = network_of(path, inputs)
    seconds = perf_counter() - start
    samples = real_samples(made, inputs)
    compilation = compiled(made.model, DIGITAL, PASSES)
    found, _ = compared(compilation, [as_read(graph_of(made.model), samples)], _TIMEOUT_SECONDS)
    cycles = found.cycles or 0
    clock_hz = registry().target(TARGET).board.clock_hz
    official = read_model(network_files(read_baseline()[0][name])[0])
    layers = [call for call in compilation.program.calls if _is_layer(call.operator)]
    return OfficialRow(
        name,
        len(layers),
        sum(_KERNEL in call.kernel for call in layers),
        cycles,
        round(1e3 * cycles / clock_hz, 3),
        wrong_bytes(found) == 0,
        round(seconds, 1),
        len(samples),
        judged([Part.of(made.real, graph_of(made.model), samples)]),
        unseen(samples, lambda calibration: _real_and_made(network_of(path, calibration))),
        judged([Part.of(made.real, graph_of(official), samples)]),
    )


def official_misses(rows: Sequence[OfficialRow]) -> Iterator[str]:
    """Bounds that are missed: bytes, time, and what the official network of int8 reaches."""
    for row in rows:
        what = f"{row.network}, digital, from its file of floats"
        if not row.bit_exact:
            yield f"{what}: outputs differ from the evaluator's"
        if row.ms > row.most_ms:
            yield f"{what}: {row.ms:.3f} ms, must be {row.most_ms:.3f} or less"
        if row.seconds > _MOST_SECONDS:
            yield f"{what}: quantizing took {row.seconds:.0f} s, at most {_MOST_SECONDS:.0f}"
        yield from (f"{what}: {each}" for each in _worse(row.made, row.official))


def _worse(made: Judgement, official: Judgement) -> Iterator[str]:
    if made.right is not None and official.right is not None and made.right < official.right:
        yield f"{made.right} right answers, the official network of int8 has {official.right}"
    errors = made.score_error, official.score_error
    if errors[0] is not None and errors[1] is not None and errors[0] > errors[1]:
        yield f"scores are off by {errors[0]:.1%}, the official network's by {errors[1]:.1%}"


def official_text(rows: Sequence[OfficialRow]) -> str:
    """A table; empty without rows."""
    header = [
        "official network",
        "layers",
        "jobs",
        "simulated",
        "ms",
        "at most, ms",
        "bit-exact",
        "quantized, s",
        "answers",
        "int8 file",
        "unseen",
        "dB",
        "int8 file, dB",
        "unseen, dB",
    ]
    return table(header, [_line(row) for row in rows]) if rows else ""


def _line(row: OfficialRow) -> list[str]:
    judgements = row.made, row.official, row.unseen
    return [
        row.network,
        str(row.layers),
        str(row.jobs),
        thousands(row.cycles),
        f"{row.ms:.3f}",
        f"{row.most_ms:.2f}",
        "yes" if row.bit_exact else "NO",
        f"{row.seconds:.0f}",
        *(answers_text(each, row.samples) for each in judgements),
        *(f"{each.sqnr:.1f}" for each in judgements),
    ]


def answers_text(judgement: Judgement, samples: int) -> str:
    """What is right of so many samples, or how far anomaly scores are off."""
    if judgement.score_error is not None:
        return f"off by {judgement.score_error:.1%}"
    return f"{judgement.right} of {samples}"


def _is_layer(operator: object) -> bool:
    return isinstance(operator, (Weighted, Add))


def network_of(
    path: Path, calibration: Path, scheme: str = SCHEME, bits: Mapping[str, int] | None = None
) -> QuantizedModel:
    """A file of floats as integers. bits: of weights of layers, where they differ from the scheme's."""
    # KWS's file has int8 weights in some layers: the network with these as real numbers counts as the float one.
    model = read_model(path, choices=ImportChoices(real_weights=True))
    choice = QuantizeChoice.parse(scheme, calibration, _SAMPLES, FloatIslands())
    return quantized(model, replace(choice, bits=bits or {}))


def _real_and_made(made: QuantizedModel) -> tuple[Graph, Graph]:
    return made.real, graph_of(made.model)


def real_samples(made: QuantizedModel, inputs: Path) -> Samples:
    """Those of a file that the float network takes."""
    (samples,) = load_samples(inputs, made.real, _SAMPLES, made.model.file_shapes)
    return samples


def as_read(graph: Graph, samples: Samples) -> Samples:
    """Samples of the float network as one of integers takes them, in its shape."""
    types = [value.type for value in graph.inputs]
    shaped = (
        np.reshape(array, (len(samples), *type_.shape))
        for array, type_ in zip(samples.inputs, types, strict=True)
    )
    return as_integers(replace(samples, inputs=tuple(shaped)), types)


def unseen(samples: Samples, make: Callable[[Path], tuple[Graph, Graph]]) -> Judgement:
    """Of each half of the samples by a network that was made with the other half. make: of a file of calibration the
    float network, and what is judged beside it.
    """
    parts: list[Part] = []
    with temporary_folder("tinsmith-bench-") as folder:
        for first in (0, 1):
            seen, kept = _every_second(samples, first), _every_second(samples, 1 - first)
            calibration = folder / f"{first}.npz"
            np.savez(calibration, x=seen.inputs[0])
            parts.append(Part.of(*make(calibration), kept))
    return judged(parts)


def _every_second(samples: Samples, first: int) -> Samples:
    labels = None if samples.labels is None else samples.labels[first::2]
    inputs = tuple(array[first::2] for array in samples.inputs)
    return replace(samples, inputs=inputs, labels=labels, expected=None)


@dataclass(frozen=True, eq=False)
class Part:
    """What a network gives, beside the float one that it is judged by, on samples of that."""

    real: Graph
    samples: Samples
    outputs: Outputs

    @staticmethod
    def of(real: Graph, graph: Graph, samples: Samples) -> "Part":
        """What a graph of integers gives by the evaluator."""
        return Part(real, samples, network_outputs(graph, as_read(graph, samples)))


def judged(parts: Sequence[Part]) -> Judgement:
    """Of all parts together."""
    groups = [part.samples for part in parts]
    wanted = [network_outputs(part.real, part.samples) for part in parts]
    got = [part.outputs for part in parts]
    decibels = round(sqnr([_rows(wanted)], [_rows(got)]), 2)
    if is_classifier(parts[0].real):
        return Judgement(decibels, right_answers(groups, got))
    given = [array for group in groups for array in _flat(group.inputs[0])]
    scores, own = (_scores(_rows(rows), np.stack(given)) for rows in (got, wanted))
    return Judgement(decibels, None, round(float(np.abs(scores / own - 1).max()), 4))


def _flat(samples: Array) -> NDArray[np.float64]:
    return samples.reshape(len(samples), -1).astype(np.float64)


def _scores(outputs: NDArray[np.float64], inputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The anomaly score of each sample."""
    return np.asarray(np.mean((outputs - inputs) ** 2, axis=1), np.float64)


def _rows(groups: Sequence[Outputs]) -> NDArray[np.float64]:
    """(samples, elements) of the first output."""
    return np.stack([row[0].astype(np.float64).reshape(-1) for group in groups for row in group])


def graph_of(model: Model) -> Graph:
    """Of a model that is no plan."""
    assert isinstance(model.graph, Graph)
    return model.graph
