"""Figures that were reached may not rise by more than one percent."""

from tinsmith_driver.benchmarks.mlperf_tiny import TARGETS, Row, misses, read_baseline
from tinsmith_driver.benchmarks.pulp_checkout import Row as KernelRow
from tinsmith_driver.benchmarks.pulp_kernels import BOUNDS, failures
from tinsmith_driver.benchmarks.reached import (
    FIGURES,
    as_reached,
    cycles_as_reached,
    on_cores,
    read_reached,
    risen,
)

WAS = {"instructions": 1000, "arena": 200, "code_rodata": 300}


def test_a_rise_over_one_percent_is_told_with_both_numbers() -> None:
    assert risen({"instructions": 1010, "arena": 202, "code_rodata": 303}, WAS) == []
    (line,) = risen({"instructions": 1011, "arena": 200, "code_rodata": 1}, WAS)
    assert line == "instructions 1011 > 1.01 * 1000, what was reached before"


def test_what_is_not_known_is_no_rise() -> None:
    assert risen({"instructions": None, "arena": 500}, {"instructions": 1}) == []


def test_rows_that_ran_are_kept() -> None:
    rows = [
        {"network": "a", "target": "t", "status": "ok", **WAS, "ram": 7},
        {"network": "b", "target": "t", "status": "does not fit", **dict.fromkeys(WAS)},
    ]
    assert as_reached(rows) == {"a": {"t": WAS}}


def test_the_benchmark_misses_what_rose() -> None:
    networks, at_most = read_baseline()
    (target, was) = next(iter(networks["kws"].reached.items()))
    worse = {name: value * 2 for name, value in was.items()}
    found = misses(Row("kws", target, "ok", **worse), networks["kws"], at_most)
    assert len([line for line in found if "what was reached before" in line]) == len(worse)


def test_every_network_has_figures_for_every_target() -> None:
    reached = read_reached()
    assert reached.keys() == read_baseline()[0].keys()
    for network, targets in reached.items():
        assert targets.keys() <= set(TARGETS), network
        assert len(targets) >= len(TARGETS) - 2, network
        assert all(figures.keys() <= set(FIGURES) for figures in targets.values())


def test_cycles_are_kept_by_kernel_shape_and_cores() -> None:
    rows = [
        {"kernel": "k", "shape": "s", "cores": 8, "cycles": 100},
        {"kernel": "k", "shape": "s", "cores": 1, "cycles": 760},
    ]
    assert cycles_as_reached(rows) == {"k": {"s": {"cycles on 8": 100, "cycles on 1": 760}}}


def test_the_benchmark_of_kernels_misses_cycles_that_rose() -> None:
    reached = read_reached("pulp-kernels")
    assert {kernel for kernel, _ in BOUNDS} <= reached.keys()
    kernel, shape = next(iter(BOUNDS))
    before = reached[kernel][shape][on_cores(8)]
    found: dict[int, list[str]] = {}
    for cycles in (before, 2 * before):
        row = KernelRow(kernel, shape, 8, cycles, 99.0, bit_exact=True)
        found[cycles] = [line for line in failures([row]) if "reached before" in line]
    assert found[before] == []
    (line,) = found[2 * before]
    assert line.startswith(f"{kernel} {shape}: cycles on 8 {2 * before} > 1.01 * {before}")
