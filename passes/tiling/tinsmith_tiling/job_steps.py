"""The steps of a call of an accelerator that is cut: operands come to the scratchpad, jobs run, results go."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from tinsmith_ir.builder import dtype_of
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.escape import visible
from tinsmith_ir.expressions import Expression
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    Copy,
    Program,
    Step,
    View,
    Wait,
    simple_steps,
)
from tinsmith_ir.types import TensorType
from tinsmith_lowering import AsGiven, Prepared, scratch_type

from tinsmith_tiling.job_choice import Choice
from tinsmith_tiling.job_tiles import JobTile, Move


@dataclass
class Made:
    """What tiles are made of. far_ends: of buffers afar, one behind the last byte that copies touch."""

    buffers: list[Buffer] = field(default_factory=list[Buffer])
    views: list[View] = field(default_factory=list[View])
    constants: dict[str, ConstantBuffer] = field(default_factory=dict[str, ConstantBuffer])
    far_ends: dict[str, int] = field(default_factory=dict[str, int])


class JobSteps:
    """Makes them. near: the scratchpad's memory. copies: the engine that copies. fresh: names that nobody has."""

    def __init__(
        self, program: Program, near: str, copies: str, fresh: Callable[[str], str]
    ) -> None:
        self._program = program
        self._near = near
        self._copies = copies
        self._fresh = fresh
        tokens = [*_tokens(program)]
        self._job, self._copy = (Expression(max(tokens, default=-1) + each) for each in (1, 2))
        self._known: dict[object, str] = {}
        self.made = Made()

    def of(self, call: Call, choice: Choice) -> list[Step]:
        """Of one call, in the order in which they are started. What the call's token is waited for is the last copy."""
        steps: list[Step] = []
        views: dict[int, str] = {}
        for index, tile in enumerate(choice.way.tiles):
            if not choice.way.is_kept(index):
                views = {
                    number: self._near_view(f"{call.name}.{index}.operand", move)
                    for number, move in tile.operands.items()
                }
                for number, move in tile.operands.items():
                    steps += self._copied(self._far_view(move), views[number])
            steps += self._tile(call, index, tile, views)
        *before, last = steps
        assert isinstance(last, Wait)
        copy = before.pop()
        assert isinstance(copy, Copy)
        return [*before, replace(copy, token=call.token)]

    def _tile(self, call: Call, index: int, tile: JobTile, views: dict[int, str]) -> list[Step]:
        """The job and the copy of its result, both waited for."""
        name = self._fresh(f"{call.name}.{index}")
        result = self._near_view(f"{name}.result", tile.result)
        finding = tile.kernel.broken_rule(tile.layer)
        if finding is not None:
            raise UnsupportedError(f"layer {visible(name)}: {tile.kernel.name}: {finding}")
        operands = [
            views[number]
            if number in views
            else None
            if operand is None or read is None
            else self._constant(operand, tile, number)
            for number, (operand, read) in enumerate(
                zip(call.inputs, tile.restriction.operands, strict=True)
            )
        ]
        inputs = tile.restriction.taken(operands)
        size = tile.kernel.scratch_bytes(tile.layer)
        job = Call(
            name,
            tile.kernel.name,
            tile.restriction.operator,
            inputs,
            (result,),
            self._scratch(name, size) if size else None,
            call.reason,
            engine=call.engine,
            token=self._job,
            location=call.location,
            reads=self._reads(name, tile, inputs),
            options=tile.layer.options,
        )
        return [job, Wait(self._job), *self._copied(result, self._far_view(tile.result))]

    def _copied(self, source: str, destination: str) -> list[Step]:
        return [Copy(source, destination, self._copies, self._copy), Wait(self._copy)]

    def _near_view(self, wish: str, move: Move) -> str:
        """Of a buffer of its own."""
        name = self._fresh(wish)
        self.made.buffers.append(Buffer(name, move.near_bytes, self._near))
        self.made.views.append(replace(move.near, name=name, buffer=name))
        return name

    def _scratch(self, call: str, size_bytes: int) -> str:
        name = self._fresh(f"{call}.scratch")
        self.made.buffers.append(Buffer(name, size_bytes, self._near))
        self.made.views.append(View(name, scratch_type(size_bytes), name))
        return name

    def _far_view(self, move: Move) -> str:
        """Of the part; the whole itself if it is all of that. Each part has one view."""
        ends = self.made.far_ends
        ends[move.far.buffer] = max(ends.get(move.far.buffer, 0), move.far_end)
        if move.far.within is None:
            return move.name
        key = move.name, move.box
        if key not in self._known:
            name = self._known[key] = self._fresh(f"{move.name}.part")
            self.made.views.append(replace(move.far, name=name))
        return self._known[key]

    def _constant(self, operand: str, tile: JobTile, number: int) -> str:
        """The part of an operand that is known."""
        given, box = self._program.constant[operand], tile.restriction.operands[number]
        if box is None or box.is_whole(given.type.shape):
            return operand
        key = operand, box
        if key not in self._known:
            name = self._known[key] = self._fresh(f"{operand}{box}".replace(" ", ""))
            self.made.constants[name] = given.part(name, box)
        return self._known[key]

    def _reads(self, name: str, tile: JobTile, inputs: Sequence[str | None]) -> tuple[str, ...]:
        """What the kernel prepares, equal bytes once, and what it reads as it is given."""
        reads: dict[str, None] = {}
        for found in tile.kernel.prepare(tile.layer):
            given = inputs[found.operand] if isinstance(found, AsGiven) else None
            if isinstance(found, Prepared):
                given = self._prepared(name, found)
            assert given is not None
            reads[given] = None
        return tuple(reads)

    def _prepared(self, call: str, prepared: Prepared) -> str:
        data = np.ascontiguousarray(prepared.data)
        key = prepared.layout, prepared.memory, data.dtype.str, data.shape, data.tobytes()
        if key not in self._known:
            name = self._known[key] = self._fresh(f"{call}.{prepared.layout}")
            type_ = TensorType(data.shape, dtype_of(data))
            constant = ConstantBuffer(name, type_, data, prepared.layout, prepared.memory)
            self.made.constants[name] = constant
        return self._known[key]


def _tokens(program: Program) -> Iterator[int]:
    """Those that its steps outside of loops may have."""
    for step in simple_steps(program.steps):
        token = None if isinstance(step, Wait) else getattr(step, "token", None)
        if isinstance(token, Expression):
            yield token.base + sum(abs(term.times) for term in token.terms)
