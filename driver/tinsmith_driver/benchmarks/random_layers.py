"""Layers at the borders of what an accelerator takes, drawn at random by its back end: how many it computes, and
whether every byte is the evaluator's.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tinsmith_toolchains import temporary_folder

from tinsmith_driver.benchmarks.pulp_checkout import checkout, script_lines
from tinsmith_driver.benchmarks.subjects import Subject, compared, wrong_bytes
from tinsmith_driver.pipelines import Compilation, Model, read_model
from tinsmith_driver.table import table

_LEAST_TAKEN = 0.3
_TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class LayersRow:
    """Random layers: those that the accelerator takes, those that a rule refuses; names of those with wrong bytes."""

    layers: int
    taken: int
    refused: int
    wrong: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RandomLayers:
    """writer: a script of a checkout, which is given a folder and a number, and writes so many graphs there, named
    `layer_SEED.tsm`. compiled: one of them for the chip. kernel: what the keys of kernels hold that are jobs.
    """

    writer: Path
    count: int
    compiled: Callable[[Model], Compilation]
    kernel: str

    def jobs(self, compilation: Compilation) -> int:
        """Calls that the accelerator computes."""
        return sum(self.kernel in call.kernel for call in compilation.program.calls)

    def row(self) -> LayersRow:
        """Compile all, and run those with jobs on a random input each. Raises UsageError where there is no checkout."""
        taken, wrong = 0, list[str]()
        with temporary_folder("tinsmith-bench-") as folder:
            for _ in script_lines(checkout() / self.writer, str(folder), str(self.count)):
                pass
            paths = sorted(folder.glob("*.tsm"), key=lambda path: int(path.stem.split("_")[1]))
            for path in paths:
                subject = Subject(read_model(path))
                compilation = self.compiled(subject.model)
                if self.jobs(compilation) == 0:
                    continue
                taken += 1
                samples = subject.samples(compilation.graph, 1)
                found, _ = compared(compilation, samples, _TIMEOUT_SECONDS)
                if wrong_bytes(found):
                    wrong.append(path.stem)
        return LayersRow(len(paths), taken, len(paths) - taken, tuple(wrong))

    def misses(self, rows: Iterable[LayersRow]) -> Iterator[str]:
        """Wrong layers, and too few to say much."""
        for row in rows:
            if row.wrong:
                names = ", ".join(row.wrong)
                yield f"random layers: {len(row.wrong)} differ from the evaluator: {names}"
            if row.taken < _LEAST_TAKEN * row.layers or row.layers != self.count:
                yield f"random layers: {row.taken} of {row.layers} are the accelerator's, which says little"


def layers_text(rows: Iterable[LayersRow]) -> str:
    """A table, empty without rows."""
    lines = [[str(r.layers), str(r.taken), str(r.refused), str(len(r.wrong))] for r in rows]
    return table(["random layers", "taken", "refused", "wrong"], lines) if lines else ""
