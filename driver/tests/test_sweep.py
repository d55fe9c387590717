"""Rows of a sweep, and the table that they are gathered into."""

import json
from pathlib import Path

import numpy as np
import pytest
from tinsmith_driver.cli import main
from tinsmith_driver.sweep import Row, sweep_markdown

_MODEL = """graph 2 "m" {
  input %x: i8[1,4]<1.0, 0>
  %y: i8[1,4]<1.0, 0> = relu(%x)
  output %y
}
"""


def _measure(folder: Path, name: str, *options: str, target: str = "host") -> Row:
    model, row = folder / "m.tsm", folder / f"{name}.json"
    model.write_text(_MODEL)
    arguments = ["measure", str(model), "--name", name, "--target", target, "--json", str(row)]
    assert main([*arguments, *options]) == 0
    return json.loads(row.read_text())


def _samples(folder: Path, wrong: int) -> str:
    x = np.array([[[-1, 2, -3, 4]]], np.int8)
    path = folder / "samples.npz"
    np.savez(path, x=x, y=np.maximum(x, 0) + np.array([0, 0, 0, wrong], np.int8))
    return str(path)


def test_a_row_has_what_verify_found_and_nothing_of_the_computer(tmp_path: Path) -> None:
    row = _measure(tmp_path, "net", "--inputs", _samples(tmp_path, wrong=0))

    assert (row["network"], row["target"], row["status"]) == ("net", "host", "ok")
    assert (row["samples"], row["bytes_different"], row["reason"]) == (1, 0, None)
    assert row["arena_bytes"]
    assert row["code_bytes"] is row["ram_bytes"] is row["instructions"] is None
    assert str(tmp_path) not in json.dumps(row)


def test_a_network_without_room_has_a_row_that_says_so(tmp_path: Path) -> None:
    row = _measure(tmp_path, "net", "--ram", "1", target="cortex-m4")

    assert (row["status"], row["bytes_different"]) == ("does not fit", None)
    assert row["reason"]


def test_a_table_of_right_rows_and_refusals_is_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _measure(tmp_path, "fits", "--inputs", _samples(tmp_path, wrong=0))
    _measure(tmp_path, "large", "--ram", "1", target="cortex-m4")
    rows = [str(tmp_path / f"{name}.json") for name in ("fits", "large")]
    capsys.readouterr()

    assert main(["gather", *rows, "--json", str(tmp_path / "table.json")]) == 0

    said = capsys.readouterr().out.splitlines()
    assert said[2].startswith("| fits | host | ok | 1 | - | 0 |")
    assert said[3].startswith("| large | cortex-m4 | **does not fit** | - |")
    assert said[5].startswith("- large on cortex-m4: ")
    table = json.loads((tmp_path / "table.json").read_text())
    assert [row["network"] for row in table["rows"]] == ["fits", "large"]


def test_a_row_that_differs_makes_the_table_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = _measure(tmp_path, "net", "--inputs", _samples(tmp_path, wrong=1))
    gather = ["gather", str(tmp_path / "net.json")]

    assert (row["status"], row["bytes_different"]) == ("differs", 1)
    assert main(gather) == 1
    assert "net on host: differs" in capsys.readouterr().err
    wrong = tmp_path / "wrong.txt"
    assert main([*gather, "--wrong", str(wrong)]) == 0
    assert wrong.read_text().startswith("net on host: differs")


def test_other_files_are_no_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report.json").write_text('{"schema": "tinsmith.report/3"}')

    assert main(["gather", str(tmp_path / "report.json")]) == 2
    assert "expected a row that `measure` wrote" in capsys.readouterr().err


def test_words_of_a_reason_stay_in_their_line_and_cell(tmp_path: Path) -> None:
    row = _measure(tmp_path, "net", "--ram", "1", target="cortex-m4")
    row["reason"] = "a | b\nc"

    assert "- net on cortex-m4: a \\| b c\n" in sweep_markdown([row])
