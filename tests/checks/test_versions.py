"""Versions, changelogs and what libraries ask of one another say the same; docs/releases.md is the policy."""

import ast
import datetime
import re
import tomllib
from functools import cache
from typing import NamedTuple

import pytest
from checkout import ROOT, files, listed

_LIBRARIES = listed("LIBRARIES")
_PROJECTS = [*_LIBRARIES, *listed("DISTRIBUTIONS")]
_CHANGELOGS = [str(path.parent) for path in files("CHANGELOG.md")]

_HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
_RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d)")
_SIBLING = re.compile(r"(tinsmith-[a-z-]+)(?:\[[a-z,]+\])?(.*)")
_BOUNDS = re.compile(r">=(\d+(?:\.\d+)*),<(\d+(?:\.\d+)*)")

_Version = tuple[int, ...]


class _Project(NamedTuple):
    name: str
    version: str
    siblings: list[tuple[str, str]]  # and what versions of each


@cache
def _project(folder: str) -> _Project:
    text = (ROOT / folder / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    requirements: list[str] = [*project.get("dependencies", [])]
    for extra in project.get("optional-dependencies", {}).values():
        requirements += extra
    found = [match for text in requirements if (match := _SIBLING.fullmatch(text))]
    return _Project(project["name"], project["version"], [(match[1], match[2]) for match in found])


def _version(text: str) -> _Version:
    """Of as many parts as comparisons need: 0.1 is 0.1.0."""
    parts = [int(part) for part in text.split(".")]
    return tuple([*parts, 0, 0][:3])


def _releases(folder: str) -> list[tuple[str, datetime.date]]:
    """Version and day of each release that a changelog has, in the order written."""
    first, *others = _HEADING.findall((ROOT / folder / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert first == "Unreleased", (
        f"{folder}/CHANGELOG.md: expected '## Unreleased' first, got '## {first}'"
    )
    found: list[tuple[str, datetime.date]] = []
    for heading in others:
        match = _RELEASE.fullmatch(heading)
        assert match, (
            f"{folder}/CHANGELOG.md: expected '## 0.1.0 - YEAR-MONTH-DAY', got '## {heading}'"
        )
        version, _, day = heading.partition(" - ")
        found.append((version, datetime.date.fromisoformat(day)))
    return found


@pytest.mark.parametrize("folder", _CHANGELOGS)
def test_changelog_has_releases_from_new_to_old(folder: str) -> None:
    releases = [(_version(version), day) for version, day in _releases(folder)]
    assert releases
    assert len({version for version, _ in releases}) == len(releases)
    assert [version for version, _ in releases] == sorted((v for v, _ in releases), reverse=True)
    assert [day for _, day in releases] == sorted((day for _, day in releases), reverse=True)


@pytest.mark.parametrize("folder", _PROJECTS)
def test_version_is_that_of_the_newest_release(folder: str) -> None:
    assert _releases(folder)[0][0] == _project(folder).version


def test_kernels_have_the_version_of_the_module() -> None:
    """Kernels are no package of their own."""
    version = _project("driver").version
    others = [folder for folder in _CHANGELOGS if folder not in _PROJECTS]
    assert others
    newer = [folder for folder in others if _version(_releases(folder)[0][0]) > _version(version)]
    assert not newer, f"of a release after {version}"


@pytest.mark.parametrize("folder", _LIBRARIES)
def test_siblings_are_asked_for_in_versions_that_are_there(folder: str) -> None:
    versions = {_project(name).name: _project(name).version for name in _LIBRARIES}
    for sibling, wanted in _project(folder).siblings:
        bounds = _BOUNDS.fullmatch(wanted)
        assert bounds, f"{sibling}: expected bounds as >=0.1,<0.2, got '{wanted}'"
        lower, version, upper = map(_version, (bounds[1], versions[sibling], bounds[2]))
        assert lower <= version < upper, f"{sibling}{wanted}, but it has {versions[sibling]}"
        assert upper == _next_minor(version), (
            f"{sibling}{wanted}: a MINOR may change what is public"
        )


def _next_minor(version: _Version) -> _Version:
    return version[0], version[1] + 1, 0


def test_generated_c_has_the_version_of_the_command() -> None:
    """What the C writer says that it is, where nobody tells it another version."""
    tree = ast.parse((ROOT / "backends/c/tinsmith_c/options.py").read_text(encoding="utf-8"))
    fields = {
        ast.unparse(node.target): node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and node.value is not None
    }
    assert ast.literal_eval(fields["tool_version"]) == _project("driver").version


@pytest.mark.parametrize("folder", listed("DISTRIBUTIONS"))
def test_distribution_pins_every_library(folder: str) -> None:
    pinned = _project(folder).siblings
    expected = sorted((_project(name).name, f"=={_project(name).version}") for name in _LIBRARIES)
    assert sorted(pinned) == expected
