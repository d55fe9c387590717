"""Where there is no PyTorch, which the library imports, each file of tests is one skipped test that says so.

Where there is no torchao, that of torchao is.
"""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

_PACKAGES = {"test_torchao": "torchao"}
"""What a file of tests needs beside PyTorch."""


class _Skipped(pytest.Item):
    def runtest(self) -> None:
        pytest.skip(
            f"{_missing(self.path) or ''} is absent; third_party/README.md says how to have it"
        )


class _SkippedFile(pytest.Module):
    """Never imported. A file that is skipped as a whole has no tests, which Bazel's tests may not be."""

    def collect(self) -> Iterator[pytest.Item]:
        # pytest leaves the types of keywords open.
        yield _Skipped.from_parent(self, name=self.path.stem)  # pyright: ignore[reportUnknownMemberType]


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    if _missing(module_path) is None:
        return None
    return _SkippedFile.from_parent(parent, path=module_path)  # pyright: ignore[reportUnknownMemberType]


def _missing(path: Path) -> str | None:
    """The package that a file of tests needs and that is absent."""
    if not _is_there("torch"):
        return "PyTorch"
    package = _PACKAGES.get(path.stem)
    return None if package is None or _is_there(package) else package


def _is_there(package: str) -> bool:
    """A folder named so, such as that of this library, is a module without a file."""
    found = importlib.util.find_spec(package)
    return found is not None and found.origin is not None
