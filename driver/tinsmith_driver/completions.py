"""A program that copies beside the core, on this computer: whether it is right however late its copies end."""

from dataclasses import replace

from tinsmith_driver.build import built
from tinsmith_driver.kernel_sources import copies_beside_the_core
from tinsmith_driver.pipelines import Compilation
from tinsmith_driver.running import Measurement, compare, run_samples


def with_early_copies(
    compilation: Compilation, measurement: Measurement, timeout_seconds: float
) -> Measurement:
    """The measurement, whose copies ended as late as they may, if it is right with copies made at once, too; else
    what those gave. As it was where a board has the say, or nothing is copied beside the core.
    """
    is_host = compilation.target.board.emulator is None
    if not (is_host and copies_beside_the_core(compilation.program) and measurement.is_right):
        return measurement
    groups = [group.samples for group in measurement.groups]
    with built(compilation, copies_early=True) as build:
        early = run_samples(build, compilation.graph, groups, timeout_seconds)
    early = compare(early, compilation.reference, measurement.float_tolerance)
    if not early.is_right:
        return early
    return replace(measurement, copies_compared=True)
