"""ruff over every Python file: its rules and its formatting, as set in the root pyproject.toml."""

import subprocess
import sys
from pathlib import Path

import pytest
from checkout import copy_to


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_to(tmp_path_factory.mktemp("lint"), ".py", ".pyi", "pyproject.toml")


def ruff(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ruff", *arguments, "--no-cache", "."],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )


def test_ruff_finds_nothing(tree: Path) -> None:
    result = ruff(tree, "check", "--output-format=concise")
    if result.returncode != 0:
        pytest.fail(f"{result.stdout}{result.stderr}", pytrace=False)


def test_python_is_formatted(tree: Path) -> None:
    result = ruff(tree, "format", "--check")
    if result.returncode != 0:
        wrong = [line for line in result.stdout.splitlines() if "-->" in line]
        pytest.fail("\n".join(["run `ruff format`", *wrong, result.stderr]), pytrace=False)
