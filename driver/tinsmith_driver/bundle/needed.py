"""Which files of kernels a program needs: those that define what it calls, what these call, and so on.

Objects say it, not texts: macros make names of functions. They are compiled without optimisation, which would drop
calls that other compilers or options leave, for the target's CPU, which decides what files hold. Texts say what to
compile first, so that few files are.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from tinsmith_toolchains import Cache, CompileError, compiler_for, read_symbols
from tinsmith_toolchains.objects import CompiledObject, CompileJob, compile_objects

from tinsmith_driver.bundle.includes import included

_LEVELS = ("-O0", "-O1")
"""Assembly that wants constants needs optimisation."""

_AT_ONCE = 2
_WORD = re.compile(r"[A-Za-z_]\w{5,}", re.ASCII)
# Of the C library and the compiler's own.
_LIBRARY = re.compile(r"mem(cpy|set|move|cmp)|__\w+|_GLOBAL_OFFSET_TABLE_")


class NeededFiles:
    """Finds the files for one CPU, and keeps what it has compiled.

    sources: C files that may be needed. include_directories: of their headers.
    """

    def __init__(
        self, cpu: str, sources: Sequence[Path], include_directories: Sequence[Path]
    ) -> None:
        self._folders = tuple(include_directories)
        self._cache = Cache.at(None)
        self._compiler = compiler_for(cpu, "zig", self._cache)
        self._left = dict.fromkeys(sources)
        self._defined: dict[str, Path] = {}
        self._undefined: dict[Path, frozenset[str]] = {}
        self._heads = {source: _heads(source, self._folders) for source in sources}

    def of(self, models: Iterable[Path]) -> list[Path]:
        """The sources that programs of these C files need, sorted; `models` are not among them.

        Raises CompileError for what does not compile. A name that no source defines is another library's.
        """
        models = list(models)
        self._read(models)
        needed: set[Path] = set()
        wanted = [name for model in models for name in sorted(self._undefined[model])]
        while wanted:
            source = self._definer(wanted.pop())
            if source is None or source in needed or source in models:
                continue
            needed.add(source)
            wanted += sorted(self._undefined[source])
        return sorted(needed)

    def _definer(self, name: str) -> Path | None:
        """The source that defines a function; files are compiled until one does."""
        if _LIBRARY.fullmatch(name):
            return None
        likely = self._likely(name)
        while name not in self._defined and likely:
            self._read(likely[:_AT_ONCE])
            del likely[:_AT_ONCE]
        return self._defined.get(name)

    def _likely(self, name: str) -> list[Path]:
        """The sources that were not compiled yet; first those that begin a definition with most of the name."""

        def share(source: Path) -> int:
            return max(map(len, filter(name.startswith, self._heads[source])), default=0)

        return sorted(self._left, key=lambda source: (-share(source), source))

    def _read(self, sources: Iterable[Path]) -> None:
        """Compile files, and keep which names each defines and needs."""
        for found in self._compiled(list(sources)):
            path = found.job.source
            self._left.pop(path, None)
            symbols = read_symbols(found.path)
            self._undefined[path] = frozenset(s.name for s in symbols if not s.is_defined)
            for symbol in symbols:
                if symbol.is_global and symbol.is_defined:
                    self._defined.setdefault(symbol.name, path)

    def _compiled(
        self, sources: Sequence[Path], levels: Sequence[str] = _LEVELS
    ) -> Sequence[CompiledObject]:
        level, *others = levels
        jobs = [
            CompileJob(path, ("-std=c11", level), False, include_directories=self._folders)
            for path in sources
        ]
        try:
            return compile_objects(jobs, self._compiler, self._cache)
        except CompileError:
            if not others:
                raise
            if len(jobs) > 1:
                return [found for path in sources for found in self._compiled([path], levels)]
            return self._compiled(sources, others)


@cache
def _heads(source: Path, folders: tuple[Path, ...]) -> frozenset[str]:
    """Words of the lines that begin a definition, in the file and in the parts of it that lie beside sources."""
    found: set[str] = set()
    for path in (source, *_parts(source, folders)):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line[:1].isalpha():
                found.update(_WORD.findall(line))
    return frozenset(found)


def _parts(source: Path, folders: tuple[Path, ...]) -> Iterator[Path]:
    """What it includes of headers that are no interface: bodies that several sources share."""
    for path in included(source, folders):
        if path.parent not in folders and path.suffix == ".h" and "include" not in path.parts:
            yield path
