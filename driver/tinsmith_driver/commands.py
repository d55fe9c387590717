"""The commands. Each takes the parsed arguments, prints for people, and returns the exit status."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from tinsmith_c import HEADER_NAME, shared_arena_header
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
from tinsmith_driver.build import Build, built
from tinsmith_driver.bundle import bundle_files, check_target, refuse_content
from tinsmith_driver.certificate import plan_bytes
from tinsmith_driver.cluster import cluster_run, cluster_text
from tinsmith_driver.completions import with_early_engines
from tinsmith_driver.compressed import compression_facts, compression_text
from tinsmith_driver.engines import engines_for
from tinsmith_driver.exploring import (
    EXPLORE_SCHEMA,
    Explored,
    compilations,
    explored_html,
    explored_text,
    smaller_text,
)
from tinsmith_driver.float_islands import FloatIslands
from tinsmith_driver.held import held_facts, held_text
from tinsmith_driver.html import html_report
from tinsmith_driver.inputs import Samples, load_samples, random_samples
from tinsmith_driver.layers import with_layers
from tinsmith_driver.measuring import measured_row
from tinsmith_driver.memory_report import memory_table
from tinsmith_driver.messages import bad, good, print_warning
from tinsmith_driver.network import Network
from tinsmith_driver.npz import npz_bytes
from tinsmith_driver.objects import build_objects
from tinsmith_driver.options import CompileOptions, Memories, Waits, c_name
from tinsmith_driver.passes import PassChoice, pass_table, shrinking_names
from tinsmith_driver.pipelines import (
    Compilation,
    Model,
    board_memories,
    board_memory_bytes,
    board_ram_bytes,
    compile_model,
    model_of,
    passes_for,
    read_model,
    read_model_file,
    show_after,
    tool_version,
)
from tinsmith_driver.placing import placement_facts, placement_table, placement_text
from tinsmith_driver.plugins import plugin_table, registry
from tinsmith_driver.progress import progress
from tinsmith_driver.quantizing import QuantizeChoice, as_integers, quantized
from tinsmith_driver.reduction import Trial, reduced
from tinsmith_driver.report import (
    check_report,
    json_bytes,
    layer_table,
    report,
    timing_table,
    together_report,
    warnings,
    write_json,
)
from tinsmith_driver.report_files import (
    ReportPlaces,
    default_folder,
    folder_places,
    report_bytes,
    written_line,
)
from tinsmith_driver.report_types import Report
from tinsmith_driver.room import linked
from tinsmith_driver.rows import stream_facts, stream_text
from tinsmith_driver.running import Measurement, compare, run_samples, traced
from tinsmith_driver.speeds import chosen_waits
from tinsmith_driver.staged import staged_facts, staged_text
from tinsmith_driver.support import constant_bytes, unsupported
from tinsmith_driver.table import fitted_table, thousands
from tinsmith_driver.terminal import say
from tinsmith_driver.text_files import TEXT_SUFFIX, is_program, is_text, program_from_text
from tinsmith_driver.tiling import tiling_facts, tiling_table, tiling_text
from tinsmith_driver.traces import with_layer_names
from tinsmith_driver.writing import STANDARD_OUTPUT, refuse_collisions, write_outputs

_RANDOM_SAMPLES = 4
_Choice = TypeVar("_Choice")


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
    _print_warnings(compilation)
    say(f"\n{arguments.target} runs {visible(compilation.model.graph.name)}: {sizes}")
    _print_memories(compilation)
    smaller = "" if compilation.options.memories else smaller_text(compilation)
    if smaller:
        say(smaller)
    return 0


def _checked(arguments: argparse.Namespace) -> Compilation:
    """The compilation. Raises UnsupportedError with every op that the target does not run."""
    ram = arguments.ram or board_ram_bytes(arguments.target)
    options = replace(_pass_options(arguments), ram_bytes=ram)
    model = _model(arguments)
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


def compile_(arguments: argparse.Namespace) -> int:
    """Write the C and the report to a folder."""
    if arguments.more or arguments.shared_arena:
        return _compile_together(arguments)
    _check_places(arguments)
    options = _compile_options(arguments, arguments.ram)
    with progress("compile", len(passes_for(options)) + 1, enabled=arguments.progress) as bar:
        model = _model(arguments, bar.step)
        compilation = compile_model(model, options, bar.step)
    result = report(compilation)
    html = html_report(result).encode()
    reports = {
        "report.json": json_bytes(result),
        "report.html": html,
        "plan.json": plan_bytes(compilation),
    }
    groups = None if arguments.inputs is None else _samples(arguments, compilation.graph, model)
    bundle = _bundle(arguments, [compilation], groups[0] if groups else None)
    _write_compiled(arguments, compilation.files | reports, json_bytes(result), bundle)
    _print_compiled(arguments, compilation)
    return 0


def _check_places(arguments: argparse.Namespace) -> None:
    """Raise UsageError where nothing is to be written, or a bundle not to be written there."""
    if arguments.output is None and arguments.bundle is None:
        raise UsageError("compile: expected a folder to write to, -o DIR or --bundle DIR, got none")
    if arguments.bundle is None:
        if arguments.inputs is not None:
            raise UsageError("--inputs: expected --bundle beside it, whose check takes a sample")
        return
    found = registry().target(arguments.target)
    check_target(found.name, found.cpu)
    refuse_content(arguments.bundle)
    if arguments.output is not None:
        refuse_collisions({"--bundle": arguments.bundle, "-o": arguments.output}, {})


def _bundle(
    arguments: argparse.Namespace,
    compilations: Sequence[Compilation],
    samples: Samples | None = None,
) -> dict[Path, bytes]:
    """The files of the bundle, if one was asked for."""
    if arguments.bundle is None:
        return {}
    files = bundle_files(compilations, samples)
    return {arguments.bundle / place: data for place, data in files.items()}


def _compile_together(arguments: argparse.Namespace) -> int:
    """Write the C and the reports of several networks, and the header of their arena."""
    paths: list[Path] = [arguments.model, *arguments.more]
    if len(paths) < 2:
        raise UsageError("--shared-arena: expected several networks, got one")
    if not arguments.shared_arena:
        raise UsageError(f"expected one network, or --shared-arena, got {len(paths)} networks")
    if arguments.name is not None:
        raise UsageError("--name: expected no name for several networks: each has its file's")
    if arguments.quantize is not None:
        raise UsageError(
            "--quantize: expected one network, got several; write them by `tinsmith quantize`"
        )
    if arguments.inputs is not None:
        raise UsageError(
            "--inputs: expected one network, got several, which have inputs of their own"
        )
    _check_places(arguments)
    options = _compile_options(arguments, arguments.ram)
    choices = model_choices(arguments)
    steps = len(paths) * (len(passes_for(options)) + 1)
    with progress("compile", steps, enabled=arguments.progress) as bar:
        compilations = [
            compile_model(read_model(path, choices=choices), options, bar.step) for path in paths
        ]
    header = shared_arena_header([found.program for found in compilations], tool_version())
    arena = max(found.bytes_shared for found in compilations)
    states = sum(found.bytes_kept for found in compilations)
    _check_together(arena, states, options.ram_bytes)
    reports = [report(found) for found in compilations]
    files = {HEADER_NAME: header}
    for found, result in zip(compilations, reports, strict=True):
        name = c_name_of_program(found.program)
        html = html_report(result).encode()
        files |= found.files
        files |= {
            f"{name}_report.json": json_bytes(result),
            f"{name}_report.html": html,
            f"{name}_plan.json": plan_bytes(found),
        }
    together = json_bytes(together_report(arena, states, reports))
    bundle = _bundle(arguments, compilations)
    _write_compiled(arguments, files | {"report.json": together}, together, bundle)
    for found in compilations:
        _print_compiled(arguments, found)
    beside = f", states {thousands(states)} bytes beside it" if states else ""
    say(f"shared arena {thousands(arena)} bytes{beside}")
    return 0


def _check_together(arena: int, states: int, ram_bytes: int | None) -> None:
    """Raise DoesNotFitError if networks that fit alone do not with the states of all."""
    if ram_bytes is not None and arena + states > ram_bytes:
        raise DoesNotFitError(
            f"the networks do not fit together: needed {arena + states:,} bytes, {states:,} of them for states, "
            f"available {ram_bytes:,} bytes"
        )


def _write_compiled(
    arguments: argparse.Namespace,
    files: Mapping[str, bytes],
    result: bytes,
    bundle: Mapping[Path, bytes],
) -> None:
    models = [arguments.model, *arguments.more]
    output: Path | None = arguments.output
    made = {} if output is None else {output / name: data for name, data in files.items()}
    asked = {"--json": arguments.json} if arguments.json else {}
    refuse_collisions(
        asked | {path.name: path for path in made},
        {f"MODEL {number}": path for number, path in enumerate(models, 1)}
        if len(models) > 1
        else {"MODEL": arguments.model},
    )
    write_outputs({**bundle, **made, **dict.fromkeys(asked.values(), result)})
    if output is not None:
        say(f"{visible(str(output))}: {', '.join(sorted(files))}")
    if bundle:
        size = thousands(sum(map(len, bundle.values())))
        say(f"{visible(str(arguments.bundle))}: {len(bundle)} files, {size} bytes")


def _print_compiled(arguments: argparse.Namespace, compilation: Compilation) -> None:
    _print_warnings(compilation)
    _print_timings(arguments, compilation)
    name = f"{visible(compilation.program.name)}: " if arguments.more else ""
    status = compilation.arena_status.replace("_", " ")
    say(f"{name}arena {thousands(compilation.arena_bytes)} bytes, {status}")
    _print_memories(compilation)
    _print_cuts(compilation, None)


def _print_memories(compilation: Compilation) -> None:
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


def run(arguments: argparse.Namespace) -> int:
    """Compile, run and keep the outputs."""
    with progress("run", 3, enabled=arguments.progress) as bar:
        bar.step("compiling")
        compilation = _compile(arguments, arguments.ram or board_ram_bytes(arguments.target))
        groups = _samples(arguments, compilation.graph, compilation.model)
        bar.step("building")
        with built(compilation) as build:
            bar.step("running")
            measurement = run_samples(build, compilation.graph, groups, arguments.timeout)
            result = report(compilation, build, measurement)
    outputs = {arguments.outputs: _npz(measurement)} if arguments.outputs else {}
    places = _asked_places(arguments)
    write_outputs(outputs | _reports(arguments, compilation, result, places))
    _print_timings(arguments, compilation)
    _print_measurement(compilation, measurement)
    return 0


def verify(arguments: argparse.Namespace) -> int:
    """Compile, run, compare; the answer is the exit status."""
    if arguments.difference and not arguments.layers:
        raise UsageError("--difference: expected --layers beside it, which compares layers")
    asked = _verify_places(arguments)
    if arguments.trace:
        need_trace(registry().target(arguments.target).board, registry().runners)
    with progress("verify", 4, enabled=arguments.progress) as bar:
        bar.step("compiling")
        ram = arguments.ram or board_ram_bytes(arguments.target)
        compilation = _compile(arguments, ram)
        groups = _samples(arguments, compilation.graph, compilation.model)
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
    _print_warnings(compilation)
    _print_timings(arguments, compilation)
    _print_measurement(compilation, measurement)
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
    options = _compile_options(arguments, None)
    model = _model(arguments)
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
        groups = _samples(arguments, compilation.graph, compilation.model)
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
    model = _model(arguments)
    if not isinstance(model.graph, Graph) or model.program is not None:
        raise UsageError(f"{arguments.model}: expected a network, got a plan, which has no parts")
    options = _compile_options(arguments, arguments.ram or board_ram_bytes(arguments.target))
    cutting = [found.name for found in passes_for(options) if isinstance(found.contract, InPieces)]
    if cutting:
        raise UsageError(
            f"reduce: expected a network that takes its inputs as they are, got pass {cutting[0]!r}, behind which they "
            f"come in pieces; write what it makes (show MODEL --after {cutting[0]} --constants), and reduce that"
        )
    trial = Trial(model, options, arguments.timeout)
    with progress("reduce", 1, enabled=arguments.progress) as bar:
        found = reduced(trial, model.graph, _samples(arguments, model.graph, model), bar.step)
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
        groups = _samples(arguments, compilation.graph, compilation.model)
        row = measured_row(
            network, compilation, groups, arguments.timeout, arguments.float_tolerance
        )
        _print_timings(arguments, compilation)
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
    options = _pass_options(arguments)
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


def targets(arguments: argparse.Namespace) -> int:
    """List the targets."""
    del arguments
    rows = [
        [t.name, t.board.name, t.backend, " ".join(sorted(t.features)) or "-", t.description]
        for t in registry().targets.values()
    ]
    print(fitted_table(["target", "board", "kernels", "features", "description"], rows))
    say(_with_features())
    return 0


def _with_features() -> str:
    """Two lines for each list of features that nobody has published, of chips: programs of the host have them all."""
    having: dict[tuple[str, ...], list[str]] = {}
    for target in registry().targets.values():
        of_chip = (entry for entry in target.board.unpublished if entry.constant is not None)
        if features := tuple(f"+{entry.feature}" for entry in of_chip):
            having.setdefault(features, []).append(target.name)
    return "\n".join(
        f"behind {' and '.join(names)}, of accelerators what nobody has published:\n"
        f"  {' '.join(features)}"
        for features, names in having.items()
    )


def passes(arguments: argparse.Namespace) -> int:
    """List the passes."""
    del arguments
    print(pass_table())
    return 0


def plugins(arguments: argparse.Namespace) -> int:
    """List the plug-ins."""
    del arguments
    print(plugin_table())
    return 0


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
    options = _compile_options(arguments, ram_bytes)
    model = _model(arguments)
    return compile_model(model, options)


def _model(arguments: argparse.Namespace, on_step: Callable[[str], None] = lambda _: None) -> Model:
    """The model that is named, quantized if that is asked for."""
    name: str | None = getattr(arguments, "name", None)
    choice = quantize_choice(arguments)
    model = read_model(arguments.model, name, model_choices(arguments, real=choice is not None))
    return model if choice is None else quantized(model, choice, on_step).model


def quantize_choice(
    arguments: argparse.Namespace, option: str = "--quantize"
) -> QuantizeChoice | None:
    """How the network is to be quantized; None if it is not. option: where the scheme stands.

    Raises UsageError for data without a scheme.
    """
    if arguments.quantize is None:
        if arguments.calibration is not None:
            raise UsageError(
                "--calibration: expected --quantize beside it, such as --quantize int8"
            )
        for name in ("float_islands", "same", "keep"):
            if getattr(arguments, name):
                option = name.replace("_", "-")
                raise UsageError(f"--{option}: expected --quantize beside it, got none")
        return None
    choice = QuantizeChoice.parse(
        arguments.quantize,
        arguments.calibration,
        arguments.calibration_samples,
        FloatIslands.parse(arguments.float_islands or "no"),
        option,
    )
    same, kept = _by_name("--same", arguments.same), _by_name("--keep", arguments.keep)
    return replace(choice, same=same, kept=kept)


def model_choices(arguments: argparse.Namespace, *, real: bool = False) -> ImportChoices:
    """What the file leaves open. real: weights are to be float32. Raises UsageError for a choice that is made twice."""
    return ImportChoices(
        real_weights=real,
        input_shapes=_by_name("--input-shape", arguments.input_shapes),
        states=_by_name("--state", arguments.states),
        as_in_file=arguments.as_in_file,
    )


def _by_name(option: str, given: Sequence[tuple[str, _Choice]]) -> dict[str, _Choice]:
    named = dict(given)
    if len(named) < len(given):
        names = ", ".join(visible(name) for name, _ in given)
        raise UsageError(f"{option}: expected each name once, got {names}")
    return named


def _compile_options(arguments: argparse.Namespace, ram_bytes: int | None) -> CompileOptions:
    return replace(
        _pass_options(arguments),
        name=arguments.name,
        optimize=getattr(arguments, "optimize", None),
        packed=arguments.packed,
        verify_passes=arguments.verify_passes,
        ram_bytes=ram_bytes,
        compiler=getattr(arguments, "compiler", "zig"),
        sanitize=getattr(arguments, "sanitize", False),
        weights_section=getattr(arguments, "weights_section", ""),
    )


def _pass_options(arguments: argparse.Namespace) -> CompileOptions:
    """What decides which passes run, and on what."""
    engines = engines_for(
        arguments.target or "host", arguments.backend, getattr(arguments, "engines", None)
    )
    return CompileOptions(
        target=arguments.target or "host",
        backend=engines.backend,
        cores=getattr(arguments, "cores", None),
        l1_bytes=getattr(arguments, "l1", None),
        passes=(
            *(PassChoice.parse(text) for text in arguments.passes),
            *engines.passes,
            *([PassChoice("stream-inputs")] if getattr(arguments, "stream_input", False) else []),
            *([arguments.stream] if getattr(arguments, "stream", None) else []),
        ),
        memories=_memories(arguments),
        io=getattr(arguments, "io", "arena"),
        waits=_waits(arguments),
        flash_bytes=getattr(arguments, "flash", None),
        without=(*arguments.without, *_left_whole(arguments)),
    )


def _memories(arguments: argparse.Namespace) -> tuple[tuple[str, int], ...]:
    """Those that the arena is divided among, with their bytes. Raises UsageError for a name that is given no size where
    the board has none of it.
    """
    given = Memories(getattr(arguments, "memories", ()))
    found: list[tuple[str, int]] = []
    for name, size in given.items():
        known = size or board_memory_bytes(arguments.target or "host", name)
        if known is None:
            names = ", ".join(board_memories(arguments.target or "host")) or "none"
            raise UsageError(
                f"--ram: expected a size of memory {name}, as in {name}=16KiB, since the board has none of that name; "
                f"its RAM: {names}"
            )
        found.append((name, known))
    return tuple(found)


def _waits(arguments: argparse.Namespace) -> Waits:
    """How fast flash and the first memory of the arena are."""
    memories = tuple(getattr(arguments, "memories", ()))
    return chosen_waits(
        registry().target(arguments.target or "host").board,
        memories,
        getattr(arguments, "wait_states", {}),
        may_grow=bool(memories or getattr(arguments, "ram", None)),
    )


def _left_whole(arguments: argparse.Namespace) -> list[str]:
    """Passes that `--no-split` leaves out and nobody else did."""
    if not getattr(arguments, "no_split", False):
        return []
    return [name for name in shrinking_names() if name not in arguments.without]


def _samples(arguments: argparse.Namespace, graph: Network, model: Model) -> list[Samples]:
    if not graph.inputs:
        raise UsageError(f"network {graph.name!r} has no inputs to give samples to")
    if arguments.inputs is None:
        groups = [random_samples(graph, _RANDOM_SAMPLES).first(arguments.samples)]
    else:
        given = graph if model.real is None else model.real
        most: int | None = getattr(arguments, "samples", 1)  # one is enough for a bundle
        groups = load_samples(arguments.inputs, given, most, model.file_shapes)
    if model.real is not None and arguments.inputs is not None:
        types = [value.type for value in graph.inputs]
        groups = [as_integers(samples, types) for samples in groups]
    if not any(len(samples) for samples in groups):
        raise UsageError(f"{arguments.inputs}: expected at least one sample, got none")
    for samples in groups:
        _print_each(samples.warnings)
    return groups


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


def _asked_places(arguments: argparse.Namespace) -> ReportPlaces:
    return ReportPlaces(arguments.json, arguments.html, arguments.layers_csv)


def _verify_places(arguments: argparse.Namespace) -> ReportPlaces:
    """Those asked for, in a folder or by their names. Raises UsageError where one of them is a file that is read."""
    asked = _asked_places(arguments)
    if arguments.report is None:
        return asked
    if arguments.report == STANDARD_OUTPUT:
        raise UsageError("--report: expected a folder, got -; --json - is standard output")
    if asked != ReportPlaces():
        raise UsageError(
            "--report: expected no --json, --html or --layers-csv beside it, which it writes all; got one of them"
        )
    places = folder_places(arguments.report)
    read = {"MODEL": arguments.model, "--inputs": arguments.inputs}
    refuse_collisions(
        {path.name: path for path in (places.json, places.page, places.layers) if path},
        {name: path for name, path in read.items() if path is not None},
    )
    return places


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


def _print_warnings(compilation: Compilation) -> None:
    _print_each(warnings(compilation))


def _print_each(found: Iterable[str]) -> None:
    for warning in found:
        print_warning(visible_lines(warning))


def _print_timings(arguments: argparse.Namespace, compilation: Compilation) -> None:
    if arguments.timings:
        print(timing_table(compilation), file=sys.stderr)


def _print_cuts(compilation: Compilation, measurement: Measurement | None) -> None:
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


def _print_measurement(compilation: Compilation, measurement: Measurement) -> None:
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
    _print_cuts(compilation, measurement)
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
