"""Programs of a bundle that check its networks on a board, and the page that says how to use it."""

from collections.abc import Sequence

from tinsmith_c import c_name, example_memories
from tinsmith_ir import Program

from tinsmith_driver.bundle.manifests import Facts
from tinsmith_driver.table import thousands


def examples(facts: Facts, programs: Sequence[Program], arena: str) -> dict[str, bytes]:
    """Place in the bundle -> content. arena: what one arena for all networks is called, "" for one each."""
    return {
        "example/main.c": _main(programs, arena).encode(),
        "examples/check/check.ino": _sketch(programs, arena).encode(),
        "README.md": _readme(facts, programs).encode(),
    }


def _includes(programs: Sequence[Program], arena: str) -> list[str]:
    names = [f"{c_name(program)}_check.h" for program in programs]
    return [f'#include "{name}"' for name in sorted([*names, *([f"{arena}.h"] if arena else [])])]


def _checks(programs: Sequence[Program], arena: str) -> tuple[list[str], list[str]]:
    """Declarations of memories, and for each network a statement that reports its check."""
    lines: list[str] = []
    reports: list[str] = []
    if arena:
        prefix = arena.upper()
        lines.append(f"ALIGNED({prefix}_ALIGNMENT) static uint8_t arena[{prefix}_BYTES];")
    for program in programs:
        arrays, argument = example_memories(program, "arena" if arena else "")
        lines += arrays
        name = c_name(program)
        reports.append(f'report("{name}", {name}_check({argument}));')
    return lines, reports


def _main(programs: Sequence[Program], arena: str) -> str:
    arrays, reports = _checks(programs, arena)
    checks = [f"  failed += {report}" for report in reports]
    lines = [
        "// Runs each network on a sample and says whether its outputs are what they should be.",
        "#include <stddef.h>",
        "#include <stdio.h>",
        "",
        *_includes(programs, arena),
        "",
        "#define ALIGNED(bytes) _Alignas(bytes)",
        "",
        *arrays,
        "",
        "static int report(const char *network, int status) {",
        '  printf("%s: %s (%d)\\n", network, status == 0 ? "PASS" : "FAIL", status);',
        "  return status != 0;",
        "}",
        "",
        "int main(void) {",
        "  int failed = 0;",
        *checks,
        "  return failed;",
        "}",
        "",
    ]
    return "\n".join(lines)


def _sketch(programs: Sequence[Program], arena: str) -> str:
    arrays, reports = _checks(programs, arena)
    checks = [f"  {report}" for report in reports]
    lines = [
        "// Runs each network on a sample, again and again, and says whether its outputs are what they should be.",
        *_includes(programs, arena),
        "",
        "#define ALIGNED(bytes) alignas(bytes)",
        "",
        *arrays,
        "",
        "static void report(const char *network, int status) {",
        "  Serial.print(network);",
        '  Serial.println(status == 0 ? ": PASS" : ": FAIL");',
        "}",
        "",
        "void setup() {",
        "  Serial.begin(115200);",
        "}",
        "",
        "void loop() {",
        *checks,
        "  delay(1000);",
        "}",
        "",
    ]
    return "\n".join(lines)


def _readme(facts: Facts, programs: Sequence[Program]) -> str:
    main = ", ".join(f"`{name}`" for name in facts.main)
    rows = [
        f"| `{c_name(program)}` | `{c_name(program)}.h` | `int {c_name(program)}_check(...)` |"
        for program in programs
    ]
    library = facts.library
    lines = [
        f"# {library}",
        "",
        f"{facts.sentence}, made by Tinsmith {facts.version}. Nothing else is needed: {thousands(len(facts.sources))} "
        "C files and their headers, all in `src/`, the one include folder.",
        "",
        "| network | its header is its manual | runs a sample and compares |",
        "|---|---|---|",
        *rows,
        "",
        f"Include {main}. `example/main.c` prints PASS where a network computes what it should.",
        "",
        "| build | what to write |",
        "|---|---|",
        f"| CMake | `add_subdirectory({library})`, `target_link_libraries(app PRIVATE {library})`; or `cmake -B build` "
        "here for the check |",
        f"| ESP-IDF | copy to `components/{library}`, and `REQUIRES {library}` |",
        f"| Zephyr | `-DEXTRA_ZEPHYR_MODULES=<this folder>` (without a west workspace `-DZEPHYR_MODULES`), and "
        f"`CONFIG_{library.upper()}=y` |",
        f"| Arduino | copy to `libraries/{library}`; File, Examples, {library}, check |",
        f"| PlatformIO | copy to `lib/{library}` |",
        f"| CMSIS-Pack | `cpackget add <this folder>/Tinsmith.{library}.pdsc`, and component `Machine Learning:Network:"
        f"{facts.component}` |",
        "| make and others | compile `src/*.c` with `-Isrc`, into an archive |",
        "",
        "Compile for the target's CPU: generated C refuses another one. Floats are the same bits everywhere without "
        "`-ffast-math`.",
        "",
        "Kernels and generated code: Apache-2.0 (`LICENSE`), but for files that `sbom.spdx.json` says otherwise of. "
        "Weights are whose the model is.",
        "",
    ]
    return "\n".join(lines)
