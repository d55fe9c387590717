"""Networks as bundles for other builds: by CMake and GCC with one include folder, run on boards that QEMU emulates.

`check` is what the bundle's own program prints: whether each byte of the outputs is the evaluator's. `twice` counts
names that two files of a bundle have, whatever the folder and case; `unknown` includes that are neither in the bundle
nor of the C library.
"""

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from tinsmith_ir import TinsmithError
from tinsmith_toolchains import temporary_folder

from tinsmith_driver.benchmarks.bundle_boards import built_by_cmake, printed
from tinsmith_driver.benchmarks.mlperf_tiny import read_baseline
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import Subject, tiny
from tinsmith_driver.bundle import bundle_files
from tinsmith_driver.bundle.includes import quoted_includes
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.table import table, thousands
from tinsmith_driver.writing import write_outputs

_TARGETS = ("cortex-m4", "cortex-m55", "riscv32")
_DIGITS = "digits"
_DIGITS_FILE = Path("examples/digits/digits_int8.tflite")


@dataclass(frozen=True)
class Row:
    """A bundle. size_bytes: of all its files, kernel_bytes: of those that are kernels'; sources: C files."""

    network: str
    target: str
    check: str
    files: int
    sources: int
    size_bytes: int
    kernel_bytes: int
    twice: int
    unknown: int

    @property
    def is_right(self) -> bool:
        """Whether all holds that a bundle promises."""
        return self.check == "PASS" and self.twice == 0 and self.unknown == 0


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Raises UsageError for unknown names; networks whose files are absent are left out, and said to be."""
    networks = selection(models, [_DIGITS, *read_baseline()[0]], "network")
    chosen = selection(targets, _TARGETS, "target")
    rows: list[Row] = []
    absent: list[str] = []
    with progress("bundles", len(networks) * len(chosen)) as bar:
        for network in networks:
            try:
                subject = _subject(network)
            except TinsmithError as error:
                absent.append(f"{network}: left out: {error}")
                continue
            for target in chosen:
                bar.step(f"{network} on {target}")
                rows.append(_row(network, target, subject))
    head = [
        "network",
        "target",
        "check",
        "files",
        "C files",
        "bytes",
        "of kernels",
        "twice",
        "unknown",
    ]
    body = [
        [
            str(value) if isinstance(value, str) else thousands(value)
            for value in asdict(row).values()
        ]
        for row in rows
    ]
    failures = [
        f"{row.network} on {row.target}: {row.check}, {row.twice} names twice, {row.unknown} unknown includes"
        for row in rows
        if not row.is_right
    ]
    text = "\n".join([table(head, body), *absent])
    return BenchmarkResult([asdict(row) for row in rows], text, failures)


def _subject(network: str) -> Subject:
    return Subject(read_model(_DIGITS_FILE, _DIGITS)) if network == _DIGITS else tiny(network)


def _row(network: str, target: str, subject: Subject) -> Row:
    compilation = compile_model(subject.model, CompileOptions(target))
    given = None if subject.inputs is None else subject.samples(compilation.graph, 1)[0]
    files = bundle_files([compilation], given)
    with temporary_folder("tinsmith-bundles-") as place:
        folder = place / "bundle"
        write_outputs({folder / name: data for name, data in files.items()})
        try:
            check = _checked(folder, target, place, f"tinsmith_{compilation.program.name}")
        except TinsmithError as error:
            check = str(error).splitlines()[0]
    names = Counter(name.rpartition("/")[2].lower() for name in files if name.startswith("src/"))
    return Row(
        network,
        target,
        check,
        len(files),
        sum(name.startswith("src/") and name.endswith(".c") for name in files),
        sum(map(len, files.values())),
        sum(len(data) for name, data in files.items() if name.startswith("src/tinsmith_")),
        sum(count > 1 for count in names.values()),
        _unknown(files),
    )


def _checked(folder: Path, target: str, place: Path, library: str) -> str:
    found = registry().target(target)
    text = printed(found, built_by_cmake(folder, found, place, library=library), place)
    return "PASS" if ": PASS (0)" in text and "status" not in text else text.strip() or "silent"


def _unknown(files: dict[str, bytes]) -> int:
    """Quoted includes of files that are not in the one folder."""
    inside = {name.removeprefix("src/") for name in files}
    texts = [
        data.decode("utf-8", "surrogateescape")
        for name, data in files.items()
        if name.startswith("src/")
    ]
    return sum(name not in inside for text in texts for name in quoted_includes(text))
