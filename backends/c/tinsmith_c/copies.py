"""The C of copies and fills: loops over what does not lie densely, around memcpy, memset or a start of a DMA."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinsmith_ir.places import contiguous_axes
from tinsmith_ir.program import Copy, Fill, View, dense_strides

from tinsmith_c.header import describe
from tinsmith_c.layout import Layout, c_expression
from tinsmith_c.names import c_identifier, shortened
from tinsmith_c.scope import C_TYPES, ConstantPool
from tinsmith_c.text import wrapped_call


@dataclass(frozen=True)
class CopyWriter:
    """Blocks that copy and fill.

    arena: what the arena is called where they stand. holder: in front of memories and counters, `job->`.
    """

    layout: Layout
    pool: ConstantPool
    arena: str = "bytes"
    holder: str = ""

    def copy(self, copy: Copy, indent: str, dma_token: str | None = None) -> Iterator[str]:
        """Loops over what does not lie densely on both sides; the innermost of them is the rows of a DMA, if one
        copies: `dma_token` is then what it is started with.
        """
        program = self.layout.program
        destination = program.view[copy.destination]
        source = program.view.get(copy.source)
        if source is None:
            source = View(copy.source, program.constant[copy.source].type, copy.source)
        inner = min(contiguous_axes(source), contiguous_axes(destination))
        axes = range(len(source.type.shape) - inner)
        size = math.prod(source.type.shape[len(axes) :]) * source.type.dtype.size_bytes
        rows = None if dma_token is None else _rows(axes, source, destination)
        yield f"{indent}{{  // {print_name_of(copy)}"
        yield f"{indent}  uint8_t *const to = {self._address(destination)};"
        yield f"{indent}  const uint8_t *const from = {self._address(source)};"
        looped = [axis for axis in axes if axis != rows]
        yield from _open(looped, source, f"{indent}  ")
        deep = f"{indent}  {'  ' * len(_loops(looped, source))}"
        motions = [self._motion(looped, view) for view in (destination, source)]
        places = [f"to{motions[0]}", f"from{motions[1]}", f"{size}u"]
        if dma_token is not None:
            extent = 1 if rows is None else source.type.shape[rows]
            strides = [
                0 if rows is None else _strides(view)[rows] for view in (destination, source)
            ]
            numbers = [f"{extent}u", *(f"{stride}u" for stride in strides)]
            yield wrapped_call(f"{deep}tinsmith_dma_start(", [dma_token, *places, *numbers], ");")
        else:
            yield wrapped_call(f"{deep}memcpy(", places, ");")
        yield from _close(looped, source, f"{indent}  ")
        yield f"{indent}}}"

    def fill(self, fill: Fill, indent: str) -> Iterator[str]:
        """The same for one side."""
        view = self.layout.program.view[fill.destination]
        inner = contiguous_axes(view)
        axes = range(len(view.type.shape) - inner)
        elements = math.prod(view.type.shape[len(axes) :])
        yield f"{indent}{{  // {print_name_of(fill)}"
        yield f"{indent}  uint8_t *const to = {self._address(view)};"
        yield from _open(axes, view, f"{indent}  ")
        deep = f"{indent}  {'  ' * len(_loops(axes, view))}"
        place = f"to{self._motion(axes, view)}"
        element = view.type.dtype.size_bytes
        if element == 1 or fill.value == 0:
            yield f"{deep}memset({place}, {fill.value}, {elements * element}u);"
        else:
            kind = C_TYPES[view.type.dtype]
            yield f"{deep}{kind} *const row = ({kind} *)({place});"
            yield f"{deep}for (int32_t e = 0; e < {elements}; ++e) {{"
            yield f"{deep}  row[e] = ({kind}){_literal(fill.value)};"
            yield f"{deep}}}"
        yield from _close(axes, view, f"{indent}  ")
        yield f"{indent}}}"

    def _address(self, view: View) -> str:
        """Of a view's first byte; of a constant, the array's."""
        if view.name in self.layout.program.view:
            return self.layout.address(view.name, self.arena, self.holder)
        constant = self.layout.program.constant[view.name]
        label = shortened(c_identifier(view.name), 32)
        comment = f"{view.name} {describe(constant.type)}"
        return f"(const uint8_t *){self.pool.add(label, constant.data, comment)}"

    def _motion(self, axes: Sequence[int], view: View) -> str:
        """What the indices along `axes` add to a view's first byte."""
        text = ""
        for axis in axes:
            index = f"a{axis}" if view.type.shape[axis] > 1 else ""
            stride = _strides(view)[axis]
            if view.ring is not None and view.ring.axis == axis:
                at = c_expression(view.ring.at, self.holder)
                line = " + ".join([at, *([index] if index else [])])
                text += f" + tinsmith_modulo({line}, {view.ring.lines}) * {stride}"
            elif index:
                text += f" + {index} * {stride}"
        return text


def print_name_of(step: Copy | Fill) -> str:
    """What the comment on a step says, without anything that could end the comment."""
    if isinstance(step, Fill):
        return f"fill {c_identifier(step.destination)}"
    return f"copy {c_identifier(step.source)} to {c_identifier(step.destination)}"


def _strides(view: View) -> Sequence[int]:
    return view.strides or dense_strides(view.type)


def _rows(axes: Sequence[int], source: View, destination: View) -> int | None:
    """The axis whose indices are the rows of one copy of a DMA: the innermost, if it is no ring."""
    if not axes:
        return None
    is_ring = any(
        view.ring is not None and view.ring.axis == axes[-1] for view in (source, destination)
    )
    return None if is_ring else axes[-1]


def _loops(axes: Sequence[int], view: View) -> list[int]:
    return [axis for axis in axes if view.type.shape[axis] > 1]


def _open(axes: Sequence[int], view: View, indent: str) -> Iterator[str]:
    for depth, axis in enumerate(_loops(axes, view)):
        extent = view.type.shape[axis]
        yield f"{indent}{'  ' * depth}for (int32_t a{axis} = 0; a{axis} < {extent}; ++a{axis}) {{"


def _close(axes: Sequence[int], view: View, indent: str) -> Iterator[str]:
    for depth in reversed(range(len(_loops(axes, view)))):
        yield f"{indent}{'  ' * depth}}}"


def _literal(value: int) -> str:
    return str(value) if value > -(1 << 31) else f"({value + 1} - 1)"
