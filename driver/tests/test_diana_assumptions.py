"""What is not known of DIANA, both ways: values of constants, tables, and code for features that it may have."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tinsmith_driver import main
from tinsmith_driver.benchmarks.assumptions import (
    AS_IT_IS,
    ASSUMPTIONS,
    AT_BEST,
    AT_WORST,
    BOUND,
    Assumption,
    AssumptionRow,
    constants_text,
    features_text,
    settings,
)
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_soc import chip
from tinsmith_target import target

_HEADERS = {
    "digital": ("diana_shared.h", "diana_constants.h"),
    "analog": ("diana_shared.h", "diana_analog_constants.h"),
}
_ROW = AssumptionRow("net", "digital", AS_IT_IS, "", {}, (), 1000, 0.0, bit_exact=True)
_TITLES = {title: (why, constants) for title, why, constants in settings(("digital", "analog"))}

# Depthwise with two channels more than a group of four, and two blocks of outputs.
_MODEL = f"""graph 2 "layers" {{
  input %x: i8[1,5,5,6]<0.03125, 0>
  input %v: i8[1,30]<0.03125, 0>
  const %d: i8[1,3,3,6]<0.03125, 0> = {[5, -2, 9] * 18}
  const %e: i32[6] = {[10, -10, 100] * 2}
  %y: i8[1,5,5,6]<0.03125, 0> = depthwise_conv2d(%x, %d, %e) {{rounding=floor, padding=[1,1,1,1]}}
  const %w: i8[20,30]<0.03125, 0> = {[7, -9, 3] * 200}
  const %b: i32[20] = {[10, -10, 100, 0] * 5}
  %z: i8[1,20]<0.03125, 0> = fully_connected(%v, %w, %b) {{rounding=floor}}
  output %y
  output %z
}}
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "layers.tsm"
    path.write_text(_MODEL, encoding="utf-8")
    return str(path)


@pytest.fixture
def simulator() -> None:
    """Skips where the chip cannot be simulated."""
    try:
        need_emulator(target("diana").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("found", ASSUMPTIONS, ids=lambda found: found.name)
def test_values_are_those_of_the_simulator(found: Assumption) -> None:
    """By the headers that say where they are from."""
    for device in found.devices:
        folder = chip("diana").parents[1] / "model"
        text = "".join((folder / name).read_text(encoding="utf-8") for name in _HEADERS[device])
        values = re.findall(rf"^  uint32_t {found.name} = (\d+);", text, re.MULTILINE)
        assert values == [str(found.value)]
    others = [each.value for each in (found.less, found.more) if each is not None]
    assert others
    assert found.value not in others


def test_settings_are_each_value_and_all_ends() -> None:
    assert _TITLES["load_begin 11 -> 64"][1] == {"digital.load_begin": 64, "analog.load_begin": 64}
    assert _TITLES["digital block_end 23 -> 7"][1] == {"digital.block_end": 7}
    ends = _TITLES[AT_BEST][1], _TITLES[AT_WORST][1]
    assert ends[0]["digital.load_begin"] == 1
    assert "digital.strided_block" not in ends[0]
    assert ends[1]["digital.strided_block"] == 1
    digital = [constants for _, _, constants in settings(("digital",))]
    assert not any(name == "analog.line_write" for it in digital for name in it)


def _row(title: str, percent: float, network: str = "net") -> AssumptionRow:
    why, constants = _TITLES[title]
    cycles = round(1000 * (1 + percent / 100))
    return replace(
        _ROW,
        network=network,
        title=title,
        why=why,
        constants=constants,
        cycles=cycles,
        percent=percent,
    )


def test_constants_that_change_little_are_named_in_a_line() -> None:
    rows = [
        _ROW,
        _row("load_begin 11 -> 64", 99.8),
        _row("digital block_end 23 -> 7", -4.9),
        replace(_ROW, network="other"),
        _row("load_begin 11 -> 64", 1.0, "other"),
    ]
    text = constants_text(rows)
    shown, line = text.split("\n\n")
    assert re.search(r"as it is +1,000 +1,000", shown)
    assert re.search(r"load_begin 11 -> 64 .*\+99\.8 % +\+1\.0 %", shown)
    assert "block_end" not in shown
    assert "digital block_end 23 -> 7: 4.9" in line


def test_wrong_bytes_are_seen_in_both_tables() -> None:
    wrong = replace(_row("load_begin 11 -> 64", 50.0), bit_exact=False)
    assert "+50.0 % WRONG" in constants_text([_ROW, wrong])
    featured = replace(_ROW, title="whole-vectors", features=("whole-vectors",), bit_exact=False)
    bound = replace(_ROW, title=BOUND, cycles=500)
    text = features_text([_ROW, featured, bound], clock_hz=1_000_000)
    assert re.search(r"whole-vectors +1\.000 WRONG", text)
    assert re.search(r"computing +0\.500$", text)


@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize("features", ["channel-loops+whole-vectors", "instruction-lists"])
def test_code_for_features_is_bit_exact_on_a_chip_that_has_them(
    features: str, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    asked = ["--target", f"diana+{features}", "--engines", "digital"]
    assert main(["verify", model, *asked, "--layers", "--no-progress"]) == 0
    assert capsys.readouterr().out.endswith("bit-exact\n")
    assert main(["compile", model, *asked, "-o", str(folder)]) == 0
    (source,) = folder.glob("*.c")
    is_listed = features == "instruction-lists"
    text = source.read_text(encoding="utf-8")
    assert text.count("tinsmith_diana_digital_joined_start(") == (2 if is_listed else 1)
    assert text.count("tinsmith_diana_digital_start(") == (0 if is_listed else 1)


@pytest.mark.usefixtures("simulator")
def test_a_network_is_measured_both_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ToyAdmos, whose layers are fully connected: they take less with whole vectors, and never wrong bytes."""
    path = tmp_path / "rows.json"
    assert main(["bench", "diana-assumptions", "--models", "toyadmos", "--json", str(path)]) == 0
    assert "whole-vectors" in capsys.readouterr().out
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert all(row["bit_exact"] for row in rows)
    by_title = {row["title"]: row["cycles"] for row in rows if row["engines"] == "digital"}
    assert by_title[AT_BEST] < by_title[AS_IT_IS] < by_title[AT_WORST]
    assert by_title[BOUND] < by_title["whole-vectors"] < by_title[AS_IT_IS]
    assert by_title["channel-loops"] == by_title[AS_IT_IS]
