"""Run random networks on a simulated cluster whose first-level memory is of random size, under its race check.

    python driver/tools/random_tiled_networks.py --networks 200 [--first 0] [--target siracusa]

A network is a chain of convolutions, depthwise convolutions and pools, with sums and concatenations of branches, of
int8 images of random sizes, and mostly a classifier; every third one rounds to nearest or down. Its outputs have to
equal the evaluator's, byte by byte, and those of the tiled program evaluated with copies that end as soon as they may
and as late. One that does not fit has to be refused with the least memory that would do: with that it has to be right,
and with four bytes less it has to be refused again, for the same memory. Both are tried.
Prints which networks fail; exit status 1 if one did.
"""

import argparse
import pathlib
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    Softmax,
)
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType

_SECONDS = 120.0
_LEAST = re.compile(r"would fit into (\d+) B")
_LESS = 4
"""Near memory is given out in words: what is refused with a word less is the least."""

_PROBABILITIES = Quantization.per_tensor(1 / 256, -128)


class RandomNetwork:
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
        end = self._draw(0, 4)
        if end == 1:
            height, width = x.type.shape[1:3]
            x = self._pooled(AveragePool2D((height, width)), x)
        if end:
            for _ in range(self._draw(1, 3)):
                x = self._linear(x, self._draw(1, 40))
        if self._draw(0, 2):
            x = self._builder.add(Softmax(), [x], "y", _PROBABILITIES)
        return self._builder.build([x])

    def _block(self, x: Value) -> Value:
        kind = self._draw(0, 8)
        if kind == 0:
            return self._sum(x, self._same(x))
        if kind == 1:
            return self._sum(self._same(x), self._same(x))
        if kind == 2:
            return self._concatenation(x)
        if kind == 3:
            return self._pool(x)
        if kind in (4, 5):
            return self._depthwise(x, stride=self._draw(1, 3))
        return self._convolution(x, self._draw(1, 40), stride=self._draw(1, 3))

    def _same(self, x: Value) -> Value:
        """Of the shape of `x`."""
        if self._draw(0, 2):
            return self._convolution(x, x.type.shape[3], stride=1)
        return self._depthwise(x, stride=1)

    def _sum(self, lhs: Value, rhs: Value) -> Value:
        return self._result(Add(rounding=self._rounding), [lhs, rhs])

    def _concatenation(self, x: Value) -> Value:
        """Two or three branches one after the other, along the channels mostly."""
        axis = 3 if self._draw(0, 4) else self._draw(1, 3)
        like = self._quantization()
        channels = self._draw(1, 12)
        branches: list[Value] = []
        for _ in range(self._draw(2, 4)):
            channels = self._draw(1, 12) if axis == 3 else channels
            branches.append(self._convolution(x, channels, stride=1, like=like))
        return self._builder.add(Concat(axis=axis), branches, "y", like)

    def _pool(self, x: Value) -> Value:
        """Of any window that is not larger than the image."""
        window = [self._draw(1, min(4, extent) + 1) for extent in x.type.shape[1:3]]
        top, bottom = (self._draw(0, min(window[0], 2)) for _ in range(2))
        left, right = (self._draw(0, min(window[1], 2)) for _ in range(2))
        kind = (MaxPool2D, AveragePool2D)[self._draw(0, 2)]
        stride = (self._draw(1, 4), self._draw(1, 4))
        operator = kind((window[0], window[1]), stride, (top, bottom, left, right))
        return self._pooled(operator, x)

    def _pooled(self, operator: Operator, x: Value) -> Value:
        return self._builder.add(operator, [x], "y", x.type.quantization)

    def _linear(self, x: Value, outputs: int) -> Value:
        inputs = x.type.elements
        if len(x.type.shape) > 2:
            x = self._builder.add(Reshape(shape=(1, inputs)), [x], "flat", x.type.quantization)
        operator = FullyConnected(rounding=self._rounding)
        return self._weighted(operator, x, (outputs, inputs))

    def _convolution(
        self, x: Value, channels: int, *, stride: int, like: Quantization | None = None
    ) -> Value:
        """Padded so that a stride of 1 keeps the image."""
        window = [(1, 3, 3, 5)[self._draw(0, 4)]] * 2
        if not self._draw(0, 4):
            window[self._draw(0, 2)] = 1
        operator = Conv2D((stride, stride), padding=_margins(window), rounding=self._rounding)
        return self._weighted(operator, x, (channels, *window, x.type.shape[3]), like)

    def _depthwise(self, x: Value, *, stride: int) -> Value:
        """Padded so that a stride of 1 keeps the image; a stride may be another one down than across."""
        window = [(3, 3, 5, 2)[self._draw(0, 4)]] * 2
        strides = (stride, self._draw(1, stride + 1))
        operator = DepthwiseConv2D(strides, padding=_margins(window), rounding=self._rounding)
        return self._weighted(operator, x, (1, *window, x.type.shape[3]))

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


def _margins(window: Sequence[int]) -> tuple[int, int, int, int]:
    """Top, bottom, left, right: together one less than the window."""
    height, width = window
    return (height - 1) // 2, height // 2, (width - 1) // 2, width // 2


@dataclass(frozen=True)
class Tried:
    """What became of a network. fault: "" if there is none. is_least: it was refused, was right with the memory that
    would do, and was refused with a word less.
    """

    fault: str = ""
    was_refused: bool = False
    is_least: bool = False


class Trial:
    """A network on a cluster with memory of some size."""

    def __init__(self, graph: Graph, target: str) -> None:
        self._model = Model(pathlib.Path(f"{graph.name}.tsm"), "tsm", "", graph)
        self._target = target

    def tried(self, l1_bytes: int) -> Tried:
        """With that much memory or, where it is refused, with what would do."""
        least = self._refused(l1_bytes)
        if least is None:
            return Tried(self._fault(l1_bytes))
        found = Tried(was_refused=True)
        if isinstance(least, str):
            return replace(found, fault=f"{l1_bytes} bytes: {least}")
        if least <= l1_bytes:
            return replace(found, fault=f"{l1_bytes} bytes: refused, as {least} would do")
        if fault := self._fault(least):
            return replace(found, fault=fault)
        less = least - _LESS
        again = self._refused(less)
        if again != least:
            what = "are not refused" if again is None else f"{again} would do"
            return replace(found, fault=f"{least} bytes are the least, but {less}: {what}")
        return replace(found, is_least=True)

    def _refused(self, l1_bytes: int) -> int | str | None:
        """The memory that would do; None if it is not refused, a text if none is named."""
        try:
            compile_model(self._model, CompileOptions(self._target, l1_bytes=l1_bytes))
        except DoesNotFitError as error:
            found = _LEAST.search(str(error))
            return f"refused without the least memory: {error}" if found is None else int(found[1])
        except TinsmithError:
            return None  # not refused: `_fault` says what is wrong
        return None

    def _fault(self, l1_bytes: int) -> str:
        """What is wrong with it on a cluster with that memory; "" if nothing is."""
        options = CompileOptions(self._target, verify_passes=True, l1_bytes=l1_bytes)
        try:
            compilation = compile_model(self._model, options)
            groups = [random_samples(compilation.reference, 1, seed=1)]
            with built(compilation) as build:
                measured = run_samples(build, compilation.reference, groups, _SECONDS)
        except TinsmithError as error:
            reason = " ".join(str(error).split())[:600]
            return f"{l1_bytes} bytes: {type(error).__name__}: {reason}"
        compared = compare(measured, compilation.reference)
        if compared.bit_exact:
            return ""
        return f"{l1_bytes} bytes: not bit-exact: {compared.reason}"


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
    found: list[Tried] = []
    for seed in range(arguments.first, arguments.first + arguments.networks):
        l1_bytes = int(2 ** np.random.default_rng(seed + 1_000_000).uniform(8.0, 16.0))
        found.append(Trial(RandomNetwork(seed).graph(), arguments.target).tried(l1_bytes))
        if found[-1].fault:
            print(f"seed {seed}, {found[-1].fault}", flush=True)
    refused = sum(one.was_refused for one in found)
    least = sum(one.is_least for one in found)
    faults = sum(bool(one.fault) for one in found)
    print(
        f"{len(found):,} networks, {refused:,} of them refused, {least:,} of these right with the memory that would do "
        f"and refused with {_LESS} bytes less; {faults:,} wrong, {time.monotonic() - start:.0f} s"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
