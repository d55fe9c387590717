"""Layers at the borders of what an accelerator takes, drawn at random by its back end: how many it computes, and
whether every byte is the evaluator's.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tinsmith_toolchains import temporary_folder

from tinsmith_driver.benchmarks.pulp_checkout import checkout, script_lines
from tinsmith_driver.benchmarks.subjects import Subject, compared, wrong_bytes
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.models import Model, read_model
from tinsmith_driver.table import table

_LEAST_TAKEN = 0.3
_TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class LayersRow:
    """Random layers: those that the accelerator takes, those that a rule refuses, those that ran; names of those with
    wrong bytes.
    """

    accelerator: str
    layers: int
    taken: int
    refused: int
    compared: int
    wrong: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RandomLayers:
    """accelerator: its name. writer: a script of a checkout, which is given a folder, a number and `arguments`, and
    writes so many graphs there, named `layer_SEED.tsm`; inputs for one may lie beside it as `.npz`, else there is one
    at random. compiled: one of them for the chip. kernel: what the keys of kernels hold that are jobs. all_run: whether
    those that are refused run, too, by who else takes them.
    """

    accelerator: str
    writer: Path
    count: int
    compiled: Callable[[Model], Compilation]
    kernel: str
    arguments: tuple[str, ...] = ()
    all_run: bool = False

    def row(self) -> LayersRow:
        """Compile all, and run those that are to. Raises UsageError where there is no checkout."""
        with temporary_folder("tinsmith-bench-") as folder:
            script = checkout() / self.writer
            for _ in script_lines(script, str(folder), str(self.count), *self.arguments):
                pass
            paths = sorted(folder.glob("*.tsm"), key=lambda path: int(path.stem.split("_")[1]))
            found = {path.stem: self._ran(path) for path in paths}
        taken = sum(layer.is_taken for layer in found.values())
        return LayersRow(
            self.accelerator,
            len(found),
            taken,
            len(found) - taken,
            sum(layer.wrong is not None for layer in found.values()),
            tuple(name for name, layer in found.items() if layer.wrong),
        )

    def jobs(self, compilation: Compilation) -> int:
        """Calls that the accelerator computes."""
        return sum(self.kernel in call.kernel for call in compilation.program.calls)

    def misses(self, rows: Iterable[LayersRow]) -> Iterator[str]:
        """Wrong layers, those that did not run, and too few to say much."""
        for row in rows:
            what = f"random layers, {row.accelerator}"
            if row.wrong:
                names = ", ".join(row.wrong)
                yield f"{what}: {len(row.wrong)} differ from the evaluator: {names}"
            if row.taken < _LEAST_TAKEN * row.layers or row.layers != self.count:
                yield f"{what}: {row.taken} of {row.layers} are the accelerator's, which says little"
            if row.compared < (row.layers if self.all_run else row.taken):
                yield f"{what}: {row.compared} of {row.layers} ran"

    def _ran(self, path: Path) -> "_Layer":
        inputs = path.with_suffix(".npz")
        subject = Subject(read_model(path), inputs if inputs.exists() else None)
        compilation = self.compiled(subject.model)
        is_taken = self.jobs(compilation) > 0
        if not is_taken and not self.all_run:
            return _Layer(is_taken, None)
        found, _ = compared(compilation, subject.samples(compilation.graph), _TIMEOUT_SECONDS)
        return _Layer(is_taken, wrong_bytes(found))


@dataclass(frozen=True)
class _Layer:
    """wrong: bytes that differ from the evaluator's; None if it did not run."""

    is_taken: bool
    wrong: int | None


def layers_text(rows: Iterable[LayersRow]) -> str:
    """A table, empty without rows."""
    lines = [
        [
            row.accelerator,
            *map(str, (row.layers, row.taken, row.refused, row.compared, len(row.wrong))),
        ]
        for row in rows
    ]
    header = ["random layers of", "drawn", "taken", "refused", "run", "wrong"]
    return table(header, lines) if lines else ""
