from pathlib import Path

import pytest
from tinsmith_toolchains import UnwritableCacheError
from tinsmith_toolchains.tools import run_tool


def test_a_cache_that_cannot_be_made_is_told_before_a_compiler_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    monkeypatch.setenv("TINSMITH_CACHE_DIR", str(file / "below"))
    with pytest.raises(UnwritableCacheError, match="TINSMITH_CACHE_DIR"):
        run_tool(["true"])
