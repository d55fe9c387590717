"""Start and wait for a core of the cluster: they build without a warning."""

from pathlib import Path

from places import build


def test_driver_is_built_for_the_cluster_without_a_warning(tmp_path: Path) -> None:
    assert build("siracusa", "neureka", tmp_path).warnings == ""
