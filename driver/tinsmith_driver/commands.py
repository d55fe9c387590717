"""The commands. Each takes the parsed arguments, prints for people, and returns the exit status."""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tinsmith_c import c_name as c_name_of_program
from tinsmith_emulators import need_trace
from tinsmith_ir import Graph, InPieces, ModelError, Program, UnsupportedError, UsageError
from tinsmith_ir.errors import DoesNotFitError, ParseError
from tinsmith_ir.escape import visible, visible_lines
from tinsmith_ir.printer import print_graph
from tinsmith_ir.program_printer import print_program
from tinsmith_plan_check.command import run as run_check
from tinsmith_plugins import ImportChoices
from tinsmith_toolchains import MissingToolError, UnwritableCacheError

from tinsmith_driver import benchmarks, demonstration, difference_text, sweep
from tinsmith_driver.asked import (
    asked_model,
    asked_places,
    asked_samples,
    compile_options,
    model_choices,
    pass_options,
    verify_places,
)
from tinsmith_driver.build import Build, built
from tinsmith_driver.certificate import plan_bytes
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.completions import with_early_engines
from tinsmith_driver.exploring import (
    EXPLORE_SCHEMA,
    Explored,
    compilations,
    explored_html,
    explored_text,
    smaller_text,
)
from tinsmith_driver.inputs import Samples
from tinsmith_driver.layers import with_layers
from tinsmith_driver.measuring import measured_row
from tinsmith_driver.memory_limits import board_ram_bytes
from tinsmith_driver.memory_report import memory_table
from tinsmith_driver.messages import print_warning
from tinsmith_driver.models import Model, model_of, read_model_file
from tinsmith_driver.npz import npz_bytes
from tinsmith_driver.objects import build_objects
from tinsmith_driver.options import CompileOptions, c_name
from tinsmith_driver.pipelines import compile_model, passes_for, show_after
from tinsmith_driver.placing import placement_table
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.reduction import Trial, reduced
from tinsmith_driver.report import check_report, json_bytes, layer_table, report, write_json
from tinsmith_driver.report_files import (
    ReportPlaces,
    default_folder,
    folder_places,
    report_bytes,
    written_line,
)
from tinsmith_driver.report_types import Report
from tinsmith_driver.room import linked
from tinsmith_driver.running import Measurement, compare, run_samples, traced
from tinsmith_driver.sayings import print_measurement, print_memories, print_timings, print_warnings
from tinsmith_driver.support import constant_bytes, unsupported
from tinsmith_driver.table import thousands
from tinsmith_driver.terminal import say
from tinsmith_driver.text_files import TEXT_SUFFIX, is_program, is_text, program_from_text
from tinsmith_driver.tiling import tiling_table
from tinsmith_driver.traces import with_layer_names
from tinsmith_driver.writing import refuse_collisions, write_outputs


def check(arguments: argparse.Namespace) -> int:
    """Say of every op whether the target runs it, and which kernel would."""
    try:
        compilation = _checked(arguments)
        sizes = _sizes(compilation)
    except (DoesNotFitError, ModelError, ParseError, UnsupportedError) as refusal:
        if arguments.json:
            write_json(arguments.json, check_report(arguments.target, refusal))
        raise
    if arguments.json:
        write_json(arguments.json, check_report(arguments.target, None))
    print(layer_table(compilation, None))
    print_warnings(compilation)
    say(f"\n{arguments.target} runs {visible(compilation.model.graph.name)}: {sizes}")
    print_memories(compilation)
    smaller = "" if compilation.options.memories else smaller_text(compilation)
    if smaller:
        say(smaller)
    return 0


def _checked(arguments: argparse.Namespace) -> Compilation:
    """The compilation. Raises UnsupportedError with every op that the target does not run."""
    ram = arguments.ram or board_ram_bytes(arguments.target)
    options = replace(pass_options(arguments), ram_bytes=ram)
    model = asked_model(arguments)
    findings = unsupported(model, options)
    if findings:
        problems = [f"{arguments.model}: {finding}" for finding in findings]
        refused = f"{len(findings)} of {_op_count(model)} ops cannot run on {arguments.target}:"
        raise UnsupportedError("\n".join([refused, *problems]), problems=problems)
    return compile_model(model, options)


def _op_count(model: Model) -> int:
    return len(model.graph.nodes) if isinstance(model.graph, Graph) else 0


def _sizes(compilation: Compilation) -> str:
    """What the network needs. Raises DoesNotFitError where that is more than the board has."""
    sizes = (
        f"{thousands(compilation.arena_bytes)} bytes of arena, "
        f"{thousands(constant_bytes(compilation))} bytes of constants"
    )
    try:
        build = linked(compilation)
    except (MissingToolError, UnwritableCacheError) as error:
        print_warning(f"whether code fits beside them is unknown: {error}")
        return sizes
    return (
        sizes
        if build is None
        else f"{sizes}; {thousands(build.code)} bytes of code fit beside them"
    )


def run(arguments: argparse.Namespace) -> int:
    """Compile, run and keep the outputs."""
    with progress("run", 3, enabled=arguments.progress) as bar:
        bar.step("compiling")
        compilation = _compile(arguments, arguments.ram or board_ram_bytes(arguments.target))
        groups = asked_samples(arguments, compilation.graph, compilation.model)
        bar.step("building")
        with built(compilation) as build:
            bar.step("running")
            measurement = run_samples(build, compilation.graph, groups, arguments.timeout)
            result = report(compilation, build, measurement)
    outputs = {arguments.outputs: _npz(measurement)} if arguments.outputs else {}
    places = asked_places(arguments)
    write_outputs(outputs | _reports(arguments, compilation, result, places))
    print_timings(arguments, compilation)
    print_measurement(compilation, measurement)
    return 0


def verify(arguments: argparse.Namespace) -> int:
    """Compile, run, compare; the answer is the exit status."""
    if arguments.difference and not arguments.layers:
        raise UsageError("--difference: expected --layers beside it, which compares layers")
    asked = verify_places(arguments)
    if arguments.trace:
        need_trace(registry().target(arguments.target).board, registry().runners)
    with progress("verify", 4, enabled=arguments.progress) as bar:
        bar.step("compiling")
        ram = arguments.ram or board_ram_bytes(arguments.target)
        compilation = _compile(arguments, ram)
        groups = asked_samples(arguments, compilation.graph, compilation.model)
        bar.step("building")
        with built(compilation) as build:
            bar.step("running")
            measurement = run_samples(build, compilation.graph, groups, arguments.timeout)
            bar.step("comparing")
            measurement = compare(measurement, compilation.reference, arguments.float_tolerance)
            measurement = with_early_engines(compilation, measurement, arguments.timeout)
            measurement = _with_layers(arguments, compilation, measurement)
            result = report(compilation, build, measurement)
            traces = _trace(arguments, compilation, build, groups)
            if build.firmware.warnings:
                say(visible_lines(build.firmware.warnings), sys.stderr)
            tables = [
                layer_table(compilation, measurement),
                memory_table(compilation, build, measurement),
            ]
            if arguments.layers and result["tiling"] is not None:
                tables.insert(1, tiling_table(result["tiling"]))
            if arguments.layers and result["placement"] is not None:
                tables.insert(1, placement_table(result["placement"]))
    drawn = traces.get(arguments.trace) if build.firmware.cluster else None
    reports = _reports(arguments, compilation, result, asked, drawn)
    write_outputs(_difference(arguments, measurement) | traces | reports)
    print("\n\n".join(tables))
    print()
    line = written_line(reports, asked)
    if arguments.default_report and asked == ReportPlaces():
        line = _written_by_default(compilation, result)
    if line:
        say(line)
    print_warnings(compilation)
    print_timings(arguments, compilation)
    print_measurement(compilation, measurement)
    return 0 if measurement.is_right else 1


def _with_layers(
    arguments: argparse.Namespace, compilation: Compilation, measurement: Measurement
) -> Measurement:
    """The program that reports its layers is larger: a board may have room for the product alone."""
    try:
        return with_layers(compilation, measurement, arguments.timeout, compare=arguments.layers)
    except DoesNotFitError as error:
        if arguments.layers:
            raise
        print_warning(f"no counts by layer: with its reports {error}")
        return measurement


def explore(arguments: argparse.Namespace) -> int:
    """Measure plans in less and less memory; the answer is whether all are right."""
    network = arguments.name or c_name(arguments.model)
    options = compile_options(arguments, None)
    model = asked_model(arguments)
    rows: list[sweep.Row] = []
    plans: dict[Path, bytes] = {}
    refusal = ""
    with progress("explore", arguments.most, enabled=arguments.progress) as bar:
        try:
            for compilation in compilations(model, options, most=arguments.most):
                bar.step(f"{thousands(compilation.arena_bytes)} bytes")
                rows.append(_measured(arguments, network, compilation))
                if arguments.plans:
                    place = arguments.plans / f"plan_{compilation.arena_bytes}.json"
                    plans[place] = plan_bytes(compilation)
        except DoesNotFitError as error:
            if not rows:
                raise
            refusal = str(error)
    explored = Explored(
        schema=EXPLORE_SCHEMA,
        network=network,
        target=arguments.target,
        rows=rows,
        is_complete=bool(refusal),
        refusal=refusal,
    )
    files = plans
    if arguments.json:
        files[arguments.json] = json_bytes(explored)
    if arguments.html:
        files[arguments.html] = explored_html(explored).encode()
    write_outputs(files)
    print(explored_text(rows))
    if refusal:
        say(f"\nless is refused: {refusal}")
    return 0 if all(row["status"] in ("ok", "does not fit") for row in rows) else 1


def _measured(arguments: argparse.Namespace, network: str, compilation: Compilation) -> sweep.Row:
    """A plan that ran, or that the board has no room for."""
    try:
        groups = asked_samples(arguments, compilation.graph, compilation.model)
        return measured_row(
            network, compilation, groups, arguments.timeout, arguments.float_tolerance
        )
    except DoesNotFitError as error:
        row = sweep.refused(network, arguments.target, error)
        row.update(arena_bytes=compilation.arena_bytes)
        return row


def reduce(arguments: argparse.Namespace) -> int:
    """Find the smallest part of a network that fails as the whole does, and write it and its inputs."""
    place: Path = arguments.output
    if place.suffix != TEXT_SUFFIX:
        raise UsageError(f"{place}: expected a file name that ends in {TEXT_SUFFIX}")
    samples = place.with_suffix(".npz")
    read = {"MODEL": arguments.model, "--inputs": arguments.inputs}
    refuse_collisions(
        {"--output": place, "its inputs": samples},
        {name: path for name, path in read.items() if path is not None},
    )
    model = asked_model(arguments)
    if not isinstance(model.graph, Graph) or model.program is not None:
        raise UsageError(f"{arguments.model}: expected a network, got a plan, which has no parts")
    options = compile_options(arguments, arguments.ram or board_ram_bytes(arguments.target))
    cutting = [found.name for found in passes_for(options) if isinstance(found.contract, InPieces)]
    if cutting:
        raise UsageError(
            f"reduce: expected a network that takes its inputs as they are, got pass {cutting[0]!r}, behind which they "
            f"come in pieces; write what it makes (show MODEL --after {cutting[0]} --constants), and reduce that"
        )
    trial = Trial(model, options, arguments.timeout)
    with progress("reduce", 1, enabled=arguments.progress) as bar:
        found = reduced(trial, model.graph, asked_samples(arguments, model.graph, model), bar.step)
    if found is None:
        say(f"{visible(model.graph.name)} does not fail on {arguments.target}")
        return 1
    case = found.case
    text = print_graph(case.graph).encode()
    write_outputs({place: text, samples: npz_bytes(case.samples.arrays)})
    print(print_graph(case.graph, constants="summary"))
    say(visible_lines(found.failure.message))
    say(
        f"{visible(str(place))}, {visible(str(samples))}: {len(case.graph.nodes)} of "
        f"{len(model.graph.nodes)} operators, found in {found.tried} trials"
    )
    return 0


def measure(arguments: argparse.Namespace) -> int:
    """Measure one network on one target: the answer is a row, also where there is nothing to run."""
    network = arguments.name or c_name(arguments.model)
    try:
        compilation = _compile(arguments, arguments.ram or board_ram_bytes(arguments.target))
        groups = asked_samples(arguments, compilation.graph, compilation.model)
        row = measured_row(
            network, compilation, groups, arguments.timeout, arguments.float_tolerance
        )
        print_timings(arguments, compilation)
    except (DoesNotFitError, UnsupportedError) as refusal:
        row = sweep.refused(network, arguments.target, refusal)
    if arguments.json:
        write_json(arguments.json, row)
    else:
        print(sweep.sweep_markdown([row]), end="")
    return 0


def gather(arguments: argparse.Namespace) -> int:
    """Make a table of rows; the answer is whether all are right, unless it goes to a file."""
    rows = sweep.read_rows(arguments.rows)
    text = sweep.sweep_markdown(rows)
    wrong = sweep.wrong_rows(rows)
    lines = "".join(f"{visible(line)}\n" for line in wrong)
    files: dict[Path, bytes] = {}
    if arguments.json:
        files[arguments.json] = json_bytes(sweep.sweep_json(rows))
    if arguments.markdown:
        files[arguments.markdown] = text.encode()
    if arguments.wrong:
        files[arguments.wrong] = lines.encode()
    write_outputs(files)
    print(text, end="")
    print(lines, end="", file=sys.stderr)
    return 1 if wrong and not arguments.wrong else 0


def objects(arguments: argparse.Namespace) -> int:
    """Compile what programs for a target share."""
    build_objects(arguments.target, arguments.output)
    return 0


def check_plan(arguments: argparse.Namespace) -> int:
    """Check plans of memory; the answer is the exit status of `tinsmith_plan_check`."""
    return run_check(arguments)


def diff(arguments: argparse.Namespace) -> int:
    """Say what of two reports differs; the answer is whether something is worse, if that was asked."""
    return difference_text.run(
        arguments.before,
        arguments.after,
        arguments.html,
        arguments.tolerance,
        fails_on_regression=arguments.fail_on_regression,
    )


def show(arguments: argparse.Namespace) -> int:
    """Print the IR."""
    options = pass_options(arguments)
    registry().target(options.target)  # a wrong name is wrong use, even where no target is needed
    shown = _shown(arguments.model, options, arguments.after, model_choices(arguments))
    constants = "inline" if arguments.constants else "summary"
    # Who wants constants reads the text back, or gives it to a command.
    short = not (arguments.full or arguments.constants)
    text = (
        print_graph(shown, constants=constants, short=short)
        if isinstance(shown, Graph)
        else print_program(shown, constants=constants, short=short)
    )
    print(text, end="" if text.endswith("\n") else "\n")
    return 0


def _shown(
    path: Path, options: CompileOptions, after: str | None, choices: ImportChoices
) -> Graph | Program:
    data = read_model_file(path)
    if is_text(data, path) and is_program(data):
        if after is not None:
            raise UsageError(f"{path}: a Program is behind all passes, so there is no --after")
        return program_from_text(data, path)
    return show_after(model_of(data, path, choices=choices), options, after)


def demo(arguments: argparse.Namespace) -> int:
    """Show the example network at work."""
    return demonstration.run(arguments.target, arguments.json)


def bench(arguments: argparse.Namespace) -> int:
    """Run a benchmark of the repository."""
    return benchmarks.run(
        arguments.name,
        arguments.models,
        arguments.targets,
        arguments.json,
        without=arguments.without,
    )


def _compile(arguments: argparse.Namespace, ram_bytes: int | None) -> Compilation:
    options = compile_options(arguments, ram_bytes)
    model = asked_model(arguments)
    return compile_model(model, options)


def _difference(arguments: argparse.Namespace, measurement: Measurement) -> dict[Path, bytes]:
    """The arrays of the first layer that differs, by the file to write, if one does and they were asked for."""
    if arguments.difference is None or not measurement.layer_arrays:
        return {}
    return {arguments.difference: npz_bytes(measurement.layer_arrays)}


def _trace(
    arguments: argparse.Namespace,
    compilation: Compilation,
    build: Build,
    groups: Sequence[Samples],
) -> dict[Path, bytes]:
    """The trace of the first sample's run, by the file to write, if it was asked for. Layers have their names if a
    cluster runs it, and the program that marks them has room on the board.
    """
    if arguments.trace is None:
        return {}
    first = next(samples for samples in groups if len(samples))
    if not build.firmware.cluster:
        return {arguments.trace: traced(build, first, arguments.timeout)}
    try:
        with built(compilation, layer_hook=True) as marked:
            trace = traced(marked, first, arguments.timeout)
    except DoesNotFitError as error:
        print_warning(f"no layers in the trace: with their marks {error}")
        return {arguments.trace: traced(build, first, arguments.timeout)}
    names = [call.name for call in compilation.program.calls]
    return {arguments.trace: with_layer_names(trace, names)}


def _npz(measurement: Measurement) -> bytes:
    """The file of `y` arrays named like the `x` arrays they come from."""
    arrays: dict[str, np.ndarray] = {}
    for group in measurement.groups:
        suffix = f"_{group.samples.group}" if group.samples.group else ""
        many = len(group.outputs) > 1
        for index, array in enumerate(group.outputs):
            arrays[f"y{index if many else ''}{suffix}"] = array
    return npz_bytes(arrays)


def _written_by_default(compilation: Compilation, result: Report) -> str:
    """The line for people; no report that nobody asked for changes the answer of a command, also where there is no
    place for it.
    """
    try:
        name = c_name_of_program(compilation.program)
        places = folder_places(default_folder(name, compilation.target.name))
        files = report_bytes(result, places)
        write_outputs(files)
    except (OSError, UsageError) as error:
        print_warning(f"no report was written: {error}")
        return ""
    return written_line(files, places)


def _reports(
    arguments: argparse.Namespace,
    compilation: Compilation,
    result: Report,
    places: ReportPlaces,
    trace: bytes | None = None,
) -> dict[Path, bytes]:
    """The reports that were asked for, by the file to write. trace: of a run on a cluster, for the page."""
    place = None
    if places.page is not None:
        place = _from_page(places.page, getattr(arguments, "trace", None))
    files = report_bytes(result, places, place, trace)
    if arguments.plan:
        files[arguments.plan] = plan_bytes(compilation)
    return files


def _from_page(page: Path, trace: Path | None) -> str | None:
    """Where the trace is, seen from the page's folder."""
    return None if trace is None else Path(os.path.relpath(trace, page.parent)).as_posix()
