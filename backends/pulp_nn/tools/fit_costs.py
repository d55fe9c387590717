"""Fits cost.py to the simulator: `fit_costs.py` writes coefficients.py, `fit_costs.py --check` measures other layers.

What tinsmith_pulp_tensors.h has, and the widening of weights, is fitted, or checked, where it is named: `--kernel mean
--kernel move`.

Layers are random, of sizes that tiles have; the same seed gives the same layers and coefficients. Both need the
checkout: a program that runs all layers is built from its kernels and simulated.
"""

import argparse
import json
import random
import statistics
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tinsmith_pulp_nn import coefficients, cost
from tinsmith_pulp_nn.cost import PairsKernel, Stage, Work
from tinsmith_pulp_nn.geometry import (
    Box,
    Copy,
    Elements,
    Image,
    Linear,
    Mean,
    Rows,
    Softmax,
    Widened,
    conv2d_scratch_bytes,
    depthwise_scratch_bytes,
    is_direct,
    rounded_up,
)
from tinsmith_soc import chip, simulator
from tinsmith_toolchains import build_cluster_program, temporary_folder

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[2]
_TARGET = _HERE.parent / "tinsmith_pulp_nn/coefficients.py"
_CHIP = "siracusa"
_L1_BYTES = 256 * 1024
# What a layer's buffers take at most, and its products, which only save the simulator time.
_MOST_BYTES = 200 * 1024
_MOST_PRODUCTS = 6_000_000
_MOST_CHANNELS = 256
_MOST_ELEMENTS = 65535
_DMA_GAP = 12
_ROUNDS = 6
_DESCENTS = 20000

_CONV_KERNELS = ((3, 3), (3, 3), (3, 3), (5, 5), (10, 4), (1, 3), (1, 5), (1, 9), (4, 1), (1, 1))
_OTHER_DEPTHWISE = ((1, 3), (1, 7), (5, 1), (10, 4), (7, 7), (3, 5), (5, 5))
_POOL_KERNELS = ((2, 2), (2, 2), (3, 3), (1, 2), (4, 1), (5, 5), (8, 8), (25, 5))


@dataclass(frozen=True)
class Layer:
    """One call to measure. enumerator: of measure_costs.c. kind: which coefficients are its."""

    enumerator: str
    kernel: str
    stage: Stage
    cores: int
    geometry: Image | Linear | Softmax | Elements | Rows | Mean | Box | Widened | Copy
    kind: str
    works: Sequence[Work]

    @property
    def initializer(self) -> str:
        """A line of SHAPES."""
        numbers = ", ".join(map(str, self._numbers()))
        is_tflite = "true" if self.stage == "tflite" else "false"
        return f"{{{self.enumerator}, {is_tflite}, {self.cores}, {{{numbers}}}}},"

    def _numbers(self) -> tuple[int, ...]:
        if isinstance(self.geometry, Copy):
            line, lines = self.geometry.line_bytes, self.geometry.lines
            return (line * lines, 0, 0) if lines == 1 else (line * lines, line, line + _DMA_GAP)
        if isinstance(self.geometry, Box):
            return self.geometry.sizes + self.geometry.from_steps + self.geometry.to_steps
        return astuple(self.geometry)

    @property
    def text(self) -> str:
        numbers = "x".join(map(str, self._numbers()))
        stage = f"{self.stage} " if _has_stage(self.kernel) else ""
        return f"{self.kernel} {stage}{numbers} on {self.cores}"


@dataclass(frozen=True)
class Cycles:
    """Of one layer: with empty instruction caches, and in its second run."""

    cold: int
    warm: int


class _Sampler:
    """Random layers of one kind after the other."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def _size(self, most: int) -> int:
        """1 to most, as often below as above its root."""
        return round(most ** self._random.random())

    def _channels(self) -> int:
        kind = self._random.random()
        if kind < 0.1:
            return self._random.choice([1, 2, 3])
        if kind < 0.25:
            return self._size(_MOST_CHANNELS)
        return 4 * max(1, self._size(_MOST_CHANNELS // 4))

    def _cores(self) -> int:
        return self._random.choice([8, 8, 8, 8, 8, 8, 4, 2, 1])

    def _stage(self) -> Stage:
        return "tflite" if self._random.random() < 0.5 else "truncate"

    def _image(
        self, kernel: tuple[int, int], stride: tuple[int, int], *, is_deep: bool
    ) -> Image | None:
        """A layer with padding or without at every side, or None where no window fits."""
        pick = self._random.choice
        height, width, channels = self._size(49), self._size(96), self._channels()
        before = [pick([0, size // 2]) for size in kernel]
        after = [pick([0, size // 2]) for size in kernel]
        outputs = [
            (size + first + last - taps) // step + 1
            for size, first, last, taps, step in zip(
                (height, width), before, after, kernel, stride, strict=True
            )
        ]
        if min(outputs) < 1:
            return None
        deep = self._channels() if is_deep else channels
        return Image(
            height,
            width,
            channels,
            outputs[0],
            outputs[1],
            deep,
            kernel[0],
            kernel[1],
            stride[0],
            stride[1],
            before[0],
            before[1],
        )

    def _until(self, draw: Callable[[], Layer | None]) -> Layer:
        while (layer := draw()) is None:
            pass
        return layer

    def _conv2d(self, *, is_pointwise: bool) -> Layer | None:
        kernel = (1, 1) if is_pointwise else self._random.choice(_CONV_KERNELS)
        step = 1 if is_pointwise or self._random.random() < 0.75 else 2
        image = self._image(kernel, (step, step), is_deep=True)
        cores, stage = self._cores(), self._stage()
        if image is None or is_direct(image) != is_pointwise:
            return None
        taps = image.kernel_height * image.kernel_width * image.input_channels
        weights = rounded_up(image.output_channels) * rounded_up(taps)
        scratch = conv2d_scratch_bytes(image, cores)
        if _bytes(image) + weights + scratch > _MOST_BYTES:
            return None
        if _outputs(image) * image.output_channels * taps > _MOST_PRODUCTS * cores / 8:
            return None
        kind, works = cost.conv2d_work(image, cores, stage)
        return Layer("kConv2d", "conv2d", stage, cores, image, kind, works)

    def _depthwise(self, kernel: tuple[int, int], stride: tuple[int, int]) -> Layer | None:
        image = self._image(kernel, stride, is_deep=False)
        cores, stage = self._cores(), self._stage()
        if image is None:
            return None
        if _bytes(image) + depthwise_scratch_bytes(image, cores) > _MOST_BYTES:
            return None
        kind, works = cost.depthwise_work(image, cores, stage)
        return Layer("kDepthwise", "depthwise", stage, cores, image, kind, works)

    def _other_depthwise(self) -> Layer | None:
        kernel = self._random.choice(_OTHER_DEPTHWISE)
        step = 2 if kernel == (5, 5) else self._random.choice([1, 1, 2])
        return self._depthwise(kernel, (step, step))

    def _pool(self, enumerator: str, kernel: str) -> Layer | None:
        taps = self._random.choice(_POOL_KERNELS)
        stride = self._random.choice([(1, 1), (2, 2), taps])
        image = self._image(taps, stride, is_deep=False)
        cores = self._cores()
        if image is None or _bytes(image) > _MOST_BYTES:
            return None
        kind, works = cost.pool_work(
            image, cores, "max_pool" if kernel == "max_pool" else "average_pool"
        )
        return Layer(enumerator, kernel, "tflite", cores, image, kind, works)

    def _linear(self) -> Layer | None:
        linear = Linear(self._size(4096), self._size(_MOST_CHANNELS))
        cores, stage = self._cores(), self._stage()
        if rounded_up(linear.inputs) * rounded_up(linear.outputs) > _MOST_BYTES - 8192:
            return None
        kind, works = cost.linear_work(linear, cores, stage)
        return Layer("kLinear", "linear", stage, cores, linear, kind, works)

    def _elements(self, name: str) -> Layer | None:
        elements, cores = Elements(self._size(_MOST_ELEMENTS)), self._cores()
        work = cost.add_work if name == "add" else cost.lookup_work
        kind, works = work(elements, cores)
        return Layer(f"k{name.capitalize()}", name, "tflite", cores, elements, kind, works)

    def _softmax(self) -> Layer | None:
        softmax, cores = Softmax(self._size(256), self._size(511)), self._cores()
        if softmax.rows * softmax.columns > 8192:
            return None
        kind, works = cost.softmax_work(softmax, cores)
        return Layer("kSoftmax", "softmax", "tflite", cores, softmax, kind, works)

    def _pairs(self, kernel: PairsKernel) -> Layer | None:
        rows, cores = Rows(self._size(256), self._size(512)), self._cores()
        if rows.rows * rows.columns > _MOST_ELEMENTS:
            return None
        kind, works = cost.pairs_work(rows, cores, kernel)
        enumerator = "k" + "".join(part.capitalize() for part in kernel.split("_"))
        return Layer(enumerator, kernel, "tflite", cores, rows, kind, works)

    def _mean(self) -> Layer | None:
        mean = Mean(self._size(8), self._size(1024), self._channels())
        cores = self._cores()
        if mean.outer * mean.count * mean.inner > _MOST_ELEMENTS:
            return None
        kind, works = cost.mean_work(mean, cores)
        return Layer("kMean", "mean", "tflite", cores, mean, kind, works)

    def _move(self) -> Layer | None:
        """Dense on one side; on the other dense, or with two axes exchanged, or repeated, or with gaps."""
        sizes = (self._size(8), self._size(16), self._size(32), self._channels())
        steps = [sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1]
        other, cores = list(steps), self._cores()
        kind = self._random.choice(["gaps", "gaps", "exchanged", "repeated", "scattered"])
        if kind == "gaps":
            other = [step * 2 for step in steps[:3]] + [1]
        elif kind == "exchanged":
            other = [sizes[2] * sizes[1] * sizes[3], sizes[3], sizes[1] * sizes[3], 1]
        elif kind == "repeated":
            other = [sizes[1] * sizes[3], sizes[3], 0, 1]
        else:
            other = [sizes[3] * sizes[1] * sizes[2], sizes[2], 1, sizes[1] * sizes[2]]
        if sizes[0] * steps[0] > _MOST_ELEMENTS // 2:
            return None
        dense, given = (steps[0], steps[1], steps[2], 1), (other[0], other[1], other[2], other[3])
        is_from = kind == "repeated" or self._random.random() < 0.5
        box = Box(sizes, given if is_from else dense, dense if is_from else given)
        work_kind, works = cost.move_work((box,), cores)
        return Layer("kMove", "move", "tflite", cores, box, work_kind, works)

    def _widen(self) -> Layer | None:
        widened, cores = Widened(self._size(1024), self._size(8192)), self._cores()
        if 2 * widened.bytes > _MOST_BYTES:
            return None
        kind, works = cost.widen_work(widened, cores)
        return Layer("kWiden", "widen", "tflite", cores, widened, kind, works)

    def _copy(self) -> Layer | None:
        is_flat = self._random.random() < 0.5
        size = self._size(_MOST_ELEMENTS if is_flat else 1024)
        copy = Copy(size, 1 if is_flat else self._size(64))
        to_l1 = self._random.random() < 0.5
        kind, works = cost.dma_work(copy, to_l1=to_l1)
        enumerator = "kDmaToL1" if to_l1 else "kDmaToL2"
        return Layer(enumerator, "dma", "tflite", 1, copy, kind, works)

    def layers(self, rounds: int, kernels: Sequence[str] = ()) -> list[Layer]:
        """For each round 40: 12 convolutions, 15 depthwise ones, 13 others; or only those of `kernels`."""
        draws: list[tuple[int, Callable[[], Layer | None]]] = [
            (5, lambda: self._conv2d(is_pointwise=True)),
            (7, lambda: self._conv2d(is_pointwise=False)),
            (4, lambda: self._depthwise((3, 3), (1, 1))),
            (4, lambda: self._depthwise((3, 3), (2, 2))),
            (3, lambda: self._depthwise((5, 5), (1, 1))),
            (4, self._other_depthwise),
            (3, self._linear),
            (1, self._copy),
            (2, lambda: self._pool("kMaxPool", "max_pool")),
            (3, lambda: self._pool("kAveragePool", "average_pool")),
            (1, lambda: self._elements("add")),
            (1, lambda: self._elements("lookup")),
            (2, self._softmax),
        ]
        if kernels:
            draws = [(2, self._drawers[name]) for name in kernels]
        return [
            self._until(draw) for _ in range(rounds) for count, draw in draws for _ in range(count)
        ]

    @property
    def _drawers(self) -> Mapping[str, Callable[[], Layer | None]]:
        """Kernels that are fitted alone."""
        return {
            "mul_tflite": lambda: self._pairs("mul_tflite"),
            "mul_scaled": lambda: self._pairs("mul_scaled"),
            "sum": lambda: self._pairs("sum"),
            "extremum": lambda: self._pairs("extremum"),
            "mean": self._mean,
            "move": self._move,
            "widen": self._widen,
        }


def _outputs(image: Image) -> int:
    return image.output_height * image.output_width


def _bytes(image: Image) -> int:
    inputs = image.input_height * image.input_width * image.input_channels
    return inputs + _outputs(image) * image.output_channels


def measure(lines: Sequence[str]) -> list[Cycles]:
    """Simulates the program of these shapes, initializers of measure_costs.c."""
    kernels = _ROOT / "kernels"
    with temporary_folder("tinsmith-costs-") as folder:
        shapes, elf = folder / "shapes.h", folder / "costs.elf"
        shapes.write_text("\n".join(lines) + "\n", encoding="utf-8")
        sources = [_HERE / "measure_costs.c", *sorted((kernels / "pulp_nn/src").glob("*.c"))]
        build_cluster_program(
            sources,
            elf,
            runtime=_ROOT / "platforms/simulators/runtime",
            include_directories=[kernels / "pulp_nn/include", folder],
            defines=['SHAPES="shapes.h"'],
            l1_bytes=_L1_BYTES,
        )
        command = [str(simulator()), "--chip", str(chip(_CHIP)), str(elf)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(
            f"the simulation ended with {done.returncode}: {done.stdout[-500:]}{done.stderr[:500]}"
        )
    rows = [line.split(",") for line in done.stdout.splitlines()]
    return [Cycles(int(cold), int(warm)) for _, cold, warm in rows]


def fit(works: Sequence[Sequence[Work]], cycles: Sequence[int]) -> dict[str, float]:
    """Coefficients of 0 or more whose sums over each layer's slowest core differ least, relatively, in squares.

    Which core is slowest depends on the coefficients, so they are fitted again until that settles.
    """
    names = sorted({name for of_layer in works for work in of_layer for name in work})
    found = dict.fromkeys(names, 1.0)
    for _ in range(_ROUNDS):
        slowest = [cost.slowest(found, of_layer)[1] for of_layer in works]
        matrix = np.array([[work.get(name, 0.0) for name in names] for work in slowest])
        solved = _least_squares(matrix / np.array(cycles, dtype=np.float64)[:, None])
        found = {name: float(value) for name, value in zip(names, solved, strict=True)}
    return {name: float(f"{value:.4g}") for name, value in found.items()}


def _least_squares(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """x of 0 or more for which matrix @ x is next to 1, one number after the other."""
    scales = np.maximum(np.sqrt((matrix**2).sum(axis=0)), 1e-12)
    scaled = matrix / scales
    gram = scaled.T @ scaled
    target = scaled.sum(axis=0)
    found = np.zeros(len(target))
    for _ in range(_DESCENTS):
        before = found.copy()
        for i in range(len(found)):
            found[i] = max(0.0, found[i] + target[i] - gram[i] @ found)
        if np.abs(found - before).max() < 1e-9:
            break
    return found / scales


def _by_kind(layers: Sequence[Layer]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for i, layer in enumerate(layers):
        found.setdefault(layer.kind, []).append(i)
    return dict(sorted(found.items()))


def _errors(
    layers: Sequence[Layer], cycles: Sequence[Cycles], found: Mapping[str, Mapping[str, float]]
) -> list[float]:
    """Modelled cycles over simulated ones, less 1."""
    return [
        cost.slowest(found[layer.kind], layer.works)[0] / counted.warm - 1
        for layer, counted in zip(layers, cycles, strict=True)
    ]


def _summary(name: str, errors: Iterable[float]) -> str:
    amounts = [abs(error) for error in errors]
    mean, worst = statistics.mean(amounts), max(amounts)
    return f"{name:28} layers {len(amounts):4}  mean {mean:6.1%}  worst {worst:6.1%}"


def _cold_name(layer: Layer) -> str:
    return f"{layer.kernel}-{layer.stage}" if _has_stage(layer.kernel) else layer.kernel


def _has_stage(kernel: str) -> bool:
    return kernel in ("conv2d", "depthwise", "linear")


def _cold_cycles(layers: Sequence[Layer], cycles: Sequence[Cycles]) -> dict[str, int]:
    """The median of what layers of a kernel take longer with empty caches."""
    found: dict[str, list[int]] = {}
    for layer, counted in zip(layers, cycles, strict=True):
        found.setdefault(_cold_name(layer), []).append(counted.cold - counted.warm)
    return {name: round(statistics.median(found[name])) for name in sorted(found)}


def _module(found: Mapping[str, Mapping[str, float]], cold: Mapping[str, int], seed: int) -> str:
    lines = [
        f'"""Cycles of what cost.py counts; written by `tools/fit_costs.py --seed {seed}`, not by hand."""',
        "",
        "from collections.abc import Mapping",
        "",
        "COEFFICIENTS: Mapping[str, Mapping[str, float]] = {",
    ]
    for kind, numbers in found.items():
        lines.append(f'    "{kind}": {{')
        lines += [f'        "{name}": {value!r},' for name, value in numbers.items()]
        lines.append("    },")
    lines += ["}", "", "COLD_CYCLES: Mapping[str, int] = {"]
    lines += [f'    "{name}": {value},' for name, value in cold.items()]
    return "\n".join([*lines, "}"]) + "\n"


def write(seed: int, rounds: int, kernels: Sequence[str] = ()) -> None:
    """Measure, fit, write coefficients.py, and print how well the fitted layers are met.

    kernels: some that are fitted, all others staying as they are; else those of the sampler's rounds.
    """
    layers = _Sampler(f"fit {seed}").layers(rounds, kernels)
    cycles = measure([layer.initializer for layer in layers])
    found: dict[str, dict[str, float]] = {}
    kinds = _by_kind(layers)
    for kind, of_kind in kinds.items():
        found[kind] = fit([layers[i].works for i in of_kind], [cycles[i].warm for i in of_kind])
    kept = dict(sorted((dict(coefficients.COEFFICIENTS) | found).items()))
    cold = dict(coefficients.COLD_CYCLES) | _cold_cycles(layers, cycles)
    _TARGET.write_text(_module(kept, dict(sorted(cold.items())), seed), encoding="utf-8")
    errors = _errors(layers, cycles, found)
    for kind, of_kind in kinds.items():
        print(_summary(kind, [errors[i] for i in of_kind]))
        worst = max(of_kind, key=lambda i: abs(errors[i]))
        print(f"    {_row(layers[worst], cycles[worst], errors[worst])}")
    print(_summary("all", errors))


def _row(layer: Layer, cycles: Cycles, error: float) -> str:
    modelled = round(cycles.warm * (1 + error))
    return f"{modelled:8} {cycles.warm:8} {error:+7.1%}  {layer.text}"


def _record(layer: Layer, cycles: Cycles, error: float) -> dict[str, object]:
    return {
        "kernel": layer.kind,
        "layer": layer.text,
        "modelled": round(cycles.warm * (1 + error)),
        "simulated": cycles.warm,
        "error": round(error, 4),
    }


def check(seed: int, rounds: int, kernels: Sequence[str] = (), *, as_json: bool) -> None:
    """Measure 40 layers for each round that no fit has seen, and print modelled against simulated cycles.

    as_json: an object a line for each layer, and nothing else.
    """
    layers = _Sampler(f"check {seed}").layers(rounds, kernels)
    cycles = measure([layer.initializer for layer in layers])
    errors = _errors(layers, cycles, coefficients.COEFFICIENTS)
    if as_json:
        for layer, counted, error in zip(layers, cycles, errors, strict=True):
            print(json.dumps(_record(layer, counted, error)))
        return
    for layer, counted, error in zip(layers, cycles, errors, strict=True):
        print(_row(layer, counted, error))
    for kind, of_kind in _by_kind(layers).items():
        print(_summary(kind, [errors[i] for i in of_kind]))
    print(_summary("all", errors))


def main() -> None:
    parser = argparse.ArgumentParser(description="Fits the cost model to the simulator.")
    parser.add_argument("--check", action="store_true", help="measure other layers instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kernel",
        action="append",
        default=[],
        choices=["mul_tflite", "mul_scaled", "sum", "extremum", "mean", "move", "widen"],
        help="only this kernel, which rounds without it leave out; may be given several times",
    )
    parser.add_argument("--rounds", type=int, help="of 40 layers; 60 to fit, 1 to check")
    parser.add_argument(
        "--json", action="store_true", help="of --check: a line a layer, for programs"
    )
    arguments = parser.parse_args()
    if arguments.check:
        check(arguments.seed, arguments.rounds or 1, arguments.kernel, as_json=arguments.json)
    else:
        write(arguments.seed, arguments.rounds or 60, arguments.kernel)


if __name__ == "__main__":
    main()
