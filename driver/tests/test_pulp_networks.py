"""What `bench pulp` makes of networks: a tiny one on the simulated cluster, and its bounds."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver import benchmarks
from tinsmith_driver.benchmarks import pulp
from tinsmith_driver.benchmarks.pulp import TFLITE, Whole
from tinsmith_driver.benchmarks.pulp_alone import Alone
from tinsmith_driver.benchmarks.pulp_checkout import BenchmarkError
from tinsmith_driver.benchmarks.pulp_plans import (
    EXACT,
    GREEDY,
    Planned,
    Waits,
    plan_section,
    wait_section,
)
from tinsmith_driver.build import built
from tinsmith_driver.inputs import Samples, random_samples
from tinsmith_driver.models import TEXT_FORMAT, Model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.passes import PassChoice
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.running import Measurement
from tinsmith_emulators import CoreCounts, MissingEmulatorError, need_emulator
from tinsmith_ir import DType, Graph, Quantization, TensorType, UsageError
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D, Prelu
from tinsmith_target import target
from tinsmith_toolchains import read_symbols

GOOD = Whole("kws", TFLITE, 1024, "ok", 2, 0, 320_000, 0.01, 0.001, 1000, 0.1, "optimal", 0.0)


def of_graph(graph: Graph) -> Model:
    return Model(Path("tiny.tsm"), TEXT_FORMAT, "0" * 64, graph)


def samples(graph: Graph) -> Sequence[Samples]:
    return [random_samples(graph, 1)]


@pytest.fixture
def _simulator() -> None:
    try:
        need_emulator(target(pulp.TARGET).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


def with_prelu() -> Graph:
    """A convolution, and what has no kernel for the cluster."""
    quantization = Quantization.per_tensor(0.05, 0)
    builder = GraphBuilder("slow")
    x = builder.input("x", TensorType((1, 4, 4, 4), DType.INT8, quantization))
    weights = np.ones((4, 1, 1, 4), np.int8)
    constant = builder.constant("w", weights, Quantization.per_tensor(0.01, 0))
    y = builder.add(Conv2D(), [x, constant, None], quantization=quantization)
    slopes = builder.constant("s", np.full(4, 3, np.int8), Quantization.per_tensor(0.1, 0))
    return builder.build(builder.add(Prelu(), [y, slopes], quantization=quantization))


def separable(blocks: int) -> Graph:
    """Depthwise convolutions of 3 x 3 over 24 x 24 x 32, each with one of 1 x 1 behind it."""
    quantization = Quantization.per_tensor(0.05, 0)
    builder = GraphBuilder("separable")
    random = np.random.default_rng(blocks)
    value = builder.input("x", TensorType((1, 24, 24, 32), DType.INT8, quantization))
    for _ in range(blocks):
        for operator, shape in (
            (DepthwiseConv2D(padding=(1, 1, 1, 1)), (1, 3, 3, 32)),
            (Conv2D(), (32, 1, 1, 32)),
        ):
            weights = random.integers(-127, 128, shape).astype(np.int8)
            constant = builder.constant("weights", weights, Quantization.per_tensor(0.01, 0))
            value = builder.add(operator, [value, constant, None], quantization=quantization)
    return builder.build(value)


@pytest.mark.parametrize("l1_kib", [6, 12])
def test_code_that_runs_tiles_is_small(l1_kib: int) -> None:
    """300 bytes a layer at most: loops over tiles stay loops, and tiles that differ in little share copies."""
    sizes: list[int] = []
    for blocks in (2, 4):
        options = CompileOptions(pulp.TARGET, l1_bytes=l1_kib * 1024)
        compilation = compile_model(of_graph(separable(blocks)), options)
        with built(compilation) as build:
            symbols = read_symbols(build.firmware.elf)
        (size,) = [found.size_bytes for found in symbols if found.name == "separable_run"]
        sizes.append(size)
    assert 0 < sizes[1] - sizes[0] <= 4 * 300


@pytest.mark.usefixtures("_simulator")
def test_a_network_is_measured_whole_in_little_memory_and_call_by_call() -> None:
    model = of_graph(pulp.chain(4))
    whole = pulp.measure_model(model, CompileOptions(pulp.TARGET), TFLITE, samples)
    small = pulp.measure_model(
        model, CompileOptions(pulp.TARGET, l1_bytes=16 * 1024), TFLITE, samples
    )
    calls, different = pulp.alone_of_model(model, samples)
    assert whole.status == small.status == "ok"
    assert whole.bytes_different == small.bytes_different == different == 0
    assert whole.cycles is not None
    assert small.cycles is not None
    assert small.cycles > whole.cycles > sum(call.cycles for call in calls) > 0
    assert whole.plan in ("optimal", "feasible")
    assert [abs(call.modelled / call.cycles - 1) < 0.25 for call in calls] == [True, True]


@pytest.mark.usefixtures("_simulator")
def test_the_greedy_planner_is_measured_too_and_waits_are_told() -> None:
    planner = (PassChoice.parse("tile{exact=no}"),)
    options = CompileOptions(pulp.TARGET, l1_bytes=16 * 1024, passes=planner)
    row = pulp.measure_model(of_graph(pulp.chain(4)), options, TFLITE, samples)
    searched = pulp.measure_model(
        of_graph(pulp.chain(4)), replace(options, passes=()), TFLITE, samples
    )
    assert row.status == "ok"
    assert row.modelled is not None
    assert searched.modelled is not None
    assert row.modelled >= searched.modelled > 0
    assert row.work is not None
    assert row.waits is not None
    assert row.work + sum(row.waits.values()) == pytest.approx(1, abs=1e-4)


def test_a_search_that_is_slower_than_what_it_begins_with_is_named() -> None:
    good = Planned("kws", 1024, EXACT, "ok", 100, 120, 0.5, "optimal", 0.0)
    greedy = replace(good, planner=GREEDY, modelled=110, simulated=126, plan="feasible", gap=0.1)
    section = plan_section([good, greedy])
    assert not section.failures
    assert section.text.splitlines()[-1].split() == [
        "kws", "1,024", "greedy", "110", "126", "1.050", "0.50", "feasible", "10.0%"
    ]  # fmt: skip
    assert plan_section([good, replace(greedy, modelled=99)]).failures == [
        "kws, L1 1,024, greedy: 99 modelled cycles, the search has 100"
    ]
    wrong = replace(greedy, status="3 output bytes differ")
    assert plan_section([good, wrong]).failures == ["kws, L1 1,024, greedy: 3 output bytes differ"]


def test_waits_of_each_network_are_a_row_by_the_causes_that_matter() -> None:
    rows = [
        Waits("kws", TFLITE, 0.8, {"barrier": 0.15, "l2": 0.0001, "dma_wait": 0.0499}),
        Waits("ad", TFLITE, 0.6, {"dma_wait": 0.4}),
    ]
    head, _, first, second = wait_section(rows).text.splitlines()
    assert head.split("  ")[-2:] == ["dma wait", "barrier"]
    assert first.split() == ["kws", TFLITE, "80.0%", "5.0%", "15.0%"]
    assert second.split() == ["ad", TFLITE, "60.0%", "40.0%", "0.0%"]


def test_a_network_that_does_not_fit_says_what_would_do() -> None:
    options = CompileOptions(pulp.TARGET, l1_bytes=64)
    row = pulp.measure_model(of_graph(pulp.chain(2)), options, TFLITE, samples)
    assert row.status.startswith("does not fit: ")
    assert "would fit into" in row.status
    assert pulp.sweep_misses(row, None) == [f"chain, tflite, L1 64: {row.status}"]


def test_a_network_with_calls_of_one_core_is_not_measured() -> None:
    row = pulp.measure_model(of_graph(with_prelu()), CompileOptions(pulp.TARGET), TFLITE, samples)
    assert row.status.startswith("not measured: 1 of 2 calls run on one core, the first one by ")
    assert row.cycles is None
    assert len(pulp.misses(row)) == 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (GOOD, []),
        (replace(GOOD, bytes_different=3), ["3 output bytes differ"]),
        (replace(GOOD, cycles=320_001), ["320,001 cycles, must be 320,000 or less"]),
        (
            replace(GOOD, dma_wait_core_0=0.04),
            ["4.00% of the cycles wait for the DMA, must be below 4%"],
        ),
        (replace(GOOD, code=24 * 1024), ["24,576 bytes of code, must be below 24,576"]),
        (replace(GOOD, network="ad", cycles=42_000, dma_wait_core_0=0.5), []),
    ],
)
def test_each_bound_that_is_missed_is_named(row: Whole, said: list[str]) -> None:
    assert pulp.misses(row) == [f"{row.where}: {line}" for line in said]
    assert pulp.whole_section([row]).failures == pulp.misses(row)


def test_small_memories_are_held_to_the_largest() -> None:
    largest = replace(GOOD, network="vww", l1=128 * 1024, cycles=1000)
    bad = replace(largest, l1=16 * 1024, cycles=1501)
    (line,) = pulp.sweep_section([largest, bad]).failures
    assert line == f"{bad.where}: 1.501 times the cycles of the largest L1, must be 1.5 or less"
    assert not pulp.sweep_section([largest, replace(bad, cycles=1500)]).failures


def test_code_counts_in_the_smallest_memory_too() -> None:
    smallest = replace(GOOD, l1=8 * 1024, code=30_000)
    (line,) = pulp.sweep_section([smallest]).failures
    assert "30,000 bytes of code" in line


def test_a_whole_is_held_to_its_kernels_alone() -> None:
    alone = {"kws": ([Alone("a", "k", 200_000, 1), Alone("b", "k", 100_000, 1)], 0)}
    section = pulp.ratio_section([replace(GOOD, cycles=324_000)], alone)
    assert section.records == [
        {"network": "kws", "alone": 300_000, "whole": 324_000, "ratio": 1.08}
    ]
    assert not section.failures
    slower = pulp.ratio_section([replace(GOOD, cycles=325_000)], alone)
    assert slower.failures == ["kws: 1.0833 times its kernels alone, must be 1.08 or less"]


def test_the_model_is_held_to_layers_by_mean_and_worst() -> None:
    near = {"a": ([Alone("a", "k", 100, 107), Alone("b", "k", 100, 91)], 0)}
    assert not pulp.layer_section(near).failures
    far = {"a": ([Alone("a", "k", 100, 126)], 0)}
    assert pulp.layer_section(far).failures == [
        "layers of the networks: mean error 26.0%, must be 8% or less",
        "layers of the networks: worst error 26.0%, must be 25% or less",
    ]


def test_tiling_that_takes_long_is_named() -> None:
    chain: dict[str, object] = {
        "network": "chain", "rounding": TFLITE, "l1": 1, "seconds": 61.0, "plan": None, "gap": None
    }  # fmt: skip
    section = pulp.tiling_section([replace(GOOD, seconds=10.1)], chain)
    assert [line.split(" took")[0] for line in section.failures] == [
        f"{GOOD.where}: tiling",
        "chain: tiling",
    ]


def test_waits_of_core_0_are_told_from_those_of_all() -> None:
    cores = (
        CoreCounts("core 0", 100, 60, {"dma_poll": 2}, {"dma_wait": 4}),
        CoreCounts("core 1", 100, 60, {}, {"dispatch": 90}),
    )
    measurement = Measurement((), None, None, (), (), None, "", cores=cores)
    assert pulp.dma_waits(measurement) == (0.06, 0.03)
    assert pulp.dma_waits(replace(measurement, cores=())) == (None, None)


def test_a_model_that_was_not_measured_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def script_lines(script: Path, *arguments: str) -> Iterator[str]:
        del script, arguments
        return iter(())

    monkeypatch.setattr(pulp, "script_lines", script_lines)
    with pytest.raises(BenchmarkError, match="measured nothing"):
        pulp.model_section(Path())


def test_other_benchmarks_have_no_sweep() -> None:
    with pytest.raises(UsageError, match="scaling has no sweep to leave out"):
        benchmarks.run("scaling", None, None, None, without="sweep")
    with pytest.raises(UsageError, match="pulp has no layers to leave out"):
        benchmarks.run("pulp", None, None, None, without="layers")
    with pytest.raises(UsageError, match="cortex-m4"):
        benchmarks.run("pulp", None, "cortex-m4", None)
