"""Print what networks over a window of time take whole and frame by frame: memory, and instructions of one run.

    python passes/streaming/tools/compare_frames.py [MODEL ...] [--target cortex-m4]

Takes a temporal convolutional network of its own, of int8: 64 frames of 40 features, and four residual blocks of two
causal layers of 3 taps with 32 channels, dilated by 1, 2, 4 and 8; twice, once with the mean of all frames behind it.
Then the networks of the files. Each is compiled, run on the target's emulator and compared with the evaluator in every
byte, by `tinsmith measure`, with `--stream` and without. Exit status 1 if one of them is wrong or refused.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from tinsmith_ir import DType, Graph, Quantization, TensorType, Value, print_graph
from tinsmith_ir.operators import Activation, Add, Conv2D, FullyConnected, Mean
from tinsmith_ir.testing import GraphBuilder

FRAMES, FEATURES, CHANNELS, CLASSES = 64, 40, 32, 12
DILATIONS = (1, 2, 4, 8)
COLUMNS = {"arena": "arena_bytes", "RAM": "ram_bytes", "instructions": "instructions"}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", type=Path, nargs="*", metavar="MODEL")
    parser.add_argument("--target", default="cortex-m4", help="default: %(default)s")
    given = parser.parse_args()
    print(f"| network | a run takes | {' | '.join(COLUMNS)} |")
    print(f"|---|---|{'---:|' * len(COLUMNS)}")
    with tempfile.TemporaryDirectory() as folder:
        models = [*_networks(Path(folder)), *given.models]
        lines = [line for model in models for line in _lines(model, given.target)]
    return 0 if all(lines) else 1


def _networks(folder: Path) -> Iterator[Path]:
    for is_of_all in (False, True):
        graph = temporal_network(is_of_all=is_of_all)
        path = folder / f"{graph.name}.tsm"
        path.write_text(print_graph(graph))
        yield path


def temporal_network(*, is_of_all: bool) -> Graph:
    """Weights are random. is_of_all: classes of the mean of all frames instead of each frame."""
    random = np.random.default_rng(0)
    builder = GraphBuilder("tcn_of_all_frames" if is_of_all else "tcn_of_each_frame")

    def weights(*shape: int) -> Value:
        integers = random.integers(-127, 128, shape).astype(np.int8)
        return builder.constant("w", integers, Quantization.per_tensor(0.005, 0))

    def layer(value: Value, dilation: int, taps: int = 3) -> Value:
        operator = Conv2D(
            dilation=(dilation, 1),
            padding=((taps - 1) * dilation, 0, 0, 0),
            activation=Activation.RELU,
        )
        operands = [value, weights(CHANNELS, taps, 1, value.type.shape[3]), None]
        return builder.add(operator, operands, "layer", Quantization.per_tensor(0.05, -128))

    type_ = TensorType((1, FRAMES, 1, FEATURES), DType.INT8, Quantization.per_tensor(0.05, 4))
    value = layer(builder.input("x", type_), 1, taps=1)
    for dilation in DILATIONS:
        made = layer(layer(value, dilation), dilation)
        quantization = Quantization.per_tensor(0.08, -128)
        value = builder.add(Add(), [value, made], "sum", quantization)
    if is_of_all:
        quantization = Quantization.per_tensor(0.08, -128)
        value = builder.add(Mean((1, 2)), [value], "mean", quantization)
    operator = FullyConnected(keep_dims=not is_of_all)
    operands = [value, weights(CLASSES, CHANNELS), None]
    classes = builder.add(operator, operands, "classes", Quantization.per_tensor(0.1, 0))
    return builder.build(classes)


def _lines(model: Path, target: str) -> Iterator[bool]:
    """Print a line for the whole window and one for a frame; whether each is right."""
    for runs_take, options in (("the window", ()), ("a frame", ("--stream",))):
        row = _measured(model, target, options)
        is_right = row.get("status") == "ok"
        # What is refused or wrong has no numbers to show.
        cells = [f"{row[key]:,}" if is_right else "-" for key in COLUMNS.values()]
        print(f"| {model.stem} | {runs_take} | {' | '.join(cells)} |", flush=True)
        if not is_right:
            print(f"{model}: {row['reason']}", file=sys.stderr)
        yield is_right


def _measured(model: Path, target: str, options: Sequence[str]) -> dict[str, int | str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "row.json"
        command = [sys.executable, "-m", "tinsmith_driver", "measure", str(model)]
        command += ["--target", target, *options, "--json", str(path), "--no-progress"]
        subprocess.run(command, check=True)
        row: dict[str, int | str] = json.loads(path.read_text(encoding="utf-8"))
        return row


if __name__ == "__main__":
    sys.exit(main())
