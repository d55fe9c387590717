"""--json -: the result is standard output, and all text goes to standard error."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from tinsmith_driver import main
from tinsmith_driver.command_line import parser
from tinsmith_driver.demonstration import find_example

EXAMPLE = find_example()
NETWORK = [str(EXAMPLE.model), "--target", "host"]
RUN = ["--inputs", str(EXAMPLE.inputs), "--samples", "1"]


def _commands() -> dict[str, argparse.ArgumentParser]:
    actions = parser()._actions  # pyright: ignore[reportPrivateUsage]
    return next(
        cast("dict[str, argparse.ArgumentParser]", action.choices)
        for action in actions
        if isinstance(action.choices, dict)
    )


# A command with --json, and what it is given beside.
CASES = {
    "check": NETWORK,
    "compile": [*NETWORK, "-o", "c"],
    "run": [*NETWORK, *RUN],
    "verify": [*NETWORK, *RUN],
    "measure": [*NETWORK, *RUN],
    "explore": [*NETWORK, *RUN, "--most", "1"],
    "gather": ["row.json"],
    "quantize": [
        str(EXAMPLE.model.with_name("digits_float.tflite")),
        "--calibration",
        str(EXAMPLE.model.with_name("digits_calibration.npz")),
        "--calibration-samples",
        "2",
        "-o",
        "q.tsm",
    ],
}


def test_every_command_with_json_is_here() -> None:
    found = {name for name, each in _commands().items() if "--json FILE" in each.format_usage()}
    # These take a while, and write by the same function.
    assert found - {"bench", "demo"} == CASES.keys()


@pytest.mark.parametrize("command", CASES)
def test_standard_output_is_the_result_alone(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if command == "gather":
        assert main(["measure", *NETWORK, *RUN, "--json", "row.json"]) == 0
    capsys.readouterr()
    assert main([command, *CASES[command], "--json", "-"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)
    assert command == "measure" or said.err != ""
    assert not Path("-").exists()


def test_the_list_of_benchmarks_is_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "list", "--json", "-"]) == 0
    assert "mlperf-tiny" in json.loads(capsys.readouterr().out)["benchmarks"]


def test_a_refusal_is_the_result_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "m.tsm"
    model.write_text(
        'graph 2 "m" {\n  input %x: f32[1,2]\n  %y: f32[1,2] = relu6(%x)\n  output %y\n}\n'
    )
    assert main(["check", str(model), "--target", "host", "--ram", "1", "--json", "-"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["supported"] is False
    assert said.err.startswith("tinsmith: error: ")


def test_the_bytes_are_those_of_a_file(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "tinsmith_driver", "check", *NETWORK, "--json"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONIOENCODING": "ascii",
    }
    piped = subprocess.run([*program, "-"], capture_output=True, env=environment, check=True)
    place = tmp_path / "check.json"
    subprocess.run([*program, str(place)], capture_output=True, env=environment, check=True)
    assert piped.stdout == place.read_bytes()


def test_two_things_do_not_go_to_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["verify", *NETWORK, *RUN, "--json", "-", "--html", "-"]) == 2
    assert "--json collides with --html" in capsys.readouterr().err
    assert main(["verify", *NETWORK, *RUN, "--report", "-"]) == 2
    assert "--report: expected a folder, got -; --json - is" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
