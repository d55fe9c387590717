"""The same inputs give the same bytes: in any folder, under any name of it, with any seed of hashes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.objects import build_objects

EXAMPLE = find_example()


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _make(folder: Path, seed: str) -> dict[str, bytes]:
    """All that `compile` and `verify` write, by processes of their own that work in `folder`."""
    (folder / "tmp").mkdir(parents=True)
    shutil.copy(EXAMPLE.model, folder / "digits.tflite")
    shutil.copy(EXAMPLE.inputs, folder / "digits.npz")
    environment = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in sys.path if path),
        "TMPDIR": str(folder / "tmp"),
    }
    run = [
        "--samples",
        "2",
        "--inputs",
        "digits.npz",
        "--json",
        "out/v.json",
        "--html",
        "out/v.html",
    ]
    for command in (["compile", "-o", "out"], ["verify", *run]):
        name, *options = (*command, "--target", "host")
        subprocess.run(
            [
                sys.executable,
                "-m",
                "tinsmith_driver",
                name,
                str(folder / "digits.tflite"),
                *options,
            ],
            cwd=folder,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return _files(folder / "out")


def test_commands_write_the_same_bytes_wherever_and_whenever_they_run(tmp_path: Path) -> None:
    first = _make(tmp_path / "a", "1")
    second = _make(tmp_path / "another folder" / "b", "2")

    assert sorted(first) == [
        "digits.c",
        "digits.h",
        "plan.json",
        "report.html",
        "report.json",
        "v.html",
        "v.json",
    ]
    assert [name for name in first if first[name] != second[name]] == []


def test_seconds_of_passes_are_said_where_they_are_wanted_and_kept_nowhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["compile", str(EXAMPLE.model), "--target", "host", "-o", str(tmp_path)]

    assert main([*arguments, "--timings"]) == 0

    said = capsys.readouterr()
    assert "pass" in said.err
    assert "allocate-buffers" in said.err
    assert "seconds" not in (tmp_path / "report.json").read_text()


def test_objects_are_the_same_bytes_in_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TINSMITH_OBJECTS_DIR", raising=False)
    monkeypatch.setenv("TINSMITH_CACHE_DIR", "none")
    for name in ("a", "b"):
        build_objects("host", tmp_path / name)

    first, second = _files(tmp_path / "a"), _files(tmp_path / "b")

    assert len(first) > 10
    assert first == second


def test_verify_compiles_the_network_alone_where_the_objects_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TINSMITH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TINSMITH_OBJECTS_DIR", str(tmp_path / "objects"))
    assert main(["objects", "--target", "host", "-o", str(tmp_path / "objects")]) == 0
    before = _files(tmp_path / "objects")

    verify = ["verify", str(EXAMPLE.model), "--target", "host", "--samples", "1"]
    assert main(verify) == 0

    compiled = list((tmp_path / "cache").rglob("*.o"))
    # The network and its description for the harness; the former twice, with its layers reported.
    assert len([path for path in compiled if "product" in path.name]) == 2
    assert len([path for path in compiled if "tinsmith_harness" in path.name]) == 1
    assert _files(tmp_path / "objects") == before
    assert "bit-exact" in capsys.readouterr().out
