"""`tinsmith diff`: what of two reports differs, on reports of the digits that are compiled, and changed by hand."""

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest
from page_rules import problems
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.differing import Figure, difference
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.report import json_bytes, report, schema
from tinsmith_driver.report_reading import violations
from tinsmith_driver.report_types import Report, Run

RUN: Run = {
    "inputs": 4,
    "groups": [{"name": "", "samples": 4, "right": 3, "mismatches": 0, "file_mismatches": None}],
    "accuracy": {"right": 3, "labelled": 4},
    "bit_exact": True,
    "layer_samples": 2,
    "layers_equal": True,
    "mismatches": 0,
    "max_abs_diff": 0.0,
    "file_float_share": None,
    "float_tolerance": None,
    "instructions": 1000,
    "cycles": None,
    "cycles_source": "none",
    "cluster": None,
}


GONE = object()


@pytest.fixture(scope="module")
def digits() -> Report:
    model = read_model(find_example().model)
    found = report(compile_model(model, CompileOptions("cortex-m4")))
    found["run"] = RUN
    for number, layer in enumerate(found["layers"]):
        layer["instructions"] = 100 + number
    return found


def edited(before: Report, changes: Mapping[str, object]) -> dict[str, Any]:
    """With other values at places such as `layers.0.name`; GONE takes one away."""
    after = cast(dict[str, Any], copy.deepcopy(before))
    for place, value in changes.items():
        *path, last = place.split(".")
        inner: Any = after
        for name in path:
            inner = inner[int(name)] if name.isdigit() else inner[name]
        if value is GONE:
            del inner[last]
        else:
            inner[last] = value
    return after


def changed(before: Report, changes: Mapping[str, object]) -> Report:
    after = edited(before, changes)
    jsonschema.validate(after, schema())
    return cast(Report, after)


def diff(folder: Path, before: object, after: object, *options: str | Path) -> int:
    for name, content in (("before.json", before), ("after.json", after)):
        (folder / name).write_bytes(json_bytes(cast(Report, content)))
    return main(
        ["diff", str(folder / "before.json"), str(folder / "after.json"), *map(str, options)]
    )


def test_a_report_is_the_same_as_itself(
    digits: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diff(tmp_path, digits, digits, "--fail-on-regression") == 0
    said = capsys.readouterr().out
    assert said.startswith("digits_int8 on cortex-m4\n\nfigure")
    assert said.endswith(f"0 of {len(digits['layers'])} layers changed; worse: nothing\n")


@pytest.mark.parametrize(
    ("changes", "worse"),
    [
        ({"ram.arena": 9999}, ["  arena"]),
        ({"ram.arena": 1}, []),
        ({"run.instructions": 1001}, ["instructions"]),
        ({"run.instructions": None}, ["instructions"]),
        ({"run.accuracy.right": 2}, ["right answers"]),
        ({"run.accuracy.right": 4}, []),
        ({"run.bit_exact": False, "run.mismatches": 3}, ["bytes that differ"]),
        ({"run.bit_exact": False, "run.layers_equal": False}, ["layers that are wrong"]),
        ({"run.layers_equal": None, "run.layer_samples": 0}, ["layers that are wrong"]),
        ({"ram.stack": 5, "ram.data_bss": 7}, []),
        (
            {"run": GONE},
            ["instructions", "right answers", "bytes that differ", "layers that are wrong"],
        ),
    ],
)
def test_what_is_worse_is_the_answer(
    changes: Mapping[str, object], worse: list[str], digits: Report, tmp_path: Path
) -> None:
    after = changed(digits, changes)
    assert [figure.title for figure in difference(digits, after).worse(0.0)] == worse
    assert diff(tmp_path, digits, after) == 0
    assert diff(tmp_path, digits, after, "--fail-on-regression") == bool(worse)


def test_a_tolerance_is_a_share_of_what_was_before() -> None:
    assert Figure("x", 100, 101, "lower").answer(0.01) == "same"
    assert Figure("x", 100, 102, "lower").answer(0.01) == "worse"
    assert Figure("x", 100, 99, "lower").answer(0.01) == "better"
    assert Figure("x", 0, 1, "lower").answer(0.5) == "worse"
    assert Figure("x", 0.8, 0.7, "higher").answer(0.0) == "worse"
    assert Figure("x", None, 5, "lower").answer(0.0) == ""
    assert Figure("x", 5, 6).answer(0.0) == ""


def test_shares_change_by_points(
    digits: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diff(tmp_path, digits, changed(digits, {"run.accuracy.right": 2})) == 0
    (line,) = [
        line for line in capsys.readouterr().out.split("\n") if line.startswith("right answers")
    ]
    assert line.split() == ["right", "answers", "75.00%", "50.00%", "-25.00", "points", "worse"]


def test_layers_are_matched_by_their_names(
    digits: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after = changed(
        digits,
        {
            "layers.0.kernel": "another_kernel",
            "layers.0.instructions": 90,
            "layers.1.name": "renamed",
            "layers.2.in_offset": 4,  # where it lies is no difference of the layer
        },
    )
    found = difference(digits, after)
    kernel = digits["layers"][0]["kernel"]
    assert [(row.name, row.what) for row in found.layers] == [
        (digits["layers"][0]["name"], f"{kernel} → another_kernel, instructions"),
        (digits["layers"][1]["name"], "gone"),
        ("renamed", "new"),
    ]
    page = tmp_path / "diff.html"
    assert diff(tmp_path, digits, after, "--html", page) == 0
    said = capsys.readouterr().out
    assert f"3 of {len(digits['layers']) + 1} layers changed" in said
    text = page.read_text(encoding="utf-8")
    assert problems(text) == []
    assert "another_kernel" in text
    assert "renamed" in text


def test_other_networks_and_targets_are_named(
    digits: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after = changed(digits, {"model.sha256": "0" * 64, "target.name": "x\ny"})
    assert diff(tmp_path, digits, after) == 0
    said = capsys.readouterr().out
    assert f"networks differ: {digits['model']['sha256'][:12]}, 000000000000\n" in said
    assert "targets differ: cortex-m4, x\\x0ay\n" in said


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"schema": "tinsmith.report/2"},
            'expected schema "tinsmith.report/3", got "tinsmith.report/2"',
        ),
        ({"schema": "tinsmith.check/1"}, 'got "tinsmith.check/1"'),
        ([], "got none"),
        ({"schema": "tinsmith.report/3"}, "report.tinsmith: expected a value, got none"),
    ],
)
def test_what_is_no_report_of_this_version_is_refused(
    content: object,
    message: str,
    digits: Report,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = tmp_path / "page.html"
    assert diff(tmp_path, digits, content, "--html", page) == 3
    captured = capsys.readouterr()
    assert message in captured.err
    assert "after.json" in captured.err
    assert not page.exists()


def test_files_that_are_no_json_or_not_there(
    digits: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diff(tmp_path, digits, digits, "--html", tmp_path / "after.json") == 2
    (tmp_path / "after.json").write_bytes(b"\xff{")
    files = [str(tmp_path / "before.json"), str(tmp_path / "after.json")]
    assert main(["diff", *files]) == 3
    assert "got bytes that are no text" in capsys.readouterr().err
    (tmp_path / "after.json").write_bytes((tmp_path / "before.json").read_bytes()[:500])
    assert main(["diff", *files]) == 3
    assert "got text that is none from line" in capsys.readouterr().err
    assert main(["diff", files[0], str(tmp_path / "absent.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main(["diff", files[0], str(tmp_path)]) == 2
    assert "got a folder" in capsys.readouterr().err


def test_the_schema_is_held_as_a_validator_of_others_holds_it(digits: Report) -> None:
    rules = cast(dict[str, Any], schema())
    definitions = rules["$defs"]
    broken: list[tuple[str, object]] = [
        ("ram.arena", -1),
        ("ram.arena", True),
        ("ram.arena", "1"),
        ("ram.arena_status", "best"),
        ("model.sha256", "0"),
        ("model.macs", GONE),
        ("layers.3.more", 1),
        ("layers.3.in_shape", [1, None]),
        ("buffers.1.kind", "other"),
        ("buffers.1.size", 0),
        ("run.accuracy", {"right": 1}),
        ("ram.memories.0.gap", 2),
        ("placement", []),
    ]
    assert [*violations(digits, definitions["report"], definitions)] == []
    for place, value in broken:
        wrong = edited(digits, {place: value})
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, rules)
        assert [*violations(wrong, definitions["report"], definitions)]
    known = {
        "$ref",
        "anyOf",
        "oneOf",
        "type",
        "const",
        "enum",
        "minimum",
        "maximum",
        "pattern",
        "items",
    }
    known |= {"properties", "required", "additionalProperties", "description"}
    assert {word for rule in _rules(definitions) for word in rule} <= known


def _rules(definitions: Any) -> list[dict[str, Any]]:
    """All rules below those of that mapping."""
    found: list[dict[str, Any]] = []
    open_rules = [*definitions.values()]
    while open_rules:
        rule = open_rules.pop()
        found.append(rule)
        open_rules += [*rule.get("properties", {}).values(), *rule.get("anyOf", [])]
        open_rules += [
            rule[key]
            for key in ("items", "additionalProperties")
            if isinstance(rule.get(key), dict)
        ]
    return found
