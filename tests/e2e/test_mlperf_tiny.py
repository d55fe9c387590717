"""The five MLPerf Tiny networks on boards of QEMU: every output byte, and every bound that the benchmark states. One of
them on all boards, and on the simulator of PULP chips.

`tinsmith bench mlperf-tiny` runs all samples everywhere; here are few of each kind.
"""

import pytest
from tinsmith_driver.benchmarks.mlperf_tiny import TARGETS, measure, misses, read_baseline
from tinsmith_ir.testing import mlperf_tiny_dir, mlperf_tiny_inputs_dir

_NETWORKS, _AT_MOST = read_baseline()
_SAMPLES = 2
# On the other Arm cores each network runs the kernels that it runs on one of these: one of them runs there, too.
_OF_EACH_KIND = ("host", "cortex-m0", "cortex-m4", "cortex-m55", "riscv32")
_RUNS = [
    (name, target)
    for name in _NETWORKS
    for target in TARGETS
    if name == "kws" or target in _OF_EACH_KIND
]
_IS_PRESENT = mlperf_tiny_dir() is not None and mlperf_tiny_inputs_dir() is not None

# What the flash of the board cannot hold. RAM of the M0 holds VWW and IC, whose rows stream.
_TOO_LARGE = {("ad", "cortex-m0")}


@pytest.mark.skipif(not _IS_PRESENT, reason="MLPerf Tiny models absent")
@pytest.mark.parametrize(("name", "target"), _RUNS)
def test_network_holds_its_bounds(name: str, target: str) -> None:
    row = measure(_NETWORKS[name], target, samples=_SAMPLES)
    if (name, target) in _TOO_LARGE:
        assert row.status == "does not fit"
        return
    assert row.status == "ok"
    assert row.bytes_different == 0
    assert misses(row, _NETWORKS[name], _AT_MOST) == []


@pytest.mark.skipif(not _IS_PRESENT, reason="MLPerf Tiny models absent")
@pytest.mark.parametrize("name", ["kws"])
def test_network_runs_on_the_simulator(name: str) -> None:
    row = measure(_NETWORKS[name], "pulp-open", samples=1)
    assert row.status == "ok"
    assert row.bytes_different == 0
