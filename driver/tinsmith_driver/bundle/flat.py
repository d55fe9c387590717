"""Kernels' files under names for one folder, `tinsmith_cmsis_nn_src_dsp_convolve.c`, and includes of such names."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tinsmith_ir import UsageError
from tinsmith_plugins import kernel_folder

from tinsmith_driver.bundle.includes import read, resolved, rewritten
from tinsmith_driver.plugins import registry

_OURS = "Apache-2.0"
_ROOMS = ("cluster", "dma", "engine", "fetch")


@dataclass(frozen=True)
class Owner:
    """Whose a folder of kernels is. license: an SPDX expression, "" if nobody says."""

    folder: Path
    name: str
    license: str


@dataclass(frozen=True)
class FlatFile:
    """A file as it is bundled. license: as of Owner. source: whose it is and where there; "" of generated files."""

    name: str
    content: bytes
    license: str
    source: str = ""


def owners() -> list[Owner]:
    """Of every folder that kernels' files lie in, an outer one before those within."""
    found = [
        Owner(kernel_folder(__file__, room), room, _OURS)
        for room in _ROOMS
        if kernel_folder(__file__, room).is_dir()
    ]
    for entry in registry().backends.values():
        files = entry.files
        for folder in (files.folder, *files.include_directories):
            found.append(Owner(folder, entry.name, files.license))
    # A back end's folders of headers lie within its own, whose name they share.
    return sorted(dict.fromkeys(found), key=lambda owner: len(owner.folder.parts))


def flat_files(
    generated: Mapping[Path, bytes],
    kernels: Iterable[Path],
    folders: Sequence[Path],
    tool: str,
) -> list[FlatFile]:
    """All files, their includes rewritten, sorted by name.

    generated: files that keep their names. kernels: files that get others. folders: where includes are looked for.
    tool: name and version, for the first lines of kernels. Raises UsageError for two generated files of one name.
    """
    known = owners()
    names: dict[Path, str] = {path: path.name for path in generated}
    taken: set[str] = set()
    for name in names.values():
        if name.lower() in taken:
            raise UsageError(
                f"two files of the bundle would be called {name}: give a network another --name"
            )
        taken.add(name.lower())
    found: list[FlatFile] = []
    sources = {path: _whose(path, known) for path in sorted(kernels) if path not in names}
    for path, (_, place) in sources.items():
        names[path] = _fresh(place, taken)
    for path, data in generated.items():
        text = data.decode()
        found.append(FlatFile(names[path], _renamed(text, path, names, folders), ""))
    for path, (owner, place) in sources.items():
        head = _head(tool, place, owner)
        content = _renamed(head + read(path), path, names, folders)
        found.append(FlatFile(names[path], content, owner.license if owner else "", place))
    return sorted(found, key=lambda file: file.name)


def _whose(path: Path, known: Sequence[Owner]) -> tuple[Owner | None, str]:
    """The owner, and where the file is: `cmsis_nn/src/dsp/convolve.c`."""
    for owner in known:
        if path.is_relative_to(owner.folder):
            inner = path.relative_to(owner.folder).as_posix()
            # The interface of all reference kernels has the name of its folder.
            return owner, inner if inner.startswith("tinsmith/") else f"{owner.name}/{inner}"
    return None, f"{path.parent.name}/{path.name}"


def _fresh(place: str, taken: set[str]) -> str:
    """A name that nobody has, whatever file systems think of case."""
    parts = place.split("/")
    stem, dot, suffix = "_".join(
        parts if parts[0] == "tinsmith" else ["tinsmith", *parts]
    ).rpartition(".")
    name, number = f"{stem}{dot}{suffix}", 2
    while name.lower() in taken:
        name, number = f"{stem}_{number}{dot}{suffix}", number + 1
    taken.add(name.lower())
    return name


def _head(tool: str, place: str, owner: Owner | None) -> str:
    tag = (
        f"// SPDX-License-Identifier: {owner.license}\n"
        if owner is not None and owner.license
        else ""
    )
    return f"{tag}// {place} of {tool}, its includes renamed.\n"


def _renamed(text: str, path: Path, names: Mapping[Path, str], folders: Sequence[Path]) -> bytes:
    def renamed(name: str, is_quoted: bool) -> str | None:
        found = resolved(path, name, folders, is_quoted=is_quoted)
        return None if found is None else names.get(found)

    return rewritten(text, renamed).encode("utf-8", "surrogateescape")


def licenses_beside(files: Iterable[FlatFile]) -> Iterator[tuple[str, Path]]:
    """Texts of licences that lie in the folders of back ends of which there are files: back end, and where."""
    used = {file.source.partition("/")[0] for file in files}
    for entry in registry().backends.values():
        if entry.name in used:
            for path in sorted(entry.files.folder.glob("LICENSE*")):
                yield entry.name, path
