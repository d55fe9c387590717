"""Each library of a checkout as somebody else has it: its wheel, alone in a fresh virtual environment.

There it is imported, the example of its README runs, and type checkers read a program that imports all of its public
names. Siblings that the example imports and the library does not ask for are installed behind the import, and named.
hatchling, which makes wheels, and the checkers are installed, too, where they are not.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

from tinsmith_ir import UsageError

from tinsmith_driver.api_pages import packages, public_names
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.progress import progress
from tinsmith_driver.table import table

MOST_IMPORT_MS: Mapping[str, int] = {"tinsmith_allocation": 200, "tinsmith_scheduling": 200}
"""Of processor time, beyond numpy; of libraries that other compilers have alone."""
# Examples of other libraries give these whole programs.
_EXTRAS = {"tinsmith_allocation": ("program",), "tinsmith_scheduling": ("program",)}
# The example of its own README asks for what an extra installs.
_OWN_EXTRAS = {"tinsmith_quantization": ("mixed",)}
_IMPORTS = 5  # the fastest counts: another process may be in the way of one
_TIMEOUT_SECONDS = 600
_REQUIREMENT = re.compile(r"(?P<name>tinsmith-[a-z-]+)(\[(?P<extras>[a-z,]+)\])?")
_EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LOCKED = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
_IMPORTED = re.compile(r"^\s*(?:from|import) (tinsmith_\w+)", re.MULTILINE)

_TIME = """
import importlib.util, sys, time
if importlib.util.find_spec("numpy"):
    import numpy
start = time.process_time()
__import__(sys.argv[1])
print(1000 * (time.process_time() - start))
"""

# A package of this Python as a program, which does not hand on where this Python finds packages: checkers start others.
_HERE = """
import json, runpy, sys
sys.path[:] = json.loads(sys.argv.pop(1))
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True)
class Outcome:
    """What became of a library.

    import_ms: of processor time, beyond numpy. beside: siblings for the example alone. pyright, mypy: "ok", "FAIL", or
    "-" where none was asked. reason: of a failure, what the failing step said last.
    """

    library: str
    verdict: str
    wheel_bytes: int | None = None
    import_ms: float | None = None
    beside: tuple[str, ...] = ()
    pyright: str = "-"
    mypy: str = "-"
    reason: str = ""


class _StepError(Exception):
    """A step that went wrong; the text is what it said last."""


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """models: packages, such as tinsmith_allocation; all without. targets: none are known.

    Raises UsageError outside of a checkout, without pip, and where that gets no hatchling or checker.
    """
    if targets is not None:
        raise UsageError("libraries have no targets: leave --targets out")
    folders = {package.name: _project(package) for package in packages()}
    chosen = list(folders) if models is None else models.split(",")
    for name in chosen:
        if name not in folders:
            raise UsageError(f"unknown library {name!r}: expected some of {', '.join(folders)}")
    if find_spec("pip") is None:
        raise UsageError("pip, which installs wheels, is absent: apt-get install python3-pip")
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as place, progress("libraries", len(chosen)) as bar:
        tools = Tools(Path(place) / "tools", _locked(folders["tinsmith_ir"]))
        wheels = Wheels(folders, Path(place) / "wheels", tools)
        for name in chosen:
            bar.step(name)
            outcomes.append(_tried(name, wheels, tools, Path(place) / name))
    return BenchmarkResult(
        [asdict(each) for each in outcomes], _text(outcomes), [*_failures(outcomes)]
    )


def _project(package: Path) -> Path:
    """The folder that a wheel is made of; where Bazel runs the command, its links to sources lead there.

    Raises UsageError outside of a checkout.
    """
    for place in (package, (package / "__init__.py").resolve().parent):
        if all((place.parent / name).exists() for name in ("pyproject.toml", "README.md")):
            return place.parent
    raise UsageError(
        f"{package}: expected a checkout, with pyproject.toml and README.md beside each package"
    )


class Tools:
    """Programs that are Python packages: of this Python where it has them, else in an environment of their own."""

    def __init__(self, place: Path, versions: Mapping[str, str]) -> None:
        """place: of that environment, made when first needed. versions: which to install, by package; others newest."""
        self._place = place
        self._versions = versions
        self._installed: set[str] = set()

    def run(self, module: str, arguments: Sequence[str], folder: Path) -> None:
        """`python -m module` in a folder. Raises _StepError if it fails, UsageError if it cannot be had."""
        if find_spec(module) is not None:
            command = [sys.executable, "-I", "-c", _HERE, json.dumps(sys.path), module]
        else:
            command = [self._python(module), "-I", "-m", module]
        _run([*command, *arguments], folder)

    def _python(self, module: str) -> str:
        python = str(self._place / "bin" / "python")
        if module not in self._installed:
            if not self._installed:
                venv.create(self._place, with_pip=False)
            version = self._versions.get(module)
            wanted = module if version is None else f"{module}=={version}"
            try:
                _run([*_pip(python), wanted], self._place)
            except _StepError as error:
                raise UsageError(f"{wanted}, not installed here, cannot be had: {error}") from error
            self._installed.add(module)
        return python


def _locked(inside: Path) -> dict[str, str]:
    """The versions that the checkout has been tested with, by package; none outside of one."""
    for folder in inside.parents:
        lock = folder / "third_party" / "python" / "requirements.lock"
        if lock.exists():
            return dict(_LOCKED.findall(lock.read_text(encoding="utf-8")))
    return {}


class Wheels:
    """Of the libraries in some folders, by package; each is made when first asked for."""

    def __init__(self, folders: Mapping[str, Path], target: Path, tools: Tools) -> None:
        self.folders: Mapping[str, Path] = folders
        self._target = target
        self._tools = tools

    def wheel(self, package: str) -> Path:
        """Its wheel. Raises _StepError if it cannot be made."""
        target = self._target / package
        if not target.exists():
            options = ["build", "-t", "wheel", "-d", str(target)]
            self._tools.run("hatchling", options, self.folders[package])
        return next(target.glob("*.whl"))

    def needed(self, package: str, extras: Sequence[str] = ()) -> tuple[set[str], set[str]]:
        """Packages of ours that a library asks for, itself included, and what it asks of others as pip takes it."""
        own, others = {package}, set[str]()
        for requirement in self._requirements(package, extras):
            match = _REQUIREMENT.match(requirement)
            if match is None:
                others.add(requirement)
                continue
            inner = match["extras"].split(",") if match["extras"] else []
            found = self.needed(match["name"].replace("-", "_"), inner)
            own |= found[0]
            others |= found[1]
        return own, others

    def _requirements(self, package: str, extras: Sequence[str]) -> list[str]:
        text = (self.folders[package] / "pyproject.toml").read_text(encoding="utf-8")
        project = tomllib.loads(text)["project"]
        optional: Mapping[str, list[str]] = project.get("optional-dependencies", {})
        found: list[str] = [*project.get("dependencies", [])]
        for extra in extras:
            found += optional[extra]
        return found


def _tried(name: str, wheels: Wheels, tools: Tools, place: Path) -> Outcome:
    own, others = wheels.needed(name)
    if "torch" in {re.split(r"[^\w-]", each)[0] for each in others} and find_spec("torch") is None:
        return Outcome(name, "left out", reason="PyTorch is absent here")
    facts: dict[str, object] = {}
    try:
        wheel = wheels.wheel(name)
        facts["wheel_bytes"] = wheel.stat().st_size
        python = _environment(place, wheels, own, others)
        facts["import_ms"] = min(
            float(_run([python, "-I", "-c", _TIME, name], place)) for _ in range(_IMPORTS)
        )
        facts |= _checked(name, python, wheels.folders[name] / name, tools, place)
        example = _example(wheels.folders[name] / "README.md")
        beside = _beside(example, wheels, own)
        facts["beside"] = beside
        extras = {name: _OWN_EXTRAS.get(name, ())} | {
            each: _EXTRAS.get(each, ()) for each in beside
        }
        for library, asked in extras.items():
            more = wheels.needed(library, asked)
            _install(python, wheels, more[0] - own, more[1] - others, place)
            own, others = own | more[0], others | more[1]
        (place / "example.py").write_text(example, encoding="utf-8")
        _run([python, "example.py"], place)
    except _StepError as failure:
        return Outcome(name, "FAIL", **facts, reason=str(failure))  # pyright: ignore[reportArgumentType]
    bad = [checker for checker in ("pyright", "mypy") if facts.get(checker) == "FAIL"]
    reason = f"{' and '.join(bad)}: a public name is unknown or untyped" if bad else ""
    return Outcome(name, "FAIL" if bad else "PASS", **facts, reason=reason)  # pyright: ignore[reportArgumentType]


def _environment(place: Path, wheels: Wheels, own: set[str], others: set[str]) -> str:
    """A fresh one with these packages; its Python. The folder of examples is beside it, as README's paths have it."""
    venv.create(place / "venv", with_pip=False)
    python = str(place / "venv" / "bin" / "python")
    _install(python, wheels, own, others, place)
    examples = next(
        (
            p / "examples"
            for p in wheels.folders["tinsmith_ir"].parents
            if (p / "examples").is_dir()
        ),
        None,
    )
    if examples is not None:
        (place / "examples").symlink_to(examples)
    return python


def _install(python: str, wheels: Wheels, own: set[str], others: set[str], place: Path) -> None:
    """Ours from their wheels alone, never an index: somebody else's package may have the name of one of them."""
    if others:
        _run([*_pip(python), *sorted(others)], place)
    if own:
        files = [str(wheels.wheel(package)) for package in sorted(own)]
        _run([*_pip(python), "--no-deps", "--no-index", *files], place)


def _pip(python: str) -> list[str]:
    """What installs into the environment of that Python."""
    options = ["--python", python, "--disable-pip-version-check", "install", "-q"]
    return [sys.executable, "-m", "pip", *options]


def _example(readme: Path) -> str:
    return "\n".join(_EXAMPLE.findall(readme.read_text(encoding="utf-8")))


def _beside(example: str, wheels: Wheels, own: set[str]) -> tuple[str, ...]:
    """What an example imports beyond what its library asks for."""
    found = set(_IMPORTED.findall(example)) & set(wheels.folders)
    return tuple(sorted(found - own))


def _checked(name: str, python: str, package: Path, tools: Tools, place: Path) -> dict[str, str]:
    """What each checker says of a program that imports all public names."""
    names = "".join(f"from {name} import {each}\n" for each in public_names(package))
    (place / "user.py").write_text(names or f"import {name}\n", encoding="utf-8")
    (place / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}', encoding="utf-8")
    commands = {
        "pyright": ("basedpyright", ["--pythonpath", python, "user.py"]),
        "mypy": ("mypy", ["--strict", "--python-executable", python, "user.py"]),
    }
    found: dict[str, str] = {}
    for checker, (module, arguments) in commands.items():
        try:
            tools.run(module, arguments, place)
            found[checker] = "ok"
        except _StepError:
            found[checker] = "FAIL"
    return found


def _run(command: Sequence[str], folder: Path) -> str:
    """What it prints. It has no PYTHONPATH, since what that names would seem to be installed.

    Raises _StepError, with its last line, where its status is not 0.
    """
    others = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    folder.mkdir(parents=True, exist_ok=True)
    try:
        result = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_SECONDS,
            env=others,
        )
    except subprocess.TimeoutExpired as error:
        raise _StepError(f"{command[-1]}: not done in {_TIMEOUT_SECONDS} s") from error
    if result.returncode != 0:
        lines = (result.stderr.strip() or result.stdout.strip() or "nothing was said").splitlines()
        raise _StepError(lines[-1])
    return result.stdout


def _failures(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for each in outcomes:
        most = MOST_IMPORT_MS.get(each.library)
        if each.verdict == "FAIL":
            yield f"{each.library}: {each.reason}"
        elif most is not None and each.import_ms is not None and each.import_ms > most:
            yield f"{each.library}: imported in {each.import_ms:.0f} ms beyond numpy, at most {most}"


def _text(outcomes: Sequence[Outcome]) -> str:
    header = [
        "library",
        "verdict",
        "wheel",
        "import ms",
        "pyright",
        "mypy",
        "beside it, for its example",
        "reason",
    ]
    rows = [
        [
            each.library,
            each.verdict,
            "-" if each.wheel_bytes is None else f"{each.wheel_bytes:,}",
            "-" if each.import_ms is None else f"{each.import_ms:.0f}",
            each.pyright,
            each.mypy,
            ", ".join(each.beside),
            each.reason[:100],
        ]
        for each in outcomes
    ]
    return table(header, rows)
