"""Which layers have their images in banks of L1 together, and where in each bank these lie."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.first_fit import first_fit
from tinsmith_ir.hazards import step_names
from tinsmith_ir.lifetimes import Span
from tinsmith_ir.program import Buffer, Call, Loop, Program, Step
from tinsmith_lowering import Kernel, find_kernel, layer_of_call
from tinsmith_target import Target

from tinsmith_diana.analog.operator import AnalogConv2D
from tinsmith_diana.jobs import L1_BYTES
from tinsmith_diana.layouts import BANK_BYTES, BANKS, COPIED_BYTES, DianaPixels
from tinsmith_diana.rules import bank_bytes, banks_of

_PIXELS = DianaPixels.name


@dataclass(frozen=True)
class Group:
    """Layers whose images are together in one buffer, in the order of the program.

    calls: their indices among its steps. offsets: where images lie in each of their banks, in bytes, by the names of
    the views that they stand for. size_bytes: of the buffer. fetched: those that others give, by the first call that
    reads them. sent: those that others read.
    """

    calls: tuple[int, ...]
    offsets: Mapping[str, int]
    size_bytes: int
    fetched: Mapping[int, tuple[str, ...]]
    sent: frozenset[str]


class Groups:
    """The groups of a program."""

    def __init__(
        self, program: Program, target: Target, kernels: Sequence[Kernel], calls: Collection[int]
    ) -> None:
        """calls: indices of those that can have their images in banks."""
        self._program = program
        self._touched = [_touched(program, step) for step in program.steps]
        self._near = [_Near.of(program, step, target, kernels) for step in program.steps]
        views: dict[str, int] = {}
        for view in program.views:
            views[view.buffer] = views.get(view.buffer, 0) + 1
        self._alone = {view.name for view in program.views if views[view.buffer] == 1}
        self._calls = [
            index for index in sorted(calls) if self._images(index).keys() <= self._alone
        ]
        board = target.board
        self._room = (
            L1_BYTES
            if board.scratchpad is None
            else board.memory(board.scratchpad.memory).size_bytes
        )

    def found(self) -> Sequence[Group]:
        """Those in which some image stays. A group grows as long as calls share an image with it, as all that is in L1
        fits there, and until a call that has L1 for itself.
        """
        groups: list[tuple[int, ...]] = [()]
        able = {*self._calls}
        for index, near in enumerate(self._near):
            if index in able:
                grown = (*groups[-1], index)
                if not self._shares(groups[-1], index) or self._group(grown) is None:
                    groups.append(())
                    grown = (index,)
                groups[-1] = grown
            elif near.is_alone:
                groups.append(())
        made = (self._group(calls) for calls in groups if self._pays(calls))
        return [group for group in made if group is not None]

    def _pays(self, calls: Sequence[int]) -> bool:
        """Of at least two calls; the digital array alone finds its images in L1 as they are."""
        steps = (self._program.steps[index] for index in calls)
        operators = (step.operator for step in steps if isinstance(step, Call))
        return len(calls) > 1 and any(isinstance(found, AnalogConv2D) for found in operators)

    def _shares(self, calls: Sequence[int], index: int) -> bool:
        mine = self._images(index).keys()
        return any(mine & self._images(other).keys() for other in calls)

    def _images(self, index: int) -> Mapping[str, None]:
        """Views in pixels that a step reads or writes, in order."""
        return dict.fromkeys(
            name for name in self._touched[index] if self._program.view[name].layout == _PIXELS
        )

    def _group(self, calls: tuple[int, ...]) -> Group | None:
        """None if there is no room."""
        lives: dict[str, Span] = {}
        given: set[str] = set()
        fetched: dict[int, tuple[str, ...]] = {}
        for index in calls:
            step = self._program.steps[index]
            assert isinstance(step, Call)
            own = self._images(index)
            images = [name for name in step.inputs if name is not None and name in own]
            new = tuple(dict.fromkeys(name for name in images if name not in lives))
            if new:
                fetched[index] = new
            given |= {*step.outputs}
            for name in self._images(index):
                lives[name] = (lives.get(name, (index, index))[0], index)
        inside = {*calls}
        sent = {
            name
            for index, touched in enumerate(self._touched)
            if index not in inside
            for name in touched
            if name in given
        }
        offsets, size_bytes = self._laid_out(lives)
        if size_bytes > L1_BYTES or not self._fits(calls, size_bytes):
            return None
        return Group(calls, offsets, size_bytes, fetched, frozenset(sent))

    def _laid_out(self, lives: Mapping[str, Span]) -> tuple[Mapping[str, int], int]:
        """Offsets in each bank, and the size of the buffer, to the last byte of the last bank if there are several: so
        it fits the memory just where it begins in the first one. Where an image was, one of the same shape may be; of
        another shape its padding might be what the first one's elements were, and no two views share that.
        """
        types = {name: self._program.type_of(name) for name in lives}
        offsets: dict[str, int] = {}
        latest: dict[tuple[tuple[int, ...], int], int] = {}
        end = 0
        for name, (first, last) in sorted(lives.items(), key=lambda life: life[1][0]):
            shape = types[name].shape
            free = (at for (other, at), until in latest.items() if other == shape and until < first)
            offset = next(free, end)
            offsets[name] = offset
            latest[shape, offset] = last
            end = max(end, offset + bank_bytes(types[name]))
        if all(banks_of(type_) == 1 for type_ in types.values()):
            return offsets, end
        return offsets, end + (BANKS - 1) * BANK_BYTES

    def _fits(self, calls: tuple[int, ...], size_bytes: int) -> bool:
        """Whether the buffer of a group and what else lies in L1 meanwhile fit there together."""
        inside = {*calls}
        images = {name for index in calls for name in self._images(index)}
        lives: dict[str, Span] = {}
        for index, near in enumerate(self._near):
            there = near.buffers - images if index in inside else near.buffers
            for name in there:
                lives[name] = (lives.get(name, (index, index))[0], index)
            for name in self._buffers(self._touched[index]) & lives.keys():
                lives[name] = (lives[name][0], index)
        begin, end = calls[0], calls[-1]
        others = [
            self._program.buffer[name]
            for name, (first, last) in lives.items()
            if first <= end and begin <= last
        ]
        all_of_them = [
            Buffer("", size_bytes, ""),
            *sorted(others, key=lambda it: (-it.size_bytes, it.name)),
        ]
        places = first_fit(all_of_them, lives | {"": (begin, end)}, COPIED_BYTES)
        return all(places[it.name] + it.size_bytes <= self._room for it in all_of_them)

    def _buffers(self, views: Iterable[str]) -> set[str]:
        return {self._program.view[name].buffer for name in views}


@dataclass(frozen=True)
class _Near:
    """What a step has in L1. buffers: those of its operands and results. is_alone: it has the rest for itself."""

    buffers: frozenset[str] = frozenset()
    is_alone: bool = False

    @staticmethod
    def of(program: Program, step: Step, target: Target, kernels: Sequence[Kernel]) -> "_Near":
        if not isinstance(step, Call):
            return _Near()
        kernel = find_kernel(step.kernel, layer_of_call(program, step, target), kernels)
        beside = kernel.beside
        if beside is None or not kernel.accelerator:
            return _Near()
        names: list[str | None] = []
        names += [] if beside.copies_operands else step.inputs
        names += [] if beside.copies_results else step.outputs
        views = (program.view[name] for name in names if name is not None and name in program.view)
        return _Near(
            frozenset(view.buffer for view in views), beside.copies and step.scratch is not None
        )


def _touched(program: Program, step: Step) -> tuple[str, ...]:
    """Views that a step reads or writes, in order."""
    if isinstance(step, Loop):
        raise TypeError("expected a program without loops")
    reads, writes = step_names(step)
    return tuple(name for name in (*reads, *writes) if name in program.view)
