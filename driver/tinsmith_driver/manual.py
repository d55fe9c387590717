"""Pages that are written from declarations: docs/supported_ops.md by `python -m tinsmith_driver.manual`,
docs/imported_ops.md by `python -m tinsmith_driver.manual imports`, the pages of libraries by
`python -m tinsmith_driver.manual api docs/api`.
"""

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from tinsmith_lowering import Kernel, supported_operators
from tinsmith_plugins import Importer

from tinsmith_driver.api_pages import api_pages
from tinsmith_driver.plugins import registry

_HEAD = """# Supported operators

Written from the kernels' declarations by `python -m tinsmith_driver.manual`; a test keeps it fresh.
Kernels of an operator stand in order of preference; a layer gets the first whose element types and rules
it obeys. The rules are also the text of the errors. Which shapes and attributes an operator may have at
all is the business of [the IR](../ir/README.md).

"""

_SPEED = """## Speed

By element type of the first operand, whether a back end made for speed has kernels for an operator ("fast") or plain
loops alone ("reference"). What a fast kernel refuses by its rules, below, goes to the plain loops, too.

"""

_KERNELS = """
## Kernels

"""

# Of each implementation of the fast kernels one.
_SPEED_TARGETS = ("cortex-m3", "cortex-m4", "cortex-m55", "siracusa")

# Its table is the longest: targets without SIMD have fewer rules.
_TARGET = "cortex-m4"

_ON_CLUSTERS = """
## Kernels on clusters

What the cores of a cluster share: `pulp-open`, `siracusa`, `gap9`; on `diana`, without a cluster, one core computes it.
What they refuse goes to plain loops of one core.

"""
_CLUSTER_TARGET = "siracusa"

_ON_ACCELERATORS = """
## Jobs of {name}

With `--backend {name}`. What it refuses goes to the kernels of {behind}.

"""


def supported_operators_page() -> str:
    """The whole page."""
    plain = _plain()
    shared = [found for found in _kernels_of(_CLUSTER_TARGET) if found.backend not in plain]
    kernels = _KERNELS + supported_operators(_kernels_of(_TARGET))
    clusters = _ON_CLUSTERS + supported_operators(shared)
    return _HEAD + _SPEED + _speeds() + kernels + clusters + _on_accelerators()


def _on_accelerators() -> str:
    """Of each back end that stands in front of another, its own kernels."""
    pages: list[str] = []
    for name, entry in sorted(registry().backends.items()):
        if entry.behind is not None:
            all_ = registry().kernels(registry().target(_CLUSTER_TARGET), name, packed=True)
            own = [kernel for kernel in all_ if kernel.backend == name]
            head = _ON_ACCELERATORS.format(name=name, behind=entry.behind)
            pages.append(head + supported_operators(own))
    return "".join(pages)


def _kernels_of(target: str) -> Sequence[Kernel]:
    return registry().kernels(registry().target(target), None, packed=True)


def _plain() -> set[str]:
    """Back ends of plain loops, which stand behind the others for every target."""
    return {name for name, entry in registry().backends.items() if entry.serves_all}


def _speeds() -> str:
    """A row for each operator, a column for each target."""
    kernels = {target: _kernels_of(target) for target in _SPEED_TARGETS}
    operators = sorted({kernel.computes for found in kernels.values() for kernel in found})
    rows = [
        f"| {operator} | {' | '.join(_speed(operator, kernels[t]) for t in _SPEED_TARGETS)} |"
        for operator in operators
    ]
    head = [f"| operator | {' | '.join(_SPEED_TARGETS)} |", f"|---|{'---|' * len(_SPEED_TARGETS)}"]
    return "\n".join([*head, *rows, ""])


def _speed(operator: str, kernels: Sequence[Kernel]) -> str:
    """`fast: i8; reference: f32, i16`, or the class alone where all types have one."""
    types = {True: dict[str, None](), False: dict[str, None]()}
    slow = _plain()
    for kernel in kernels:
        if kernel.computes == operator:
            types[kernel.backend not in slow][kernel.signature.inputs[0].value] = None
    fast = sorted(types[True])
    plain = sorted(found for found in types[False] if found not in types[True])
    classes = {
        name: ", ".join(found) for name, found in (("fast", fast), ("reference", plain)) if found
    }
    return (
        next(iter(classes))
        if len(classes) == 1
        else "; ".join(f"{k}: {v}" for k, v in classes.items())
    )


_IMPORTS_HEAD = """# Imported operators

Written from the importers' tables by `python -m tinsmith_driver.manual imports`; a test keeps it fresh. What is left
out of an operator stands beside it; each refusal of the command names operator and reason.

"""


def imported_operators_page() -> str:
    """The whole page."""
    importers = [each for each in registry().importers.values() if each.operators()]
    return _IMPORTS_HEAD + "\n".join(_importer_table(importer) for importer in importers)


def _importer_table(importer: Importer) -> str:
    operators = importer.operators()
    limited = [f"| {name} | {remark} |" for name, remark in operators.items() if remark]
    whole = ", ".join(name for name, remark in operators.items() if not remark)
    lines = textwrap.wrap(whole, 118, break_long_words=False, break_on_hyphens=False)
    head = ["", "| operator | left out |", "|---|---|"] if limited else []
    return "\n".join([f"## {importer.name}", "", *lines, *head, *limited, ""])


def write_api_pages(folder: Path) -> None:
    """Write the page of each library, and remove pages of libraries that are gone."""
    pages = api_pages()
    folder.mkdir(parents=True, exist_ok=True)
    for path in set(folder.glob("tinsmith_*.md")) - {folder / name for name in pages}:
        path.unlink()
    for name, page in pages.items():
        (folder / name).write_text(page, encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Print or write what is asked for; returns the exit status."""
    match list(arguments):
        case []:
            print(supported_operators_page(), end="")
        case ["imports"]:
            print(imported_operators_page(), end="")
        case ["api", folder]:
            write_api_pages(Path(folder))
        case _:
            print("usage: python -m tinsmith_driver.manual [imports | api FOLDER]", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
