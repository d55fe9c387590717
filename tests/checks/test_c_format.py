"""clang-format over the C that people wrote, with the root .clang-format."""

import importlib.util
import subprocess
from pathlib import Path

import pytest
from checkout import ROOT, files


def _program() -> Path:
    wheel = importlib.util.find_spec("clang_format")
    assert wheel is not None
    assert wheel.origin is not None
    return Path(wheel.origin).parent / "data" / "bin" / "clang-format"


def test_c_is_formatted() -> None:
    sources = [str(path) for path in files(".c", ".h") if "golden" not in path.parts]
    assert sources
    result = subprocess.run(
        [_program(), f"--style=file:{ROOT / '.clang-format'}", "--dry-run", "--Werror", *sources],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    wrong = [line for line in result.stderr.splitlines() if ": error:" in line]
    if result.returncode != 0:
        pytest.fail("\n".join(["run `clang-format -i` (version 20):", *wrong]), pytrace=False)
