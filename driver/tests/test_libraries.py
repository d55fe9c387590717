"""The benchmark of libraries, each alone in an environment of its own."""

import importlib.util
from pathlib import Path

import pytest
from tinsmith_driver.api_pages import packages
from tinsmith_driver.benchmarks.libraries import Tools, Wheels, run
from tinsmith_ir import UsageError


def _wheels(place: Path) -> Wheels:
    return Wheels({package.name: package.parent for package in packages()}, place, Tools(place, {}))


def _need_tools() -> None:
    for name in ("hatchling", "pip"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is absent")


def test_a_tool_that_is_not_here_is_installed_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if importlib.util.find_spec("pip") is None:
        pytest.skip("pip is absent")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(UsageError, match=r"absent_tool==1\.2, not installed here, cannot be had"):
        Tools(tmp_path / "tools", {"absent_tool": "1.2"}).run("absent_tool", [], tmp_path)


def test_a_library_needs_what_it_asks_for_and_no_extra(tmp_path: Path) -> None:
    wheels = _wheels(tmp_path)
    assert wheels.needed("tinsmith_allocation") == ({"tinsmith_allocation"}, set())
    ours, others = wheels.needed("tinsmith_allocation", ["program"])
    assert ours == {
        "tinsmith_allocation",
        "tinsmith_ir",
        "tinsmith_lowering",
        "tinsmith_plugins",
        "tinsmith_target",
    }
    assert others == {"numpy>=1.26"}


def test_extras_of_siblings_are_needed(tmp_path: Path) -> None:
    _, others = _wheels(tmp_path).needed("tinsmith_driver")
    assert {requirement.partition(">")[0] for requirement in others} >= {"ortools", "onnx"}
    assert not {requirement for requirement in others if requirement.startswith("torch")}


def test_a_library_that_needs_nothing_passes_alone() -> None:
    _need_tools()
    result = run("tinsmith_plan_check", None)
    (row,) = result.rows
    assert (row["verdict"], row["beside"], row["reason"]) == ("PASS", (), "")
    assert (row["pyright"], row["mypy"]) == ("ok", "ok")
    assert not result.failures
    assert "tinsmith_plan_check  PASS" in result.text


def test_an_example_that_fails_is_a_failure_with_its_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _need_tools()
    package = tmp_path / "tinsmith_broken"
    package.mkdir()
    (package / "__init__.py").write_text('"""Broken."""\n__all__ = []\n', encoding="utf-8")
    (package / "py.typed").write_text("", encoding="utf-8")
    readme = "```python\nimport tinsmith_broken\ntinsmith_broken.absent\n```\n"
    (tmp_path / "README.md").write_text(readme, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "tinsmith-broken"\nversion = "0.1.0"\n',
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))  # pyright: ignore[reportUnknownMemberType]
    result = run("tinsmith_broken", None)
    (failure,) = result.failures
    assert failure.startswith("tinsmith_broken: AttributeError")
    assert result.rows[0]["verdict"] == "FAIL"


@pytest.mark.parametrize(
    ("models", "targets", "message"),
    [
        ("tinsmith_nothing", None, "unknown library 'tinsmith_nothing': expected some of"),
        (None, "host", "libraries have no targets"),
    ],
)
def test_wrong_use_is_refused(models: str | None, targets: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(models, targets)
