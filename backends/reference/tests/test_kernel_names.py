import re
import subprocess
from pathlib import Path

import pytest
from tinsmith_c.testing import host_compiler

INCLUDE = Path(__file__).parents[3] / "kernels" / "include"


def test_every_kernel_has_the_version_in_its_name() -> None:
    compiler = host_compiler()
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    done = subprocess.run(
        [compiler, "-E", "-P", f"-I{INCLUDE}", "-include", "tinsmith/reference.h", "-x", "c", "-"],
        input="",
        capture_output=True,
        text=True,
        check=True,
    )
    names = re.findall(r"\b(tinsmith_\w+)\(", done.stdout)
    assert names
    assert [name for name in names if not name.endswith("_reference_v1")] == []
