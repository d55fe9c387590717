"""What a compilation takes on its emulated chip, for tests of passes that save cycles."""

from tinsmith_driver.build import built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.running import compare, run_samples
from tinsmith_ir import Graph

_TIMEOUT_SECONDS = 60


def exact_cycles(compilation: Compilation) -> int:
    """Of a run whose bytes are the evaluator's."""
    graph = compilation.graph
    assert isinstance(graph, Graph)
    with built(compilation) as build:
        found = run_samples(build, graph, [random_samples(graph, 2)], _TIMEOUT_SECONDS)
    found = compare(found, compilation.reference)
    assert [group.mismatches for group in found.groups] == [0]
    assert found.cycles is not None
    return found.cycles
