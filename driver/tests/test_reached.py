"""Figures that were reached may not rise by more than one percent."""

from tinsmith_driver.benchmarks.mlperf_tiny import TARGETS, Row, misses, read_baseline
from tinsmith_driver.benchmarks.reached import FIGURES, as_reached, read_reached, risen

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
