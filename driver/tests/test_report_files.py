"""Where reports go without being asked for, and the layers as CSV."""

import csv
import json
import tempfile
from pathlib import Path

import pytest
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.layers_csv import COLUMNS, layers_csv
from tinsmith_driver.report_files import default_folder
from tinsmith_driver.report_types import Report
from tinsmith_ir import UsageError
from tinsmith_ir.escape import visible

EXAMPLE = find_example()
FILES = ["layers.csv", "report.html", "report.json"]


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, for this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def verify(*options: str | Path) -> int:
    arguments = [
        "verify",
        str(EXAMPLE.model),
        "--target",
        "host",
        "--samples",
        "1",
        "--no-progress",
    ]
    return main([*arguments, *map(str, options)])


def reports(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.name in FILES)


def test_verify_writes_a_report_and_says_where(
    temporary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify() == 0
    folder = default_folder("digits_int8", "host")
    assert folder.is_relative_to(temporary)
    assert sorted(path.name for path in folder.iterdir()) == FILES
    said = capsys.readouterr().out
    assert f"report: {folder}/report.html (and report.json, layers.csv)\n" in said
    assert said.endswith("\nbit-exact\n")
    first = {path: path.read_bytes() for path in folder.iterdir()}
    assert verify() == 0
    assert {path: path.read_bytes() for path in folder.iterdir()} == first


def test_no_report_is_written_where_none_is_wanted_or_another_is(
    temporary: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify("--no-report") == 0
    assert "report:" not in capsys.readouterr().out
    assert verify("--json", tmp_path / "mine" / "report.json") == 0
    assert f"report: {tmp_path}/mine/report.json\n" in capsys.readouterr().out
    assert reports(temporary) == []
    assert verify("--report", tmp_path / "all") == 0
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == FILES
    assert reports(temporary) == []


def test_a_default_that_cannot_be_written_changes_no_answer(
    temporary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = default_folder("x", "y").parent
    place.chmod(0o777)  # as if others could put links there
    assert verify() == 0
    assert "warning: no report was written: " in capsys.readouterr().err
    assert reports(temporary) == []
    place.rmdir()
    place.symlink_to(temporary)
    with pytest.raises(UsageError, match="expected a folder that only its owner"):
        default_folder("x", "y")


def test_a_folder_and_a_file_are_asked_for_once(tmp_path: Path) -> None:
    assert verify("--report", tmp_path, "--json", tmp_path / "r.json") == 2
    assert verify("--report", tmp_path, "--no-report") == 2


def test_layers_are_a_row_each(tmp_path: Path) -> None:
    table, report = tmp_path / "layers.csv", tmp_path / "report.json"
    assert verify("--layers-csv", table, "--json", report) == 0
    found: Report = json.loads(report.read_text())
    with table.open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert tuple(rows[0]) == COLUMNS
    assert {*COLUMNS} - {"number"} == found["layers"][0].keys() - {"cluster"}
    assert [row["name"] for row in rows] == [layer["name"] for layer in found["layers"]]
    assert rows[0]["out_shape"] == "x".join(map(str, found["layers"][0]["out_shape"]))
    assert rows[0]["cores"] == ""


def test_no_name_is_a_formula(tmp_path: Path) -> None:
    assert verify("--json", tmp_path / "report.json") == 0
    found: Report = json.loads((tmp_path / "report.json").read_text())
    found["layers"][0]["name"] = '=HYPERLINK("http://x","y")'
    found["layers"][1]["name"] = 'a,\n"b"'
    rows = [*csv.DictReader(layers_csv(found).decode().splitlines())]
    assert rows[0]["name"] == '\'=HYPERLINK("http://x","y")'
    assert rows[1]["name"] == visible(found["layers"][1]["name"])
