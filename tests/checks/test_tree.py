"""packages.bzl names every folder there is: a file that no check looks at would rot unseen."""

import re
import tomllib
from pathlib import Path, PurePosixPath

from checkout import ROOT, listed
from listing import listing

_LISTING = Path(__file__).with_name(
    "listing.txt"
)  # made by Bazel, whose runfiles hold what packages have

# Workspaces of their own.
_OTHER_TREES = (
    "examples/firmware",
    "examples/out_of_tree",
    "third_party/bazel/modules",
    "third_party/bazel/remote_coverage_tools",
    "third_party/bazel/rules_",
)


def _files(pattern: str) -> list[PurePosixPath]:
    lines = (
        _LISTING.read_text(encoding="utf-8").splitlines() if _LISTING.exists() else listing(ROOT)
    )
    paths = [PurePosixPath(line) for line in lines if not line.startswith(_OTHER_TREES)]
    return [path for path in paths if path.match(pattern)]


def _folders_with(file: str) -> set[str]:
    return {str(path.parent) for path in _files(file)} - {"."}


def test_every_package_is_listed() -> None:
    assert _folders_with("BUILD") == {
        *listed("LIBRARIES"),
        *listed("DISTRIBUTIONS"),
        *listed("OTHERS"),
    }


def test_every_library_is_listed() -> None:
    assert _folders_with("pyproject.toml") == {
        *listed("LIBRARIES"),
        *listed("DISTRIBUTIONS"),
    }


def test_type_checker_finds_every_library() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    paths: list[str] = settings["tool"]["basedpyright"]["extraPaths"]
    missing = set(listed("LIBRARIES")) - set(paths)
    assert not missing, f"add to [tool.basedpyright] extraPaths: {sorted(missing)}"


def test_every_test_is_in_a_target() -> None:
    """By its name in the BUILD file of its package, or by a pattern there."""
    packages = {PurePosixPath(folder) for folder in _folders_with("BUILD")}
    alone: list[str] = []
    for path in _files("test_*.py"):
        package = next(folder for folder in path.parents if folder in packages)
        build = (ROOT / package / "BUILD").read_text(encoding="utf-8")
        pattern = re.escape(str(path.parent.relative_to(package) / "test_*.py"))
        others = re.sub(r"exclude = \[[^\]]*\]", "", build)
        is_excluded = _is_named(path, build) and not _is_named(path, others)
        has_pattern = re.search(rf'glob\(\s*\["{pattern}"', build) and not is_excluded
        if not has_pattern and not _is_named(path, others):
            alone.append(str(path))
    assert not alone, f"name them in a target of their package: {alone}"


def _is_named(path: PurePosixPath, build: str) -> bool:
    return re.search(rf"\b{path.stem}\b", build) is not None


def test_every_python_file_is_in_a_package() -> None:
    packages = {PurePosixPath(folder) for folder in _folders_with("BUILD")}
    alone = [
        path for path in _files("*.py") if len(path.parts) > 1 and packages.isdisjoint(path.parents)
    ]
    assert not alone
