"""The cache creates once, replaces atomically, and keeps nothing of failures."""

import errno
import os
import subprocess
import sys
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


def test_built_files_come_first_and_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    built = tmp_path / "built"
    built.mkdir()
    (built / "x").write_text("built")
    monkeypatch.setenv("TINSMITH_OBJECTS_DIR", f"{tmp_path / 'absent'}:{built}")
    cache = Cache.at(tmp_path / "own")

    assert cache.get_or_create("x", lambda path: path.touch()) == built / "x"
    assert cache.get_or_create("y", lambda path: path.touch()) == tmp_path / "own" / "y"
    assert list(built.iterdir()) == [built / "x"]


def test_none_is_a_folder_that_ends_with_the_process() -> None:
    script = (
        "from tinsmith_toolchains import default_cache_directory as d; print(d(), d().is_dir())"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={
            **os.environ,
            "TINSMITH_CACHE_DIR": "none",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        check=True,
    )

    folder, was_there = result.stdout.split()
    assert (was_there, result.stderr) == ("True", "")
    folder = Path(folder)
    assert folder.is_absolute()
    assert not folder.exists()


def test_directory_that_cannot_be_written_is_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(path: Path, mode: int) -> bool:
        return path != tmp_path

    monkeypatch.delenv("TINSMITH_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "absent"))
    monkeypatch.setattr("os.access", refuse)

    assert default_cache_directory().parent == Path(tempfile.gettempdir())
