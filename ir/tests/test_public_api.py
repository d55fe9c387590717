"""What a user may import is listed and documented."""

import ast
import dataclasses
import inspect
import os
import pkgutil
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import tinsmith_ir
from tinsmith_ir import OPERATORS, Operator
from tinsmith_ir.operators.base import Operand

_PACKAGE = Path(tinsmith_ir.__path__[0])


@pytest.mark.parametrize("name", tinsmith_ir.__all__)
def test_public_names_exist_and_are_documented(name: str) -> None:
    found: object = getattr(tinsmith_ir, name)
    if inspect.isclass(found) or inspect.isfunction(found):
        documented = found.__doc__
        assert documented
        assert not documented.startswith(f"{name}(")  # what dataclass writes by itself


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))
def test_operators_are_complete_declarations(operator: type[Operator]) -> None:
    assert dataclasses.is_dataclass(operator)
    assert operator.__doc__
    assert all(isinstance(operand, Operand) for operand in operator.operands)
    for method in ("infer", "verify", "evaluate"):
        assert getattr(operator, method) is not getattr(Operator, method)
    assert all(
        field.default is not dataclasses.MISSING for field in dataclasses.fields(operator)
    ), "every attribute has a default"


def test_public_names_are_no_modules() -> None:
    """A module takes the place of the name as soon as it is imported."""
    modules = {module.name for module in pkgutil.iter_modules(tinsmith_ir.__path__)}
    assert "public" in modules
    assert modules.isdisjoint(tinsmith_ir.__all__)


def test_a_name_that_is_not_public_is_absent() -> None:
    assert "Graph" in dir(tinsmith_ir)
    assert not hasattr(tinsmith_ir, "evaluate_everything")
    assert not hasattr(tinsmith_ir, "TYPE_CHECKERS")


def _run(program: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_errors_and_checks_are_there_without_the_rest() -> None:
    loaded = _run(
        "import sys, tinsmith_ir.checked, tinsmith_ir.errors, tinsmith_ir.escape\n"
        "print(*sorted(name for name in sys.modules if name.startswith('tinsmith_')))\n"
    )
    expected = ["tinsmith_ir", "tinsmith_ir.checked", "tinsmith_ir.errors", "tinsmith_ir.escape"]
    assert loaded.split() == expected


def test_whichever_module_is_imported_first_brings_what_it_needs() -> None:
    """Where no module needs itself, any order of imports will do. A folder of modules counts as one."""
    needs: dict[str, set[str]] = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        module = path.relative_to(_PACKAGE).parts[0].removesuffix(".py")
        needs.setdefault(module, set()).update(_imported(path) - {module})
    assert needs["operators"] > {"checked", "errors"}
    order = list(TopologicalSorter(needs).static_order())
    assert order.index("errors") < order.index("operators") < order.index("public")


def _imported(path: Path) -> set[str]:
    """Modules of this library that one imports as it is imported itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [str(node.module) for node in tree.body if isinstance(node, ast.ImportFrom)]
    names += [
        alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names
    ]
    return {name.split(".")[1] for name in names if name.startswith("tinsmith_ir.")}
