"""A folder that needs nothing of Tinsmith: networks, the kernels that they call, and manifests for other builds."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tinsmith_c import c_name, generated_inputs, shared_arena_header, write_check
from tinsmith_ir import UnsupportedError, UsageError
from tinsmith_ir.escape import visible
from tinsmith_toolchains import temporary_folder

from tinsmith_driver.bundle.example import examples
from tinsmith_driver.bundle.flat import FlatFile, flat_files, licenses_beside
from tinsmith_driver.bundle.includes import with_included
from tinsmith_driver.bundle.manifests import Facts, manifests
from tinsmith_driver.bundle.needed import NeededFiles
from tinsmith_driver.bundle.sbom import SBOM_NAME, Origin, sbom
from tinsmith_driver.compilation import Compilation, tool_version
from tinsmith_driver.inputs import Samples
from tinsmith_driver.kernel_sources import (
    fetches,
    kernel_include_directories,
    kernel_sources,
    needs_cluster,
)
from tinsmith_driver.network import evaluate

__all__ = ["bundle_files", "check_target", "refuse_content"]

_CPUS = "cortex-m"
_OTHERS = ("host", "riscv32")
_LONGEST = 63 - len("tinsmith_")
"""What Arduino takes as the name of a library."""


def check_target(name: str, cpu: str) -> None:
    """Raise UnsupportedError for a target whose networks need more than C files."""
    if not (cpu.startswith(_CPUS) or cpu in _OTHERS):
        raise UnsupportedError(
            f"--bundle: expected a target of one core and its memory ({_CPUS}*, {', '.join(_OTHERS)}), got {name}, "
            "whose networks need a runtime of the chip; write them with -o and link kernels/ and a runtime to them"
        )


def refuse_content(folder: Path) -> None:
    """Raise UsageError for a folder that a bundle would not have for itself."""
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(
            f"{folder}: --bundle: expected a folder that is empty or not there, since files of another bundle would be "
            "compiled, too; remove it first"
        )


def bundle_files(
    compilations: Sequence[Compilation], samples: Samples | None = None
) -> dict[str, bytes]:
    """Place in the bundle -> content, the same for the same input.

    compilations: for one target; several take turns in one arena. samples: the first is what the one network's check
    runs on; None for inputs that the check makes itself. Raises UnsupportedError for programs that need more than C
    files, CompileError for kernels that do not compile.
    """
    version = tool_version()
    target = compilations[0].target
    generated: dict[str, bytes] = {}
    for found in compilations:
        check_target(found.options.target, found.target.cpu)
        _check_needs(found)
        generated |= found.files | _check(found, samples)
    programs = [found.program for found in compilations]
    names = [c_name(program) for program in programs]
    bundle = _name(names)
    # Two bundles of one program have one arena each, and so headers of two names.
    arena = f"{bundle}_shared_arena" if len(compilations) > 1 else ""
    if arena:
        generated[f"{arena}.h"] = shared_arena_header(programs, version, arena)
    files = _flat(compilations, generated, f"Tinsmith {version}")
    facts = Facts(
        name=bundle,
        version=version,
        target=target,
        networks=names,
        sources=[file.name for file in files if file.name.endswith(".c")],
        headers=[file.name for file in files if not file.name.endswith(".c")],
        main=[f"{name}.h" for name in names],
    )
    made = {f"src/{file.name}": file.content for file in files}
    made |= manifests(facts) | examples(facts, programs, arena)
    made |= {"LICENSE": _license(), ".gitattributes": b"* -text\n"}
    made |= {f"LICENSE.{name}": path.read_bytes() for name, path in licenses_beside(files)}
    licenses = {f"src/{file.name}": file.license for file in files if file.license}
    origins = [_origin(found) for found in compilations]
    made[SBOM_NAME] = sbom(facts.library, version, made, licenses, origins)
    return dict(sorted(made.items()))


def _name(networks: Sequence[str]) -> str:
    """Of the bundle, whose files are called after it."""
    name = "_and_".join(networks)
    return name if len(name) <= _LONGEST else f"{networks[0]}_and_{len(networks) - 1}_more"


def _check_needs(found: Compilation) -> None:
    if needs_cluster(found) or fetches(found.program):
        raise UnsupportedError(
            f"--bundle: {visible(found.program.name)} needs a cluster or a memory that no core loads from"
        )


def _check(found: Compilation, samples: Samples | None) -> dict[str, bytes]:
    """The files of the network's check: inputs, and what the evaluator makes of them."""
    network = found.reference
    types = [value.type for value in network.inputs]
    inputs = generated_inputs(types) if samples is None else samples.sample(0)
    frame = {value.name: array for value, array in zip(network.inputs, inputs, strict=True)}
    outputs = next(iter(evaluate(network, [frame])))
    expected = [outputs[value.name] for value in network.outputs]
    return write_check(found.program, expected, None if samples is None else inputs)


def _flat(
    compilations: Sequence[Compilation], generated: Mapping[str, bytes], tool: str
) -> list[FlatFile]:
    """The files of `src/`: generated ones, kernels, and headers of both."""
    with temporary_folder("tinsmith-bundle-") as folder:
        paths = {folder / name: data for name, data in generated.items()}
        for path, data in paths.items():
            path.write_bytes(data)
        folders = [folder, *kernel_include_directories()]
        sources = {path for found in compilations for path in map(_of_core, kernel_sources(found))}
        models = [folder / f"{c_name(found.program)}.c" for found in compilations]
        needed = NeededFiles(compilations[0].target.cpu, sorted(sources), folders).of(models)
        kernels = with_included([*paths, *needed], folders)
        return flat_files(paths, kernels, folders, tool)


def _of_core(path: Path) -> Path:
    """What does the work of engines on the core, in place of the host's, which is made to find mistakes."""
    core = path.with_name("core.c")
    return core if path.name == "host.c" and core.exists() else path


def _origin(found: Compilation) -> Origin:
    name = c_name(found.program)
    made = (f"{name}.c", f"{name}.h", f"{name}_check.c", f"{name}_check.h")
    return Origin(found.model.path.name, found.model.sha256, [f"src/{file}" for file in made])


def _license() -> bytes:
    """The text of our licence: inside of the package in a wheel, at the root of a checkout."""
    for parent in Path(__file__).parents:
        if (parent / "LICENSE").is_file():
            return (parent / "LICENSE").read_bytes()
    raise UsageError("the text of the licence is not there: expected a file LICENSE in the package")
