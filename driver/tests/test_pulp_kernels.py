"""What the PULP benchmark makes of what is measured."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tinsmith_driver.benchmarks import pulp_proof, pulp_sensitivity, pulp_slowest
from tinsmith_driver.benchmarks.pulp_checkout import Row


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
    record = (
        '"instruction": "cv.clip", "extension": "xcvalu", '
        f'"count": {count}, "differences": {differences}'
    )
    _prints(monkeypatch, f'{{{record}, "example": "cv.clip a0"}}')
    section = pulp_proof.operands(Path(), _ignore)
    assert bool(section.failures) == fails


def test_instructions_are_printed_by_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    form = '{"instruction": "%s", "extension": "%s", "count": 100000, "differences": %d, "example": "x"}'
    _prints(
        monkeypatch,
        form % ("cv.clip", "xcvalu", 0),
        form % ("cv.abs", "xcvalu", 7),
        form % ("cv.mac", "xcvmac", 0),
    )
    section = pulp_proof.operands(Path(), _ignore)
    _, _, alu, mac = (line.split() for line in section.text.splitlines())
    assert alu == ["xcvalu", "2", "100,000", "7", "cv.abs"]
    assert mac == ["xcvmac", "1", "100,000", "0", "-"]
    assert len(section.records) == 3


def test_kernels_are_taken_by_names_of_any_form(monkeypatch: pytest.MonkeyPatch) -> None:
    def simulate(elf: Path, *options: str, statuses: tuple[int, ...]) -> str:
        assert statuses == (0, 1)
        return "max pool 100 calls, 0 wrong\nconv2d 100 calls, 2 wrong\n"

    _prints(monkeypatch)
    monkeypatch.setattr(pulp_proof, "simulate", simulate)
    section = pulp_proof.random_shapes(Path(), _ignore)
    assert [record["kernel"] for record in section.records] == ["max pool", "conv2d"]
    assert section.failures == ["random shapes: conv2d, 8 of 400 calls are wrong"]


def test_constants_are_those_of_the_chip_over_those_of_its_base(tmp_path: Path) -> None:
    (tmp_path / "old.soc").write_text("jump = 2  # [x]\nl1_bytes = 0x10\n", encoding="utf-8")
    (tmp_path / "new.soc").write_text("# jump = 7\nbase old.soc\nl1_bytes = 32\n", encoding="utf-8")
    assert pulp_sensitivity.constants(tmp_path / "new.soc") == {"jump": 2, "l1_bytes": 32}


def test_every_layer_names_the_constants_it_leans_on_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """One layer, whose cycles grow with `jump` and shrink with `l1_banks`, and by nothing else."""
    effects = {"jump": 30, "l1_banks": -20}

    def measure_layers(elf: Path, checksums: list[str], *options: str) -> list[Row]:
        change = effects.get(options[1].split("=")[0], 0) if options else 0
        return [Row("a", "s", 8, 1000 + change, 1.0, True)]

    def build_layers(root: Path, main: str, elf: Path) -> None:
        pass

    def expected_checksums(root: Path) -> list[str]:
        return ["0"]

    monkeypatch.setattr(pulp_sensitivity, "build_layers", build_layers)
    monkeypatch.setattr(pulp_sensitivity, "expected_checksums", expected_checksums)
    monkeypatch.setattr(pulp_sensitivity, "checkout", Path)
    monkeypatch.setattr(pulp_sensitivity, "measure_layers", measure_layers)
    result = pulp_sensitivity.run(None, None)
    (line,) = result.text.splitlines()[2:]
    jump, banks = line.index("jump 2 -> 3: +3.0 %"), line.index("l1_banks 16 -> 32: -2.0 %")
    assert jump < banks
    assert not result.failures


def test_slowest_is_the_slowest_on_many_cores_that_has_a_bound() -> None:
    rows = [
        Row("add-tflite", "8x8x64", 8, 1000, 0.5, True),
        Row("conv-4x4-tflite", "16x16x64-64 3x3", 1, 1000, 2.4, True),
        Row("conv-4x4-tflite", "16x16x64-64 3x3", 8, 1000, 18.0, True),
        Row("depthwise-tflite", "25x5x64 3x3", 8, 1000, 3.0, True),
    ]
    assert pulp_slowest.slowest(rows) == rows[3]
