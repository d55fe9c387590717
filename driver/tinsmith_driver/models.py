"""Model files as read: graphs before any pass, and where they came from."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tinsmith_ir import Graph, Program, UsageError
from tinsmith_ir.files import read_file
from tinsmith_ir.graph import Array
from tinsmith_plugins import ImportChoices, Importer, ModelSource

from tinsmith_driver.network import Network
from tinsmith_driver.options import c_name
from tinsmith_driver.plugins import registry
from tinsmith_driver.text_files import (
    TEXT_SUFFIX,
    graph_from_text,
    is_program,
    is_text,
    network_of_program,
    placed_program_from_text,
)

TEXT_FORMAT = "tsm"
_LARGEST_TEXT_BYTES = 2**31 - 1

# Importers come as plug-ins; of those that are absent nobody else can say what to install.
_IMPORTING_PACKAGES = {
    ".onnx": "tinsmith-onnx",
    ".pt2": "tinsmith-torch",
    ".tflite": "tinsmith-tflite",
}


@dataclass(frozen=True, eq=False)
class Model:
    """A model file as read: its graph before any pass, and where it came from.

    warnings: what the importer thinks a user should know. file_shapes: of inputs and outputs whose axes have another
    order in the file, channels first, by name. program: of a file that holds a plan, which is compiled as
    it stands; `graph` is what it computes. real: the float network that a graph of integers stands for, whose samples
    it is given, with the same names; choices: how it was quantized, as options; of what a command has quantized.
    samples: of that, what it was calibrated with, as integers by the names of inputs.
    """

    path: Path
    format: str
    sha256: str
    graph: Network
    warnings: tuple[str, ...] = ()
    file_shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    program: Program | None = None
    real: Graph | None = None
    choices: tuple[str, ...] = ()
    samples: Sequence[Mapping[str, Array]] = ()


def read_model(path: Path, name: str | None = None, choices: ImportChoices | None = None) -> Model:
    """Import a model file by its content: one that an importer knows, or the IR as text (.tsm).

    name: of the graph. choices: what the file leaves open.
    Raises UsageError when it cannot be read, ModelError when it is not a model.
    """
    return model_of(read_model_file(path), path, name, choices)


def model_of(
    data: bytes, path: Path, name: str | None = None, choices: ImportChoices | None = None
) -> Model:
    """The model in the bytes of the file `path`; see read_model."""
    chosen = choices or ImportChoices()
    warnings: list[str] = []
    file_shapes: dict[str, tuple[int, ...]] = {}
    program: Program | None = None
    if is_text(data, path):
        ModelSource(b"", str(path), choices=chosen).refuse_choices("IR text")
    if is_text(data, path) and is_program(data):
        program = placed_program_from_text(data, path)
        program = replace(program, name=name or program.name)
        graph, format_, own_name = network_of_program(program), TEXT_FORMAT, program.name
    elif is_text(data, path):
        graph = graph_from_text(data, path)
        format_, own_name = TEXT_FORMAT, graph.name
    else:
        importer = _importer(data, path)
        converters = registry().converters_for(importer)
        # What lies beside a model lies beside the file itself, not beside a link to it.
        folder = path.resolve().parent if path.is_symlink() else path.parent
        source = ModelSource(
            data,
            path.name,
            folder,
            on_warning=warnings.append,
            on_turned=file_shapes.__setitem__,
            converters=converters,
            choices=chosen,
        )
        graph = importer.read(source)
        format_, own_name = importer.name, c_name(path)
    if isinstance(graph, Graph):
        graph = replace(graph, name=name or own_name)
    sha256 = hashlib.sha256(data).hexdigest()
    return Model(path, format_, sha256, graph, tuple(warnings), file_shapes, program)


def read_model_file(path: Path) -> bytes:
    """A model file's bytes. Raises UsageError when it cannot be read, ModelError when it is huge."""
    sizes = [importer.largest_bytes for importer in registry().importers.values()]
    return read_file(path, "a model", max(sizes, default=_LARGEST_TEXT_BYTES))


def _importer(data: bytes, path: Path) -> Importer:
    """Who reads a file, or is to say what is wrong with it. Raises UsageError where no such importer is installed."""
    found = registry().importer_of(data)
    importers = sorted(registry().importers.values(), key=lambda each: not each.explains_others)
    named = (importer for importer in importers if path.suffix.lower() in importer.suffixes)
    chosen = found or next(named, None)
    absent = _IMPORTING_PACKAGES.get(path.suffix.lower())
    if chosen is None and absent is not None:
        raise UsageError(
            f"{path}: such files are read by {absent}, which is not installed: pip install {absent}"
        )
    chosen = chosen or next(iter(importers), None)
    if chosen is None:
        raise UsageError(
            f"{path}: there is no importer; install one, or give IR text ({TEXT_SUFFIX})"
        )
    return chosen
