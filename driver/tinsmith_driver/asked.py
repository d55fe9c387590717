"""What the arguments of a command ask for: a model, how to compile it, samples, and where reports go."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from tinsmith_ir import UsageError
from tinsmith_ir.escape import visible
from tinsmith_plugins import ImportChoices

from tinsmith_driver.engines import engines_for
from tinsmith_driver.float_islands import FloatIslands
from tinsmith_driver.inputs import Samples, load_samples, random_samples
from tinsmith_driver.memory_limits import board_memories, board_memory_bytes
from tinsmith_driver.models import Model, read_model
from tinsmith_driver.network import Network
from tinsmith_driver.options import CompileOptions, Memories, Waits
from tinsmith_driver.passes import PassChoice, shrinking_names
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.quantizing import QuantizeChoice, as_integers, quantized, step_count
from tinsmith_driver.report_files import ReportPlaces, folder_places
from tinsmith_driver.sayings import print_each
from tinsmith_driver.speeds import chosen_waits
from tinsmith_driver.writing import STANDARD_OUTPUT, refuse_collisions

_RANDOM_SAMPLES = 4

_Choice = TypeVar("_Choice")


def asked_model(arguments: argparse.Namespace) -> Model:
    """The model that is named, quantized if that is asked for, which has a bar of its own."""
    name: str | None = getattr(arguments, "name", None)
    choice = quantize_choice(arguments)
    model = read_model(arguments.model, name, model_choices(arguments, real=choice is not None))
    if choice is None:
        return model
    shown: bool | None = getattr(arguments, "progress", None)
    with progress("quantize", step_count(model, choice), enabled=shown) as bar:
        return quantized(model, choice, bar.step).model


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
                alone = name.replace("_", "-")
                raise UsageError(f"--{alone}: expected --quantize beside it, got none")
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


def compile_options(arguments: argparse.Namespace, ram_bytes: int | None) -> CompileOptions:
    """All that decides what is compiled. ram_bytes: what the arena may take; None is as much as it needs."""
    return replace(
        pass_options(arguments),
        name=arguments.name,
        optimize=getattr(arguments, "optimize", None),
        packed=arguments.packed,
        verify_passes=arguments.verify_passes,
        ram_bytes=ram_bytes,
        compiler=getattr(arguments, "compiler", "zig"),
        sanitize=getattr(arguments, "sanitize", False),
        weights_section=getattr(arguments, "weights_section", ""),
    )


def pass_options(arguments: argparse.Namespace) -> CompileOptions:
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


def asked_samples(arguments: argparse.Namespace, graph: Network, model: Model) -> list[Samples]:
    """Those of --inputs, as the network takes them, else random ones. Raises UsageError for a network without inputs
    and a file without samples.
    """
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
        print_each(samples.warnings)
    return groups


def asked_places(arguments: argparse.Namespace) -> ReportPlaces:
    """Where the reports go that were asked for by their names."""
    return ReportPlaces(arguments.json, arguments.html, arguments.layers_csv)


def verify_places(arguments: argparse.Namespace) -> ReportPlaces:
    """Those asked for, in a folder or by their names. Raises UsageError where one of them is a file that is read."""
    asked = asked_places(arguments)
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
