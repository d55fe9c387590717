"""README.md names the functions of the API, all of them, and where their loops are."""

import re

from function_table import LIBRARY, public_functions, table

CMSIS_NN_7 = 110
"""Functions of integers in arm_nnfunctions.h of CMSIS-NN 7.0."""


def test_every_function_of_the_api_is_there() -> None:
    names = public_functions()
    assert len(names) == len(set(names)) == CMSIS_NN_7


def test_the_readme_has_the_table_that_the_sources_say() -> None:
    readme = (LIBRARY / "README.md").read_text(encoding="utf-8")
    message = "put what `python kernels/cmsis_nn/tests/function_table.py` prints into README.md"
    assert table() in readme, message


def test_every_header_is_named_in_the_readme() -> None:
    readme = (LIBRARY / "README.md").read_text(encoding="utf-8")
    for path in (LIBRARY / "include").glob("*.h"):
        assert re.search(rf"`include/{re.escape(path.name)}`", readme), path.name
