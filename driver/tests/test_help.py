"""The help of every command, and the example in it."""

import argparse
import json
import shlex
from pathlib import Path
from typing import cast

import pytest
from tinsmith_driver import main
from tinsmith_driver.command_line import parser
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.examples import EXAMPLES

_COLUMNS = 80

# What takes no emulator and no training, with what one leaves for those behind it.
_CHEAP = (
    "check",
    "compile",
    "check-plan",
    "measure",
    "gather",
    "diff",
    "show",
    "plugins",
    "targets",
    "passes",
    "bench",
)


def _commands() -> dict[str, argparse.ArgumentParser]:
    actions = parser()._actions  # pyright: ignore[reportPrivateUsage]
    return next(
        cast("dict[str, argparse.ArgumentParser]", action.choices)
        for action in actions
        if isinstance(action.choices, dict)
    )


def _arguments(command: str) -> list[str]:
    return shlex.split(EXAMPLES[command].replace("\\\n", ""))[1:]


def test_every_command_has_an_example() -> None:
    assert _commands().keys() == EXAMPLES.keys()


@pytest.mark.parametrize("command", EXAMPLES)
def test_the_example_is_shown_and_parses(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(_COLUMNS))
    arguments = _arguments(command)
    assert arguments[0] == command
    parser().parse_args(arguments)
    assert main([command, "--help"]) == 0
    said = capsys.readouterr().out
    assert EXAMPLES[command] in said


@pytest.mark.parametrize("command", ["", *EXAMPLES])
def test_help_fits_a_terminal(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(_COLUMNS))
    assert main([*command.split(), "--help"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > _COLUMNS] == []


def test_cheap_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this order, and in a folder that has the repository's examples."""
    monkeypatch.chdir(tmp_path)
    Path("examples").mkdir()
    Path("examples/digits").symlink_to(find_example().model.parent)
    for command in _CHEAP:
        if command == "diff":
            report = json.loads(Path("out/report.json").read_text(encoding="utf-8"))
            for name in ("before.json", "after.json"):
                Path(name).write_text(json.dumps(report), encoding="utf-8")
        assert main(_arguments(command)) == 0, command
