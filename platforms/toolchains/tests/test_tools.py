from pathlib import Path

import pytest
from tinsmith_toolchains import FullDiskError, UnwritableCacheError
from tinsmith_toolchains.tools import run_tool


def test_a_cache_that_cannot_be_made_is_told_before_a_compiler_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    monkeypatch.setenv("TINSMITH_CACHE_DIR", str(file / "below"))
    with pytest.raises(UnwritableCacheError, match="TINSMITH_CACHE_DIR"):
        run_tool(["true"])


def test_a_compiler_without_room_is_no_compile_error() -> None:
    with pytest.raises(FullDiskError, match="failed: no space is left"):
        run_tool(
            ["sh", "-c", "echo IO failure: No space left on device; exit 1"], what="compiling a.c"
        )


def test_a_compiler_leaves_no_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run_tool(["sh", "-c", 'touch "$TMPDIR/left"; echo "$TMPDIR"']).startswith(f"{tmp_path}/")
    assert list(tmp_path.iterdir()) == []
