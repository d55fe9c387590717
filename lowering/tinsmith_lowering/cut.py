"""Calls cut into parts: each computes a box of the last result, and of what lies between only what that box needs.

One mechanism for whoever splits or tiles: a search says which calls and which boxes, `cut` does the rest. What the
parts of neighbouring boxes both need is computed twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from tinsmith_ir.boxes import Box, cut_type
from tinsmith_ir.checked import checked
from tinsmith_ir.errors import GraphError, UnsupportedError, UsageError
from tinsmith_ir.escape import print_name, visible
from tinsmith_ir.hazards import step_names, without_unused
from tinsmith_ir.names import FreshNames
from tinsmith_ir.operators.base import Restriction
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    Copy,
    Program,
    Step,
    View,
    simple_steps,
    tensor,
)
from tinsmith_ir.types import TensorType
from tinsmith_target import Target

from tinsmith_lowering.kernel import Kernel, Layer
from tinsmith_lowering.lower import choose_kernel, find_kernel, scratch_type


@checked
def cut(
    program: Program,
    calls: Sequence[str],
    boxes: Sequence[Box],
    target: Target,
    kernels: Sequence[Kernel],
) -> Program:
    """The program with `calls` done once for each of `boxes`, at the place of the last of them.

    program: lowered, its constants as the graph has them, its buffers without offsets. calls: names, in the order
    of the program; results of all but the last are read by others of them only, and are no outputs. boxes: of the last
    result, each element in one of them. A kernel is chosen for each part as `lower` does, with the options of its call
    where they are values of its choices, too. Kernels take dense tensors:
    an operand or a result whose box lies with gaps gets a buffer and a copy.

    Raises UsageError for calls and boxes that are not such, GraphError where an operator is not cut at a box
    (see `Operator.restrict`), and UnsupportedError for a part that no kernel takes.
    """
    found = _found(program, calls)
    _check_chain(program, found)
    cutting = _Cutting(program, found, target, kernels, _Parts())
    cutting.add_all(boxes)
    return _with_parts(program, [cutting])


@checked
def cut_each(
    program: Program,
    boxes: Mapping[str, Sequence[Box]],
    target: Target,
    kernels: Sequence[Kernel],
) -> tuple[Program, Mapping[str, tuple[tuple[Call | Copy, ...], ...]]]:
    """The program with each of some calls done by itself, once for each of its boxes; and the steps of each part, which
    follow one another there: copies of operands with gaps, the call, a copy of a result with gaps.

    boxes: by call, in the order of the program; else as `cut`, but a part has the kernel of its call, and the reason
    for it. Raises UsageError and GraphError as `cut`, and UnsupportedError for a part that its kernel does not take.
    """
    parts = _Parts()
    names = FreshNames(call.name for call in program.calls)
    cuttings: list[_Cutting] = []
    for call in _found(program, [*boxes]):
        cutting = _Cutting(program, [call], target, kernels, parts, names, keeps_kernel=True)
        cutting.add_all(boxes[call.name])
        cuttings.append(cutting)
    steps = {cutting.last: tuple(cutting.steps) for cutting in cuttings}
    return _with_parts(program, cuttings), steps


@checked
def layer_of_part(
    program: Program, call: Call, restriction: Restriction, box: Box, target: Target
) -> Layer:
    """What computes `box` of a call's one result, as kernels see it.

    restriction: of the call's operator to that box.
    """
    inputs, (output,) = program.types_of(call)
    data = [
        program.constant[name].data[read.slices]
        if name is not None and read is not None and name in program.constant
        else None
        for name, read in zip(call.inputs, restriction.operands, strict=True)
    ]
    return Layer(
        call.name,
        restriction.operator,
        restriction.cut_types(inputs),
        (cut_type(output, box),),
        restriction.taken(data),
        target,
    )


def _found(program: Program, names: Sequence[str]) -> list[Call]:
    wanted = set(names)
    found = [step for step in program.steps if isinstance(step, Call) and step.name in wanted]
    if not names or [call.name for call in found] != list(names):
        known = ", ".join(visible(call.name) for call in program.calls)
        raise UsageError(
            f"expected calls in the order of the program, outside of loops, got {list(names)}; there are {known}"
        )
    for call in found:
        if call.engine is not None or call.guard is not None or len(call.outputs) != 1:
            raise UsageError(
                f"call {visible(call.name)}: expected a call of the core with one result"
            )
        if call.reads:
            raise UsageError(f"call {visible(call.name)}: expected constants not yet prepared")
    placed = [buffer.name for buffer in program.buffers if buffer.offset is not None]
    if placed:
        raise UsageError(f"expected buffers without offsets, got one for {print_name(placed[0])}")
    return found


def _check_chain(program: Program, found: Sequence[Call]) -> None:
    """Raise UsageError or GraphError unless all results but the last are read by the calls alone, as they are."""
    wanted = {call.name for call in found}
    inner = {call.outputs[0] for call in found[:-1]}
    on = {program.view[name].buffer: name for name in inner}
    for call in found:
        for name in filter(None, call.inputs):
            buffer = program.view[name].buffer if name in program.view else ""
            if buffer in on and name != on[buffer]:
                raise GraphError(
                    f"call {visible(call.name)}: {print_name(name)} is {print_name(on[buffer])} in another shape, "
                    "across which boxes are not followed"
                )
    outside = [
        (name, step)
        for step in simple_steps(program.steps)
        if not (isinstance(step, Call) and step.name in wanted)
        for name in step_names(step)[0]
    ]
    read = {name for name, _ in outside} | set(program.ends)
    for name in sorted(name for name in read if name in program.view):
        if program.view[name].buffer in on:
            raise UsageError(f"{print_name(name)}: expected it to be read by the calls alone")


def _check_boxes(boxes: Sequence[Box], type_: TensorType) -> None:
    """Raise UsageError unless each element is in one box."""
    count = np.zeros(type_.shape, np.uint8)
    for box in boxes:
        box.check_within(type_.shape, "the result")
        count[box.slices] += 1
    if (count != 1).any():
        at = [int(index) for index in np.argwhere(count != 1)[0]]
        raise UsageError(
            f"expected each element of the result in one box, got {int(count[tuple(at)])} with that at {at}"
        )


@dataclass(frozen=True)
class _Part:
    """A view or constant that holds `box` of a tensor of the program."""

    name: str
    box: Box


@dataclass
class _Parts:
    """What the parts of all calls are made of."""

    views: dict[str, View] = field(default_factory=dict[str, View])
    buffers: dict[str, Buffer] = field(default_factory=dict[str, Buffer])
    constants: dict[str, ConstantBuffer] = field(default_factory=dict[str, ConstantBuffer])


def _with_parts(program: Program, cuttings: Sequence["_Cutting"]) -> Program:
    """The program with the parts in the place of the calls, what nobody uses any more being left out."""
    gone = {name for cutting in cuttings for name in cutting.names}
    by_last = {cutting.last: cutting.steps for cutting in cuttings}
    parts = cuttings[0].parts
    steps: list[Step] = []
    for step in program.steps:
        if isinstance(step, Call) and step.name in gone:
            steps += [inner for part in by_last.get(step.name, []) for inner in part]
        else:
            steps.append(step)
    return without_unused(
        replace(
            program,
            views=(*program.views, *parts.views.values()),
            buffers=(*program.buffers, *parts.buffers.values()),
            constants=(*program.constants, *parts.constants.values()),
            steps=tuple(steps),
        )
    )


class _Cutting:
    """One chain of calls. steps: of each part so far. keeps_kernel: of the calls; else one is chosen for each part.

    fresh_names: for calls, those of the parts among them.
    """

    def __init__(
        self,
        program: Program,
        calls: list[Call],
        target: Target,
        kernels: Sequence[Kernel],
        parts: _Parts,
        fresh_names: FreshNames | None = None,
        *,
        keeps_kernel: bool = False,
    ) -> None:
        self._program = program
        self._calls = calls
        self._target = target
        self._kernels = kernels
        self._call_name = (fresh_names or FreshNames(())).name
        self._keeps_kernel = keeps_kernel
        self._inner = {call.outputs[0] for call in calls[:-1]}
        self.parts = parts
        self._views = parts.views
        self._buffers = parts.buffers
        self._constants = parts.constants
        self.names = {call.name for call in calls}
        self.last = calls[-1].name
        self.steps: list[tuple[Call | Copy, ...]] = []
        self._steps: list[Call | Copy] = []

    def add_all(self, boxes: Sequence[Box]) -> None:
        """The steps that compute all boxes. Raises UsageError unless each element is in one of them."""
        _check_boxes(boxes, self._program.type_of(self._calls[-1].outputs[0]))
        for number, box in enumerate(boxes):
            self._add(number, box)
            self.steps.append(tuple(self._steps))
            self._steps = []

    def _add(self, number: int, box: Box) -> None:
        needed: dict[str, Box] = {self._calls[-1].outputs[0]: box}
        restrictions: dict[str, Restriction] = {}
        for call in reversed(self._calls):
            (result,) = call.outputs
            if result not in needed:
                continue  # no element of it matters here
            restrictions[call.name] = self._restriction(call, needed[result])
            for name, read in zip(call.inputs, restrictions[call.name].operands, strict=True):
                if name in self._inner and read is not None:
                    needed[name] = needed[name].hull(read) if name in needed else read
        parts: dict[str, _Part] = {}
        for call in self._calls:
            if call.name in restrictions:
                (result,) = call.outputs
                where = self._call_name(f"{call.name}.{number}")
                parts[result] = self._call(
                    where, call, restrictions[call.name], needed[result], parts
                )

    def _restriction(self, call: Call, box: Box) -> Restriction:
        inputs, outputs = self._program.types_of(call)
        found = call.operator.restrict(box, inputs, outputs)
        if found is None:
            raise GraphError(
                f"call {visible(call.name)}: {call.operator.title} is not cut at {box} of {outputs[0].shape}"
            )
        return found

    def _call(
        self,
        where: str,
        call: Call,
        restriction: Restriction,
        box: Box,
        parts: Mapping[str, _Part],
    ) -> _Part:
        """Add one call and the copies that it wants; returns where its result is."""
        pairs = [*zip(call.inputs, restriction.operands, strict=True)]
        names = restriction.taken(
            [
                None if name is None or read is None else self._operand(where, name, read, parts)
                for name, read in pairs
            ]
        )
        (whole,) = call.outputs
        type_ = cut_type(self._program.type_of(whole), box)
        direct = None if whole in self._inner else self._dense_part(where, whole, box)
        result = direct or self._buffer(f"{where}.result", type_, whole)
        layer = layer_of_part(self._program, call, restriction, box, self._target)
        kernel, reason, called = self._kernel(call, replace(layer, name=where))
        layer = kernel.with_options(layer, call.options)
        size = kernel.scratch_bytes(layer)
        scratch = None
        if size:
            scratch = self._buffer(f"{where}.scratch", scratch_type(size), whole)
        self._steps.append(
            Call(
                where,
                called,
                restriction.operator,
                names,
                (result,),
                scratch,
                reason,
                location=call.location,
                options=layer.options,
            )
        )
        if whole not in self._inner and direct is None:
            self._steps.append(Copy(result, self._strided_part(where, whole, box)))
        return _Part(result, box)

    def _kernel(self, call: Call, layer: Layer) -> tuple[Kernel, str, str]:
        """That of a part, why not a better one, and what the call of it says."""
        if not self._keeps_kernel:
            return choose_kernel(layer, self._kernels)
        kernel = find_kernel(call.kernel, layer, self._kernels)
        finding = kernel.broken_rule(layer)
        if finding is not None:
            raise UnsupportedError(f"call {visible(layer.name)}: {kernel.name}: {finding}")
        return kernel, call.reason, call.kernel

    def _operand(self, where: str, name: str, read: Box, parts: Mapping[str, _Part]) -> str:
        """A dense view, or a constant, that holds box `read` of operand `name`."""
        if name in self._program.constant:
            return self._constant(name, read)
        if name in parts:
            part = parts[name]
            if part.box == read:
                return part.name
            name, read = part.name, read.within(part.box)
        elif read.is_whole(self._program.type_of(name).shape):
            return name
        dense = self._dense_part(where, name, read)
        if dense is not None:
            return dense
        strided = self._strided_part(where, name, read)
        copy = self._buffer(f"{where}.operand", self._views[strided].type, name)
        self._steps.append(Copy(strided, copy))
        return copy

    def _constant(self, name: str, read: Box) -> str:
        given = self._program.constant[name]
        if read.is_whole(given.type.shape):
            return name
        part = f"{name}{read}".replace(" ", "")
        if part not in self._constants:
            self._constants[part] = given.part(part, read)
        return part

    def _dense_part(self, where: str, name: str, box: Box) -> str | None:
        """A view of a box of `name` where its elements lie densely."""
        view = self._part_view(where, name, box)
        if not view.is_dense:
            return None
        self._views[view.name] = view
        return view.name

    def _strided_part(self, where: str, name: str, box: Box) -> str:
        view = self._part_view(where, name, box)
        self._views[view.name] = view
        return view.name

    def _part_view(self, where: str, name: str, box: Box) -> View:
        whole = self._views.get(name) or self._program.view[name]
        if whole.ring is not None:
            raise UsageError(f"{print_name(name)}: expected a tensor that does not lie in a ring")
        return whole.part(self._fresh(f"{where}.part"), box)

    def _buffer(self, name: str, type_: TensorType, beside: str) -> str:
        """A new buffer, in the memory where `beside` lies."""
        near = (self._views.get(beside) or self._program.view[beside]).buffer
        memory = (self._buffers.get(near) or self._program.buffer[near]).memory
        buffer, view = tensor(self._fresh(name), type_, memory)
        self._buffers[buffer.name] = buffer
        self._views[view.name] = view
        return view.name

    def _fresh(self, name: str) -> str:
        taken = (self._views, self._constants, self._program.view, self._program.constant)
        count, found = 0, name
        while any(found in names for names in taken) or found in self._program.buffer:
            count += 1
            found = f"{name}{count}"
        return found
