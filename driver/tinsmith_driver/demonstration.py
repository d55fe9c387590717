"""`tinsmith demo`: the digits network on an emulated board, shown so that a person enjoys it."""

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import UsageError

from tinsmith_driver.build import Build, built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.html import html_report
from tinsmith_driver.inputs import Samples, load_samples
from tinsmith_driver.layers import with_layers
from tinsmith_driver.memory_report import memory_table
from tinsmith_driver.messages import bad, good
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pictures import most_beside, picture, side_by_side
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.progress import progress
from tinsmith_driver.report import json_bytes, layer_table, report
from tinsmith_driver.running import GroupResult, Measurement, compare, run_samples
from tinsmith_driver.table import thousands
from tinsmith_driver.terminal import columns_of, say
from tinsmith_driver.writing import refuse_collisions, write_outputs

_JSON = "report.json"
_PAGE = "report.html"
_MOST_SHOWN = 6
_TIMEOUT_SECONDS = 120


@dataclass(frozen=True)
class Example:
    """The example network and its held-out images."""

    model: Path
    inputs: Path


def run(target_name: str, json_path: Path | None) -> int:
    """Compile, run every held-out image, compare, print. Returns 0 if every byte was right.

    The reports go to a folder of the demo's own; json_path: another place for the JSON one.
    """
    folder = Path(tempfile.gettempdir()) / "tinsmith-demo"
    example = find_example()
    if json_path:
        refuse_collisions(
            {"--json": json_path},
            {
                "the network": example.model,
                "its inputs": example.inputs,
                "the page": folder / _PAGE,
            },
        )
    with progress("demo", 4) as bar:
        bar.step("compiling")
        compilation = compile_model(read_model(example.model), CompileOptions(target_name))
        groups = load_samples(example.inputs, compilation.graph)
        bar.step("cross-compiling")
        with built(compilation) as build:
            bar.step(f"running {sum(map(len, groups))} images")
            measurement = run_samples(build, compilation.graph, groups, _TIMEOUT_SECONDS)
            bar.step("comparing")
            measurement = compare(measurement, compilation.reference)
            measurement = with_layers(compilation, measurement, _TIMEOUT_SECONDS, compare=True)
            result = report(compilation, build, measurement)
            page = html_report(result).encode()
            files = {folder / _JSON: json_bytes(result), folder / _PAGE: page}
            write_outputs(files | ({json_path: json_bytes(result)} if json_path else {}))
            bar.close()
            _print(compilation, build, measurement, folder)
    return 0 if measurement.bit_exact else 1


def find_example() -> Example:
    """The digits network of this checkout: in the runfiles of Bazel, above this file, or of the clone that is the
    current folder, where the command itself was installed by pip.

    Raises UsageError when it is not there.
    """
    for root in (*Path(__file__).resolve().parents, Path.cwd()):
        folder = root / "examples" / "digits"
        example = Example(folder / "digits_int8.tflite", folder / "digits_test.npz")
        if example.model.exists() and example.inputs.exists():
            return example
    raise UsageError(
        "expected the folder examples/digits beside this installation or in the current folder, found it in neither: "
        "run the demo in a clone of Tinsmith"
    )


def _print(compilation: Compilation, build: Build, measurement: Measurement, folder: Path) -> None:
    target = compilation.target
    say(f"{compilation.model.path.name} on {target.name} ({target.board.description})\n")
    for group in measurement.groups:
        if group.samples.labels is not None:
            print(f"{gallery(group)}\n\n{_score(group)}")
    say(_verdict(measurement))
    print(f"\n{layer_table(compilation, measurement)}")
    print(f"\n{memory_table(compilation, build, measurement)}")
    if measurement.instructions is not None:
        print(f"\n{thousands(measurement.instructions)} instructions per image")
    say(f"report: {folder / _PAGE} (and {_JSON})")


def gallery(group: GroupResult) -> str:
    """The first images with what the network says, as many as fit; a wrong answer, if there is one, is the last."""
    shown = min(most_beside(columns_of(sys.stdout), 8), _MOST_SHOWN)
    chosen = _chosen(group.samples, group.predictions, shown)
    images = group.samples.inputs[0].reshape(len(group.samples), 8, 8)
    captions = [_caption(group, index) for index in chosen]
    return side_by_side([picture(images[index]) for index in chosen], captions)


def _chosen(samples: Samples, predictions: NDArray[np.intp], shown: int) -> list[int]:
    chosen = list(range(min(shown, len(samples))))
    wrong = np.flatnonzero(predictions != samples.labels)
    if len(wrong) and int(wrong[0]) not in chosen:
        chosen[-1] = int(wrong[0])
    return chosen


def _caption(group: GroupResult, index: int) -> str:
    assert group.samples.labels is not None
    said, label = int(group.predictions[index]), int(group.samples.labels[index])
    return f"says {said}" if said == label else f"says {said}, is {label}"


def _score(group: GroupResult) -> str:
    count = len(group.samples)
    return f"{group.correct} of {count} held-out images right ({(group.correct or 0) / count:.1%})"


def _verdict(measurement: Measurement) -> str:
    if not measurement.bit_exact:
        return f"{bad('NOT bit-exact')}: {measurement.reason}"
    return (
        f"{good('bit-exact')}: every output byte of {measurement.samples} images, and every layer's"
    )
