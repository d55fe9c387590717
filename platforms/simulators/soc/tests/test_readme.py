"""The README's table of constants says what the chips' files say, and where each number comes from."""

import re
from pathlib import Path

import pytest
from support import CHIP, DIANA, GAP9, SIRACUSA

_SOURCE = re.compile(r"\[[^]]+\]")


def _constants() -> dict[str, tuple[str, str]]:
    """Value and explanation of each constant of pulp-open; one without a source has that of its section."""
    constants: dict[str, tuple[str, str]] = {}
    section = ""
    for line in CHIP.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"(\w+) = (\w+) *(?:# (.*))?$", line):
            name, value, comment = match.group(1), match.group(2), match.group(3) or ""
            source = "" if _SOURCE.search(comment) else section
            constants[name] = (value, f"{comment} {source}".strip())
        elif not line:
            section = ""
        elif match := _SOURCE.search(line):
            section = match.group()
    return constants


def _changes(chip: Path) -> dict[str, str]:
    text = chip.read_text(encoding="utf-8")
    return {m.group(1): m.group(2) for m in re.finditer(r"^(\w+) = (\w+)", text, re.MULTILINE)}


def test_table_of_constants_is_that_of_the_chips() -> None:
    readme = (CHIP.parents[1] / "README.md").read_text(encoding="utf-8")
    row = r"^\| `(\w+)` \| (\w+) \| (\w*) ?\| (\w*) ?\| (\w*) ?\| (.*) \|$"
    table = re.findall(row, readme, re.MULTILINE)
    others = [_changes(chip) for chip in (SIRACUSA, GAP9, DIANA)]
    assert table == [
        (name, value, *(changes.get(name, "") for changes in others), text)
        for name, (value, text) in _constants().items()
    ]
    for changes in others:
        assert changes.keys() <= _constants().keys()


def test_every_constant_has_a_source() -> None:
    for name, (_, text) in _constants().items():
        assert _SOURCE.search(text), f"{name}: where does it come from?"


@pytest.mark.parametrize(
    ("header", "number"),
    [
        ("neureka_timing.h", 0),
        ("diana_shared.h", 1),
        ("diana_constants.h", 2),
        ("diana_analog_constants.h", 3),
    ],
)
def test_table_of_an_accelerators_constants_is_that_of_its_model(header: str, number: int) -> None:
    model = (CHIP.parents[1] / "model" / header).read_text(encoding="utf-8")
    constants = re.findall(r"^  uint32_t (\w+) = (\w+);$", model, re.MULTILINE)
    assert constants
    assert _table("constant | value", number) == constants


def test_table_of_the_udmas_numbers_is_that_of_the_chip() -> None:
    (line,) = re.findall(r"^device udma udma (.*)", GAP9.read_text(encoding="utf-8"), re.MULTILINE)
    numbers = [(name, value) for name, value in re.findall(r"(\w+)=(\w+)", line)]
    table = _table("number | gap9")
    assert table
    assert table == numbers[-len(table) :]


def _table(head: str, number: int = 0) -> list[tuple[str, str]]:
    """Names and values of the README's table whose first columns are called so; of several, that one."""
    text = (CHIP.parents[1] / "README.md").read_text(encoding="utf-8")
    rows = text.split(f"| {head} | what, and where from |\n")[number + 1].split("\n\n")[0]
    return re.findall(r"^\| `(\w+)` \| (\w+) \|", rows, re.MULTILINE)
