"""absl's flags beside the command's own options, as a program and as a function."""

import logging as standard
import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from absl import flags, logging
from tinsmith_driver import main
from tinsmith_driver.command_line import parser
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.flag_parser import flags_at_their_defaults


def _program(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tinsmith_driver", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "verbosity"),
    [
        (["targets"], -1),
        (["-v", "targets"], 1),
        (["targets", "-v"], 1),
        (["targets", "-vv"], 2),
        (["-v", "targets", "-v"], 2),
        (["targets", "--verbosity=2"], 2),
        (["targets", "--verbosity", "0", "-v"], 1),
    ],
)
def test_v_is_counted_before_and_behind_the_command(arguments: list[str], verbosity: int) -> None:
    with flags_at_their_defaults():
        parser().parse_args(arguments)
        assert verbosity == flags.FLAGS.verbosity


def test_the_function_leaves_flags_and_log_as_they_were(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, own = standard.getLogger(), logging.get_absl_logger()

    def state() -> tuple[object, ...]:
        found = cast("flags.Flag[int]", flags.FLAGS["verbosity"])
        levels = root.level, own.level, logging.get_absl_handler().level
        return *levels, root.handlers[:], found.value, found.present, found.using_default_value

    before = state()
    for arguments in (
        ["targets", "-vv", "--log-file", str(tmp_path / "log")],
        ["targets", "--alsologtostderr", "--verbosity", "1"],
        ["show", "absent.tsm", "-v"],
    ):
        main(arguments)
        assert state() == before
    assert main(["targets"]) == 0
    assert capsys.readouterr().err.count("\n") == 1  # that there is no absent.tsm


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["targets", "--verbosity", "much"], "flag --verbosity=much"),
        (["targets", "--stderrthreshold", "much"], "--stderrthreshold must be one of"),
        (["targets", "--logger_levels", "much"], "flag --logger_levels=much"),
        (["targets", "--flagfile=/absent/file"], "Unable to open flagfile"),
        (["targets", "--log_dir=/absent/folder"], "/absent/folder"),
        (["targets", "--log-file=/absent/file"], "--log-file: expected a file that can be written"),
        (["targets", "--undefined"], "unrecognized arguments: --undefined"),
    ],
)
def test_wrong_flags_are_wrong_use(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


def test_the_program_is_an_absl_app(tmp_path: Path) -> None:
    given = tmp_path / "flags"
    given.write_text("--only_check_args\n")
    for arguments in (["targets", "--only_check_args"], ["targets", f"--flagfile={given}"]):
        checked = _program(*arguments)
        assert (checked.returncode, checked.stdout) == (0, "")
    assert "run_with_pdb" in _program("targets", "--helpfull").stdout
    assert _program("targets", "--undefined").returncode == 2
    assert _program("show", "absent.tsm").returncode == 2
    assert _program("targets").stdout.startswith("target")


def test_a_full_disk_ends_a_command_that_logs(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["show", str(find_example().model), "--target", "host", "--after", "lower"]
    assert main([*arguments, "--log-file", "/dev/full"]) == 2
    assert "No space left on device" in capsys.readouterr().err
