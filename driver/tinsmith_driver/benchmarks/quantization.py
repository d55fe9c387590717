"""What quantizing float networks loses and costs: accuracy, beside the official int8 models, instructions, time.

The float MLPerf Tiny networks are quantized with their ten real samples, and judged by these. KWS's file has int8
weights in some layers: the network with these as real numbers counts as the float one. Digits is quantized with a
training image of each digit, and judged by 360 images that it has not seen. Samples whose two largest float outputs
are near to one another are left out of the agreement, and named. Networks of PyTorch are trained, quantized and judged
by the scripts of examples/quantization.
"""

import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import Array, Graph
from tinsmith_plugins import ImportChoices
from tinsmith_quantization import Losses, quantize, scheme, sqnr, top1_agreement

from tinsmith_driver.benchmarks.bit_budgets import CASES, budget_misses, budget_rows, budget_text
from tinsmith_driver.benchmarks.channel_splits import (
    SPLIT_SCHEMES,
    SplitRow,
    scores_of,
    split_misses,
    split_table,
    split_text,
)
from tinsmith_driver.benchmarks.float_mobilenet import float_mobilenet_v2
from tinsmith_driver.benchmarks.mlperf_tiny import (
    FLOAT_MODELS,
    float_files,
    network_files,
    read_baseline,
)
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.torch_networks import (
    NOT_MEASURED,
    TORCH_NETWORKS,
    TorchRow,
    torch_python,
    torch_row,
)
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.float_islands import FloatIslands
from tinsmith_driver.inputs import Samples, load_samples
from tinsmith_driver.measuring import measured_row
from tinsmith_driver.models import Model, read_model
from tinsmith_driver.network import evaluate
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.progress import progress
from tinsmith_driver.quantizing import (
    QuantizeChoice,
    QuantizedModel,
    as_integers,
    quantized,
    real_numbers,
)
from tinsmith_driver.sweep import Row as Measured
from tinsmith_driver.sweep import flash_bytes
from tinsmith_driver.table import table, thousands

_DIGITS = "digits"
_SCHEMES = (
    "int8",
    "int8{rounding=tflite}",
    "int8{method=minmax,weights=nearest}",
    "int16x8",
    "int4",
    "int4-block32",
    "ternary{weights=learned}",
    "power-of-two",
)
_DIGITS_SCHEMES = ("int8", "int4", "ternary")
_MEASURED_TARGET = "cortex-m4"
_ROUNDING_TARGETS = ("cortex-m4", "cortex-m55", "riscv32")

_SAMPLES = 10
_MARGIN = 0.05
_ABOVE_OFFICIAL_DB = 1.0
_MOST_WEIGHTS = 0.58
_MOST_DROP = {"int8": 0.3, "int4": 1.0, "ternary": 2.0}
_TORCH_SCHEME = "int8"
_MOST_TORCH_DROP = 0.5
_INTEGER_ONLY = ("torch_vit",)
_MOST_INSTRUCTIONS = {"cortex-m4": 0.95, "cortex-m55": 0.985, "riscv32": 0.93}
_MOST_SECONDS = 60.0
_MOST_BYTES = 2 << 30
_PIXELS = 224
_TIMEOUT_SECONDS = 300


@dataclass(frozen=True)
class Row:
    """sqnr: of the outputs in dB, official: that of the official int8 model; agree, counted: samples with the same
    largest output, of those with a margin; close: numbers of those without. weights: bytes, of the network's layers.
    flash, arena, instructions: on a board, where outputs are compared with the evaluator.
    """

    network: str
    scheme: str
    sqnr: float
    official: float | None
    agree: int | None
    counted: int | None
    close: tuple[int, ...]
    weights: int
    status: str = ""
    flash: int | None = None
    arena: int | None = None
    instructions: int | None = None


@dataclass(frozen=True)
class AccuracyRow:
    """Right answers on images that the network has not seen. drop: in points of a hundred."""

    network: str
    scheme: str
    images: int
    right_float: int
    right: int
    drop: float
    weights: int


@dataclass(frozen=True)
class RoundingRow:
    """Instructions of one inference, rounded as TFLite does, and once with narrow multipliers."""

    network: str
    target: str
    status: str
    tflite: int
    narrow: int
    times: float


@dataclass(frozen=True)
class CostRow:
    """What quantizing a large network takes of this computer."""

    network: str
    samples: int
    seconds: float
    peak_bytes: int


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the chosen networks; targets choose among those of the roundings and of budgets for bits."""
    names = [*FLOAT_MODELS, _DIGITS, "mobilenet_v2", *TORCH_NETWORKS]
    chosen = selection(models, names, "network")
    known = dict.fromkeys([*_ROUNDING_TARGETS, *(case.target for case in CASES)])
    chosen_targets = selection(targets, list(known), "target")
    rows: list[Row] = []
    accuracies: list[AccuracyRow] = []
    roundings: list[RoundingRow] = []
    costs: list[CostRow] = []
    splits: list[SplitRow] = []
    steps = len(chosen) * (len(_SCHEMES) + len(SPLIT_SCHEMES))
    with progress("quantization", steps) as bar:
        if "mobilenet_v2" in chosen:  # first, as memory that others have taken would count
            bar.step("mobilenet_v2")
            costs.append(_cost())
        for network in FLOAT_MODELS:
            if network in chosen:
                for text in _SCHEMES:
                    bar.step(f"{network}, {text}")
                    rows.append(_row(network, text))
                for text in SPLIT_SCHEMES:
                    bar.step(f"{network}, {split_text(text)}")
                    splits.append(_split_row(network, text))
        if "kws" in chosen:
            for target in [name for name in _ROUNDING_TARGETS if name in chosen_targets]:
                bar.step(f"kws on {target}")
                roundings.append(_rounding("kws", target))
        budgets = budget_rows(chosen, chosen_targets, bar.step)
        if _DIGITS in chosen:
            for text in _DIGITS_SCHEMES:
                bar.step(f"{_DIGITS}, {text}")
                accuracies.append(_accuracy(text))
        trained, left_out = _trained([name for name in TORCH_NETWORKS if name in chosen], bar.step)
    failures = [*_misses(rows), *_other_misses(accuracies, roundings, costs)]
    failures += [*split_misses(splits), *budget_misses(budgets), *_torch_misses(trained)]
    sections = {
        "accuracy": [asdict(row) for row in accuracies],
        "rounding": [asdict(row) for row in roundings],
        "cost": [asdict(row) for row in costs],
        "split": [asdict(row) for row in splits],
        "budgets": [asdict(row) for row in budgets],
        "torch": [asdict(row) for row in trained],
    }
    if left_out:
        sections["torch"] = [{"network": name, "status": NOT_MEASURED} for name in left_out]
    said = [f"{name}: {NOT_MEASURED}" for name in left_out]
    tables = [_text(rows, accuracies, roundings, costs), split_table(splits), budget_text(budgets)]
    parts = [*tables, _torch_text(trained), *said]
    text = "\n\n".join(filter(None, parts))
    return BenchmarkResult([asdict(row) for row in rows], text, failures, sections)


def _trained(
    names: Sequence[str], on_step: Callable[[str], None]
) -> tuple[list[TorchRow], list[str]]:
    """Rows of networks that PyTorch trains; and the names of those that nothing here can train."""
    python = torch_python() if names else None
    if python is None:
        return [], list(names)
    rows: list[TorchRow] = []
    for name in names:
        on_step(name)
        rows.append(torch_row(python, name, _TORCH_SCHEME))
    return rows, []


def _row(network: str, text: str) -> Row:
    official, _ = network_files(read_baseline()[0][network])
    path, inputs = float_files(network)
    made = _made(path, inputs, text)
    samples = _real_samples(made, inputs)
    wanted, got = _outputs(made.real, samples), _integer_outputs(made.model, samples)
    agree = counted = None
    close: tuple[int, ...] = ()
    if network != "ad":
        ordered = np.sort(wanted, axis=1)
        is_clear = ordered[:, -1] - ordered[:, -2] >= _MARGIN
        agree, counted = top1_agreement(wanted, got, _MARGIN)
        close = tuple(int(index) for index in np.flatnonzero(~is_clear))
    base = Row(
        network,
        text,
        round(sqnr([wanted], [got]), 2),
        round(sqnr([wanted], [_integer_outputs(read_model(official), samples)]), 2),
        agree,
        counted,
        close,
        _weight_bytes(made.losses),
    )
    return _on_board(
        base, made.model, as_integers(samples, [v.type for v in made.model.graph.inputs])
    )


def _split_row(network: str, text: str) -> SplitRow:
    path, inputs = float_files(network)
    plain, split = (_made(path, inputs, each) for each in (text, split_text(text)))
    samples = _real_samples(plain, inputs)
    wanted = _outputs(plain.real, samples)
    assert isinstance(split.model.graph, Graph)
    types = [value.type for value in split.model.graph.inputs]
    measured = _on_target(network, split.model, as_integers(samples, types))
    return SplitRow(
        network,
        text,
        round(scores_of(plain), 2),
        round(scores_of(split), 2),
        round(sqnr([wanted], [_integer_outputs(plain.model, samples)]), 2),
        round(sqnr([wanted], [_integer_outputs(split.model, samples)]), 2),
        sum(each.given for each in split.added),
        _weight_bytes(plain.losses),
        _weight_bytes(split.losses),
        measured["status"],
    )


def _made(path: Path, inputs: Path, text: str) -> QuantizedModel:
    model = read_model(path, choices=ImportChoices(real_weights=True))
    return quantized(model, QuantizeChoice.parse(text, inputs, _SAMPLES, FloatIslands(all=True)))


def _real_samples(made: QuantizedModel, inputs: Path) -> Samples:
    (samples,) = load_samples(inputs, made.real, _SAMPLES, made.model.file_shapes)
    return samples


def _outputs(graph: Graph, samples: Samples) -> NDArray[np.float64]:
    """(samples, elements) of the first output, as real numbers."""
    (value, *_) = graph.outputs
    rows = [
        real_numbers(found[value.name], value.type) for found in evaluate(graph, samples.frames)
    ]
    return np.stack([row.astype(np.float64).reshape(-1) for row in rows])


def _integer_outputs(model: Model, samples: Samples) -> NDArray[np.float64]:
    assert isinstance(model.graph, Graph)
    types = [value.type for value in model.graph.inputs]
    shaped = [
        np.reshape(array, (len(samples), *type_.shape))
        for array, type_ in zip(samples.inputs, types, strict=True)
    ]
    return _outputs(model.graph, as_integers(replace(samples, inputs=tuple(shaped)), types))


def _weight_bytes(losses: Losses) -> int:
    return sum(found.size_bytes for found in losses.weights)


def _on_board(row: Row, model: Model, samples: Samples) -> Row:
    found = _on_target(row.network, model, samples)
    return replace(
        row,
        status=found["status"],
        flash=flash_bytes(found),
        arena=found["arena_bytes"],
        instructions=found["instructions"],
    )


def _on_target(network: str, model: Model, samples: Samples) -> Measured:
    compilation = compile_model(model, CompileOptions(_MEASURED_TARGET))
    return measured_row(network, compilation, [samples.first(2)], _TIMEOUT_SECONDS)


def _rounding(network: str, target: str) -> RoundingRow:
    path, inputs = float_files(network)
    counts: list[int] = []
    status = "ok"
    for rounding in ("tflite", "narrow"):
        text = f"int8{{rounding={rounding}}}"
        made = _made(path, inputs, text)
        compilation = compile_model(made.model, CompileOptions(target))
        types = [value.type for value in compilation.graph.inputs]
        samples = as_integers(_real_samples(made, inputs).first(2), types)
        found = measured_row(network, compilation, [samples], _TIMEOUT_SECONDS)
        counts.append(found["instructions"] or 0)
        status = status if found["status"] == "ok" else found["status"]
    return RoundingRow(
        network, target, status, counts[0], counts[1], round(counts[1] / counts[0], 4)
    )


def _accuracy(text: str) -> AccuracyRow:
    example = find_example()
    folder = example.model.parent
    made = _made(folder / "digits_float.tflite", folder / "digits_calibration.npz", text)
    (samples,) = load_samples(example.inputs, made.real)
    assert samples.labels is not None
    wanted = _outputs(made.real, samples).argmax(axis=1)
    got = _integer_outputs(made.model, samples).argmax(axis=1)
    right_float, right = (int((found == samples.labels).sum()) for found in (wanted, got))
    drop = 100 * (right_float - right) / len(samples)
    return AccuracyRow(
        _DIGITS, text, len(samples), right_float, right, round(drop, 2), _weight_bytes(made.losses)
    )


def _cost() -> CostRow:
    graph = float_mobilenet_v2(_PIXELS, 1.0)
    (image,) = graph.inputs
    random = np.random.default_rng(0)
    samples: list[dict[str, Array]] = [
        {image.name: random.uniform(-1, 1, image.type.shape).astype(np.float32)}
        for _ in range(_SAMPLES)
    ]
    before = time.perf_counter()
    quantize(graph, samples, scheme("int8"))
    seconds = time.perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return CostRow(graph.name, _SAMPLES, round(seconds, 1), peak)


def _misses(rows: Sequence[Row]) -> Iterator[str]:
    eight = {row.network: row.weights for row in rows if row.scheme == "int8"}
    for row in rows:
        where = f"{row.network}, {row.scheme}"
        if row.status != "ok":
            yield f"{where}: {row.status} on {_MEASURED_TARGET}"
        is_bound = row.scheme in ("int8", "int8{rounding=tflite}")
        if is_bound and row.official is not None and row.sqnr < row.official + _ABOVE_OFFICIAL_DB:
            yield f"{where}: {row.sqnr:.1f} dB, the official model has {row.official:.1f}"
        if (
            row.network in ("kws", "ic")
            and (is_bound or row.scheme == "int4")
            and row.agree != row.counted
        ):
            yield f"{where}: {row.agree} of {row.counted} agree with float"
        if row.scheme == "int4" and row.network in ("kws", "ic") and row.network in eight:
            share = row.weights / eight[row.network]
            if share > _MOST_WEIGHTS:
                yield f"{where}: weights take {share:.2f} of 8 bits' bytes, at most {_MOST_WEIGHTS}"


def _torch_misses(rows: Sequence[TorchRow]) -> Iterator[str]:
    for row in rows:
        if row.drop > _MOST_TORCH_DROP:
            yield f"{row.network}, {row.scheme}: {row.drop} points less, at most {_MOST_TORCH_DROP}"
        if row.network in _INTEGER_ONLY and row.float_operators:
            yield f"{row.network}, {row.scheme}: {row.float_operators} operators compute float32, expected none"


def _other_misses(
    accuracies: Sequence[AccuracyRow], roundings: Sequence[RoundingRow], costs: Sequence[CostRow]
) -> Iterator[str]:
    for row in accuracies:
        if row.drop > _MOST_DROP[row.scheme]:
            yield f"{row.network}, {row.scheme}: {row.drop} points less, at most {_MOST_DROP[row.scheme]}"
    for row in roundings:
        if row.status != "ok" or row.times > _MOST_INSTRUCTIONS[row.target]:
            bound = _MOST_INSTRUCTIONS[row.target]
            yield f"{row.network} on {row.target}: {row.times}, at most {bound}, {row.status}"
    for row in costs:
        if row.seconds > _MOST_SECONDS or row.peak_bytes > _MOST_BYTES:
            yield f"{row.network}: {row.seconds} s, {row.peak_bytes:,} bytes"


def _text(
    rows: Sequence[Row],
    accuracies: Sequence[AccuracyRow],
    roundings: Sequence[RoundingRow],
    costs: Sequence[CostRow],
) -> str:
    eight = {row.network: row.weights for row in (*rows, *accuracies) if row.scheme == "int8"}
    tables = [
        (
            [
                "network",
                "scheme",
                "SQNR",
                "official",
                "top 1",
                "weights",
                "of int8",
                "flash",
                "arena",
                "instructions",
                "status",
            ],
            [_line(row, eight) for row in rows],
        ),
        (
            [
                "network",
                "scheme",
                "images",
                "float right",
                "right",
                "points less",
                "weights",
                "of int8",
            ],
            [
                [
                    r.network,
                    r.scheme,
                    str(r.images),
                    str(r.right_float),
                    str(r.right),
                    f"{r.drop:.2f}",
                    thousands(r.weights),
                    _share(r, eight),
                ]
                for r in accuracies
            ],
        ),
        (
            ["network", "target", "tflite", "narrow", "times", "at most", "status"],
            [
                [
                    r.network,
                    r.target,
                    thousands(r.tflite),
                    thousands(r.narrow),
                    f"{r.times:.3f}",
                    f"{_MOST_INSTRUCTIONS[r.target]:.3f}",
                    r.status,
                ]
                for r in roundings
            ],
        ),
        (
            ["network", "samples", "seconds", "peak MB"],
            [
                [r.network, str(r.samples), f"{r.seconds:.1f}", thousands(r.peak_bytes >> 20)]
                for r in costs
            ],
        ),
    ]
    close = {row.network: row.close for row in rows if row.close}
    named = [
        f"{network}: sample {', '.join(map(str, numbers))} is not in top 1: its float margin is below {_MARGIN}"
        for network, numbers in close.items()
    ]
    return "\n\n".join([*(table(header, lines) for header, lines in tables if lines), *named])


def _share(row: Row | AccuracyRow, eight: Mapping[str, int]) -> str:
    """Bytes of the weights by those of int8, which are known by network."""
    return f"{row.weights / eight[row.network]:.2f}"


def _torch_text(rows: Sequence[TorchRow]) -> str:
    header = ["network", "scheme", "images", "float right", "right", "points less", "SQNR"]
    header += ["float operators", "seconds"]
    lines = [
        [
            row.network,
            row.scheme,
            str(row.images),
            str(row.right_float),
            str(row.right),
            f"{row.drop:.2f}",
            f"{row.sqnr:.1f}",
            str(row.float_operators),
            f"{row.seconds:.1f}",
        ]
        for row in rows
    ]
    return table(header, lines) if lines else ""


def _line(row: Row, eight: Mapping[str, int]) -> list[str]:
    numbers = [row.flash, row.arena, row.instructions]
    return [
        row.network,
        row.scheme,
        f"{row.sqnr:.1f}",
        "-" if row.official is None else f"{row.official:.1f}",
        "-" if row.agree is None else f"{row.agree}/{row.counted}",
        thousands(row.weights),
        _share(row, eight),
        *("-" if number is None else thousands(number) for number in numbers),
        row.status,
    ]
