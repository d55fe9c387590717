"""What commands print of compilations and runs, beside tables."""

import argparse
import sys
from collections.abc import Iterable

from tinsmith_ir import Program
from tinsmith_ir.escape import visible, visible_lines

from tinsmith_driver.cluster import cluster_run, cluster_text
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.compressed import compression_facts, compression_text
from tinsmith_driver.held import held_facts, held_text
from tinsmith_driver.messages import bad, good, print_warning
from tinsmith_driver.placing import placement_facts, placement_text
from tinsmith_driver.report import timing_table, warnings
from tinsmith_driver.rows import stream_facts, stream_text
from tinsmith_driver.running import Measurement
from tinsmith_driver.staged import staged_facts, staged_text
from tinsmith_driver.table import thousands
from tinsmith_driver.terminal import say
from tinsmith_driver.tiling import tiling_facts, tiling_text


def print_memories(compilation: Compilation) -> None:
    """What lies in each memory of several that were chosen, and what is moved to and from slow ones."""
    chosen = compilation.options.memories
    if not chosen:
        return
    plans = compilation.plans
    used = (
        f"{name} {thousands(plans[name].arena_bytes if name in plans else 0)} of {thousands(size)} bytes"
        for name, size in chosen
    )
    moved = thousands(compilation.bytes_moved)
    say(f"{', '.join(used)}; {moved} bytes moved to and from slow memory by each inference")


def print_warnings(compilation: Compilation) -> None:
    """Those of the compilation."""
    print_each(warnings(compilation))


def print_each(found: Iterable[str]) -> None:
    """Print each text as a warning."""
    for warning in found:
        print_warning(visible_lines(warning))


def print_timings(arguments: argparse.Namespace, compilation: Compilation) -> None:
    """How long each step took, on standard error, if that was asked for."""
    if arguments.timings:
        print(timing_table(compilation), file=sys.stderr)


def print_cuts(compilation: Compilation, measurement: Measurement | None) -> None:
    """What passes decided of engines, tiles, rows, compression and copies, and what a run showed of it."""
    if (placement := placement_facts(compilation)) is not None:
        say(placement_text(placement))
    if (tiling := tiling_facts(compilation, measurement)) is not None:
        say(tiling_text(tiling))
    if (streams := stream_facts(compilation)) is not None:
        say(stream_text(streams))
    if (compression := compression_facts(compilation)) is not None:
        say(compression_text(compression))
    if (held := held_facts(compilation)) is not None:
        say(held_text(held))
    if (staged := staged_facts(compilation, measurement)) is not None:
        say(staged_text(staged))


def _unseen(program: Program) -> str:
    """How many results no core reaches, so that nothing compares them."""
    count = sum(program.is_remote(call.outputs[0]) for call in program.calls)
    return f", {count} of {len(program.calls)} aside, which no core can read" if count else ""


def print_measurement(compilation: Compilation, measurement: Measurement) -> None:
    """What a run gave, what it took, and the verdict."""
    for group in measurement.groups:
        name = visible(group.samples.group) or "samples"
        correct = "" if group.correct is None else f", {group.correct}/{len(group.samples)} right"
        if group.mismatches is not None:
            correct += f", {thousands(group.mismatches)} bytes differ from the evaluator"
        if group.file_mismatches is not None:
            correct += f", {thousands(group.file_mismatches)} from the file"
        if group.file_share is not None:
            correct += (
                f", floats at most {group.file_share:.2g} of the largest from the file "
                f"(tolerance {measurement.float_tolerance:g})"
            )
        say(f"{name}: {len(group.samples)} ran{correct}")
    if measurement.instructions is not None:
        macs = compilation.graph.macs
        say(
            f"instructions per inference: {thousands(measurement.instructions)}"
            + (f" ({measurement.instructions / macs:.3f} per MAC)" if macs else "")
        )
    if measurement.cycles is not None:
        say(f"cycles per inference: {thousands(measurement.cycles)} ({measurement.cycles_source})")
    if (cluster := cluster_run(measurement.cores)) is not None:
        say(f"cluster: {cluster_text(cluster)}")
    print_cuts(compilation, measurement)
    if measurement.layers_compared:
        found = "a difference" if measurement.layer_difference else "all equal"
        say(f"layers: {found}{_unseen(compilation.program)}")
    if measurement.engines_compared:
        say("beside the core: equal as late as it may be, and at once")
    if measurement.bit_exact is not None:
        verdict = good("bit-exact") if measurement.bit_exact else bad("NOT bit-exact")
        say(verdict if measurement.bit_exact else f"{verdict}: {measurement.reason}")
    if measurement.beyond_tolerance is not None:
        say(f"{bad('NOT within the tolerance of the file')}: {measurement.beyond_tolerance}")
