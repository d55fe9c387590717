"""The README's program with a hardware loop of its own compiles without a warning and runs on the simulator."""

import re
import subprocess
from pathlib import Path

from tinsmith_soc import chip, simulator
from tinsmith_toolchains import build_cluster_program

LIBRARY = Path(__file__).resolve().parents[1]
RUNTIME = LIBRARY.parents[1] / "platforms" / "simulators" / "runtime"
L1_BYTES = 64 * 1024


def program_of_readme() -> str:
    text = (LIBRARY / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```c\n(#include \"tinsmith_corev.h\"\n.*?)```", text, re.DOTALL)
    return program


def test_readme_program_prints_what_its_comments_say(tmp_path: Path) -> None:
    source = tmp_path / "loop.c"
    source.write_text(program_of_readme(), encoding="utf-8")
    elf = tmp_path / "loop.elf"
    warnings = build_cluster_program(
        [source],
        elf,
        runtime=RUNTIME,
        include_directories=[LIBRARY / "include"],
        l1_bytes=L1_BYTES,
    )
    assert warnings == ""
    command = [simulator(), "--chip", chip("pulp-open"), elf]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = re.findall(r"pulp_print_number.*/\* (-?\d+) \*/", program_of_readme())
    assert len(expected) == 2
    assert done.stdout.split() == expected
