"""The command: its exit statuses, what it prints, and files that are no plans."""

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from small_plans import Json, beside_the_core, sliding, two_calls, window
from tinsmith_plan_check import PlanFileError, read_plan
from tinsmith_plan_check.command import main


def written(path: Path, plan: Json) -> str:
    path.write_text(json.dumps(plan))
    return str(path)


def test_a_plan_that_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "plan.json", sliding())
    assert main([path]) == 0
    assert capsys.readouterr().out == (
        f"{path}: holds: m for host, 1 steps, 0 calls cut\n"
        "  arena 16 bytes of 16, optimal: no plan of these lives takes less than 16\n"
    )


def test_a_plan_that_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = two_calls()
    plan["buffers"][0]["offset"] = 4
    path = written(tmp_path / "plan.json", plan)
    good = written(tmp_path / "good.json", two_calls())
    assert main([path, good]) == 1
    said = capsys.readouterr()
    assert f"{path}: refused: overlap: step 0 (first)" in said.err
    assert f"{good}: holds" in said.out


def test_wrong_use_and_files_that_are_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([]) == 2
    assert main([str(tmp_path / "absent.json")]) == 2
    (tmp_path / "text").write_text("plan")
    assert main([str(tmp_path / "text")]) == 3
    (tmp_path / "bytes").write_bytes(b"\x1c\0\0\0TFL3\xff\xff")
    assert main([str(tmp_path / "bytes")]) == 3
    said = capsys.readouterr().err
    assert "no plan: expected JSON: Expecting value" in said
    assert "no plan: expected JSON: got bytes that are no text" in said


_BREAKS: list[tuple[Json, str]] = [
    ({"schema": "tinsmith.plan/2"}, "schema: expected 'tinsmith.plan/1'"),
    ({"buffers": {}}, "buffers: expected a list, got an object"),
    ({"more": 1}, "the member 'more' is unknown"),
    ({"target": None}, "target: expected a string, got null"),
    ({"model": {"name": "m"}}, "model: the member 'sha256' is missing"),
    ({"loops": [{"counter": "i", "first": -1, "length": 1, "count": 1}]}, "loops[0].first"),
    ({"walks": [{"written": [], "read": []}]}, "expected 1 to"),
    ({"walks": [{"written": [[0, 1, 1 << 30, 1]], "read": []}]}, "expected 1 to"),
]


@pytest.mark.parametrize(("change", "said"), _BREAKS)
def test_a_file_that_breaks_the_format(change: Json, said: str) -> None:
    with pytest.raises(PlanFileError) as caught:
        read_plan(json.dumps(two_calls() | change).encode())
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ['{"schema": 1, "schema": 2}', '{"gap": NaN}', "[" * 100_000])
def test_json_that_readers_differ_about(text: str) -> None:
    with pytest.raises(PlanFileError):
        read_plan(text.encode())


def test_the_schema_takes_what_the_reader_takes() -> None:
    schema = json.loads(files("tinsmith_plan_check").joinpath("plan.schema.json").read_text())
    for plan in (two_calls(), sliding(), window(), beside_the_core()):
        jsonschema.validate(plan, schema)
    changes: list[Json] = [{"more": 1}, {"target": None}, {"memories": [{}]}, {"buffers": {}}]
    for change in changes:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(two_calls() | change, schema)
