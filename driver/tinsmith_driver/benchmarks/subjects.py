"""What benchmarks measure: MLPerf Tiny's networks and made ones, run, and compared with the evaluator."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tinsmith_ir import Graph

from tinsmith_driver.benchmarks.mlperf_tiny import network_files, read_baseline
from tinsmith_driver.build import Build, built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import Samples, load_samples, random_samples
from tinsmith_driver.models import TEXT_FORMAT, Model, read_model
from tinsmith_driver.network import Network
from tinsmith_driver.running import Measurement, compare, run_samples


@dataclass(frozen=True, eq=False)
class Subject:
    """A network. inputs: a file of real samples; None for some at random."""

    model: Model
    inputs: Path | None = None

    def samples(self, graph: Network, count: int | None = None) -> Sequence[Samples]:
        """count: of each group of the file at most, None for all; at random so many, None for one.

        graph: the network as it was compiled.
        """
        if self.inputs is None:
            return [random_samples(graph, count or 1)]
        return load_samples(self.inputs, graph, count)


def tiny(name: str) -> Subject:
    """One of MLPerf Tiny's networks, with its inputs. Raises UsageError, saying where to get it, if it is absent."""
    path, inputs = network_files(read_baseline()[0][name])
    return Subject(read_model(path, name), inputs)


def made_model(graph: Graph) -> Model:
    """A graph that no file holds, as if it had been read from one of its name; so is its hash the name's."""
    sha256 = hashlib.sha256(graph.name.encode()).hexdigest()
    return Model(Path(f"{graph.name}.tsm"), TEXT_FORMAT, sha256, graph)


def compared(
    compilation: Compilation,
    samples: Sequence[Samples],
    timeout_seconds: float,
    *,
    layer_hook: bool = False,
) -> tuple[Measurement, Build]:
    """Build, run and compare with the evaluator, and with the file where it has outputs.

    layer_hook: as of `built`. The build is for its sizes and warnings; its folder is gone.
    """
    with built(compilation, layer_hook=layer_hook) as build:
        measurement = run_samples(build, compilation.graph, samples, timeout_seconds)
    return compare(measurement, compilation.reference), build


def wrong_bytes(measurement: Measurement) -> int:
    """Of outputs, those that differ from the evaluator's; what files hold rounds as TFLite does, and says nothing of a
    network that rounds otherwise.
    """
    return sum(group.mismatches or 0 for group in measurement.groups)


def byte_status(measurement: Measurement) -> str:
    """`ok`, or how many bytes are wrong (`wrong_bytes`)."""
    wrong = wrong_bytes(measurement)
    return "ok" if wrong == 0 else f"{wrong} bytes differ"
