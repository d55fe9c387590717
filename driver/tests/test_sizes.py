import argparse
from collections.abc import Iterator
from typing import cast

import pytest
from tinsmith_driver.command_line import parser
from tinsmith_driver.options import Memories
from tinsmith_driver.sizes import bytes_in

# Options that take bytes, each with a command that has it.
SIZED = {
    "--ram": "check m --target host",
    "--flash": "check m --target host",
    "--l1": "compile m --target pulp-open",
    "--weight-bytes": "quantize m --calibration c",
}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("320000", 320_000),
        ("256k", 256 << 10),
        ("256K", 256 << 10),
        ("64KiB", 64 << 10),
        ("64 kb", 64 << 10),
        ("1M", 1 << 20),
        ("8MiB", 8 << 20),
        ("2g", 2 << 30),
        ("0", 0),
    ],
)
def test_a_size_is_bytes_or_has_a_unit_of_1024(text: str, size: int) -> None:
    assert bytes_in(text) == size


@pytest.mark.parametrize("text", ["", "k", "-1", "1.5M", "64 Kibi", "64kk", "0x10", "1e3", "٣k"])
def test_another_text_is_refused_with_what_was_expected(text: str) -> None:
    with pytest.raises(ValueError, match="expected a size such as 65536, 64k, 64KiB or 1M, got"):
        bytes_in(text)


@pytest.mark.parametrize(("option", "command"), SIZED.items())
def test_every_option_of_bytes_takes_units(
    option: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name = option.removeprefix("--").replace("-", "_")
    parsed = parser().parse_args([*command.split(), option, "256k"])
    assert getattr(parsed, name) == 256 << 10
    for wrong in ("much", "0"):
        with pytest.raises(SystemExit) as ended:
            parser().parse_args([*command.split(), option, wrong])
        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert f"argument {option}: expected a size above 0 such as 65536" in said
        assert f"got '{wrong}'" in said


def test_several_memories_take_units() -> None:
    parsed = parser().parse_args(
        ["check", "m", "--target", "host", "--ram", "dtcm=16k,psram=8M,flash"]
    )
    assert parsed.ram == Memories(dtcm=16 << 10, psram=8 << 20, flash=None)


def _options(command: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in command._actions:  # pyright: ignore[reportPrivateUsage]
        if isinstance(action.choices, dict):
            for each in cast("dict[str, argparse.ArgumentParser]", action.choices).values():
                yield from _options(each)
        else:
            yield action


def test_no_option_of_bytes_is_forgotten() -> None:
    """Those that say SIZE are those above."""
    found = {action.option_strings[0] for action in _options(parser()) if action.metavar == "SIZE"}
    assert found == SIZED.keys()
