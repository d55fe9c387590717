"""What a terminal of 80 columns shows: nothing of it is wider, and nothing stands behind a bar."""

import io
import re
import sys
from pathlib import Path

import pytest
from tinsmith_driver import main
from tinsmith_driver.demonstration import find_example
from tinsmith_driver.flag_parser import flags_at_their_defaults
from tinsmith_driver.logs import log_decision, logging_as_asked
from tinsmith_driver.messages import coloring, print_error, print_warning
from tinsmith_driver.pictures import most_beside
from tinsmith_driver.progress import progress
from tinsmith_driver.terminal import columns_of, fitted_prose, say

LONG = (
    "/srv/a folder/of_somebody/with_a_name_that_is_longer_than_the_half_of_a_terminal/model.tflite"
)
PROSE = f"expected a file with a model, got no such file, of which the name is {LONG}; what to do is to name another"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """As they are seen: without colours, and without what was erased."""
        plain = re.sub(r"\x1b\[[0-9]*m", "", self.getvalue())
        return [re.split(r"\r(?:\x1b\[K)?", line)[-1] for line in plain.split("\n")]


def _terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """Both streams are this terminal of 80 columns."""
    made = _Terminal()
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, made)
    monkeypatch.setenv("COLUMNS", "80")
    return made


def test_columns_are_those_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    for width, columns in (("80", 80), ("132", 132), ("10", 40), ("0", 80)):
        monkeypatch.setenv("COLUMNS", width)
        assert columns_of(terminal) == columns
        assert columns_of(io.StringIO()) == 80


def test_prose_goes_on_below_on_a_terminal_and_names_stay_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = _terminal(monkeypatch)
    say(f"short\n  {PROSE}\n\nend")
    first, *middle, empty, end = terminal.getvalue().splitlines()
    assert [first, empty, end] == ["short", "", "end"]
    assert " ".join(line.strip() for line in middle) == PROSE
    assert middle[0].startswith("  expected")
    assert all(line.startswith("    ") for line in middle[1:])
    words = LONG.split()
    assert all(len(line) <= 80 or line.strip(" ;") in words for line in middle)


def test_prose_is_whole_where_people_search_it() -> None:
    assert fitted_prose(PROSE, io.StringIO()) == PROSE


def test_errors_and_warnings_fit_in_colour_too(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    with coloring("always"):
        print_error("word " * 40)
        print_warning("error: " * 20)
    assert max(map(len, terminal.lines())) <= 80
    assert terminal.getvalue().count("\x1b[31m") == terminal.getvalue().count("\x1b[33m") == 1


def test_nothing_is_said_behind_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    monkeypatch.setattr("tinsmith_driver.progress._QUIET_SECONDS", 0)
    with progress("compile", 3) as bar:
        bar.step("a step whose name is so long that a terminal would show it in two lines " * 2)
        assert 60 < len(terminal.lines()[-1]) < 80
        print_warning("something is odd")
        bar.step("next")
    assert terminal.lines() == ["warning: something is odd", ""]


def test_a_bar_is_full_when_more_comes_than_was_foreseen(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    monkeypatch.setattr("tinsmith_driver.progress._QUIET_SECONDS", 0)
    with progress("quantize", 1) as bar:
        for _ in range(3):
            bar.step("more")
        assert terminal.lines()[-1] == f"quantize [{'#' * 28}] 2/1 more"


def test_a_decision_that_nobody_wants_leaves_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    monkeypatch.setattr("tinsmith_driver.progress._QUIET_SECONDS", 0)
    with flags_at_their_defaults(), logging_as_asked(None), progress("compile", 3) as bar:
        bar.step("here")
        shown = terminal.getvalue()
        log_decision("something")
        assert terminal.getvalue() == shown


def test_a_bar_that_was_not_shown_is_not_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    with progress("compile", 3) as bar:
        bar.step("at once")
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(
    "command",
    [
        "check MODEL --target cortex-m4",
        "check MODEL --target diana --engines digital",
        "compile MODEL --target cortex-m55 --output OUT -vv",
        "compile MODEL --target pulp-open --output OUT -v",
        "verify MODEL --target host --samples 1 --layers --report OUT",
        "show MODEL",
        "targets",
        "passes",
        "plugins",
        "verify MODEL --target host --output OUT",
        "compile MODEL --target cortex-m99 --output OUT",
        "demo",
    ],
)
def test_a_command_fits_80_columns(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = _terminal(monkeypatch)
    model = str(find_example().model)
    places = {"MODEL": model, "OUT": str(tmp_path / "out")}
    if command == "demo":
        pytest.importorskip("tinsmith_emulators")
        command = "demo --target host"
    main([places.get(word, word) for word in command.split()])
    words = (model, str(tmp_path), "/tinsmith-demo/")
    wide = [line for line in terminal.lines() if len(line) > 80]
    assert [line for line in wide if not any(word in line for word in words)] == []
    assert len(terminal.lines()) > 2


def test_pictures_stand_beside_one_another_as_far_as_they_fit() -> None:
    assert [most_beside(columns, 8) for columns in (10, 35, 80, 111)] == [1, 2, 4, 6]


def test_an_option_that_is_not_there_is_refused_by_its_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["verify", "m.tflite", "--target", "host", "--sampels", "x", "--zzz"]) == 2
    said = capsys.readouterr().err
    wrong = "unrecognized arguments: --sampels x --zzz (did you mean --samples?)"
    help_ = "tinsmith verify --help says what it takes"
    assert said == f"tinsmith verify: error: {wrong}\n{help_}\n"
