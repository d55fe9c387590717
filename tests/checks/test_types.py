"""pyright in strict mode over every Python file, tests included.

basedpyright is pyright with its JavaScript and Node.js inside wheels, so nothing is fetched here.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import copy_to

_SHOWN = 200

# What imports PyTorch, which is not everywhere.
_WITH_TORCH = (
    "frontends/torch",
    "passes/quantization/tests/test_torch_qat.py",
    "passes/quantization/tinsmith_quantization/torch_qat.py",
    "passes/quantization/tinsmith_quantization/torch_ranges.py",
    "passes/quantization/tinsmith_quantization/torch_rounding.py",
    "tests/three_sides",
)


def test_types_are_complete_and_right(tmp_path: Path) -> None:
    tree = _tree(tmp_path)
    for name in _WITH_TORCH:
        path = tree / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    _check(tree, ["numpy", "basedpyright", "buildgrid"])


def test_types_with_torch_are_complete_and_right(tmp_path: Path) -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is absent")
    _check(_tree(tmp_path), ["numpy", "basedpyright", "torch"], *_WITH_TORCH)


def _tree(folder: Path) -> Path:
    return copy_to(folder, ".py", ".pyi", "py.typed", "pyproject.toml")


def _check(tree: Path, installed: list[str], *folders: str) -> None:
    """folders: those to look at, all without any. installed: one package of each place that has some."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(_third_party_folders(installed)))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath"]
    result = subprocess.run(
        [*command, sys.executable, *folders],
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


def _third_party_folders(installed: list[str]) -> list[str]:
    """Where installed packages lie; under Bazel each is a link into the folder that pip filled."""
    folders: list[str] = []
    for name in installed:
        module = __import__(name)
        assert module.__file__ is not None
        folders.append(str(Path(module.__file__).resolve().parents[1]))
    return folders


def _line(tree: Path, finding: dict[str, object]) -> str:
    file = Path(str(finding["file"]))
    position = json.loads(json.dumps(finding))["range"]["start"]["line"] + 1
    shown = file.relative_to(tree.resolve()) if file.is_relative_to(tree.resolve()) else file
    return f"{shown}:{position}: {finding['message']} ({finding.get('rule', finding['severity'])})"
