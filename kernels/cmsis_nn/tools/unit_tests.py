# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""Run CMSIS-NN's own unit tests on these kernels: plain C on the host, DSP and MVE on emulated boards.

A development-time script, on a checkout of the release whose API the library has:

    git clone --branch v7.0.0 https://github.com/ARM-software/CMSIS-NN
    python unit_tests.py CMSIS-NN [--tests lstm svdf] [--targets host cortex-m4 cortex-m55] [--compare] [--sanitize]

Prints a table: one row per test program, one column per target, `passed/all` of its tests. --compare builds Arm's
library as well, by -O2 and by -O3, and prints the instructions in the library's functions over all tests
of a program, ours / the better of Arm's, and below the table the means. What compares the results is not counted, nor
functions that only tell sizes. --sanitize: the host's under sanitizers, which stop at what a few of the tests do
themselves (a filter that they say is larger than it is). Exits with 1 if a test fails.
"""

import argparse
import math
import re
import struct
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tinsmith_boards.sources import harness_defines, include_directory
from tinsmith_emulators import FirmwareCrashError, run
from tinsmith_target import Target, target
from tinsmith_toolchains import build_firmware

TOOLS = Path(__file__).resolve().parent
LIBRARY = TOOLS.parent

MODEL = """
#include <string.h>
#include "arm_nnfunctions.h"
#include "counter.h"

static uint32_t ticks;

static inline void add_ticks(const uint32_t *start) {{
  ticks += counter_read() - *start;
}}

/* The value of `call`, which may be void; its end is the end of the block. */
#define COUNTED(call)                                                          \\
  ({{                                                                           \\
    __attribute__((cleanup(add_ticks), unused)) uint32_t start = counter_read(); \\
    call;                                                                      \\
  }})
{counted}

#include "{unity}"

tinsmith_unity_result tinsmith_unity;

static uint64_t heap[1 << 15];
static size_t taken;

void *tinsmith_unity_take(size_t bytes) {{
  uint64_t *memory = heap + taken;
  taken += (bytes + sizeof *heap - 1) / sizeof *heap;
  return taken <= sizeof heap / sizeof *heap ? memory : NULL;
}}

static void (*const tests[])(void) = {{{tests}}};

int unit_tests_run(void *arena) {{
  int32_t which;
  memcpy(&which, arena, sizeof which);
  taken = 0;
  ticks = 0;
  tinsmith_unity = (tinsmith_unity_result){{0, 0}};
  tests[which]();
  memcpy((char *)arena + 4, &tinsmith_unity, sizeof tinsmith_unity);
  memcpy((char *)arena + 12, &ticks, sizeof ticks);
  return 0;
}}
"""

_STACK_BYTES = 64 * 1024

HARNESS = """
#include "tinsmith_harness.h"

int unit_tests_run(void *arena);

static uint8_t arena[16] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t inputs[] = {{.offset = 0, .bytes = 4}};
static const tinsmith_harness_tensor_t outputs[] = {{.offset = 4, .bytes = 12}};

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "unit_tests", .arena = arena, .arena_bytes = sizeof(arena), .input_count = 1, .inputs = inputs,
    .output_count = 1, .outputs = outputs, .layer_count = 0, .run = unit_tests_run,
};
"""


@dataclass(frozen=True)
class Program:
    """One of the checkout's test programs."""

    name: str
    unity: Path
    tests: tuple[str, ...]

    @classmethod
    def at(cls, directory: Path) -> "Program":
        unity = next(directory.glob("Unity/*.c"))
        names = re.findall(r"^void (test_\w+)\(void\)", unity.read_text(encoding="utf-8"), re.M)
        return cls(directory.name.removeprefix("test_"), unity, tuple(names))


@dataclass(frozen=True)
class Result:
    """Lines where tests failed, by name, and what the functions took in all; None where nothing counts."""

    failures: dict[str, int]
    instructions: int | None
    crash: str = ""


def roomy(cpu: str) -> Target:
    """The target `cpu` with room for the tests' arrays, which are on the stack."""
    found = target(cpu)
    if not found.board.stack_bytes:
        return found
    return replace(found, board=replace(found.board, stack_bytes=_STACK_BYTES))


def run_program(
    program: Program,
    cpu: str,
    library: Path,
    directory: Path,
    *,
    optimize: str | None = None,
    sanitize: bool = False,
) -> Result:
    """library: ours, or the checkout."""
    model, harness = directory / "model.c", directory / "harness.c"
    text = MODEL.format(
        unity=program.unity,
        tests=", ".join(program.tests),
        counted="\n".join(
            f"#define {name}(...) COUNTED({name}(__VA_ARGS__))" for name in functions()
        ),
    )
    model.write_text(text, encoding="utf-8")
    emulator = roomy(cpu).board.emulator
    harness.write_text(HARNESS, encoding="utf-8")
    ours = library == LIBRARY
    kernels = (library / ("src" if ours else "Source")).rglob("*.c")
    headers = [library, library / "include"] if ours else [library / "Include"]
    bare = () if cpu == "host" else (TOOLS / "unity" / "bare",)
    firmware = build_firmware(
        roomy(cpu),
        [
            model,
            *sorted(path for path in kernels if not re.search(r"_(f16|f32|flt)\.c$", path.name)),
        ],
        harness=[harness],
        include_directories=[*headers, include_directory(), TOOLS / "unity", *bare],
        defines=harness_defines(roomy(cpu).board),
        optimize=optimize,
        output_directory=directory / "build",
        sanitize=sanitize,
    )
    inputs = [struct.pack("<i", index) for index in range(len(program.tests))]
    try:
        result = run(firmware, roomy(cpu), inputs, timeout_seconds=300)
    except FirmwareCrashError as error:
        return Result(dict.fromkeys(program.tests, 0), None, str(error))
    failures = {}
    ticks = 0
    for name, output in zip(program.tests, result.outputs, strict=True):
        failed, line, taken = struct.unpack("<2iI", output)
        ticks += taken
        if failed:
            failures[name] = line
    if emulator is None or not result.instructions:
        return Result(failures, None)
    return Result(failures, round(ticks * emulator.instructions_per_tick))


@cache
def functions() -> tuple[str, ...]:
    """The public functions that compute something."""
    headers = sorted((LIBRARY / "include").glob("arm_nnfunctions*.h"))
    text = "".join(header.read_text(encoding="utf-8") for header in headers)
    names = re.findall(r"^(?:arm_cmsis_nn_status|void) (arm_\w+)\(", text, re.M)
    assert len(names) > 50
    return tuple(names)


def least(program: Program, cpu: str, checkout: Path) -> int:
    """What the better of two builds of Arm's library takes."""
    builds: list[int] = []
    for optimize in ("speed", "fast"):
        with tempfile.TemporaryDirectory() as directory:
            built = run_program(program, cpu, checkout, Path(directory), optimize=optimize)
        assert built.instructions is not None
        builds.append(built.instructions)
    return min(builds)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--tests", nargs="*", default=[""], help="parts of names")
    parser.add_argument("--targets", nargs="*", default=["host", "cortex-m4", "cortex-m55"])
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--sanitize", action="store_true")
    options = parser.parse_args()
    checkout = options.checkout.resolve()
    directories = sorted((checkout / "Tests/UnitTest/TestCases").glob("test_*"))
    programs = [
        Program.at(path) for path in directories if any(t in path.name for t in options.tests)
    ]
    print(f"| test | {' | '.join(options.targets)} |")
    print(f"|---|{'---|' * len(options.targets)}")
    failures: list[str] = []
    ratios: dict[str, list[float]] = {cpu: [] for cpu in options.targets}
    for program in programs:
        cells = []
        for cpu in options.targets:
            with tempfile.TemporaryDirectory() as directory:
                result = run_program(
                    program,
                    cpu,
                    LIBRARY,
                    Path(directory),
                    sanitize=options.sanitize and cpu == "host",
                )
            cell = f"{len(program.tests) - len(result.failures)}/{len(program.tests)}"
            if options.compare and result.instructions is not None:
                ratios[cpu].append(result.instructions / least(program, cpu, checkout))
                cell += f" {ratios[cpu][-1]:.2f}"
            cells.append(cell)
            failures += [
                f"{cpu}: {name}, line {line} {result.crash}"
                for name, line in result.failures.items()
            ]
        print(f"| {program.name} | {' | '.join(cells)} |", flush=True)
    for cpu, found in ratios.items():
        if found:
            geometric = math.exp(math.fsum(map(math.log, found)) / len(found))
            mean = math.fsum(found) / len(found)
            print(f"{cpu}: mean {mean:.3f}, geometric {geometric:.3f}, worst {max(found):.3f}")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
