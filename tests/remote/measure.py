"""How often caches hit: builds and tests in one clone of this repository, then in a second one with the same cache.

    bazel run //tests/remote:measure                                    # the whole tree; some quarters of an hour
    bazel run //tests/remote:measure -- --targets //examples/... //ir/... --only disk server

Prints Bazel's own counts and ends with status 1 when anything missed. What is measured is the last commit.

- `disk`: --disk_cache
- `server`: --remote_cache of a BuildGrid
- `execution`: --config=remote with workers: outputs of --sweep, built by them and built here, have the same bytes
- `clones`: two clones without any cache make the same bytes
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from cluster import cluster

_PASSED = ("PASSED", "FLAKY")
_HIT = re.compile(r"(disk|remote) cache hit")
_SHOWN = 40


@dataclass(frozen=True)
class Run:
    """What Bazel said of one invocation."""

    status: int
    processes: Counter[
        str
    ]  # how many actions ran how: `disk cache hit`, `remote`, `processwrapper-sandbox`
    passed: frozenset[str]  # tests
    cached: frozenset[str]  # tests whose result came from a cache
    failed: frozenset[str]  # tests: their actions are in no cache

    @property
    def actions(self) -> int:
        """Those that a cache can hold: all but Bazel's own, which only write a file or a link."""
        return sum(self.processes.values()) - self.processes["internal"]

    @property
    def hits(self) -> int:
        """Actions whose outputs came from a cache."""
        return sum(count for how, count in self.processes.items() if _HIT.fullmatch(how))


@dataclass(frozen=True)
class Clone:
    """A checkout of its own with a Bazel of its own, both fresh."""

    root: Path
    outputs: Path

    def bazel(self, command: str, *arguments: str) -> Run:
        """Runs to the end, what it says being kept beside its outputs."""
        events = self.outputs.with_suffix(".events.json")
        run = subprocess.run(
            [
                *("./bazelw", f"--output_user_root={self.outputs}", command),
                *("--color=no", "--curses=no", "--noshow_progress", "--keep_going"),
                *(f"--build_event_json_file={events}", *arguments),
            ],
            cwd=self.root,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.outputs.with_suffix(".log").write_text(run.stdout, encoding="utf-8")
        return Run(run.returncode, _processes(run.stdout), *_tests(events))

    def files(self) -> dict[str, str]:
        """Hash of every file below bazel-out that an action made; runfiles are links that name the checkout."""
        top = (self.root / "bazel-out").resolve()
        hashes: dict[str, str] = {}
        for folder, names, files in os.walk(top):
            names[:] = [name for name in names if not name.endswith(".runfiles") and name != "_tmp"]
            for name in files:
                path = Path(folder, name)
                if not path.is_symlink() and not name.endswith(
                    (".runfiles_manifest", "-status.txt")
                ):
                    with path.open("rb") as file:
                        digest = hashlib.file_digest(file, "sha256")
                    hashes[path.relative_to(top).as_posix()] = digest.hexdigest()
        return hashes

    def remove(self) -> None:
        """With its Bazel, whose folders are read-only in part."""
        subprocess.run(
            ["./bazelw", f"--output_user_root={self.outputs}", "shutdown"],
            cwd=self.root,
            env=_environment(),
            capture_output=True,
            check=False,
        )
        subprocess.run(["chmod", "-R", "u+w", self.outputs], check=False)
        shutil.rmtree(self.outputs, ignore_errors=True)
        shutil.rmtree(self.root, ignore_errors=True)


@dataclass(frozen=True)
class Measurement:
    """Where to work, and what on."""

    checkout: Path
    scratch: Path
    targets: list[str]
    sweep: list[str]
    workers: int
    options: list[str]

    def disk(self) -> bool:
        """Two clones, one --disk_cache."""
        return self._second_clone("disk cache", f"--disk_cache={self.scratch}/cache")

    def server(self) -> bool:
        """Two clones, one BuildGrid."""
        with cluster(workers=0) as running:
            return self._second_clone("BuildGrid", f"--remote_cache=grpc://{running.address}")

    def execution(self) -> bool:
        """Built by workers and built here."""
        here, there = self._clone("here"), self._clone("there")
        local = here.bazel("build", *self.options, *self.sweep)
        with cluster(self.workers) as running:
            options = ["--config=remote", f"--remote_executor=grpc://{running.address}"]
            remote = there.bazel(
                "build", *options, "--remote_download_outputs=all", *self.options, *self.sweep
            )
            shares = Counter(
                name
                for name in (f"worker-{number}" for number in range(1, self.workers + 1))
                for line in running.log(name).splitlines()
                if "exit status" in line
            )
        ran = remote.processes["remote"]
        print(
            f"remote execution: {ran} of {remote.actions} actions ran on workers, {remote.hits} were hits"
        )
        print("  " + ", ".join(f"{name} ran {count}" for name, count in sorted(shares.items())))
        same = _compare(here.files(), there.files())
        here.remove()
        there.remove()
        everywhere = ran > 0 and ran + remote.hits == remote.actions
        return same and everywhere and not local.status and not remote.status

    def clones(self) -> bool:
        """Nothing shared."""
        first, second = self._clone("first"), self._clone("second")
        runs = [clone.bazel("build", *self.options, *self.targets) for clone in (first, second)]
        same = _compare(first.files(), second.files())
        first.remove()
        second.remove()
        return same and not any(run.status for run in runs)

    def _second_clone(self, name: str, cache: str) -> bool:
        runs: list[Run] = []
        for which in ("first", "second"):
            clone = self._clone(which)
            runs.append(clone.bazel("test", cache, *self.options, *self.targets))
            clone.remove()
        first, second = runs
        print(f"{name}: first clone {_ways(first)}")
        print(f"{name}: second clone {_ways(second)}")
        again = first.passed & second.cached
        print(f"{name}: hits of actions {_share(second.hits, second.actions)}")
        print(f"{name}: hits of passed tests {_share(len(again), len(first.passed))}")
        _list("not from the cache", first.passed - again)
        _list("failed, so that no cache has it", first.failed | second.failed)
        return second.hits == second.actions > 0 and again == first.passed

    def _clone(self, name: str) -> Clone:
        """At a path as unlike the others' as can be; what lies beside this checkout lies beside it, too."""
        parent = self.scratch / name / ("deep/er" if name in ("second", "there") else ".")
        parent.mkdir(parents=True, exist_ok=True)
        beside = self.checkout.parent / "shared"
        if beside.exists() and not (parent / "shared").exists():
            (parent / "shared").symlink_to(beside)
        root = parent / f"tinsmith-{name}"
        git = ["git", "clone", "--quiet", "--local", str(self.checkout), str(root)]
        subprocess.run(git, check=True)
        return Clone(root, self.scratch / f"{name}-outputs")


def _tests(events: Path) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Those that passed, those that came from a cache, and those that did not pass."""
    passed: set[str] = set()
    cached: set[str] = set()
    failed: set[str] = set()
    lines = events.read_text(encoding="utf-8").splitlines() if events.exists() else []
    for event in map(json.loads, lines):
        if "testResult" in event:
            label = str(event["id"]["testResult"]["label"])
            result = event["testResult"]
            (passed if result["status"] in _PASSED else failed).add(label)
            if result.get("executionInfo", {}).get("cachedRemotely"):
                cached.add(label)
    return frozenset(passed), frozenset(cached), frozenset(failed)


def _processes(output: str) -> Counter[str]:
    """Of Bazel's line `INFO: 3 processes: 1 disk cache hit, 1 internal, 1 worker.`"""
    lines: list[str] = re.findall(r"^INFO: \d+ process(?:es)?: (.*)\.$", output, flags=re.MULTILINE)
    counts: Counter[str] = Counter()
    for part in lines[-1].split(", ") if lines else []:
        count, _, how = part.partition(" ")
        counts[how] += int(count)
    return counts


def _compare(first: dict[str, str], second: dict[str, str]) -> bool:
    common = first.keys() & second.keys()
    different = {path for path in common if first[path] != second[path]}
    print(f"files with the same bytes {_share(len(common) - len(different), len(common))}")
    _list("other bytes", different)
    return not different and bool(common)


def _ways(run: Run) -> str:
    ways = ", ".join(f"{count} {how}" for how, count in sorted(run.processes.items()))
    return f"{ways}; {len(run.passed)} tests passed; status {run.status}"


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "0 of 0"


def _list(what: str, names: Iterable[str]) -> None:
    ordered = sorted(names)
    for name in ordered[:_SHOWN]:
        print(f"  {what}: {name}")
    if len(ordered) > _SHOWN:
        print(f"  {what}: {len(ordered) - _SHOWN} more")


def _environment() -> dict[str, str]:
    """Without what the Bazel that runs this told it."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("BUILD_", "PYTHON", "RUNFILES"))
    }


def main() -> int:
    """Status 1: something missed or differed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--targets", nargs="+", default=["//..."], help="built and tested")
    parser.add_argument(
        "--sweep", nargs="+", default=["//examples/digits:sweep"], help="built by workers"
    )
    parser.add_argument("--only", nargs="+", choices=("disk", "server", "execution", "clones"))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--options",
        nargs="+",
        default=[],
        metavar="WORD",
        help="more options of Bazel, without `--`",
    )
    parser.add_argument("--scratch", type=Path, help="an empty folder to work in, and to keep")
    arguments = parser.parse_args()
    checkout = Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."))
    scratch: Path = arguments.scratch or Path(tempfile.mkdtemp(prefix="tinsmith-caches-"))
    measurement = Measurement(
        checkout.resolve(),
        scratch.resolve(),
        arguments.targets,
        arguments.sweep,
        arguments.workers,
        [f"--{word}" for word in arguments.options],
    )
    parts: dict[str, Callable[[], bool]] = {
        "disk": measurement.disk,
        "server": measurement.server,
        "execution": measurement.execution,
        "clones": measurement.clones,
    }
    held = [parts[name]() for name in arguments.only or parts]
    if not arguments.scratch:
        shutil.rmtree(scratch, ignore_errors=True)
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
