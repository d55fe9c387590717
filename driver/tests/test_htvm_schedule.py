"""HTVM's schedule on DIANA: what is counted by its rules, what is taken from a trace, and both together."""

from dataclasses import replace

import pytest
from drawn_traces import trace
from tinsmith_driver.benchmarks import diana
from tinsmith_driver.benchmarks.htvm_counts import Counts, counts
from tinsmith_driver.benchmarks.htvm_networks import NETWORKS
from tinsmith_driver.benchmarks.htvm_schedule import (
    HtvmRow,
    Simulated,
    htvm_misses,
    htvm_row,
    simulated,
)
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target

_CLOCK_HZ = 260_000_000
_ROW = HtvmRow("net", 150, Simulated(100, 20, 2, 30), 40, 50, 60, 70, 1_000_000, 0.37)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        # Depthwise: four times 64 channels. Turned: 64 planes of 5 x 25, the vectors around the last layer.
        ("dscnn", Counts(10, 10, 4 * 64 + 5 + 1, 20, 8000 + 64 + 12, 8000)),
        # Depthwise: 1,240 channels in all. The last pointwise layer has two tiles.
        ("mobilenet", Counts(28, 29, 1240 + 15 + 1, 58, 27_648 + 2304 + 256 + 4, 2304)),
        # 1,024 rows of each of three additions.
        ("resnet", Counts(13, 13, 13, 20 + 3 * 1025, 4096 + 64 + 12, 0)),
        # 105 tiles of 16 outputs.
        ("toyadmos", Counts(10, 105, 105, 210, 1280, 0)),
    ],
)
def test_jobs_and_copies_are_those_of_the_published_code(name: str, wanted: Counts) -> None:
    assert counts(NETWORKS[name](0)) == wanted


def test_a_trace_is_parted_into_jobs_copies_and_layers_of_the_core() -> None:
    core = [
        ("main", 0, 100),
        ("tinsmith_pulp_softmax", 50, 10),  # before the run
        ("net_run", 100, 5),
        ("tinsmith_diana_to_rows", 105, 7),
        ("tinsmith_diana_copy_in", 112, 8),
        ("tinsmith_diana_wait", 120, 30),
        ("tinsmith_diana_start", 150, 10),
        ("tinsmith_diana_wait", 160, 40),
        ("tinsmith_diana_average", 200, 50),
        ("memcpy", 250, 3),
        ("net_run", 253, 2),
        ("tinsmith_pulp_softmax", 300, 10),  # behind it
    ]
    array = [
        ("copy 64 B to L1 0x0", 118, 30),
        ("set-up", 118, 8),
        ("copy", 126, 22),
        ("conv 1x1, 16x4x4 to 16x4x4", 158, 40),
        ("set-up", 158, 10),
        ("compute conv 1x1, 16x4x4 to 16x4x4", 168, 30),
        ("copy 64 B to L1 0x0", 300, 30),
    ]
    found = simulated(trace(fabric_controller=core, digital=array), "net_run")
    assert found == Simulated(array=40, copies=30, copied=1, core=53)


def test_what_is_stated_is_counts_times_cycles() -> None:
    graph = NETWORKS["toyadmos"](0)
    row = htvm_row(graph, 0, Simulated(0, 0, 20, 0), _CLOCK_HZ, 0.36)
    assert row.triggers == 105 * 374
    assert row.copies == 20 * 28 + 190 * 36
    assert row.calls == 10 * 520 + 105 * 16
    assert row.turning == round(1280 * 5.3)
    assert row.stated == row.triggers + row.copies + row.calls + row.turning


def test_totals_are_held_to_what_was_published() -> None:
    assert _ROW.simulated.cycles + _ROW.stated == 370
    assert [*htvm_misses([_ROW, replace(_ROW, htvm_ms=0.34)])] == []
    assert [*htvm_misses([replace(_ROW, htvm_ms=0.2), replace(_ROW, htvm_ms=0.5)])] == [
        "net, HTVM's schedule: 0.370 ms, 1.85 of HTVM's 0.2 ms, must be within 10%",
        "net, HTVM's schedule: 0.370 ms, 0.74 of HTVM's 0.5 ms, must be within 10%",
    ]


def test_a_network_runs_by_both_schedules() -> None:
    try:
        need_emulator(target("diana").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    result = diana.run("toyadmos", None)
    assert result.failures == []
    assert [(row["engines"], row["schedule"]) for row in result.rows] == [
        ("cpu", "tinsmith"),
        ("digital", "tinsmith"),
        ("digital", "htvm"),
        ("both", "tinsmith"),
        ("both", "htvm's mapping"),
    ]
    assert all(row["bit_exact"] for row in result.rows)
    (htvm,) = result.sections["htvm"]
    assert [row["stated"] for row in result.rows] == [0, 0, htvm["stated"], 0, 0]
    # Ten layers of one operand, and what keeping their tensors in L1 saves.
    assert htvm["simulated"]["copied"] == 20  # pyright: ignore[reportIndexIssue]
    ours = result.rows[1]["cycles"]
    assert isinstance(ours, int)
    assert isinstance(htvm["run"], int)
    assert htvm["run"] > ours
    assert result.sections["layers"] == []
