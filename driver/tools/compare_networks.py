"""Run networks by Tinsmith's packed kernels and by Arm's CMSIS-NN, and compare the instructions of one inference.

    git clone --branch v7.0.0 https://github.com/ARM-software/CMSIS-NN
    python driver/tools/compare_networks.py DIR CMSIS-NN [--targets cortex-m4 cortex-m55] [--minutes 20] [--public]

Takes the .tflite files under DIR of at most --largest bytes that multiply and call Arm's library for something, those
of the fewest multiplications first, until the time is over. Arm's library is built at each level of OPTIMIZE, of which
the fastest counts; what it has no function for, both sides have reference kernels for. --public: ours by the public
functions, as Arm's. Prints a line for each network, and of all the geometric mean and the worst; exit status 1 if
results differ (Arm's has other rounding where a scale is 1 or more), or nothing was compared.
"""

import argparse
import math
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from tinsmith_driver.build import Build, built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.kernel_sources import kernel_include_directories, kernel_sources
from tinsmith_driver.models import Model, read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.running import Measurement, run_samples
from tinsmith_emulators import EmulatorError
from tinsmith_ir import TinsmithError
from tinsmith_plugins import kernel_folder
from tinsmith_toolchains import ToolchainError, build_firmware, temporary_folder

OPTIMIZE = ("speed", "fast")
_BACKEND = "cmsis_nn"
_TIMEOUT_SECONDS = 60.0
_RAM_BYTES = 1 << 24
_DEFINED = re.compile(r"^\w[\w *]*?\b(arm_\w+)\s*\([^;{]*\)\s*\{", re.M)
_NAMED = re.compile(r"\barm_\w+")


@dataclass(frozen=True)
class Comparison:
    """One network on one target: instructions of one inference, and how many bytes of its outputs differ."""

    network: str
    target: str
    macs: int
    ours: int
    arms: int
    different: int

    @property
    def ratio(self) -> float:
        """Below 1 where ours take fewer."""
        return self.ours / self.arms

    def __str__(self) -> str:
        """A line of the table."""
        note = f"  {self.different} bytes differ" if self.different else ""
        return (
            f"{self.ratio:6.3f} {self.ours:13,} {self.arms:13,} {self.macs:13,}  "
            f"{self.target:10}  {self.network}{note}"
        )


@dataclass(frozen=True)
class Library:
    """A checkout of CMSIS-NN."""

    checkout: Path

    @cached_property
    def _texts(self) -> Mapping[Path, str]:
        """Of its C files of integers."""
        files = sorted((self.checkout / "Source").rglob("*.c"))
        return {
            path: path.read_text(encoding="utf-8")
            for path in files
            if not re.search(r"_(f16|f32|flt)\.c$", path.name)
        }

    @cached_property
    def _where(self) -> Mapping[str, Path]:
        """The file that defines a function."""
        return {name: path for path, text in self._texts.items() for name in _DEFINED.findall(text)}

    def sources(self, text: str) -> list[Path]:
        """The files that C, whose text this is, needs with all that they need."""
        found: set[Path] = set()
        names = set(_NAMED.findall(text))
        while names:
            files = {self._where[name] for name in names if name in self._where} - found
            found |= files
            names = {name for path in files for name in _NAMED.findall(self._texts[path])}
        return sorted(found)


def compared(model: Model, target: str, library: Library, *, packed: bool) -> Comparison | None:
    """None for a network that calls nothing of Arm's library. Raises TinsmithError, ToolchainError, EmulatorError."""
    theirs = _compiled(model, target, packed=False)
    calls = {call.kernel for call in theirs.program.calls}
    if not any(k.backend == _BACKEND and k.name in calls for k in theirs.kernels):
        return None
    with built(_compiled(model, target, packed=packed)) as build:
        ours = _measured(build, theirs)
    levels = [_with_library(theirs, library, level) for level in OPTIMIZE]
    arms = min(levels, key=lambda measured: measured.instructions or 0)
    assert ours.instructions is not None
    assert arms.instructions is not None
    return Comparison(
        network=model.path.stem,
        target=target,
        macs=theirs.graph.macs,
        ours=ours.instructions,
        arms=arms.instructions,
        different=_different(ours, arms),
    )


def _compiled(model: Model, target: str, *, packed: bool) -> Compilation:
    return compile_model(model, CompileOptions(target, packed=packed, ram_bytes=_RAM_BYTES))


def _measured(build: Build, compilation: Compilation) -> Measurement:
    samples = random_samples(compilation.graph, 1)
    return run_samples(build, compilation.graph, [samples], _TIMEOUT_SECONDS)


def _with_library(compilation: Compilation, library: Library, level: str) -> Measurement:
    """The network's firmware, of which Arm's library replaces ours."""
    ours = kernel_folder(__file__, _BACKEND)
    folders = [path for path in kernel_include_directories() if not path.is_relative_to(ours)]
    others = [path for path in kernel_sources(compilation) if not path.is_relative_to(ours)]
    with temporary_folder("tinsmith-compare-") as directory:
        for name, data in compilation.files.items():
            (directory / name).write_bytes(data)
        harness = directory / "harness_model.c"
        harness.write_bytes(compilation.harness)
        written = [directory / name for name in compilation.files if name.endswith(".c")]
        arms = library.sources("".join(path.read_text(encoding="utf-8") for path in written))
        firmware = build_firmware(
            compilation.target,
            [*written, *others, *arms],
            harness=[harness],
            include_directories=[directory, *folders, library.checkout / "Include"],
            output_directory=directory,
            optimize_files=dict.fromkeys(arms, level),
        )
        return _measured(Build(firmware), compilation)


def _different(ours: Measurement, arms: Measurement) -> int:
    pairs = zip(ours.groups[0].outputs, arms.groups[0].outputs, strict=True)
    return sum(int(np.count_nonzero(left != right)) for left, right in pairs)


def models(directory: Path, largest: int) -> list[Model]:
    """Those that are read and multiply, each once, the cheapest first."""
    found: dict[str, Model] = {}
    for path in sorted(directory.rglob("*.tflite")):
        if path.stat().st_size > largest:
            continue
        try:
            model = read_model(path)
        except TinsmithError:
            continue
        if model.graph.macs > 0:
            found.setdefault(model.sha256, model)
    return sorted(found.values(), key=lambda model: (model.graph.macs, model.path.name))


def comparisons(
    chosen: Sequence[Model],
    targets: Sequence[str],
    library: Library,
    seconds: float,
    *,
    packed: bool,
) -> Iterator[Comparison]:
    """Until the time is over; what cannot be compiled, built or run in time is named on stderr."""
    end = time.monotonic() + seconds
    for model in chosen:
        for target in targets:
            if time.monotonic() > end:
                return
            try:
                found = compared(model, target, library, packed=packed)
            except (TinsmithError, ToolchainError, EmulatorError) as error:
                print(f"{model.path.stem} on {target}: {error}"[:200], file=sys.stderr)
                continue
            if found is not None:
                yield found


def summary(found: Sequence[Comparison], target: str) -> str:
    """A line."""
    mean = math.exp(sum(math.log(each.ratio) for each in found) / len(found))
    worst = max(found, key=lambda each: each.ratio)
    return (
        f"{target}: {len(found)} networks, geometric mean {mean:.3f}, "
        f"worst {worst.ratio:.3f} ({worst.network})"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("directory", type=Path)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--targets", nargs="*", default=["cortex-m4", "cortex-m55"])
    parser.add_argument("--largest", type=int, default=700_000, help="bytes of a file")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--names", nargs="*", default=[""], help="parts of names")
    parser.add_argument("--public", action="store_true")
    options = parser.parse_args()
    chosen = [
        model
        for model in models(options.directory, options.largest)
        if any(name in model.path.name for name in options.names)
    ]
    library = Library(options.checkout.resolve())
    print(f"{'ratio':>6} {'ours':>13} {'arms':>13} {'macs':>13}  target      network")
    found: list[Comparison] = []
    for each in comparisons(
        chosen, options.targets, library, 60 * options.minutes, packed=not options.public
    ):
        print(each, flush=True)
        found.append(each)
    for target in options.targets:
        of_target = [each for each in found if each.target == target]
        if of_target:
            print(summary(of_target, target))
    return 1 if not found or any(each.different for each in found) else 0


if __name__ == "__main__":
    sys.exit(main())
