"""The README's table of constants says what the chips' files say, and where each number comes from."""

import re

from support import CHIP, SIRACUSA

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


def _changes() -> dict[str, str]:
    text = SIRACUSA.read_text(encoding="utf-8")
    return {m.group(1): m.group(2) for m in re.finditer(r"^(\w+) = (\w+)", text, re.MULTILINE)}


def test_table_of_constants_is_that_of_the_chips() -> None:
    readme = (CHIP.parents[1] / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w*) ?\| (.*) \|$", readme, re.MULTILINE)
    changes = _changes()
    assert table == [
        (name, value, changes.get(name, ""), text) for name, (value, text) in _constants().items()
    ]
    assert changes.keys() <= _constants().keys()


def test_every_constant_has_a_source() -> None:
    for name, (_, text) in _constants().items():
        assert _SOURCE.search(text), f"{name}: where does it come from?"


def test_table_of_neurekas_constants_is_that_of_its_model() -> None:
    folder = CHIP.parents[1]
    model = (folder / "model" / "neureka_timing.h").read_text(encoding="utf-8")
    constants = re.findall(r"^  uint32_t (\w+) = (\w+);$", model, re.MULTILINE)
    readme = (folder / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(\w+)` \| (\w+) \| [^|]+ \|$", readme, re.MULTILINE)
    assert constants
    assert table == constants
