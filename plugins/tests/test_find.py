"""Plug-ins are found where packages announce them, and by name; what is wrong is said."""

import itertools
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tinsmith_ir import UsageError
from tinsmith_plugins import find_plugins, load_plugin

MODULE = """from tinsmith_plugins import Plugin
PLUGIN = Plugin("theirs")
NUMBER = 3
"""
_NUMBERS = itertools.count()
Package = Callable[[str, str], Path]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """Puts a module on the path, in a folder whose other files are the caller's."""

    def write(name: str, text: str) -> Path:
        (tmp_path / f"{name}.py").write_text(text)
        return tmp_path

    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return write


def announced(name: str) -> list[str]:
    return [found.origin for found in find_plugins() if found.plugin.name == name]


def test_an_installed_package_announces_by_its_entry_points(package: Package) -> None:
    info = package("installed_plugin", MODULE) / "some_package-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-package\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[tinsmith.plugins]\nsome = installed_plugin:PLUGIN\n")
    assert announced("theirs") == ["installed_plugin:PLUGIN"]


def test_a_source_package_announces_by_its_pyproject(package: Package) -> None:
    folder = package("source_plugin", MODULE)
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[project.entry-points."tinsmith.plugins"]\nx = "source_plugin:PLUGIN"\n'
    )
    assert announced("theirs") == ["source_plugin:PLUGIN"]


def test_other_pyprojects_announce_nothing(package: Package) -> None:
    folder = package("other_plugin", MODULE)
    for text in ("[tool.ruff]\n", "no toml, tinsmith.plugins aside"[:7], 'project = "tinsmith'):
        (folder / "pyproject.toml").write_text(text)
        assert announced("theirs") == []


def test_a_broken_pyproject_that_speaks_of_plug_ins_is_named(package: Package) -> None:
    path = package("broken_plugin", MODULE) / "pyproject.toml"
    path.write_text("tinsmith.plugins =")
    with pytest.raises(UsageError, match=f"{path}: Invalid value"):
        find_plugins()


@pytest.mark.parametrize(
    ("origin", "message"),
    [
        ("named_plugin", "plug-in 'named_plugin': expected MODULE:OBJECT, as in"),
        ("named plugin:PLUGIN", "expected MODULE:OBJECT"),
        ("named_plugin:", "expected MODULE:OBJECT"),
        ("lost_plugin:PLUGIN", "there is no module 'lost_plugin': install its package, or add"),
        ("lost.deep:PLUGIN", "there is no module 'lost'"),
        ("named_plugin:LOST", "module 'named_plugin' has no 'LOST'; its plug-ins: PLUGIN"),
        ("named_plugin:NUMBER", "expected a tinsmith_plugins.Plugin, got int 3"),
    ],
)
def test_what_is_no_plug_in_is_refused(package: Package, origin: str, message: str) -> None:
    package("named_plugin", MODULE)
    with pytest.raises(UsageError, match=message):
        load_plugin(origin)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import lost_library", "importing .* failed: No module named 'lost_library'"),
        ("1 / 0", "importing .* failed: ZeroDivisionError: division by zero"),
        ("def", "importing .* failed: SyntaxError: "),
        (
            "from tinsmith_plugins import Plugin\nPLUGIN = Plugin('x', engines=())",
            "importing .* failed: TypeError: .*unexpected keyword argument 'engines'",
        ),
        (
            "from tinsmith_plugins import Plugin\nPLUGIN = Plugin('x', passes=[])",
            "Plugin: expected passes to be tuple",
        ),
        (
            "from tinsmith_ir.operators import Operator\n"
            "class Mine(Operator):\n    mnemonic = 'add'\n",
            "expected a mnemonic of its own for .*Mine, got 'add', which .*elementwise.Add has",
        ),
    ],
)
def test_a_plug_in_that_fails_is_named(package: Package, text: str, message: str) -> None:
    name = f"failing_plugin{next(_NUMBERS)}"  # modules are imported once
    package(name, text)
    with pytest.raises(UsageError, match=f"plug-in '{name}:PLUGIN', announced by us: {message}"):
        load_plugin(f"{name}:PLUGIN", "us")
