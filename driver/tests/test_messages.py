"""Colours of errors, warnings and verdicts."""

import io
import sys
from pathlib import Path

import pytest
from tinsmith_driver import main
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.messages import bad, coloring, good, print_error, print_warning

RED, GREEN, YELLOW, PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """Both streams are this terminal, in an environment that says nothing of colours."""
    made = _Terminal()
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, made)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return made


def test_a_terminal_has_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    print_error("wrong")
    print_warning("odd")
    print(good("bit-exact"), bad("NOT bit-exact"))
    assert terminal.getvalue().splitlines() == [
        f"tinsmith: {RED}error:{PLAIN} wrong",
        f"{YELLOW}warning:{PLAIN} odd",
        f"{GREEN}bit-exact{PLAIN} {RED}NOT bit-exact{PLAIN}",
    ]


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_the_environment_takes_colours_away(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = _terminal(monkeypatch)
    monkeypatch.setenv(name, value)
    print_error("wrong")
    assert terminal.getvalue() == "tinsmith: error: wrong\n"
    with coloring("always"):
        assert good("bit-exact") == f"{GREEN}bit-exact{PLAIN}"


def test_an_empty_no_color_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    _terminal(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "")
    assert good("bit-exact") == f"{GREEN}bit-exact{PLAIN}"


def test_what_is_no_terminal_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "absent.tsm"]) == 2
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["show", "absent.tsm"], ["show"], ["--undefined", "show"]])
def test_errors_have_the_colour_that_was_asked_for(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = _terminal(monkeypatch)
    assert main([*arguments, "--color", "always"]) == 2
    assert f"{RED}error:{PLAIN} " in terminal.getvalue()
    terminal.truncate(0)
    assert main(["--color=never", *arguments]) == 2
    assert "\x1b" not in terminal.getvalue()


def test_the_verdict_of_verify_is_green_and_nothing_else_has_a_colour(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["verify", str(find_example().model), "--target", "host", "--samples", "1"]
    report = ["--report", str(tmp_path), "--no-progress"]
    assert main([*arguments, *report, "--color=always"]) == 0
    said = capsys.readouterr().out
    assert said.count("\x1b") == 2
    assert f"{GREEN}bit-exact{PLAIN}\n" in said


def test_another_word_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets", "--color", "pink"]) == 2
    assert "argument --color: invalid choice: 'pink'" in capsys.readouterr().err
