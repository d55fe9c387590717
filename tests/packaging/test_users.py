"""What programs of other people see of our types, as their checkers read it from installed packages.

`users/` are such programs.
"""

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import ROOT, listed

_USERS = Path(__file__).with_name("users")
# PyTorch is not everywhere.
_LIBRARIES = [folder for folder in listed("LIBRARIES") if folder != "frontends/torch"]


def _package(folder: str) -> str:
    return "tinsmith_" + folder.split("/")[-1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages in one folder, real files, as pip leaves them."""
    target = tmp_path_factory.mktemp("site")
    for folder in _LIBRARIES:
        source = ROOT / folder / _package(folder)
        for path in sorted(source.rglob("*")):
            if path.suffix == ".py" or path.name == "py.typed":
                copy = target / path.relative_to(source.parent)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
    return target


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs, and one that imports all public names."""
    target = tmp_path_factory.mktemp("users")
    for path in sorted(_USERS.glob("*.py")):
        shutil.copyfile(path, target / path.name)
    lines = [
        f"from {_package(folder)} import {name} as {_package(folder)}_{name}"
        for folder in _LIBRARIES
        for name in _public_names(ROOT / folder / _package(folder))
    ]
    assert len(lines) > 500
    (target / "all_names.py").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (target / "misspelt.py").write_text(_MISSPELT, encoding="utf-8")
    return target


# One of each library that loads its names when they are asked for.
_MISSPELT = """from tinsmith_allocation import AllocateBufers
from tinsmith_ir import Grahp
from tinsmith_onnx import import_onxn
from tinsmith_scheduling import ScheduleCals
"""


def _public_names(package: Path) -> list[str]:
    """As the package lists them, itself or in what it is made of."""
    names: list[str] = []
    for file in ("__init__.py", "public.py", "operators/__init__.py"):
        path = package / file
        is_part = file == "__init__.py" or package.name == "tinsmith_ir"
        if not is_part:
            continue
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            match statement:
                case (
                    ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                    | ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value)
                ):
                    names += ast.literal_eval(value)
                case _:
                    pass
    return names


def _environment(site: Path, *installed: str) -> dict[str, str]:
    """installed: one of each folder with packages. Under Bazel each is a link into the folder that pip filled."""
    folders = [str(site)]
    for name in installed:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        folders.append(str(Path(spec.origin).resolve().parents[1]))
    return os.environ | {"PYTHONPATH": os.pathsep.join(dict.fromkeys(folders))}


def test_pyright_accepts_users(site: Path, users: Path) -> None:
    (users / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}', encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable]
    result = subprocess.run(
        command,
        cwd=users,
        env=_environment(site, "numpy", "basedpyright"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.lstrip().startswith("{"), f"{result.stdout}{result.stderr}"
    findings = [
        (Path(finding["file"]).name, finding["range"]["start"]["line"] + 1, finding["message"])
        for finding in json.loads(result.stdout)["generalDiagnostics"]
    ]
    _check(findings)


def test_mypy_accepts_users(site: Path, users: Path, tmp_path: Path) -> None:
    files = sorted(path.name for path in users.glob("*.py"))
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", *files],
        cwd=users,
        env=_environment(site, "numpy", "mypy"),
        capture_output=True,
        text=True,
        check=False,
    )
    found = [line.split(":", 2) for line in result.stdout.splitlines() if ": error: " in line]
    assert found, f"{result.stdout}{result.stderr}"
    _check([(file, int(line), message) for file, line, message in found])


def _check(findings: list[tuple[str, int, str]]) -> None:
    """What is misspelt is found, on every line, and nothing else."""
    others = [finding for finding in findings if finding[0] != "misspelt.py"]
    assert not others
    assert {line for _, line, _ in findings} == set(range(1, _MISSPELT.count("\n") + 1))


@pytest.mark.parametrize("user", ["of_ir", "of_planning"])
def test_user_runs(user: str) -> None:
    result = subprocess.run(
        [sys.executable, str(_USERS / f"{user}.py")],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout
