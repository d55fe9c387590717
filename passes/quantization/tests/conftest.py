"""Where there is no PyTorch, the file of tests that needs it is one skipped test that says so."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

_WITH_TORCH = frozenset({"test_torch_qat"})


class _Skipped(pytest.Item):
    def runtest(self) -> None:
        pytest.skip("PyTorch is absent; third_party/README.md says how to have it")


class _SkippedFile(pytest.Module):
    """Never imported. A file that is skipped as a whole has no tests, which Bazel's tests may not be."""

    def collect(self) -> Iterator[pytest.Item]:
        # pytest leaves the types of keywords open.
        yield _Skipped.from_parent(self, name=self.path.stem)  # pyright: ignore[reportUnknownMemberType]


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    if module_path.stem not in _WITH_TORCH or _has_torch():
        return None
    return _SkippedFile.from_parent(parent, path=module_path)  # pyright: ignore[reportUnknownMemberType]


def _has_torch() -> bool:
    """A folder named so, such as that of a library, is a module without a file."""
    found = importlib.util.find_spec("torch")
    return found is not None and found.origin is not None
