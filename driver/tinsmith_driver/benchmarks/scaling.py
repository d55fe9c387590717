"""What compiling costs as networks grow: seconds of each step for chains, fans and random networks.

The networks are made here, of small int8 tensors, so that the work is in the compiler and not in the
numbers. A row is one network of one size for one target.
"""

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from tinsmith_ir import DType, Graph, Quantization, TensorType, Value
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.operators import Add, Conv2D, MaxPool2D, Operator, Relu

from tinsmith_driver.benchmarks.mlperf_tiny import TARGETS
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import made_model
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.progress import progress
from tinsmith_driver.table import table, thousands

SIZES = (250, 500, 1000, 2000, 4000)
OTHERS = "others"
_TARGET = "cortex-m4"
# Rounds over all sizes. Seconds are the best of them, as other work on the machine only ever adds time. A factor is
# the middle one of theirs: the speed of a shared machine drifts from minute to minute by more than the bound leaves
# room for, but little between two sizes of one round.
_ROUNDS = 9

MOST_PER_DOUBLING = 2.3
# A step or a network that takes less is not held to the bound: its seconds are those of the machine.
LEAST_SECONDS = 0.25
MOST_SECONDS: Mapping[int, float] = {2000: 6.0}

_QUANTIZATION = Quantization.per_tensor(0.05, 0)
_CHANNELS = 4
_REACH = 16


@dataclass(frozen=True)
class Row:
    """One network of one size on one target.

    seconds: of the processor, so that other work on the machine counts little. steps: name -> its part of
    them, as the clock divides them, of what has a name in a report: the passes, lowering, allocation and
    writing C; `others` is the rest, such as verifying after each. factor: by the seconds of half the size in
    the same round, the middle one of all rounds; None for the smallest.
    """

    network: str
    target: str
    operators: int
    steps: Mapping[str, float]
    seconds: float
    factor: float | None
    arena: int


@dataclass(frozen=True)
class _Run:
    """Seconds of the processor for compiling once, its steps' parts of them, and the arena."""

    seconds: float
    steps: Mapping[str, float]
    arena: int


class _Maker:
    """A network under construction, of tensors of 4x4 pixels."""

    def __init__(self, seed: int) -> None:
        self.builder = GraphBuilder("scaling")
        self.random = np.random.default_rng(seed)
        self.x = self.builder.input(
            "x", TensorType((1, 4, 4, _CHANNELS), DType.INT8, _QUANTIZATION)
        )

    def add(self, operator: Operator, *inputs: Value | None) -> Value:
        """A node, and its result."""
        return self.builder.add(operator, inputs, quantization=_QUANTIZATION)

    def convolution(self, value: Value, channels: int = _CHANNELS) -> Value:
        """A convolution of one pixel with weights of its own."""
        shape = (channels, 1, 1, value.type.shape[3])
        weights = self.random.integers(-127, 128, shape).astype(np.int8)
        constant = self.builder.constant("weights", weights, Quantization.per_tensor(0.01, 0))
        return self.add(Conv2D(), value, constant, None)


def chain(operators: int) -> Graph:
    """Convolutions, each with a clamp of its own behind it."""
    maker = _Maker(operators)
    value = maker.x
    for index in range(operators):
        value = maker.add(Relu(), value) if index % 2 else maker.convolution(value)
    return maker.builder.build(value)


def fan(operators: int) -> Graph:
    """Convolutions of the input, all of them before the sums that add them up."""
    maker = _Maker(operators)
    branches = [maker.convolution(maker.x) for _ in range(operators // 2)]
    total = branches[0]
    for branch in branches[1:]:
        total = maker.add(Add(), total, branch)
    return maker.builder.build(total)


def random_network(operators: int) -> Graph:
    """Convolutions, sums, clamps and pools of the last results, of three sizes; what none reads is an
    output.
    """
    maker = _Maker(operators)
    values, unread = [maker.x], {maker.x.name: maker.x}
    for _ in range(operators):
        recent = values[-_REACH:]
        waiting = list(unread.values())[-_REACH:]
        value = _drawn(maker, waiting if waiting and maker.random.random() < 0.7 else recent)
        match int(maker.random.integers(8)):
            case 0:
                read, result = [value], maker.add(Relu(), value)
            case 1:
                pool = MaxPool2D(window=(3, 3), padding=(1, 1, 1, 1))
                read, result = [value], maker.add(pool, value)
            case 2 | 3 | 4:
                alike = [one for one in recent if one.type == value.type]
                other = _drawn(maker, alike or [value])
                read, result = [value, other], maker.add(Add(), value, other)
            case _:
                channels = _CHANNELS * 2 ** int(maker.random.integers(3))
                read, result = [value], maker.convolution(value, channels)
        for one in read:
            unread.pop(one.name, None)
        unread[result.name] = result
        values.append(result)
    return maker.builder.build(list(unread.values()))


def _drawn(maker: _Maker, values: list[Value]) -> Value:
    return values[int(maker.random.integers(len(values)))]


NETWORKS: Mapping[str, Callable[[int], Graph]] = {
    "chain": chain,
    "fan": fan,
    "random": random_network,
}


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Compile the chosen networks (chain, fan, random) in all sizes for the chosen targets."""
    chosen = selection(models, list(NETWORKS), "network")
    chosen_targets = selection(targets or _TARGET, TARGETS, "target")
    rows: list[Row] = []
    with progress("scaling", len(chosen) * len(chosen_targets) * len(SIZES) * _ROUNDS) as bar:
        for name in chosen:
            for target in chosen_targets:
                rows += measure(name, target, SIZES, on_start=bar.step)
    return BenchmarkResult([asdict(row) for row in rows], _table(rows), misses(rows))


def measure(
    network: str,
    target: str,
    sizes: Sequence[int],
    *,
    on_start: Callable[[str], None] = lambda _: None,
) -> list[Row]:
    """Compile a network of each size, each twice the one before. on_start: told what is compiled, each time."""
    models = [made_model(NETWORKS[network](operators)) for operators in sizes]
    runs: list[list[_Run]] = [[] for _ in sizes]
    for _ in range(_ROUNDS):
        for operators, model, found in zip(sizes, models, runs, strict=True):
            on_start(f"{network} of {operators} for {target}")
            found.append(_timed(model, target))
    rows: list[Row] = []
    for index, (operators, found) in enumerate(zip(sizes, runs, strict=True)):
        best = min(found, key=lambda run: run.seconds)
        factor = (
            doubling([run.seconds for run in runs[index - 1]], [run.seconds for run in found])
            if index
            else None
        )
        rows.append(Row(network, target, operators, best.steps, best.seconds, factor, best.arena))
    return rows


def doubling(halves: Sequence[float], wholes: Sequence[float]) -> float:
    """The median, over rounds, of the seconds of a size by those of half of it."""
    return statistics.median(whole / half for half, whole in zip(halves, wholes, strict=True))


def _timed(model: Model, target: str) -> _Run:
    gc.collect()
    start, clock = time.process_time(), time.perf_counter()
    compilation = compile_model(model, CompileOptions(target))
    records = compilation.records
    seconds, elapsed = time.process_time() - start, time.perf_counter() - clock
    steps: dict[str, float] = {}
    for record in records:
        part = record.seconds / elapsed * seconds
        steps[record.name] = steps.get(record.name, 0.0) + part
    steps[OTHERS] = seconds - sum(steps.values())
    return _Run(seconds, steps, compilation.arena_bytes)


def misses(rows: list[Row]) -> list[str]:
    """The bounds that do not hold, each as a line for people: seconds, and what a doubling costs."""
    found: list[str] = []
    for row in rows:
        where = f"{row.network} of {row.operators:,} operators for {row.target}"
        most = MOST_SECONDS.get(row.operators)
        if most is not None and row.seconds > most:
            found.append(f"{where}: {row.seconds:.2f} s > {most} s")
        is_noise = row.factor is None or row.seconds / row.factor < LEAST_SECONDS
        if row.factor is not None and not is_noise and row.factor > MOST_PER_DOUBLING:
            found.append(f"{where}: {row.factor:.2f} times half of it > {MOST_PER_DOUBLING}")
    return found


def _table(rows: list[Row]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row.steps))
    header = ["network", "target", "operators", *names, "seconds", "factor", "arena"]
    return table(header, [_cells(row, names) for row in rows])


def _cells(row: Row, names: list[str]) -> list[str]:
    return [
        row.network,
        row.target,
        thousands(row.operators),
        *(f"{row.steps.get(name, 0.0):.3f}" for name in names),
        f"{row.seconds:.2f}",
        "-" if row.factor is None else f"{row.factor:.2f}",
        thousands(row.arena),
    ]
