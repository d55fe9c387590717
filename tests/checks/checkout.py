"""Where the files of this repository are, under Bazel (its runfiles) and in a plain checkout."""

import ast
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Not ours, or not kept: external repositories in runfiles, Bazel's links, tools' caches.
_SKIPPED = {"external", "__pycache__", "node_modules"}


def files(*suffixes: str) -> Iterator[Path]:
    """Every file of the repository, relative to ROOT, that ends in one of `suffixes` (all without any)."""
    yield from _walk(ROOT, suffixes)


def copy_to(destination: Path, *suffixes: str) -> Path:
    """Copies files as real files: tools that follow Bazel's links would report paths outside the tree."""
    for path in files(*suffixes):
        target = destination / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)
        if os.access(ROOT / path, os.X_OK):
            target.chmod(0o755)
    return destination


def listed(name: str, file: str = "packages.bzl") -> list[str]:
    """A list, or the keys of a dict, that a .bzl file assigns to `name`."""
    module = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    for statement in module.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name:
            return [str(entry) for entry in ast.literal_eval(statement.value)]
    raise AssertionError(f"{file} assigns no {name}")


def _walk(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            hidden = path.name.startswith(".") and path.name != ".ci"
            if not (hidden or path.name.startswith("bazel-") or path.name in _SKIPPED):
                yield from _walk(path, suffixes)
        elif path.name == ".git" or _is_start_script(path):
            continue
        elif not suffixes or path.name.endswith(suffixes):
            yield path.relative_to(ROOT)


def _is_start_script(path: Path) -> bool:
    """What Bazel writes beside a test's sources to start it."""
    return not path.suffix and path.with_suffix(".py").exists()
