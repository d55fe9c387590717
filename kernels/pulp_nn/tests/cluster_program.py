"""The random calls as a program for the cluster; `python cluster_program.py FILE.elf --seed 1 --calls 25` builds it."""

import argparse
from pathlib import Path

from tinsmith_toolchains import build_cluster_program

TESTS = Path(__file__).resolve().parent
LIBRARY = TESTS.parent
KERNELS = LIBRARY.parent
SIMULATORS = KERNELS.parent / "platforms" / "simulators"
L1_BYTES = 64 * 1024
REFERENCES = ("elementwise.c", "mean.c", "pooling.c", "softmax_s8.c")


def build(elf: Path, seed: int, calls: int) -> str:
    """Build the program; returns the compiler's warnings. Raises CompileError."""
    sources = [*sorted((LIBRARY / "src").glob("*.c")), *sorted(TESTS.glob("*.c"))]
    sources += sorted(TESTS.glob("cluster/*.c"))
    sources += [KERNELS / "reference" / name for name in REFERENCES]
    return build_cluster_program(
        sources,
        elf,
        runtime=SIMULATORS / "runtime",
        include_directories=[LIBRARY, LIBRARY / "include", KERNELS / "include"],
        defines=[f"SEED={seed}", f"CALLS={calls}"],
        l1_bytes=L1_BYTES,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Builds the program of random calls.")
    parser.add_argument("elf", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=25)
    arguments = parser.parse_args()
    print(build(arguments.elf, arguments.seed, arguments.calls), end="")


if __name__ == "__main__":
    main()
