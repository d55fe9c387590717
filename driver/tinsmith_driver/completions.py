"""A program that works beside the core, on this computer: whether it is right however late copies and calls end."""

from dataclasses import replace

from tinsmith_driver.build import built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.kernel_sources import works_beside_the_core
from tinsmith_driver.running import Measurement, compare, run_samples


def with_early_engines(
    compilation: Compilation, measurement: Measurement, timeout_seconds: float
) -> Measurement:
    """The measurement, whose engines were as late as they may, if it is right with such that work at once, too; else
    what those gave. As it was where a board has the say, or nothing is done beside the core.
    """
    is_host = compilation.target.board.emulator is None
    if not (is_host and works_beside_the_core(compilation.program) and measurement.is_right):
        return measurement
    groups = [group.samples for group in measurement.groups]
    with built(compilation, engines_early=True) as build:
        early = run_samples(build, compilation.graph, groups, timeout_seconds)
    early = compare(early, compilation.reference, measurement.float_tolerance)
    if not early.is_right:
        return early
    return replace(measurement, engines_compared=True)
