"""Random calls of every kernel on the host: plain C twins against the oracle, under sanitizers."""

import os
import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
LIBRARY = TESTS.parent
KERNELS = LIBRARY.parent
CALLS = 1500
REFERENCES = ("elementwise.c", "mean.c", "pooling.c", "softmax_s8.c")


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("host") / "random_calls"
    sources = [*(LIBRARY / "src").glob("*.c"), *TESTS.glob("*.c"), *TESTS.glob("host/*.c")]
    sources += [KERNELS / "reference" / name for name in REFERENCES]
    flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    includes = [f"-I{LIBRARY}", f"-I{LIBRARY / 'include'}", f"-I{KERNELS / 'include'}"]
    compiler = os.environ.get("TINSMITH_HOST_CC", "cc")
    command = [compiler, *flags, *sanitizers, *includes, *map(str, sources), "-o", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_kernel_equals_the_oracle_and_reads_no_byte_too_far(seed: int, program: Path) -> None:
    command = [program, str(seed), str(CALLS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 26
    assert all(line.endswith("calls, 0 wrong") for line in lines), done.stdout
