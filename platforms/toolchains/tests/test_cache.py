"""The cache creates once, replaces atomically, and keeps nothing of failures."""

import errno
import os
import tempfile
from pathlib import Path

import pytest
from tinsmith_toolchains import Cache, UnwritableCacheError, content_key, default_cache_directory


def test_file_is_created_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    calls: list[Path] = []

    def create(path: Path) -> None:
        calls.append(path)
        path.write_text("made")

    first = cache.get_or_create("a/b.o", create)
    second = cache.get_or_create("a/b.o", create)

    assert first == second == tmp_path / "a" / "b.o"
    assert first.read_text() == "made"
    assert len(calls) == 1
    assert calls[0].suffix == ".o"


def test_failure_leaves_nothing(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        path.write_text("half")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        Cache(tmp_path).get_or_create("x", fail)

    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_names_the_cache_and_the_way_out(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    with pytest.raises(UnwritableCacheError, match=rf"{tmp_path}: .*No space.*TINSMITH_CACHE_DIR"):
        Cache(tmp_path).get_or_create("x", fail)


def test_keys_depend_on_the_borders_between_parts() -> None:
    assert content_key(["ab", "c"]) != content_key(["a", "bc"])
    assert content_key(["ab"]) == content_key([b"ab"])


def test_directory_comes_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    monkeypatch.delenv("TINSMITH_CACHE_DIR", raising=False)
    assert default_cache_directory() == tmp_path / "shared" / "tinsmith"

    monkeypatch.setenv("TINSMITH_CACHE_DIR", str(tmp_path / "own"))
    assert default_cache_directory() == tmp_path / "own"


def test_directory_that_cannot_be_written_is_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(path: Path, mode: int) -> bool:
        return path != tmp_path

    monkeypatch.delenv("TINSMITH_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "absent"))
    monkeypatch.setattr("os.access", refuse)

    assert default_cache_directory().parent == Path(tempfile.gettempdir())
