"""Images that stay in the accelerators' memory, from the layer that makes them to the analog layers that read them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.expressions import Expression
from tinsmith_ir.hazards import without_unused
from tinsmith_ir.names import FreshNames
from tinsmith_ir.operators import Reshape
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.program import Buffer, Call, Loop, Program, Step, View
from tinsmith_lowering import Kernel, find_kernel, layer_of_call
from tinsmith_lowering.lower import ARENA
from tinsmith_target import Target

from tinsmith_diana import pixels
from tinsmith_diana.analog import banks, convolution
from tinsmith_diana.giving_pixels import called, giving_pixels, named
from tinsmith_diana.image_groups import Group, Groups
from tinsmith_diana.layouts import DianaBanks
from tinsmith_diana.rules import IN_BANKS, IN_PIXELS, TO_BANKS

_FORMS = {
    convolution.NAME: banks.NAME,
    IN_PIXELS: IN_BANKS,
    pixels.NAME: TO_BANKS,
}
"""Kernels whose images lie in the core's memory, or densely in L1, and the same with images in banks of L1."""

_BANKS = DianaBanks.name


@dataclass(frozen=True)
class KeepImages(Checked):
    """Leave images of the analog array in L1 where those who read them are other layers of the arrays, so that nobody
    copies them there and back; and let convolutions of the digital array give pixels at once where a further job turns
    their rows. Programs with loops, and those for others than DIANA's arrays, are left alone.

    kernels: those that the program was lowered with.
    """

    target: Target
    kernels: Sequence[Kernel]

    name: ClassVar[str] = "keep-images"
    # Kernels compute the same operators.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, program: Program) -> Program:
        """The program with those kernels, and images that stay as views of one buffer for each group of layers, where
        their banks interleave. The same object where nothing can stay.

        program: not prepared yet, all buffers in the memory of the core.
        """
        is_there = any(kernel.name == banks.NAME for kernel in self.kernels)
        if not is_there or any(isinstance(step, Loop) for step in program.steps):
            return program
        program = giving_pixels(program, self.target, self.kernels)
        forms = dict(self._forms(program))
        found = Groups(program, self.target, self.kernels, forms.keys()).found()
        return _Keeping(program, forms, self.kernels, self.target).kept(found) if found else program

    def _forms(self, program: Program) -> Iterator[tuple[int, Kernel]]:
        """By the index of a call, the kernel with its images in banks, where that takes the layer."""
        for index, call in enumerate(program.steps):
            if not isinstance(call, Call):
                continue
            layer = layer_of_call(program, call, self.target)
            wanted = _FORMS.get(find_kernel(call.kernel, layer, self.kernels).name)
            kernel = named(wanted, layer, self.kernels) if wanted else None
            if kernel is not None:
                yield index, kernel


class _Keeping:
    """The program whose groups of layers have their images in banks."""

    def __init__(
        self,
        program: Program,
        forms: Mapping[int, Kernel],
        kernels: Sequence[Kernel],
        target: Target,
    ) -> None:
        self._program = program
        self._forms = forms
        self._kernels = kernels
        self._target = target
        calls = (call.name for call in program.calls)
        self._fresh = FreshNames({*program.buffer, *program.view, *program.constant, *calls})
        self._buffers: list[Buffer] = []
        self._views: list[View] = []

    def kept(self, groups: Sequence[Group]) -> Program:
        inside = {
            index: (group, names)
            for group, names in [(group, self._placed(group)) for group in groups]
            for index in group.calls
        }
        steps: list[Step] = []
        for index, step in enumerate(self._program.steps):
            if not isinstance(step, Call) or index not in inside:
                steps.append(step)
                continue
            group, names = inside[index]
            steps += [self._copy(banks.TO, it, names[it]) for it in group.fetched.get(index, ())]
            steps.append(self._in_banks(step, self._forms[index], names))
            steps += [
                self._copy(banks.FROM, names[it], it) for it in step.outputs if it in group.sent
            ]
        made = replace(
            self._program,
            steps=tuple(steps),
            buffers=(*self._program.buffers, *self._buffers),
            views=(*self._program.views, *self._views),
        )
        return without_unused(made)

    def _placed(self, group: Group) -> Mapping[str, str]:
        """Views of the images in a buffer of the group, by the names of those that they stand for."""
        buffer = self._fresh.name(f"{next(iter(group.offsets))}.images")
        self._buffers.append(Buffer(buffer, group.size_bytes, ARENA))
        names = {name: self._fresh.name(f"{name}.{_BANKS}") for name in group.offsets}
        self._views += [
            View(
                names[name], self._program.type_of(name), buffer, Expression(offset), layout=_BANKS
            )
            for name, offset in group.offsets.items()
        ]
        return names

    def _in_banks(self, call: Call, kernel: Kernel, names: Mapping[str, str]) -> Call:
        layer = layer_of_call(self._program, call, self._target)
        return replace(
            call,
            kernel=called(kernel, layer, self._kernels),
            inputs=tuple(name and names.get(name, name) for name in call.inputs),
            outputs=tuple(names[name] for name in call.outputs),
            scratch=None,
        )

    def _copy(self, kernel: str, source: str, result: str) -> Call:
        shape = self._program.type_of(source if source in self._program.view else result).shape
        name = self._fresh.name(f"{result}.copy")
        return Call(name, kernel, Reshape(shape=shape), (source,), (result,))
