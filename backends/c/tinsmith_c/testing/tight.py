"""Calls whose results lie as far over their operands as their kernels' walks allow: what judges the walks."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Value
from tinsmith_ir.operators import AveragePool2D, Conv2D, DepthwiseConv2D, MaxPool2D
from tinsmith_ir.program import Buffer, Call, Memory, Overlap, Program, View
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType

_ALIGNMENT = 16


def tight_program(program: Program, *, nearer: int = 0) -> Program:
    """A placed program of the calls that may write over an operand, each once for every distance at which the leave
    for it ends. Their operands are inputs, their results outputs, and share bytes with nothing else.

    nearer: elements by which results lie over their operands beyond the leave, which the calls then say they bear.
    """
    maker = _Maker(program)
    for call in program.calls:
        for overlap in call.over:
            for distance in _ends(program, call, overlap, nearer):
                maker.add(call, overlap, distance)
    return maker.program()


def random_windows(seed: int) -> Graph:
    """Convolutions, depthwise ones and pools of random sizes over inputs of their own, all of int8."""
    random = np.random.default_rng(seed)
    builder = GraphBuilder("windows")

    def quantization() -> Quantization:
        zero_point = int(random.integers(-100, 100))
        return Quantization.per_tensor(float(np.float32(random.uniform(0.02, 0.06))), zero_point)

    outputs: list[Value] = []
    for index in range(8):
        height, width = (int(size) for size in random.integers(3, 14, 2))
        if index == 0:
            height, width = 40, 36  # more than one strip
        channels = int(random.integers(1, 20))
        taps, stride = _pair(random, 1, 4), _pair(random, 1, 3)
        padding = (*_pair(random, 0, taps[0]), *_pair(random, 0, taps[1]))
        images = int(random.integers(1, 3))
        x = builder.input(
            f"x{index}", TensorType((images, height, width, channels), DType.INT8, quantization())
        )
        if index % 4 == 3:
            kind = MaxPool2D if random.integers(2) else AveragePool2D
            pool = kind(window=taps, stride=stride, padding=padding)
            outputs.append(builder.add(pool, [x], f"y{index}"))
            continue
        is_depthwise = index % 2 == 0
        made = channels if is_depthwise else int(random.integers(1, 20))
        shape = (1, *taps, channels) if is_depthwise else (made, *taps, channels)
        weights = random.integers(-127, 128, shape).astype(np.int8)
        scales = tuple(float(np.float32(scale)) for scale in random.uniform(0.001, 0.01, made))
        per_axis = Quantization(scales, (0,) * made, 3 if is_depthwise else 0)
        w = builder.constant(f"w{index}", weights, per_axis)
        b = builder.constant(f"b{index}", random.integers(-3000, 3000, made).astype(np.int32))
        operator = (DepthwiseConv2D if is_depthwise else Conv2D)(stride=stride, padding=padding)
        outputs.append(builder.add(operator, [x, w, b], f"y{index}", quantization()))
    return builder.build(outputs)


def _pair(random: np.random.Generator, low: int, high: int) -> tuple[int, int]:
    one, other = random.integers(low, high, 2)
    return int(one), int(other)


def _ends(program: Program, call: Call, overlap: Overlap, nearer: int) -> Iterator[int]:
    """The distances next to those that the leave does not allow, moved by `nearer` elements towards them."""
    types = [program.type_of(str(name)) for name in (call.outputs[0], call.inputs[overlap.operand])]
    unit = max(type_.dtype.size_bytes for type_ in types)
    if overlap.at_most is not None:
        yield (overlap.at_most // unit + nearer) * unit
    if overlap.at_least is not None:
        yield (-(-overlap.at_least // unit) - nearer) * unit
    yield from (found + nearer * unit for found in overlap.exactly if found % unit == 0)


@dataclass
class _Maker:
    """The parts of the program as they are made."""

    original: Program

    def __post_init__(self) -> None:
        self._end = 0
        self._buffers: list[Buffer] = []
        self._views: list[View] = []
        self._calls: list[Call] = []
        self._inputs: list[str] = []

    def program(self) -> Program:
        original = self.original
        return replace(
            original,
            memories=tuple(Memory(memory.name, None, 1) for memory in original.memories),
            buffers=tuple(self._buffers),
            views=tuple(self._views),
            steps=tuple(self._calls),
            inputs=tuple(self._inputs),
            outputs=tuple(name for call in self._calls for name in call.outputs),
        )

    def add(self, call: Call, overlap: Overlap, distance: int) -> None:
        names: dict[str, str] = {}
        suffix = f"{overlap.operand}.{len(self._calls)}"
        over = str(call.inputs[overlap.operand])
        for name in dict.fromkeys((over, *call.inputs)):
            if name is not None and name in self.original.view:
                names[name] = f"{name}.{suffix}"
                begin = self._end + (max(0, -distance) if name == over else 0)
                self._tensor(names[name], self.original.type_of(name), begin)
                self._inputs.append(names[name])
                if name == over:
                    (result,) = call.outputs
                    names[result] = f"{result}.{suffix}"
                    self._tensor(names[result], self.original.type_of(result), begin + distance)
        if call.scratch is not None:
            names[call.scratch] = f"{call.scratch}.{suffix}"
            type_ = self.original.type_of(call.scratch)
            self._tensor(names[call.scratch], type_, self._end)
        says = tuple(
            Overlap(index, exactly=(distance,))
            for index, name in enumerate(call.inputs)
            if name == over
        )
        self._calls.append(
            replace(
                call,
                name=f"{call.name}.{suffix}",
                inputs=tuple(
                    None if name is None else names.get(name, name) for name in call.inputs
                ),
                outputs=tuple(names[name] for name in call.outputs),
                scratch=call.scratch and names[call.scratch],
                over=says,
            )
        )

    def _tensor(self, name: str, type_: TensorType, begin: int) -> None:
        self._buffers.append(Buffer(name, type_.size_bytes, self.original.memories[0].name, begin))
        self._views.append(View(name, type_, name))
        end = begin + type_.size_bytes
        self._end = max(self._end, -(-end // _ALIGNMENT) * _ALIGNMENT)
