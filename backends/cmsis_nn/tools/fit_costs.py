"""Fits cost.py to emulated boards: `fit_costs.py` writes coefficients.py, `fit_costs.py --check` measures other layers.

Layers are random, of sizes that whole layers have and of such as rows that stream have; the same seed gives the same
layers and coefficients. Both run the command `tinsmith verify` on networks of such layers beside each other, and need
the checkout.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tinsmith_cmsis_nn import backend, coefficients, cost
from tinsmith_cmsis_nn.cost import Work
from tinsmith_ir import print_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Value
from tinsmith_ir.operators import Add, AveragePool2D, Conv2D, DepthwiseConv2D, MaxPool2D, Operator
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Layer, lower
from tinsmith_lowering.lower import layer_of_call
from tinsmith_target import target

_TARGET = Path(__file__).resolve().parent.parent / "tinsmith_cmsis_nn/coefficients.py"
_TARGETS = ("cortex-m4", "cortex-m55")
_MOST_BYTES = 16_000
_MOST_PRODUCTS = 600_000
_LAYERS = 40
"""Of a network."""

_WORKS: Mapping[str, Callable[[Layer], Work | None]] = {
    "tinsmith_convolve_packed_s8": cost.convolution_work,
    "tinsmith_depthwise_packed_s8": cost.depthwise_work,
    "tinsmith_depthwise_pixels_s8": cost.pixels_work,
    "arm_elementwise_add_s8": cost.add_work,
    "arm_avgpool_s8": cost.average_pool_work,
    "arm_max_pool_s8": cost.max_pool_work,
}
"""Of each kernel that is measured, by name."""

_CONVOLUTIONS = ((1, 1), (1, 1), (1, 1), (3, 3), (3, 3), (5, 5), (10, 4), (1, 3), (1, 5))
_DEPTHWISE = ((3, 3), (3, 3), (3, 3), (5, 5), (4, 4), (2, 2), (1, 5), (1, 9), (15, 1))
_POOLS = ((2, 2), (3, 3), (1, 4), (5, 5))
_GIVEN, _WEIGHTS, _MADE = (Quantization.per_tensor(scale, 0) for scale in (0.05, 0.002, 0.08))


@dataclass(frozen=True)
class Measured:
    """A layer. text: what it is. instructions: of its call."""

    text: str
    work: Work
    instructions: int

    @property
    def error(self) -> float:
        """Of the model, as a share of what was measured."""
        return cost.instructions(self.work) / self.instructions - 1


class _Sampler:
    """Random layers beside each other."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._numbers = np.random.default_rng(self._random.getrandbits(32))

    def network(self) -> Graph:
        builder = GraphBuilder("layers")
        outputs: list[Value] = []
        while len(outputs) < _LAYERS:
            made = self._layer(builder, len(outputs))
            if made is not None:
                outputs.append(made)
        return builder.build(outputs)

    def _layer(self, builder: GraphBuilder, index: int) -> Value | None:
        kind = self._random.choice(
            ("conv", "conv", "conv", "depthwise", "depthwise", "pool", "pool", "add")
        )
        pick = self._random.choice
        channels = pick((3, 4, 6, 8, 8, 12, 16, 16, 24, 32, 32, 48, 64, 64, 128))
        height, width = (
            pick((1, 2, 3, 4, 5, 6, 8, 12, 16)),
            pick((1, 5, 6, 10, 12, 16, 24, 25, 32, 48)),
        )
        stride = pick((1, 1, 2))
        taps = pick({"conv": _CONVOLUTIONS, "depthwise": _DEPTHWISE}.get(kind, _POOLS))
        top, bottom, left, right = (pick((0, taps[side // 2] // 2)) for side in range(4))
        padding, strides = (top, bottom, left, right), (stride, stride)
        given = (
            (height, width)
            if kind == "add"
            else (
                (height - 1) * stride + taps[0] - padding[0] - padding[1],
                (width - 1) * stride + taps[1] - padding[2] - padding[3],
            )
        )
        made = pick((4, 8, 8, 16, 16, 32, 64, 10)) if kind == "conv" else channels
        bytes_ = given[0] * given[1] * channels + height * width * made
        products = height * width * made * taps[0] * taps[1] * (channels if kind == "conv" else 1)
        if min(given) < 1 or bytes_ > _MOST_BYTES or products > _MOST_PRODUCTS:
            return None
        operator: Operator
        operands = [self._input(builder, f"x{index}", (1, *given, channels))]
        match kind:
            case "add":
                operator = Add()
                operands.append(self._input(builder, f"z{index}", (1, *given, channels)))
            case "pool":
                pool = pick((AveragePool2D, MaxPool2D))
                return builder.add(
                    pool(window=taps, stride=strides, padding=padding),
                    operands,
                    f"y{index}",
                    _GIVEN,
                )
            case "conv":
                operator = Conv2D(stride=strides, padding=padding)
                operands.append(self._weights(builder, f"w{index}", (made, *taps, channels)))
            case _:
                operator = DepthwiseConv2D(stride=strides, padding=padding)
                operands.append(self._weights(builder, f"w{index}", (1, *taps, channels)))
        return builder.add(operator, operands, f"y{index}", _MADE)

    def _input(self, builder: GraphBuilder, name: str, shape: tuple[int, ...]) -> Value:
        return builder.input(name, TensorType(shape, DType.INT8, _GIVEN))

    def _weights(self, builder: GraphBuilder, name: str, shape: tuple[int, ...]) -> Value:
        data = self._numbers.integers(-127, 128, shape).astype(np.int8)
        return builder.constant(name, data, _WEIGHTS)


def measure(seed: str, networks: int) -> list[Measured]:
    """Layers of so many networks on each target, those whose kernels have a model."""
    sampler = _Sampler(seed)
    graphs = [sampler.network() for _ in range(networks)]
    return [layer for name in _TARGETS for graph in graphs for layer in _measured(graph, name)]


def _measured(graph: Graph, name: str) -> list[Measured]:
    chosen = target(name)
    program = lower(graph, chosen, backend().kernels(chosen))
    counted = _run(graph, name)
    found: list[Measured] = []
    for call in program.calls:
        kernel = call.kernel.split("/")[1] if "/" in call.kernel else call.kernel
        layer = layer_of_call(program, call, chosen)
        work = _WORKS[kernel](layer) if kernel in _WORKS else None
        if work is not None:
            shapes = " ".join("x".join(map(str, type_.shape)) for type_ in layer.inputs if type_)
            text = f"{call.operator.title} {shapes} to {'x'.join(map(str, layer.output.shape))}"
            found.append(Measured(text, work, counted[call.name]))
    return found


def _run(graph: Graph, name: str) -> Mapping[str, int]:
    """Instructions of each layer on the board."""
    with tempfile.TemporaryDirectory() as folder:
        source, report = Path(folder) / "layers.tsm", Path(folder) / "report.json"
        source.write_text(print_graph(graph))
        command = [sys.executable, "-m", "tinsmith_driver", "verify", str(source), "--target", name]
        options = ["--no-split", "--samples", "1", "--json", str(report)]
        subprocess.run([*command, *options], check=True, capture_output=True)
        layers = json.loads(report.read_text())["layers"]
    return {layer["name"]: layer["instructions"] for layer in layers}


def fit(layers: Sequence[Measured]) -> Mapping[str, Mapping[str, float]]:
    """Least squares of shares of what was measured, no coefficient below 0, kind by kind."""
    kinds = sorted({layer.work.kind for layer in layers})
    return {
        kind: _fit_kind([layer for layer in layers if layer.work.kind == kind]) for kind in kinds
    }


def _fit_kind(layers: Sequence[Measured]) -> Mapping[str, float]:
    names = sorted({name for layer in layers for name in layer.work.counts})
    measured = np.array([layer.instructions for layer in layers], np.float64)
    rows = np.array(
        [[layer.work.counts.get(name, 0) for name in names] for layer in layers], np.float64
    )
    shares: NDArray[np.float64] = rows / measured[:, None]
    kept = [at for at in range(len(names)) if shares[:, at].any()]
    while True:
        found, *_ = np.linalg.lstsq(shares[:, kept], np.ones(len(layers)), rcond=None)
        if (found >= 0).all():
            return {names[at]: float(f"{value:.4g}") for at, value in zip(kept, found, strict=True)}
        kept.pop(int(np.argmin(found * shares[:, kept].mean(axis=0))))


def write(seed: int, networks: int) -> None:
    """Fit, and write coefficients.py."""
    lines = [
        '"""Instructions of what cost.py counts; written by `tools/fit_costs.py --seed '
        f'{seed}`, not by hand."""',
        "",
        "from collections.abc import Mapping",
        "",
        "COEFFICIENTS: Mapping[str, Mapping[str, float]] = {",
    ]
    for kind, weights in fit(measure(f"fit {seed}", networks)).items():
        lines.append(f'    "{kind}": {{')
        lines += [f'        "{name}": {value:g},' for name, value in weights.items()]
        lines.append("    },")
    _TARGET.write_text("\n".join([*lines, "}", ""]))


def check(seed: int, networks: int) -> None:
    """Measure layers that no fit has seen; print modelled and measured instructions, and the errors of each kind."""
    layers = measure(f"check {seed}", networks)
    layers = [layer for layer in layers if layer.work.kind in coefficients.COEFFICIENTS]
    for layer in layers:
        modelled = cost.instructions(layer.work)
        print(
            f"{modelled:8} {layer.instructions:8} {layer.error:+7.1%}  {layer.work.kind}: {layer.text}"
        )
    for kind in sorted(coefficients.COEFFICIENTS):
        _summarize(kind, [layer.error for layer in layers if layer.work.kind == kind])
    _summarize("all", [layer.error for layer in layers])


def _summarize(kind: str, errors: Sequence[float]) -> None:
    if errors:
        mean, worst = statistics.mean(map(abs, errors)), max(errors, key=abs)
        print(f"{kind:32} {len(errors):4} {mean:8.1%} {worst:+8.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Fits the cost model to emulated boards.")
    parser.add_argument("--check", action="store_true", help="measure other layers instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", type=int, help="of 40 layers; 8 to fit, 2 to check")
    arguments = parser.parse_args()
    if arguments.check:
        check(arguments.seed, arguments.networks or 2)
    else:
        write(arguments.seed, arguments.networks or 8)


if __name__ == "__main__":
    main()
