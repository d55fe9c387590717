"""The C of copies and fills: loops over what does not lie densely, around memcpy, memset or a start of a DMA."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.byte_places import Places, contiguous_axes, copied_places, places
from tinsmith_ir.errors import GraphError
from tinsmith_ir.expressions import ZERO
from tinsmith_ir.program import ConstantTable, Copy, Fill, View, dense_strides
from tinsmith_ir.program_printer import print_view
from tinsmith_ir.strides import Strides, merged
from tinsmith_ir.types import TensorType

from tinsmith_c.header import describe
from tinsmith_c.layout import Layout, c_expression, c_name
from tinsmith_c.names import c_identifier, shortened
from tinsmith_c.scope import C_TYPES, ConstantPool
from tinsmith_c.text import assignment, declaration, wrapped_call

_NAMES_IN_A_COMMENT = 96
"""Characters of both names that a line has room for."""

_ORDERED = "tinsmith_dma_start"
_UNORDERED = "tinsmith_dma_start_unordered"
_OF_BYTES = "tinsmith_dma_start_bytes_unordered"
"""Functions of tinsmith/dma.h."""

_COPY_TEXT = """\
// Copy bytes of the arena, places counted from its start.
static TINSMITH_SMALL TINSMITH_NOINLINE void copy_bytes(uint8_t *arena, int32_t to, int32_t from, uint32_t bytes) {
  memcpy(arena + to, arena + from, bytes);
}"""


@dataclass(frozen=True)
class CopyWriter:
    """Blocks that copy and fill.

    arena: what the arena is called where they stand. holder: in front of memories and counters, `job->`. is_terse: what
    lies together in the arena is copied by a function that counts from its start, which is less code each time.
    """

    layout: Layout
    pool: ConstantPool
    arena: str = "bytes"
    holder: str = ""
    is_terse: bool = False

    def copy(
        self, copy: Copy, indent: str, dma_token: str | None = None, begin: str = ""
    ) -> Iterator[str]:
        """Loops over what does not lie densely on both sides; the innermost of them is the rows of a DMA, if one
        copies: `dma_token` is then what it is started with. begin: where in what the caller hands over, if C says it.
        """
        program = self.layout.program
        destination = program.view[copy.destination]
        source = program.view.get(copy.source)
        if source is None:
            source = View(copy.source, program.type_of(copy.source), copy.source)
        if source.layout or destination.layout:
            yield from self._scattered(copy, source, destination, indent, dma_token)
            return
        if dma_token is not None and source.ring is None and destination.ring is None:
            source, destination = _with_fewest_axes(source, destination)
        if self.layout.asks(copy):
            yield from self._ask(copy, source, destination, indent, begin)
            return
        inner = min(contiguous_axes(source), contiguous_axes(destination))
        if self.is_terse and dma_token is None and self._is_one_run(source, destination, inner):
            self.pool.helpers[_COPY_TEXT] = None
            places = (self.layout.place(it.name, self.holder) for it in (destination, source))
            arguments = [self.arena, *places, f"{source.type.size_bytes}u"]
            yield wrapped_call(f"{indent}copy_bytes(", arguments, ");")
            return
        axes = range(len(source.type.shape) - inner)
        size = math.prod(source.type.shape[len(axes) :]) * source.type.dtype.size_bytes
        rows = None if dma_token is None else _rows(axes, source, destination)
        yield f"{indent}{{  // {print_name_of(copy)}"
        yield declaration(f"{indent}  ", "uint8_t *const to", self._address(destination))
        yield declaration(f"{indent}  ", "const uint8_t *const from", self._address(source))
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
            function, arguments = self._start_of(copy), [dma_token, *places, *numbers]
            if extent == 1 and function != _ORDERED:
                function, arguments = _OF_BYTES, [dma_token, *places]
            yield wrapped_call(f"{deep}{function}(", arguments, ");")
        else:
            yield wrapped_call(f"{deep}memcpy(", places, ");")
        yield from _close(looped, source, f"{indent}  ")
        yield f"{indent}}}"

    def fetch(self, copy: Copy, indent: str, ticket: str) -> Iterator[str]:
        """A copy from a remote memory, whose ticket is kept in `ticket`. Raises GraphError if it is not of bytes that
        lie together.
        """
        destination = self.layout.program.view[copy.destination]
        if not destination.is_dense:
            raise GraphError(
                f"expected a dense view for what is fetched from a remote memory, got\n  {print_view(destination)}\n"
            )
        type_ = self.layout.program.type_of(copy.source)
        source = View(copy.source, type_, copy.source)
        arguments = [self._address(destination), self._address(source), f"{type_.size_bytes}u"]
        yield f"{indent}// {print_name_of(copy)}"
        yield assignment(indent, f"{ticket} =", "tinsmith_fetch_start", arguments)

    def _is_one_run(self, source: View, destination: View, inner: int) -> bool:
        """Whether all bytes lie together, both in the arena and where they are copied from there."""
        is_here = all(view.name in self.layout.program.view for view in (source, destination))
        return is_here and inner == len(source.type.shape)

    def _ask(
        self, copy: Copy, source: View, destination: View, indent: str, begin: str
    ) -> Iterator[str]:
        """A call of the function that hands over inputs; a refusal ends the run."""
        if not destination.is_dense:
            raise GraphError(
                f"expected a dense view for what the caller hands over, got\n  {print_view(destination)}\n"
            )
        name = c_name(self.layout.program)
        offset = begin or self.layout.place(source.name, self.holder)
        yield f"{indent}{{  // {print_name_of(copy)}"
        arguments = [
            "memories->context",
            self._address(destination),
            f"(uint32_t)({offset})",
            f"{source.type.size_bytes}u",
        ]
        yield assignment(f"{indent}  ", "const int missing =", "memories->read", arguments)
        yield f"{indent}  if (missing != 0) {{"
        yield f"{indent}    return {name.upper()}_ERROR_INPUT;"
        yield f"{indent}  }}"
        yield f"{indent}}}"

    def _scattered(
        self, copy: Copy, source: View, destination: View, indent: str, dma_token: str | None
    ) -> Iterator[str]:
        """A loop over the runs of bytes that lie together on both sides, where a table says."""
        runs, others = copied_places(_at_zero(source), _at_zero(destination))
        rows = _as_rows(runs, others) if dma_token is not None else None
        if rows is not None:
            yield from self._rows_of_lines(copy, rows, indent, dma_token)
            return
        size = math.gcd(runs.length, others.length)
        starts = [_split(found, size) for found in (others, runs)]
        names = [
            self._place(view, runs, size)
            for view, runs in zip((destination, source), starts, strict=True)
        ]
        yield f"{indent}{{  // {print_name_of(copy)}"
        yield declaration(f"{indent}  ", "uint8_t *const to", self._address(destination))
        yield declaration(f"{indent}  ", "const uint8_t *const from", self._address(source))
        if all(found.tolist() == [0] for found in starts):
            yield self._run(copy, ["to", "from", f"{size}u"], f"{indent}  ", dma_token)
        else:
            yield f"{indent}  for (int32_t r = 0; r < {len(starts[0])}; ++r) {{"
            ends = [f"to + {names[0]}", f"from + {names[1]}", f"{size}u"]
            yield self._run(copy, ends, f"{indent}    ", dma_token)
            yield f"{indent}  }}"
        yield f"{indent}}}"

    def _rows_of_lines(
        self, copy: Copy, rows: "_Rows", indent: str, dma_token: str | None
    ) -> Iterator[str]:
        """Lines that are equally far apart on both sides: one start of a DMA."""
        views = self.layout.program.view
        ends = (
            f"{self._address(views[name])}{f' + {first}' if first else ''}"
            for name, first in ((copy.destination, rows.to_first), (copy.source, rows.from_first))
        )
        numbers = (
            f"{number}u" for number in (rows.bytes, rows.count, rows.to_step, rows.from_step)
        )
        yield f"{indent}// {print_name_of(copy)}"
        arguments = [str(dma_token), *ends, *numbers]
        yield wrapped_call(f"{indent}{self._start_of(copy)}(", arguments, ");")

    def _run(self, copy: Copy, ends: Sequence[str], indent: str, dma_token: str | None) -> str:
        """One run of bytes. ends: to, from, how many."""
        if dma_token is None:
            return wrapped_call(f"{indent}memcpy(", ends, ");")
        function = self._start_of(copy)
        if function == _UNORDERED:
            return wrapped_call(f"{indent}{_OF_BYTES}(", [dma_token, *ends], ");")
        return wrapped_call(f"{indent}{function}(", [dma_token, *ends, "1u", "0u", "0u"], ");")

    def _start_of(self, copy: Copy) -> str:
        """The function that starts a copy of a DMA."""
        is_fifo = self.layout.program.engine[str(copy.engine)].is_fifo
        return _ORDERED if is_fifo else _UNORDERED

    def _place(self, view: View, starts: NDArray[np.int64], size: int) -> str:
        """C expression of where run `r` begins, counted from the view's first byte."""
        if (starts == np.arange(len(starts)) * size).all():
            return f"r * {size}"
        table = starts.astype(np.int16 if int(starts.max()) < 1 << 15 else np.int32)
        label = shortened(f"places_{view.layout or 'of'}_{c_identifier(view.name)}", 32)
        return f"{self.pool.add(label, table, f'where runs of {view.name} begin')}[r]"

    def fill(self, fill: Fill, indent: str) -> Iterator[str]:
        """The same for one side."""
        view = self.layout.program.view[fill.destination]
        if view.layout:
            yield from self._scattered_fill(fill, view, indent)
            return
        inner = contiguous_axes(view)
        axes = range(len(view.type.shape) - inner)
        elements = math.prod(view.type.shape[len(axes) :])
        yield f"{indent}{{  // {print_name_of(fill)}"
        yield f"{indent}  uint8_t *const to = {self._address(view)};"
        yield from _open(axes, view, f"{indent}  ")
        deep = f"{indent}  {'  ' * len(_loops(axes, view))}"
        place = f"to{self._motion(axes, view)}"
        yield from _set(fill, view.type, place, elements, deep)
        yield from _close(axes, view, f"{indent}  ")
        yield f"{indent}}}"

    def _scattered_fill(self, fill: Fill, view: View, indent: str) -> Iterator[str]:
        found = places(_at_zero(view))
        place = f"to + {self._place(view, found.starts, found.length)}"
        elements = found.length // view.type.dtype.size_bytes
        yield f"{indent}{{  // {print_name_of(fill)}"
        yield f"{indent}  uint8_t *const to = {self._address(view)};"
        yield f"{indent}  for (int32_t r = 0; r < {len(found.starts)}; ++r) {{"
        yield from _set(fill, view.type, place, elements, f"{indent}    ")
        yield f"{indent}  }}"
        yield f"{indent}}}"

    def _address(self, view: View) -> str:
        """Of a view's first byte; of a constant, the array's."""
        if view.name in self.layout.program.view:
            return self.layout.address(view.name, self.arena, self.holder)
        if view.name in self.layout.program.table:
            return self._member_address(self.layout.program.table[view.name])
        constant = self.layout.program.constant[view.name]
        label = shortened(c_identifier(view.name), 32)
        comment = f"{view.name} {describe(constant.type)}"
        array = self.pool.add(label, constant.data, comment, constant.memory)
        return f"(const uint8_t *){array}"

    def _member_address(self, table: ConstantTable) -> str:
        """Of the first byte of a table's member: all members are one array."""
        members = [self.layout.program.constant[name] for name in table.members]
        data = np.concatenate([member.data.reshape(-1) for member in members])
        label = shortened(c_identifier(table.members[0]), 32)
        comment = f"{table.members[0]} {describe(members[0].type)} and {len(members) - 1} more"
        index = c_expression(table.index, self.holder)
        array = self.pool.add(label, data, comment, members[0].memory)
        return f"(const uint8_t *){array} + {members[0].data.nbytes} * ({index})"

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


@dataclass(frozen=True)
class _Rows:
    """Lines of a copy: how many bytes each has, how many there are, and where they begin on both sides."""

    bytes: int
    count: int
    to_first: int
    to_step: int
    from_first: int
    from_step: int


def _as_rows(runs: Places, others: Places) -> _Rows | None:
    """Of runs from `runs` to `others` that are equally far apart, and of one that is no whole view; None of others."""
    count = len(runs.starts)
    if runs.length != others.length or len(others.starts) != count:
        return None
    if count == 1:
        first, other = int(others.starts[0]), int(runs.starts[0])
        return _Rows(runs.length, 1, first, 0, other, 0) if first or other else None
    steps = [np.diff(found.starts) for found in (others, runs)]
    if any((step != step[0]).any() or step[0] < 0 for step in steps):
        return None
    firsts = [int(found.starts[0]) for found in (others, runs)]
    to_step, from_step = (int(step[0]) for step in steps)
    return _Rows(runs.length, count, firsts[0], to_step, firsts[1], from_step)


def _at_zero(view: View) -> View:
    """The view as if its first byte were the buffer's."""
    if view.ring is not None:
        raise GraphError(
            "expected no ring where a copy changes the layout; copy it to a dense view first, got\n"
            f"  {print_view(view)}\n"
        )
    return replace(view, start=ZERO)


def _split(found: Places, size: int) -> NDArray[np.int64]:
    """The starts of runs of `size` bytes instead."""
    return (found.starts[:, None] + np.arange(0, found.length, size)).reshape(-1)


def _set(fill: Fill, type_: TensorType, place: str, elements: int, indent: str) -> Iterator[str]:
    """Give elements that lie together the value of a fill."""
    element = type_.dtype.size_bytes
    if element == 1 or fill.value == 0:
        yield f"{indent}memset({place}, {fill.value}, {elements * element}u);"
    else:
        kind = C_TYPES[type_.dtype]
        yield f"{indent}{kind} *const row = ({kind} *)({place});"
        yield f"{indent}for (int32_t e = 0; e < {elements}; ++e) {{"
        yield f"{indent}  row[e] = ({kind}){_literal(fill.value)};"
        yield f"{indent}}}"


def print_name_of(step: Copy | Fill) -> str:
    """What the comment on a step says, without anything that could end the comment."""
    if isinstance(step, Fill):
        return f"fill {c_identifier(step.destination)}"
    names = [c_identifier(step.source), c_identifier(step.destination)]
    if sum(map(len, names)) > _NAMES_IN_A_COMMENT:
        names = [shortened(name, _NAMES_IN_A_COMMENT // 2) for name in names]
    return f"copy {names[0]} to {names[1]}"


def _strides(view: View) -> Strides:
    return view.strides or dense_strides(view.type)


def _with_fewest_axes(source: View, destination: View) -> tuple[View, View]:
    """The same bytes, with neighbouring axes as one where their indices are equally far apart on both sides: lines of
    several planes are then rows of one copy.
    """
    shape, (from_strides, to_strides) = merged(
        source.type.shape, [_strides(source), _strides(destination)]
    )
    type_ = TensorType(shape, source.type.dtype)
    return (
        replace(source, type=type_, strides=from_strides),
        replace(destination, type=type_, strides=to_strides),
    )


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
