"""A network on a simulator, every output byte compared with the evaluator's, for benchmarks."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tinsmith_ir import Graph

from tinsmith_driver.build import Build
from tinsmith_driver.inputs import Samples, random_samples
from tinsmith_driver.pipelines import Compilation
from tinsmith_driver.running import Measurement, compare, run_samples

_TIMEOUT_SECONDS = 600

SamplesOf = Callable[[Graph], Iterable[Samples]]
"""What a network is run on."""


@dataclass(frozen=True)
class ExactRun:
    """wrong: bytes of all samples that differ from the evaluator's; what files hold rounds as TFLite, so it does not
    count.
    """

    measurement: Measurement
    wrong: int

    @property
    def cycles(self) -> int:
        """Of the first inference."""
        return self.measurement.cycles or 0

    @property
    def status(self) -> str:
        """For a table."""
        return "ok" if self.wrong == 0 else f"{self.wrong} bytes differ"


def exact_run(build: Build, compilation: Compilation, samples_of: SamplesOf) -> ExactRun:
    """Run a built network. compilation: of a graph."""
    graph = compilation.graph
    assert isinstance(graph, Graph)  # no plan was read
    found = run_samples(build, graph, [*samples_of(graph)], _TIMEOUT_SECONDS)
    found = compare(found, compilation.reference)
    return ExactRun(found, sum(group.mismatches or 0 for group in found.groups))


def at_random(count: int) -> SamplesOf:
    """So many random inputs, the same each time."""
    return lambda graph: [random_samples(graph, count)]
