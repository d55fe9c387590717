"""Calls whose weights are decompressed before they are read: in parts of their result, and in which code."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from tinsmith_ir.boxes import Box
from tinsmith_ir.checked import Checked
from tinsmith_ir.compression import Compression, compress
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError, UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_ir.lifetimes import lifetimes
from tinsmith_ir.names import FreshNames
from tinsmith_ir.operators import Decompress
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    Copy,
    Held,
    Program,
    SimpleStep,
    View,
    changed_steps,
    tensor,
)
from tinsmith_ir.types import TensorType
from tinsmith_lowering import (
    ARENA,
    Kernel,
    Layer,
    aligned_bytes,
    choose_kernel,
    cut_each,
    prepare,
)
from tinsmith_target import Target

from tinsmith_compression.choice import Saving
from tinsmith_compression.cost import call_cost, copy_cost, decompression_cost

_LEAST_BYTES = 256
"""Fewer are not worth a call."""

_CHANNELS_AT_ONCE = 16, 4, 1
"""Kernels take as many; parts have a multiple of these, if that makes them no smaller than a half."""


@dataclass(frozen=True)
class Way(Checked):
    """A call, what of its result is computed at once, and the code of what that reads."""

    call: str
    boxes: tuple[Box, ...]
    compression: Compression
    saving: Saving


class Compressing:
    """What can be compressed in a program. ways: of each call that gains by it."""

    def __init__(
        self, program: Program, target: Target, kernels: Sequence[Kernel], tile_bytes: int
    ) -> None:
        self._program = program
        self._plain = _unprepared(program)
        self._target = target
        self._kernels = kernels
        self._tile_bytes = tile_bytes
        self._rooms = _rooms(program)
        self._readers = Counter(name for call in program.calls for name in set(call.reads))
        found = [
            self._ways(step)
            for step in program.steps
            if isinstance(step, Call) and target.board.cluster is None
        ]
        self.ways = [ways for ways in found if ways]

    @property
    def smallest(self) -> list[Way]:
        """Of each call the way that saves most."""
        return [max(ways, key=lambda way: way.saving.saved) for ways in self.ways]

    def rewritten(self, ways: Sequence[Way]) -> Program:
        """The program in which these calls find their weights decompressed."""
        by_part: dict[str, Compression] = {}
        program = self._cut([way for way in ways if len(way.boxes) > 1], by_part)
        by_part |= {way.call: way.compression for way in ways if len(way.boxes) == 1}
        adding = _Adding(program, self._target, self._kernels)
        steps = changed_steps(program.steps, lambda step: adding.steps(step, by_part))
        return replace(
            program,
            steps=steps,
            views=(*program.views, *adding.views),
            buffers=(*program.buffers, *adding.buffers),
            constants=(*program.constants, *adding.constants),
        )

    def _cut(self, ways: Sequence[Way], by_part: dict[str, Compression]) -> Program:
        """The program with these calls in parts; by_part: is told what the parts of each have."""
        if not ways:
            return self._program
        order = {call.name: at for at, call in enumerate(self._program.calls)}
        chosen = {way.call: way for way in sorted(ways, key=lambda way: order[way.call])}
        boxes = {name: way.boxes for name, way in chosen.items()}
        program, parts = cut_each(self._plain, boxes, self._target, self._kernels)
        for name, steps in parts.items():
            calls = [step for part in steps for step in part if isinstance(step, Call)]
            by_part |= {call.name: chosen[name].compression for call in calls}
        return prepare(program, self._target, self._kernels)

    def _ways(self, call: Call) -> list[Way]:
        """None of a call that gains nothing."""
        weights = weights_of(self._program, call)
        is_plain = call.engine is None and call.guard is None and len(call.outputs) == 1
        if (
            weights is None
            or not is_plain
            or weights.type.size_bytes < _LEAST_BYTES
            or self._readers[weights.name] > 1
        ):
            return []
        boxes = self._boxes(call, weights.type.size_bytes)
        if boxes is None:
            return []
        program, steps = self._program, [(call,)]
        if len(boxes) > 1:
            found = self._parts(call, boxes)
            if found is None:
                return []
            program, steps = found
        ways = [self._way(call, boxes, program, steps, code) for code in Compression]
        return [way for way in ways if way is not None]

    def _parts(
        self, call: Call, boxes: Sequence[Box]
    ) -> tuple[Program, Sequence[Sequence[Call | Copy]]] | None:
        """The program with the call in parts, and the steps of each; None if its kernel does not take them."""
        try:
            program, parts = cut_each(self._plain, {call.name: boxes}, self._target, self._kernels)
        except (GraphError, UnsupportedError):
            return None
        # Of these calls alone: nobody asks for the others.
        steps = tuple(step for part in parts[call.name] for step in part)
        program = prepare(replace(program, steps=steps), self._target, self._kernels)
        by_name = {found.name: found for found in program.calls}
        return program, [
            [by_name[step.name] if isinstance(step, Call) else step for step in part]
            for part in parts[call.name]
        ]

    def _boxes(self, call: Call, size: int) -> tuple[Box, ...] | None:
        """Parts of the result's channels; None if it has not as many as there would be parts."""
        shape = self._program.type_of(call.outputs[0]).shape
        count = -(-size // max(self._tile_bytes, self._rooms[call.name]))
        if count == 1:
            return (Box.whole(shape),)
        if not shape or shape[-1] < count:
            return None
        most = shape[-1] // count
        step = next(most - most % each for each in _CHANNELS_AT_ONCE if 2 * (most % each) <= most)
        begins = range(0, shape[-1], max(1, step))
        whole, last = Box.whole(shape), len(shape) - 1
        return tuple(
            whole.with_range(last, begin, min(shape[-1], begin + begins.step)) for begin in begins
        )

    def _way(
        self,
        call: Call,
        boxes: Sequence[Box],
        program: Program,
        parts: Sequence[Sequence[Call | Copy]],
        compression: Compression,
    ) -> Way | None:
        """None if it saves nothing."""
        constants = (self._program.constant[name] for name in {*call.reads})
        saved, cost = sum(aligned_bytes(one.data.nbytes) for one in constants), 0
        counted: set[str] = set()
        for step in (step for part in parts for step in part):
            if isinstance(step, Copy):
                cost += copy_cost(program, step)
                continue
            weights = weights_of(program, step)
            for name in {*step.reads} - counted:
                constant = program.constant[name]
                if constant is weights:
                    code = _code(constant.data, compression)
                    saved -= aligned_bytes(code.nbytes)
                    cost += decompression_cost(code, constant.type.elements, compression)
                else:
                    saved -= aligned_bytes(constant.data.nbytes)
                counted.add(name)
        cost += call_cost(len(parts))
        if saved <= 0:
            return None
        return Way(call.name, tuple(boxes), compression, Saving(saved, cost))


def _code(data: Array, compression: Compression) -> Array:
    """The code of a constant, made once: plans of one network compress the same ones again and again."""
    return _code_of_bytes(data.tobytes(), compression)


@lru_cache(maxsize=4096)
def _code_of_bytes(data: bytes, compression: Compression) -> Array:
    return compress(np.frombuffer(data, np.int8), compression)


def weights_of(program: Program, call: Call) -> ConstantBuffer | None:
    """The largest constant of int8 that a call's kernel reads where constants lie."""
    held = {found.constant for found in call.held}
    found = [
        program.constant[name]
        for name in call.reads
        if name in program.constant and name not in held
    ]
    integers = [one for one in found if one.type.dtype is DType.INT8 and not one.memory]
    return max(integers, key=lambda one: one.type.size_bytes, default=None)


def _rooms(program: Program) -> dict[str, int]:
    """By call, bytes that are free during it even if the arena is no larger than the largest tensor; may be below 0."""
    spans = lifetimes(program)
    sizes = {
        buffer.name: buffer.size_bytes
        for buffer in program.buffers
        if buffer.memory == ARENA and buffer.name in spans
    }
    largest = max(sizes.values(), default=0)
    found: dict[str, int] = {}
    for number, step in enumerate(program.steps):
        if isinstance(step, Call):
            live = (
                size for name, size in sizes.items() if spans[name][0] <= number <= spans[name][1]
            )
            found[step.name] = largest - sum(live)
    return found


def _unprepared(program: Program) -> Program:
    """The program before constants got their final bytes."""

    def plain(step: SimpleStep) -> tuple[SimpleStep]:
        return (replace(step, reads=(), held=()) if isinstance(step, Call) else step,)

    constants = tuple(found for found in program.constants if not found.layout)
    return replace(program, steps=changed_steps(program.steps, plain), constants=constants)


class _Adding:
    """What is added to a program: codes, where they are decompressed to, and the calls that do it."""

    def __init__(
        self,
        program: Program,
        target: Target,
        kernels: Sequence[Kernel],
    ) -> None:
        self._program = program
        self._target = target
        self._kernels = kernels
        taken = (program.view, program.buffer, program.constant)
        self._name = FreshNames(
            [*(name for names in taken for name in names), *(call.name for call in program.calls)]
        ).name
        self.views: list[View] = []
        self.buffers: list[Buffer] = []
        self.constants: list[ConstantBuffer] = []

    def steps(
        self, step: SimpleStep, compressed: Mapping[str, Compression]
    ) -> tuple[SimpleStep, ...]:
        """What stands for a step."""
        if not isinstance(step, Call) or step.name not in compressed:
            return (step,)
        weights = weights_of(self._program, step)
        assert weights is not None
        compression = compressed[step.name]
        name = self._name(f"{step.name}.weights")
        buffer, view = tensor(name, weights.type, ARENA)
        data = _code(weights.data, compression)
        code = ConstantBuffer(
            self._name(f"{step.name}.code"), TensorType(data.shape, DType.UINT8), data
        )
        self.buffers.append(buffer)
        self.views.append(view)
        self.constants.append(code)
        layer = Layer(
            self._name(f"{step.name}.decompress"),
            Decompress(compression, weights.type.shape),
            (code.type,),
            (weights.type,),
            (data,),
            self._target,
        )
        _, _, kernel = choose_kernel(layer, self._kernels)
        call = Call(
            layer.name,
            kernel,
            layer.operator,
            (code.name,),
            (view.name,),
            location=step.location,
            reads=(code.name,),
        )
        return call, replace(step, held=(*step.held, Held(weights.name, view.name)))
