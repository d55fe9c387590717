"""Which files are taken for models, whatever their names, and what they may cost."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.plugins import registry

MODEL = find_example().model
_MEGABYTE = 1 << 20


def _program(offset: int, target: str = "host") -> str:
    return f"""program 2 "m" for "{target}" {{
  memory "arena" align 16
  buffer %x: i8[1,4]<0.5, 0> in "arena" at {offset}
  buffer %y: i8[1,4]<0.5, 0> in "arena" at 0
  input %x
  call "y" kernel "tinsmith_relu_s8": %y = relu(%x)
  output %y
}}
"""


def _broadcast(rows: int, columns: int) -> str:
    """An output of `rows` x `columns` bytes."""
    return f"""graph 2 "broadcast" {{
  input %a: i8[{rows},1]<0.5, 0>
  input %b: i8[1,{columns}]<0.5, 0>
  %y: i8[{rows},{columns}]<0.5, 0> = add(%a, %b)
  output %y
}}
"""


@pytest.mark.parametrize("name", ["m.lite", "m.tfl", "M.TFLITE", "m.tsm", "model"])
def test_a_tflite_file_is_known_by_its_content(name: str, tmp_path: Path) -> None:
    shutil.copy(MODEL, tmp_path / name)
    assert main(["check", str(tmp_path / name), "--target", "host"]) == 0


@pytest.mark.parametrize("name", ["m.tflite", "m.txt", "m.TSM", "m"])
def test_ir_text_is_known_by_its_content(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("# a comment\n\n" + _broadcast(2, 3))
    assert main(["check", str(path), "--target", "host"]) == 0
    path.write_text("# a comment\n" + _program(16))
    assert main(["show", str(path)]) == 0


def test_another_file_is_a_bad_model_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "person_detect.tflite"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:01\nsize 300568\n")
    assert main(["check", str(path), "--target", "host"]) == 3
    said = capsys.readouterr().err
    assert "person_detect.tflite: " in said
    assert "Git LFS pointer" in said
    assert "git lfs pull" in said


def test_a_name_of_text_makes_other_content_wrong_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.tsm"
    path.write_text("grapf {}")
    assert main(["check", str(path), "--target", "host"]) == 3
    assert "expected 'graph', got 'grapf'" in capsys.readouterr().err


def test_what_has_no_end_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "zero.tflite").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.tsm")
    for name, kind in {"zero.tflite": "a device", "pipe.tsm": "a pipe", ".": "a folder"}.items():
        assert main(["show", str(tmp_path / name)]) == 2
        assert f"got {kind}" in capsys.readouterr().err


def test_a_buffer_beyond_all_addresses_is_a_bad_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "far.tsm"
    path.write_text(_program(2**63))
    assert main(["show", str(path)]) == 3
    assert "%x ends at 9223372036854775812, beyond" in capsys.readouterr().err
    path.write_text(_program(2**31, "cortex-m4"))
    assert main(["show", str(path)]) == 3
    assert "buffer %x ends at byte 2,147,483,652" in capsys.readouterr().err
    path.write_text(_program(2**31))
    assert main(["show", str(path)]) == 0


def test_an_arena_beyond_all_addresses_does_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wide.tsm"
    path.write_text(_broadcast(1 << 15, (1 << 16) - 1))
    output = ["-o", str(tmp_path / "out")]
    assert main(["compile", str(path), "--target", "cortex-m4", *output]) == 1
    assert "the largest array there has 2,147,483,647 bytes" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (_broadcast(40_000, 40_000), ["check", "--target", "host"]),
        (_program(500_000_000), ["show"]),
    ],
)
def test_memory_does_not_grow_with_an_arena_that_need_not_exist(
    text: str, command: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "large.tsm"
    path.write_text(text)
    run = [sys.executable, "-m", "tinsmith_driver", command[0], str(path), *command[1:]]
    subprocess.run(
        run, check=True, env=_environment(), stdout=subprocess.DEVNULL, preexec_fn=_limit
    )


def _environment() -> dict[str, str]:
    """Threads of numpy's would reserve addresses by the core."""
    path = os.pathsep.join(sys.path)
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (500 * _MEGABYTE, 500 * _MEGABYTE))


@pytest.mark.parametrize(
    ("suffix", "package"),
    [("onnx", "tinsmith-onnx"), ("pt2", "tinsmith-torch"), ("tflite", "tinsmith-tflite")],
)
def test_what_reads_a_file_is_named_where_it_is_absent(
    suffix: str,
    package: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    others = {
        name: found
        for name, found in registry().importers.items()
        if f".{suffix}" not in found.suffixes
    }
    monkeypatch.setitem(vars(registry()), "importers", others)
    path = tmp_path / f"model.{suffix}"
    path.write_bytes(b"anything")
    assert main(["check", str(path), "--target", "host"]) == 2
    assert f"such files are read by {package}, which is not installed: pip install {package}" in (
        capsys.readouterr().err
    )
