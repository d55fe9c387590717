"""pyright in strict mode over every Python file, tests included.

basedpyright is pyright with its JavaScript and Node.js inside wheels, so nothing is fetched here.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import copy_to

_SHOWN = 200


def test_types_are_complete_and_right(tmp_path: Path) -> None:
    tree = copy_to(tmp_path, ".py", ".pyi", "py.typed", "pyproject.toml")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(_third_party_folders()))
    result = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.lstrip().startswith("{"), f"{result.stdout}{result.stderr}"
    report = json.loads(result.stdout)
    findings = [_line(tree, finding) for finding in report["generalDiagnostics"]]
    assert report["summary"]["filesAnalyzed"] > 0
    if findings:
        pytest.fail("\n".join([f"{len(findings)} findings", *findings[:_SHOWN]]), pytrace=False)
    assert result.returncode == 0, result.stderr


def _third_party_folders() -> list[str]:
    """Where installed packages lie; under Bazel each is a link into the folder that pip filled."""
    folders: list[str] = []
    for name in ("numpy", "basedpyright", "buildgrid"):
        module = __import__(name)
        assert module.__file__ is not None
        folders.append(str(Path(module.__file__).resolve().parents[1]))
    return folders


def _line(tree: Path, finding: dict[str, object]) -> str:
    file = Path(str(finding["file"]))
    position = json.loads(json.dumps(finding))["range"]["start"]["line"] + 1
    shown = file.relative_to(tree.resolve()) if file.is_relative_to(tree.resolve()) else file
    return f"{shown}:{position}: {finding['message']} ({finding.get('rule', finding['severity'])})"
