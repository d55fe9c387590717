"""`tinsmith compile`: networks in C, alone or in one arena, and bundles of them."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from tinsmith_c import HEADER_NAME, shared_arena_header
from tinsmith_c import c_name as c_name_of_program
from tinsmith_ir import UsageError
from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.escape import visible

from tinsmith_driver.asked import asked_model, asked_samples, compile_options, model_choices
from tinsmith_driver.bundle import bundle_files, check_target, refuse_content
from tinsmith_driver.certificate import plan_bytes
from tinsmith_driver.compilation import Compilation, tool_version
from tinsmith_driver.html import html_report
from tinsmith_driver.inputs import Samples
from tinsmith_driver.models import read_model
from tinsmith_driver.pipelines import compile_model, passes_for
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.report import json_bytes, report, together_report
from tinsmith_driver.sayings import print_cuts, print_memories, print_timings, print_warnings
from tinsmith_driver.table import thousands
from tinsmith_driver.terminal import say
from tinsmith_driver.writing import refuse_collisions, write_outputs


def compile_(arguments: argparse.Namespace) -> int:
    """Write the C and the report to a folder."""
    if arguments.more or arguments.shared_arena:
        return _compile_together(arguments)
    _check_places(arguments)
    options = compile_options(arguments, arguments.ram)
    model = asked_model(arguments)
    with progress("compile", len(passes_for(options)) + 1, enabled=arguments.progress) as bar:
        compilation = compile_model(model, options, bar.step)
    result = report(compilation)
    html = html_report(result).encode()
    reports = {
        "report.json": json_bytes(result),
        "report.html": html,
        "plan.json": plan_bytes(compilation),
    }
    groups = (
        None if arguments.inputs is None else asked_samples(arguments, compilation.graph, model)
    )
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
    options = compile_options(arguments, arguments.ram)
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
    print_warnings(compilation)
    print_timings(arguments, compilation)
    name = f"{visible(compilation.program.name)}: " if arguments.more else ""
    status = compilation.arena_status.replace("_", " ")
    say(f"{name}arena {thousands(compilation.arena_bytes)} bytes, {status}")
    print_memories(compilation)
    print_cuts(compilation, None)
