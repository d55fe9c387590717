"""What learned ranges bring beside calibrated ones, on inputs that calibration has seen and on others.

Five of ten real samples of each float MLPerf Tiny network are calibrated on, and the other five are not; of digits ten
images are, and 360 are not.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tinsmith_ir import Array, Graph
from tinsmith_plugins import ImportChoices
from tinsmith_quantization import RangeLearning, Scheme, quantize

from tinsmith_driver.benchmarks.mlperf_tiny import FLOAT_MODELS, float_files
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.inputs import Samples, load_samples
from tinsmith_driver.models import Model, read_model
from tinsmith_driver.options import selection
from tinsmith_driver.output_losses import integer_losses
from tinsmith_driver.passes import PassChoice
from tinsmith_driver.progress import progress
from tinsmith_driver.quantizing import named_scheme, prepared
from tinsmith_driver.table import table

_DIGITS = "digits"
_SEEN = 5
_SCHEMES = (
    "int8",
    "int8{weights=nearest}",
    "int8{symmetric=yes}",
    "int4",
    "power-of-two",
)


@dataclass(frozen=True)
class RangesRow:
    """Signal to noise of the outputs in decibels, of samples that were calibrated on, and of others. adopted: whether
    the learned ranges were better on the former, so that they are the network's. seconds: more than calibrated ones
    take.
    """

    network: str
    scheme: str
    seen: float
    seen_learned: float
    unseen: float
    unseen_learned: float
    adopted: bool
    seconds: float


@dataclass(frozen=True)
class _Network:
    """graph: of floats, prepared. seen, unseen: samples of it."""

    graph: Graph
    seen: Samples
    unseen: Samples


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the chosen networks; there are no targets."""
    del targets
    chosen = selection(models, (*FLOAT_MODELS, _DIGITS), "network")
    rows: list[RangesRow] = []
    with progress("learned-ranges", len(chosen) * len(_SCHEMES)) as bar:
        for name in chosen:
            network = _digits() if name == _DIGITS else _tiny(name)
            for text in _SCHEMES:
                bar.step(f"{name}, {text}")
                rows.append(_row(name, network, text))
    return BenchmarkResult([asdict(row) for row in rows], _text(rows), [*_failures(rows)])


def _tiny(name: str) -> _Network:
    path, inputs = float_files(name)
    model, graph = _read(path)
    (samples,) = load_samples(inputs, graph, None, model.file_shapes)
    return _Network(graph, samples.first(_SEEN), _rest(samples, _SEEN))


def _digits() -> _Network:
    example = find_example()
    folder = example.model.parent
    _, graph = _read(folder / "digits_float.tflite")
    (seen,) = load_samples(folder / "digits_calibration.npz", graph)
    (unseen,) = load_samples(example.inputs, graph)
    return _Network(graph, seen, unseen)


def _read(path: Path) -> tuple[Model, Graph]:
    model = read_model(path, choices=ImportChoices(real_weights=True))
    assert isinstance(model.graph, Graph)
    return model, prepared(model.graph)


def _rest(samples: Samples, first: int) -> Samples:
    inputs = tuple(array[first:] for array in samples.inputs)
    return replace(samples, inputs=inputs, expected=None, labels=None)


def _row(name: str, network: _Network, text: str) -> RangesRow:
    chosen = named_scheme(PassChoice.parse(text, "a scheme"))
    plain, _, first = _measured(network, chosen)
    learned, learning, second = _measured(network, replace(chosen, method="learned"))
    assert learning is not None
    return RangesRow(
        name,
        text,
        *(plain[0], learned[0], plain[1], learned[1]),
        learning.is_adopted,
        round(second - first, 1),
    )


def _measured(
    network: _Network, chosen: Scheme
) -> tuple[Sequence[float], RangeLearning | None, float]:
    """Signal to noise of what was seen and of the rest, what was learned, and seconds."""
    names = [value.name for value in network.graph.inputs]
    start = time.perf_counter()
    frames: list[dict[str, Array]] = [
        dict(zip(names, arrays, strict=True)) for arrays in network.seen.frames
    ]
    made = quantize(network.graph, frames, chosen)
    seconds = time.perf_counter() - start
    decibels = [
        round(integer_losses(network.graph, made.graph, samples).sqnr, 2)
        for samples in (network.seen, network.unseen)
    ]
    return decibels, made.losses.learning, seconds


def _failures(rows: Sequence[RangesRow]) -> list[str]:
    return [
        f"{row.network}, {row.scheme}: {row.seen_learned} dB with learned ranges, {row.seen} without"
        for row in rows
        if row.seen_learned < row.seen
    ]


def _text(rows: Sequence[RangesRow]) -> str:
    header = [
        *("network", "scheme", "seen: calibrated", "learned", "unseen: calibrated", "learned"),
        *("taken", "seconds more"),
    ]
    cells = [
        [
            *(row.network, row.scheme),
            *(f"{db:.1f}" for db in (row.seen, row.seen_learned, row.unseen, row.unseen_learned)),
            *("yes" if row.adopted else "no", f"{row.seconds:.0f}"),
        ]
        for row in rows
    ]
    return table(header, cells)
