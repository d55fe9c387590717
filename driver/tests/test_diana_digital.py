"""DIANA's digital array, on its twin and on the chip, where tensors lie in a memory that the core does not reach."""

import json
from pathlib import Path

import pytest
from tinsmith_driver import main
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.engines import engines_for
from tinsmith_driver.exploring import bounded_bytes, compilations
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_ir import DoesNotFitError
from tinsmith_target import target

# Depthwise and eight channels: both write planes behind their results, which may lie over nothing that is read later.
_MODEL = f"""graph 2 "layers" {{
  input %x: i8[1,12,12,3]<0.03125, 0>
  const %w: i8[8,3,3,3]<0.03125, 0> = {[7, -9, 3] * 72}
  const %b: i32[8] = {[10, -10, 100, 0] * 2}
  %y: i8[1,12,12,8]<0.03125, 0> = conv2d(%x, %w, %b) {{rounding=floor, padding=[1,1,1,1], activation=relu}}
  const %d: i8[1,3,3,8]<0.03125, 0> = {[5, -2, 9] * 24}
  %z: i8[1,6,6,8]<0.03125, 0> = depthwise_conv2d(%y, %d, %b) {{rounding=floor, stride=[2,2], padding=[1,1,1,1]}}
  %s: i8[1,6,6,8]<0.0625, 0> = add(%z, %z) {{rounding=floor}}
  output %s
}}
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "layers.tsm"
    path.write_text(_MODEL, encoding="utf-8")
    return str(path)


def test_layers_are_jobs_where_they_are_asked_for(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["verify", model, "--target", "host", "--layers"]
    assert main([*options, "--backend", "diana_digital"]) == 0
    assert capsys.readouterr().out.count("tinsmith_diana_digital") >= 3


def test_nobody_gets_it_unasked(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", model, "--target", "host", "--layers"]) == 0
    assert "diana" not in capsys.readouterr().out


@pytest.mark.parametrize("engines", ["digital", "both"])
def test_the_chip_computes_from_its_scratchpad(
    engines: str, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        need_emulator(target("diana").board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    path, trace = tmp_path / "report.json", tmp_path / "trace.json"
    asked = ["--target", "diana", "--engines", engines, "--layers", "--json", str(path)]
    assert main(["verify", model, *asked, "--trace", str(trace), "--no-progress"]) == 0
    assert capsys.readouterr().out.endswith("bit-exact\n")
    report = json.loads(path.read_text(encoding="utf-8"))
    kernels = [layer["kernel"] for layer in report["layers"]]
    assert kernels.count("tinsmith_diana_digital") == 3
    assert all(kernel.startswith("tinsmith_diana_") for kernel in kernels)
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert {"fabric controller", "digital"} <= names


def test_less_memory_is_less_of_what_the_core_has(model: str) -> None:
    """What lies in the scratchpad is the arrays', however little RAM there is."""
    chosen = engines_for("diana", None, "digital")
    options = CompileOptions("diana", backend=chosen.backend, passes=chosen.passes)
    found: list[Compilation] = []
    with pytest.raises(DoesNotFitError):
        found.extend(compilations(read_model(Path(model)), options, most=9))
    sizes = [bounded_bytes(each) for each in found]
    assert sizes
    assert all(each.arena_bytes > size > 0 for each, size in zip(found, sizes, strict=True))
    assert sizes == sorted(set(sizes), reverse=True)


def test_engines_of_a_chip_of_one_core_are_named(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", model, "--target", "diana", "--engines", "cluster"]) == 2
    assert "expected cpu, digital, analog or both, got 'cluster'" in capsys.readouterr().err
