"""Print the table of README.md: the functions of the CMSIS-NN API, and the files that hold their loops.

    python kernels/cmsis_nn/tests/function_table.py

A function's loops are in the most particular files that it calls, directly or not: those of an instruction set if there
are any, else those of plain C, else what all share.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent
IMPLEMENTATIONS = ("C", "DSP", "MVE")

_DEFINITION = re.compile(r"^(\w[\w \*]*?)(\w+)\([^;{]*\) \{$(.*?)^\}$", re.M | re.S)
_BODY = "_body.h"
_POOLING = ("arm_avgpool_s16", "arm_max_pool_s16")
"""What the macro TINSMITH_POOLING_S16 defines."""


def public_functions() -> list[str]:
    """As the headers name them."""
    names: list[str] = []
    for path in sorted((LIBRARY / "include").glob("arm_nnfunctions*.h")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        names += re.findall(r"\b(arm_\w+)\(", text)
    return names


def table() -> str:
    """The table as Markdown. Functions that say sizes of scratch stand with the function that they belong to."""
    names = public_functions()
    sources = {kind: tuple(_functions(kind)) for kind in IMPLEMENTATIONS}
    lines = [f"| function | {' | '.join(IMPLEMENTATIONS)} |", "|---" * 4 + "|"]
    for name in sorted(name for name in names if "_get_" not in name):
        sizes = sum(other.startswith(f"{name}_get_") for other in names)
        files = [_loops(name, sources[kind]) for kind in IMPLEMENTATIONS]
        lines.append(
            f"| `{name}`{f', {sizes} of scratch' if sizes else ''} | {' | '.join(files)} |"
        )
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Function:
    """A definition. file: of sources, from `src`. is_static: known in its file alone."""

    name: str
    file: str
    body: str
    is_static: bool


def _functions(kind: str) -> Iterator[Function]:
    """What is compiled for an implementation, in files or the headers that they share. A body counts as the file that
    is compiled of it to round twice.
    """
    for path in sorted((LIBRARY / "src").rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        guards = re.findall(r"^#if (!?TINSMITH_NN_\w+)$", text, re.M)
        if kind not in _compiled_for(path.parent.name, guards):
            continue
        file = f"{path.parent.name}/{path.name.replace(_BODY, '.c')}"
        for match in _DEFINITION.finditer(text):
            is_static = re.search(r"\bstatic\b|ALWAYS_INLINE", match[1]) is not None
            yield Function(match[2], file, match[3], is_static)
        if re.search(r"^TINSMITH_POOLING_S16\(", text, re.M):
            yield from (Function(name, file, "", is_static=False) for name in _POOLING)


def _compiled_for(folder: str, guards: list[str]) -> tuple[str, ...]:
    match folder:
        case "dsp":
            return ("DSP",)
        case "mve":
            return ("MVE",)
        case "c" if "TINSMITH_NN_C" in guards:
            return ("C",)
        case _:
            return ("C", "DSP") if "!TINSMITH_NN_MVE" in guards else IMPLEMENTATIONS


def _loops(name: str, functions: tuple[Function, ...]) -> str:
    """The files of a function's loops."""
    public = {function.name: function for function in functions if not function.is_static}
    private = {
        (function.file, function.name): function for function in functions if function.is_static
    }
    shared = {name: found for (file, name), found in private.items() if file.endswith(".h")}
    reached, waiting = set[Function](), [public[name]]
    while waiting:
        current = waiting.pop()
        if current in reached:
            continue
        reached.add(current)
        for word in set(re.findall(r"\b\w+\b", current.body)):
            called = private.get((current.file, word), public.get(word, shared.get(word)))
            waiting += [] if called is None or called.name.endswith("buffer_size") else [called]
    files = {function.file for function in reached if function.file.endswith(".c")}
    for folders in (("dsp", "mve"), ("c",), ("common",)):
        chosen = sorted(file for file in files if file.split("/")[0] in folders)
        if chosen:
            return ", ".join(chosen)
    raise ValueError(f"{name} has no source")


if __name__ == "__main__":
    print(table(), end="")
