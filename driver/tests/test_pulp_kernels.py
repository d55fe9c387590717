"""What the PULP benchmark makes of what is measured."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tinsmith_driver.benchmarks import pulp_proof


def _ignore(_: str) -> None:
    pass


def _prints(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Lines of the script, whichever is called."""

    def script_lines(script: Path, *arguments: str) -> Iterator[str]:
        del script, arguments
        return iter(lines)

    monkeypatch.setattr(pulp_proof, "script_lines", script_lines)


def test_scaling_takes_layers_measured_on_one_core_and_on_eight() -> None:
    rows: list[dict[str, object]] = [
        {"kernel": "a", "shape": "s", "cores": 8, "cycles": 100},
        {"kernel": "a", "shape": "s", "cores": 1, "cycles": 760},
        {"kernel": "b", "shape": "s", "cores": 8, "cycles": 100},
        {"kernel": "b", "shape": "s", "cores": 1, "cycles": 759},
        {"kernel": "c", "shape": "s", "cores": 8, "cycles": 100},
    ]
    section = pulp_proof.scaling(rows, 7.6)
    assert [(r["kernel"], r["speedup"]) for r in section.records] == [("a", 7.6), ("b", 7.59)]
    assert section.failures == ["scaling: b s: 7.59, must be 7.6 or more"]


def test_timing_off_by_more_than_5_percent_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    form = '{"name": "%s", "expected": 100, "measured": %d, "difference_percent": %d, "expected_by": "x"}'
    _prints(monkeypatch, form % ("good", 105, 5), form % ("slow", 106, 6), form % ("fast", 94, -6))
    section = pulp_proof.timing(Path(), _ignore)
    assert [line.split(" takes")[0] for line in section.failures] == [
        "timing: slow",
        "timing: fast",
    ]
    assert "good" in section.text


@pytest.mark.parametrize(
    ("count", "differences", "fails"), [(100_000, 0, False), (100_000, 1, True), (99_990, 0, True)]
)
def test_instructions_must_be_compared_often_enough_and_never_differ(
    count: int, differences: int, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = f'"instruction": "cv.clip", "count": {count}, "differences": {differences}'
    _prints(monkeypatch, f'{{{record}, "example": "cv.clip a0"}}')
    section = pulp_proof.operands(Path(), _ignore)
    assert bool(section.failures) == fails
