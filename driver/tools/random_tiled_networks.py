"""Run random networks on a simulated cluster whose first-level memory is of random size, under its race check.

    python driver/tools/random_tiled_networks.py --networks 200 [--first 0] [--target siracusa]

A network is a chain of convolutions, depthwise convolutions, pools and sums, with residual branches and
concatenations, of int8 images of random sizes; every third one rounds to nearest or down. Its outputs have to equal
the evaluator's, byte by byte, and those of the tiled program evaluated with copies that end as soon as they may and as
late. One that does not fit has to be refused with the least memory that would do, and with that it has to be right.
Prints which networks fail; exit status 1 if one did.
"""

import argparse
import pathlib
import re
import sys
import time
from collections.abc import Sequence

import numpy as np
from tinsmith_driver.build import built
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import Model, compile_model
from tinsmith_driver.running import compare, run_samples
from tinsmith_ir import DType, Graph, TinsmithError, Value
from tinsmith_ir.errors import DoesNotFitError
from tinsmith_ir.operators import (
    Add,
    AveragePool2D,
    Concat,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    MaxPool2D,
    Operator,
    Reshape,
)
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType

_SECONDS = 120.0
_LEAST = re.compile(r"would fit into (\d+) B")


class _Network:
    """A network in the making, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._builder = GraphBuilder(f"random_{seed}")
        modes = (Rounding.TFLITE,) if seed % 3 else (Rounding.NEAREST, Rounding.FLOOR)
        self._rounding = modes[self._draw(0, len(modes))]

    def graph(self) -> Graph:
        """An image, layers, and mostly a classifier at the end."""
        shape = (1, self._draw(1, 33), self._draw(1, 33), self._draw(1, 25))
        x = self._builder.input("x", TensorType(shape, DType.INT8, self._quantization()))
        for _ in range(self._draw(2, 8)):
            x = self._block(x)
        if self._draw(0, 3):
            flat = (1, x.type.elements)
            x = self._builder.add(Reshape(shape=flat), [x], "flat", x.type.quantization)
            x = self._weighted(
                FullyConnected(rounding=self._rounding), x, (self._draw(1, 20), flat[1])
            )
        return self._builder.build([x])

    def _block(self, x: Value) -> Value:
        kind = self._draw(0, 6)
        if kind == 0:
            same = self._convolution(x, x.type.shape[3], stride=1)
            return self._result(Add(rounding=self._rounding), [x, same])
        if kind == 1:
            branches = [self._convolution(x, self._draw(1, 12), stride=1) for _ in range(2)]
            like = branches[0].type.quantization
            second = self._convolution(x, self._draw(1, 12), stride=1, like=like)
            return self._builder.add(Concat(axis=3), [branches[0], second], "y", like)
        if kind == 2 and min(x.type.shape[1:3]) > 1:
            pool = (MaxPool2D, AveragePool2D)[self._draw(0, 2)](window=(2, 2), stride=(2, 2))
            return self._builder.add(pool, [x], "y", x.type.quantization)
        if kind == 3:
            return self._depthwise(x)
        return self._convolution(x, self._draw(1, 40), stride=self._draw(1, 3))

    def _convolution(
        self, x: Value, channels: int, *, stride: int, like: Quantization | None = None
    ) -> Value:
        window = (1, 3, 3, 5)[self._draw(0, 4)]
        operator = Conv2D(
            stride=(stride, stride),
            padding=(window // 2, window // 2, window // 2, window // 2),
            rounding=self._rounding,
        )
        return self._weighted(operator, x, (channels, window, window, x.type.shape[3]), like)

    def _depthwise(self, x: Value) -> Value:
        window, stride = (3, 3, 5, 2)[self._draw(0, 4)], self._draw(1, 3)
        margin = window // 2
        operator = DepthwiseConv2D(
            stride=(stride, stride),
            padding=(margin, margin, margin, margin),
            rounding=self._rounding,
        )
        return self._weighted(operator, x, (1, window, window, x.type.shape[3]))

    def _weighted(
        self, operator: Operator, x: Value, shape: Sequence[int], like: Quantization | None = None
    ) -> Value:
        is_depthwise = isinstance(operator, DepthwiseConv2D)
        axis = 3 if is_depthwise else 0
        count = shape[axis]
        taps = int(np.prod(shape)) // count
        scales = self._random.uniform(0.2, 1.0, count) * 0.02 / np.sqrt(taps)
        scales = tuple(float(np.float32(scale)) for scale in scales)
        if isinstance(operator, FullyConnected):
            quantization = Quantization.per_tensor(scales[0], 0)
        else:
            quantization = Quantization(scales, (0,) * count, axis)
        data = self._random.integers(-127, 128, shape).astype(np.int8)
        weights = self._builder.constant("w", data, quantization)
        bias = self._random.integers(-2000, 2000, count).astype(np.int32)
        inputs = [x, weights, self._builder.constant("b", bias)]
        return self._builder.add(operator, inputs, "y", like or self._quantization())

    def _result(self, operator: Operator, inputs: Sequence[Value]) -> Value:
        return self._builder.add(operator, inputs, "y", self._quantization())

    def _quantization(self) -> Quantization:
        scale = float(np.float32(self._random.uniform(0.02, 0.06)))
        return Quantization.per_tensor(scale, self._draw(-128, 128))

    def _draw(self, low: int, high: int) -> int:
        return int(self._random.integers(low, high))


def _fault(graph: Graph, target: str, l1_bytes: int) -> str:
    """What is wrong with a network on a cluster with that memory; "" if nothing is. Raises DoesNotFitError."""
    model = Model(pathlib.Path(f"{graph.name}.tsm"), "tsm", "", graph)
    try:
        compilation = compile_model(
            model, CompileOptions(target, verify_passes=True, l1_bytes=l1_bytes)
        )
    except DoesNotFitError:
        raise
    except TinsmithError as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    groups = [random_samples(compilation.reference, 1, seed=1)]
    try:
        with built(compilation) as build:
            measured = run_samples(build, compilation.reference, groups, _SECONDS)
    except TinsmithError as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:600]}"
    compared = compare(measured, compilation.reference)
    return "" if compared.bit_exact else f"not bit-exact: {compared.reason}"


def _tried(seed: int, target: str) -> tuple[str, bool]:
    """What is wrong with the network of a seed, and whether it was refused at first."""
    graph = _Network(seed).graph()
    l1_bytes = int(2 ** np.random.default_rng(seed + 1_000_000).uniform(9.0, 16.0)) // 4 * 4
    where = f"seed {seed}, {l1_bytes} bytes"
    try:
        fault = _fault(graph, target, l1_bytes)
        return (f"{where}: {fault}" if fault else ""), False
    except DoesNotFitError as error:
        found = _LEAST.search(str(error))
        if found is None:
            return f"{where}: refused without the least memory that would do: {error}", True
        least = int(found[1])
    try:
        fault = _fault(graph, target, least)
    except DoesNotFitError as error:
        return f"{where}: {least} would do, but {error}", True
    return (f"seed {seed}, {least} bytes: {fault}" if fault else ""), True


def main() -> int:
    """Try all, print; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--networks", type=int, default=200, metavar="COUNT")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--target", default="siracusa")
    arguments = parser.parse_args()
    start = time.monotonic()
    faults = refused = 0
    for seed in range(arguments.first, arguments.first + arguments.networks):
        fault, was_refused = _tried(seed, arguments.target)
        refused += was_refused
        if fault:
            faults += 1
            print(fault, flush=True)
    print(
        f"{arguments.networks:,} networks, {refused:,} of them refused and right with the memory that was asked for, "
        f"{faults:,} wrong, {time.monotonic() - start:.0f} s"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
