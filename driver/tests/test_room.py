"""`check` and the memories of a board: its yes means that `verify` links."""

import base64
from pathlib import Path

import pytest
from tinsmith_driver import commands, room
from tinsmith_driver.cli import main
from tinsmith_driver.kernel_sources import kernel_include_directories, library_sources
from tinsmith_target import target
from tinsmith_toolchains import (
    Cache,
    DoesNotFitError,
    MissingToolError,
    compiler_for,
    flags,
    object_sections,
)
from tinsmith_toolchains.objects import CompileJob, compile_objects

# What may come on top of the kernels: start-up code, harness, runtime, soft float.
_REST_BYTES = 32 * 1024


def test_check_counts_the_code_beside_the_constants(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--target", "cortex-m0"]
    # Of 262,144 bytes of flash; weights, and a bias, a multiplier and a shift as the kernel reads them.
    fits, does_not_fit = _network(tmp_path, 3_800), _network(tmp_path, 3_850)

    assert main(["check", fits, *options]) == 0
    assert "258,408 bytes of constants; " in capsys.readouterr().out
    assert main(["check", does_not_fit, *options]) == 1
    assert "memory 'flash' has 262144 bytes, " in capsys.readouterr().err


def test_check_links_nothing_where_there_is_ample_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise AssertionError("linked")

    monkeypatch.setattr(room, "built", fail)

    assert main(["check", _network(tmp_path, 100), "--target", "cortex-m0"]) == 0
    assert main(["check", _network(tmp_path, 4_040), "--target", "cortex-m4"]) == 0


def test_check_says_that_it_could_not_count_code_without_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        raise MissingToolError("the C compiler is absent")

    monkeypatch.setattr(commands, "linked", fail)

    assert main(["check", _network(tmp_path, 10), "--target", "cortex-m0"]) == 0
    assert "is unknown: the C compiler is absent" in capsys.readouterr().err


def test_verify_does_without_counts_by_layer_where_only_they_do_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, compare: bool) -> None:
        raise DoesNotFitError("the program does not fit", "flash", 1)

    monkeypatch.setattr(commands, "with_layers", fail)
    arguments = ["verify", _network(tmp_path, 10), "--target", "host"]

    assert main(arguments) == 0
    assert "no counts by layer: " in capsys.readouterr().err
    assert main([*arguments, "--layers"]) == 1


@pytest.mark.parametrize("name", ["cortex-m0", "cortex-m55", "riscv32"])
def test_all_kernels_together_stay_below_the_bound(name: str) -> None:
    cache = Cache.at(None)
    options = flags().options(flags().default_optimize)
    folders = tuple(kernel_include_directories())
    jobs = [
        CompileJob(path, options, is_harness=False, include_directories=folders)
        for path in library_sources(["reference", "cmsis_nn"])
    ]

    objects = compile_objects(jobs, compiler_for(target(name).cpu, "zig", cache), cache)

    sizes = object_sections([item.path for item in objects], [])
    assert sizes.flash + _REST_BYTES <= room.CODE_AT_MOST


def _network(directory: Path, outputs: int) -> str:
    """A model file of one layer with 64 * outputs bytes of weights, no two rows the same."""
    rows = (
        bytes((row * 7 + i * (row // 256 + 1)) % 256 for i in range(64)) for row in range(outputs)
    )
    weights = base64.b64encode(b"".join(rows)).decode()
    path = directory / f"{outputs}.tsm"
    path.write_text(
        f"""graph 2 "network" {{
  input %x: i8[1,64]<0.5, 0>
  const %w: i8[{outputs},64]<0.25, 0> = base64 "{weights}"
  %y: i8[1,{outputs}]<1.0, 0> = fully_connected(%x, %w)
  output %y
}}
"""
    )
    return str(path)
