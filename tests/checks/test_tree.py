"""packages.bzl names every folder there is: a file that no check looks at would rot unseen.

Never cached: it looks at the checkout itself, through the link to WORKSPACE.
"""

import tomllib
from pathlib import Path

from checkout import ROOT, listed

CHECKOUT = (ROOT / "WORKSPACE").resolve().parent


def _folders_with(file: str) -> set[str]:
    skipped = ("third_party/bazel", ".")
    folders = {
        path.parent.relative_to(CHECKOUT).as_posix()
        for top in CHECKOUT.iterdir()
        if top.is_dir() and not top.name.startswith((".", "bazel-"))
        for path in top.rglob(file)
    }
    return {folder for folder in folders if not folder.startswith(skipped)}


def test_every_package_is_listed() -> None:
    assert _folders_with("BUILD") == set(listed("LIBRARIES")) | set(listed("OTHERS"))


def test_every_library_is_listed() -> None:
    assert _folders_with("pyproject.toml") == set(listed("LIBRARIES"))


def test_type_checker_finds_every_library() -> None:
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    paths: list[str] = settings["tool"]["basedpyright"]["extraPaths"]
    missing = set(listed("LIBRARIES")) - set(paths)
    assert not missing, f"add to [tool.basedpyright] extraPaths: {sorted(missing)}"


def test_every_python_file_is_in_a_package() -> None:
    packages = [Path(folder) for folder in _folders_with("BUILD")]
    for top in CHECKOUT.iterdir():
        if top.is_dir() and not top.name.startswith((".", "bazel-")):
            for path in top.rglob("*.py"):
                relative = path.relative_to(CHECKOUT)
                assert any(package in relative.parents for package in packages), relative
