"""How much of a cluster a compilation may use."""

import pytest
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.targets import chosen_target, remarks
from tinsmith_ir import UsageError
from tinsmith_target import target


def test_without_choices_the_target_is_the_one_that_is_named() -> None:
    assert chosen_target(CompileOptions("siracusa")) == target("siracusa")
    assert chosen_target(CompileOptions("cortex-m4")) == target("cortex-m4")


def test_cores_and_memory_are_those_that_were_chosen() -> None:
    cluster = chosen_target(CompileOptions("pulp-open", cores=3, l1_bytes=20_000)).board.cluster
    assert cluster is not None
    assert (cluster.cores, cluster.network_bytes) == (3, 20_000)
    assert not remarks(CompileOptions("pulp-open", cores=3, l1_bytes=20_000))


def test_more_memory_than_there_is_is_cut_down_with_a_remark() -> None:
    options = CompileOptions("pulp-open", l1_bytes=65_536)
    chosen, named = chosen_target(options).board.cluster, target("pulp-open").board.cluster
    assert chosen is not None
    assert named is not None
    assert chosen.network_bytes == named.network_bytes
    (remark,) = remarks(options)
    assert f"--l1 65,536 is cut down to {named.network_bytes:,} bytes" in remark


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (CompileOptions("pulp-open", cores=9), "--cores: expected 1 to 8, .* got 9"),
        (CompileOptions("gap9", cores=10), "--cores: expected 1 to 9, .* got 10"),
        (CompileOptions("cortex-m4", cores=2), r"--cores: .*\(pulp-open, siracusa, gap9\), got"),
        (CompileOptions("host", l1_bytes=9), "--l1: expected a target with a cluster"),
    ],
)
def test_choices_that_a_target_does_not_have_are_refused(
    options: CompileOptions, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        chosen_target(options)
