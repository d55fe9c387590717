"""Networks of PyTorch in the benchmark of quantization, by a stand-in for the Python that has PyTorch."""

import json
import sys
from pathlib import Path

import pytest
from tinsmith_driver.benchmarks import quantization, torch_networks
from tinsmith_driver.benchmarks.pulp_checkout import BenchmarkError

_STAND_IN = """#!{python}
import json, pathlib, sys
script = pathlib.Path(sys.argv[1]).name
if script == "train.py":
    folder, name = map(pathlib.Path, sys.argv[2:])
    folder.mkdir(parents=True)
    (folder / f"{{name}}.pt2").write_bytes(b"")
    sys.exit({status})
if script == "evaluate.py":
    assert (pathlib.Path(sys.argv[3]) / f"{{sys.argv[5]}}.pt2").is_file()
    print(json.dumps([{found}]))
"""


def stand_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch, right: int, floats: int, *, status: int = 0
) -> None:
    """Name a program that trains nothing and finds these numbers, of 100 images of which 90 are right as floats.

    status: with which training ends.
    """
    found = {
        "images": 100,
        "right_float": 90,
        "right": right,
        "sqnr_db": 25.123,
        "float_operators": {"exp": floats} if floats else {},
        "seconds": 1.26,
    }
    place = folder / "python"
    said = _STAND_IN.format(python=sys.executable, found=json.dumps(found), status=status)
    place.write_text(said)
    place.chmod(0o755)
    monkeypatch.setenv(torch_networks.PYTHON_VARIABLE, str(place))
    monkeypatch.setenv("TINSMITH_CACHE_DIR", str(folder / "cache"))


def test_what_scripts_find_becomes_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, right=90, floats=0)
    found = quantization.run("torch_vit", None)
    assert found.failures == []
    (row,) = found.sections["torch"]
    assert row["drop"] == 0.0
    assert (row["network"], row["right"], row["sqnr"]) == ("torch_vit", 90, 25.12)
    assert len([*(tmp_path / "cache").rglob("vit.pt2")]) == 1
    again = quantization.run("torch_vit", None)  # what is trained stays: the stand-in would fail
    assert again.text == found.text


def test_training_that_ends_early_leaves_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, right=90, floats=0, status=1)
    with pytest.raises(BenchmarkError, match=r"train\.py failed"):
        torch_networks.torch_row(tmp_path / "python", "torch_vit", "int8")
    assert not [*(tmp_path / "cache").rglob("vit.pt2")]
    stand_in(tmp_path, monkeypatch, right=90, floats=0)
    assert torch_networks.torch_row(tmp_path / "python", "torch_vit", "int8").right == 90


def test_what_misses_a_bound_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, right=89, floats=2)
    found = quantization.run("torch_resnet18,torch_vit", None)
    assert found.failures == [
        "torch_resnet18, int8: 1.0 points less, at most 0.5",
        "torch_vit, int8: 1.0 points less, at most 0.5",
        "torch_vit, int8: 2 operators compute float32, expected none",
    ]


def test_without_pytorch_that_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantization, "torch_python", lambda: None)
    found = quantization.run("torch_vit", None)
    assert found.text.startswith("torch_vit: not measured: no Python with PyTorch")
    assert torch_networks.PYTHON_VARIABLE in found.text
    assert found.sections["torch"] == [
        {"network": "torch_vit", "status": torch_networks.NOT_MEASURED}
    ]


def test_a_python_without_pytorch_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "python"
    place.write_text("#!/bin/sh\necho no module torch >&2\nexit 1\n")
    place.chmod(0o755)
    monkeypatch.setenv(torch_networks.PYTHON_VARIABLE, str(place))
    with pytest.raises(BenchmarkError, match="no module torch"):
        torch_networks.torch_python()
