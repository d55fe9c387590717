"""MLPerf Tiny's networks on both of DIANA's arrays: some layers ternary, on the analog one, all others on the digital
one, as `diana_official` has them. What that loses is printed without noise of the analog array and with it.

Without noise every output byte of the firmware is compared with the evaluator's. Noise is that of diana-quantlib's
model of the chip: a normal deviate times what a converter gives, divided by a number, is added to that.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

from tinsmith_ir import Graph

from tinsmith_driver.benchmarks.diana_layers import ANALOG, BOTH, compiled, with_chip
from tinsmith_driver.benchmarks.diana_official import (
    SCHEME,
    Judgement,
    Part,
    answers_text,
    as_read,
    graph_of,
    judged,
    network_of,
    real_samples,
    unseen,
)
from tinsmith_driver.benchmarks.mlperf_tiny import float_files
from tinsmith_driver.benchmarks.subjects import wrong_bytes
from tinsmith_driver.build import Build, built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import Samples
from tinsmith_driver.output_losses import Outputs
from tinsmith_driver.quantizing import QuantizedModel, real_numbers
from tinsmith_driver.running import Measurement, compare, run_samples
from tinsmith_driver.table import table, thousands

MIXED_SCHEME = f"{SCHEME.removesuffix('}')},weights=refined,free_few_bits=yes}}"
"""Layers of 8 bits are the digital array's; ternary ones have a scale for each channel, as the analog array has."""
MIXED_PASSES = ("fit-digital", "map-analog{gain=16,least_db=6.1}")
NOISE, NOISE_SEED = 25, 1
"""Of diana-quantlib: what converters give is disturbed by a 25th of it, up to 1.24 of their steps."""
_KERNEL = "tinsmith_diana_analog"
_TERNARY_BITS = 2
_TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class Mix:
    """Layers of a network that are ternary, by the names of their results. most_ms: what an inference may take."""

    network: str
    layers: tuple[str, ...]
    most_ms: float

    @property
    def bits(self) -> Mapping[str, int]:
        """Of their weights."""
        return dict.fromkeys(self.layers, _TERNARY_BITS)


# Where all layers may be either array's, these of IC are faster as analog ones by the costs of `map-analog{by=cost}`,
# and none of KWS and VWW, whose depthwise layers want rows. Of AD so are others, which would keep less than 6.1 dB.
MIXES = (
    Mix("ic", ("model_activation_5_Relu", "model_batch_normalization_6_FusedBatchNormV3"), 0.60),
    Mix("ad", ("functional_1_activation_6_Relu", "functional_1_activation_7_Relu"), 0.16),
)


@dataclass(frozen=True)
class MixedRow:
    """analog: of `layers` ternary ones those that the analog array computes. seconds: of making the network. made,
    noisy: judged without and with noise. unseen: without noise, of samples that the network was not made with.
    """

    network: str
    layers: int
    analog: int
    cycles: int
    ms: float
    most_ms: float
    bit_exact: bool
    seconds: float
    samples: int
    made: Judgement
    noisy: Judgement
    unseen: Judgement


def mixes_of(names: Sequence[str]) -> list[Mix]:
    """Those of the networks."""
    return [mix for mix in MIXES if mix.network in names]


def mixed_row(mix: Mix) -> MixedRow:
    """Make, run and judge a network. Raises UsageError if its files are absent."""
    path, inputs = float_files(mix.network)
    start = perf_counter()
    made = _made(mix, path, inputs)
    compilation = _compiled(made)
    seconds = perf_counter() - start
    samples = real_samples(made, inputs)
    given = as_read(graph_of(made.model), samples)
    with built(compilation) as build:
        exact = compare(_run(build, compilation, given), compilation.reference)
        loud = _run(with_noise(build), compilation, given)
    cycles = exact.cycles or 0
    return MixedRow(
        mix.network,
        len(mix.layers),
        sum(_KERNEL in call.kernel for call in compilation.program.calls),
        cycles,
        round(1e3 * cycles / build.firmware.target.board.clock_hz, 3),
        mix.most_ms,
        wrong_bytes(exact) == 0,
        round(seconds, 1),
        len(samples),
        judged([_part(made, compilation, samples, exact)]),
        judged([_part(made, compilation, samples, loud)]),
        unseen(samples, partial(_real_and_reference, mix, path)),
    )


def with_noise(build: Build, divisor: int = NOISE, seed: int = NOISE_SEED) -> Build:
    """The same firmware on a simulated chip whose analog array disturbs what its converters give by a normal deviate
    times that, divided by `divisor`.
    """
    return with_chip(build, {f"{ANALOG}.noise": divisor, f"{ANALOG}.noise_seed": seed})


def _made(mix: Mix, path: Path, calibration: Path) -> QuantizedModel:
    return network_of(path, calibration, MIXED_SCHEME, mix.bits)


def _compiled(made: QuantizedModel) -> Compilation:
    return compiled(made.model, BOTH, MIXED_PASSES)


def _run(build: Build, compilation: Compilation, samples: Samples) -> Measurement:
    return run_samples(build, compilation.graph, [samples], _TIMEOUT_SECONDS)


def _part(
    made: QuantizedModel, compilation: Compilation, samples: Samples, found: Measurement
) -> Part:
    (group,) = found.groups
    types = [value.type for value in compilation.graph.outputs]
    outputs: Outputs = [
        [real_numbers(array[at], type_) for array, type_ in zip(group.outputs, types, strict=True)]
        for at in range(len(samples))
    ]
    return Part(made.real, samples, outputs)


def _real_and_reference(mix: Mix, path: Path, calibration: Path) -> tuple[Graph, Graph]:
    """The float network, and what firmware of it gives."""
    made = _made(mix, path, calibration)
    reference = _compiled(made).reference
    assert isinstance(reference, Graph)
    return made.real, reference


def mixed_misses(rows: Sequence[MixedRow]) -> Iterator[str]:
    """Bounds that are missed: bytes, layers and time."""
    for row in rows:
        what = f"{row.network}, digital and analog"
        if not row.bit_exact:
            yield f"{what}: outputs differ from the evaluator's"
        if row.analog < row.layers:
            yield f"{what}: {row.analog} layers are analog, must be {row.layers}"
        if row.ms > row.most_ms:
            yield f"{what}: {row.ms:.3f} ms, must be {row.most_ms:.3f} or less"


def mixed_text(rows: Sequence[MixedRow]) -> str:
    """A table; empty without rows."""
    header = [
        "official network",
        "analog layers",
        "simulated",
        "ms",
        "at most, ms",
        "bit-exact",
        "made, s",
        "answers",
        "with noise",
        "unseen",
        "dB",
        "with noise, dB",
        "unseen, dB",
    ]
    return table(header, [_line(row) for row in rows]) if rows else ""


def _line(row: MixedRow) -> list[str]:
    judgements = row.made, row.noisy, row.unseen
    return [
        row.network,
        str(row.analog),
        thousands(row.cycles),
        f"{row.ms:.3f}",
        f"{row.most_ms:.2f}",
        "yes" if row.bit_exact else "NO",
        f"{row.seconds:.0f}",
        *(answers_text(each, row.samples) for each in judgements),
        *(f"{each.sqnr:.1f}" for each in judgements),
    ]
