"""Compiles C files to objects, two at a time, and keeps each object for the next build.

An object's name in the cache is the hash of the compiler, the flags, the source's own name, which stands in
the object, and the preprocessed source, so that any change of any header is seen and nothing else matters:
no folder, and no macro that the source does not use.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tinsmith_toolchains.cache import Cache, content_key
from tinsmith_toolchains.compilers import Compiler
from tinsmith_toolchains.processes import Children
from tinsmith_toolchains.tools import run_tool

# In the path of every object of the harness; linker scripts look for it.
HARNESS_MARK = "tinsmith_harness"
_JOBS = 2


@dataclass(frozen=True)
class CompileJob:
    """One C file with its flags. is_harness: its object is marked as not part of the product.

    include_directories, defines (`NAME` or `NAME=value`): for the preprocessor alone.
    """

    source: Path
    flags: tuple[str, ...]
    is_harness: bool
    include_directories: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()

    @property
    def preprocessing(self) -> tuple[str, ...]:
        """Options that are not part of an object's name, since the preprocessed source is."""
        return (
            *(f"-D{define}" for define in self.defines),
            *(f"-I{directory}" for directory in self.include_directories),
        )


@dataclass(frozen=True)
class CompiledObject:
    """An object file in the cache, and what the compiler said about its source ("" if nothing), by the
    files' names alone, the same in every folder.
    """

    job: CompileJob
    path: Path
    warnings: str


def compile_objects(
    jobs: Sequence[CompileJob], compiler: Compiler, cache: Cache
) -> tuple[CompiledObject, ...]:
    """Compile all jobs; the result is in their order.

    Raises CompileError with the compiler's message.
    """
    children = Children()

    def compile_job(job: CompileJob) -> CompiledObject:
        return _compile(job, compiler, cache, children)

    with ThreadPoolExecutor(max_workers=_JOBS) as pool:
        try:
            return tuple(pool.map(compile_job, jobs))
        except BaseException:  # an interrupt, too: nobody waits for the others
            children.end()
            raise


def _compile(
    job: CompileJob, compiler: Compiler, cache: Cache, children: Children
) -> CompiledObject:
    source = str(job.source)
    what = f"compiling {job.source.name}"
    # Asked for or not at all: `zig cc` would add it, with the names of folders.
    debug = () if "-g" in job.flags else ("-g0",)
    flags = (*compiler.flags, *job.flags, *debug)
    command = [*compiler.program, *flags, *job.preprocessing, *compiler.includes]
    preprocessed = run_tool([*command, "-E", "-P", source], what=what, children=children)
    debug_path = "" if debug else source
    key = content_key([compiler.identity, *flags, job.source.name, debug_path, preprocessed])
    mark = HARNESS_MARK if job.is_harness else "product"
    name = f"objects/{key[:2]}/{key}.{mark}"

    def build(path: Path) -> None:
        output = run_tool([*command, "-c", source, "-o", str(path)], what=what, children=children)
        # The warnings first: whoever finds the object finds them too.
        cache.get_or_create(f"{name}.txt", lambda text: _write_text(text, _placeless(output, job)))

    path = cache.get_or_create(f"{name}.o", build)
    warnings = path.with_suffix(".txt").read_text(encoding="utf-8")
    return CompiledObject(job, path, warnings)


def _placeless(messages: str, job: CompileJob) -> str:
    """Without the folders of source and headers."""
    folders = {str(folder) for folder in (job.source.parent, *job.include_directories)}
    for folder in sorted(folders, key=len, reverse=True):
        messages = messages.replace(f"{folder}/", "")
    return messages


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
