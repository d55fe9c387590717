"""The README's table of constants says what the chip's file says."""

import re

from support import CHIP


def _constants() -> dict[str, str]:
    lines = CHIP.read_text(encoding="utf-8").splitlines()
    matches = (re.match(r"(\w+) = (\w+)", line) for line in lines)
    return {match.group(1): match.group(2) for match in matches if match}


def test_table_of_constants_is_that_of_the_chip() -> None:
    readme = (CHIP.parents[1] / "README.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", readme, re.MULTILINE))
    constants = _constants()
    assert table.items() <= constants.items()
    names = list(constants)
    assert list(table) == names[names.index("branch_taken") :]


def test_every_constant_has_a_source() -> None:
    section = CHIP.read_text(encoding="utf-8").split("# Core\n")[1]
    inherited = False
    for line in section.splitlines():
        if not line:
            inherited = False
        elif line.startswith("#"):
            inherited = "[" in line
        else:
            assert inherited or "[" in line, f"{line}: where does it come from?"
