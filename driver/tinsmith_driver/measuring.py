"""A compilation on its target's emulator: what it costs, and whether it gives what is right."""

from collections.abc import Sequence

from tinsmith_driver import sweep
from tinsmith_driver.build import built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import Samples
from tinsmith_driver.running import FLOAT_TOLERANCE, compare, run_samples


def measured_row(
    network: str,
    compilation: Compilation,
    groups: Sequence[Samples],
    timeout_seconds: float,
    float_tolerance: float = FLOAT_TOLERANCE,
) -> sweep.Row:
    """The row of a network that is built, run and compared here.

    Raises DoesNotFitError where its board has no room for it, MissingEmulatorError where nothing runs it.
    """
    with built(compilation) as build:
        measurement = run_samples(build, compilation.graph, groups, timeout_seconds)
        measurement = compare(measurement, compilation.reference, float_tolerance)
        return sweep.measured(network, compilation, build, measurement)
