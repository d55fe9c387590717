"""The writer's side of what a kernel's `emit` works with: C names, and a place for constant arrays.

Arrays with the same bytes and type are written once, however many layers use them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.graph import Array
from tinsmith_lowering import Operand

from tinsmith_c.names import NameTable

C_TYPES = {
    DType.INT8: "int8_t",
    DType.UINT8: "uint8_t",
    DType.INT16: "int16_t",
    DType.INT32: "int32_t",
    DType.INT64: "int64_t",
    DType.FLOAT32: "float",
    DType.BOOL: "uint8_t",
}


@dataclass(frozen=True)
class ConstantArray:
    """An array of the generated C. data: any shape, int8 to int32, uint8 or float32. is_remote: no core loads it."""

    name: str
    data: Array
    comment: str
    is_remote: bool = False


@dataclass
class ConstantPool:
    """All constant arrays of one generated file, in order of first use."""

    prefix: str
    names: NameTable = field(default_factory=NameTable)
    arrays: list[ConstantArray] = field(default_factory=list[ConstantArray])
    records: dict[str, str] = field(default_factory=dict[str, str])
    helpers: dict[str, None] = field(default_factory=dict[str, None])
    firsts: dict[str, str] = field(default_factory=dict[str, str])
    _known: dict[tuple[bool, str, bytes], str] = field(
        default_factory=dict[tuple[bool, str, bytes], str]
    )

    def add(self, label: str, data: Array, comment: str, *, is_remote: bool = False) -> str:
        """The C name of an array with these elements; a new array gets a name made of `label`.

        is_remote: it is for a memory that no core loads from.
        """
        dense = np.ascontiguousarray(data)
        key = (is_remote, dense.dtype.str, dense.tobytes())
        if key not in self._known:
            self._known[key] = self.names.unique(f"{self.prefix}{label}")
            self.arrays.append(ConstantArray(self._known[key], dense, comment, is_remote))
        return self._known[key]

    def record(self, name: str, c_type: str, value: str) -> None:
        """A struct that several layers share, by a name that says its value."""
        self.records[name] = f"static const {c_type} {name} = {value};"


@dataclass(frozen=True)
class LayerScope:
    """The Scope of one layer's function.

    layer: the layer's C name. inputs, outputs: operands in the operator's order, None if absent.
    place_type, extent_type: see Scope. reads: the constants that the call names; those that a kernel arranged, by
    layout, are `layouts`. copies: of these, a pointer to the copy that the call reads instead. reads_copies: whether
    there are any, also of operands.
    """

    layer: str
    inputs: tuple[Operand | None, ...]
    outputs: tuple[Operand, ...]
    scratch: Operand | None
    scratch_bytes: int
    pool: ConstantPool
    place_type: str
    extent_type: str
    reads: frozenset[str]
    has_siblings: bool
    layouts: Mapping[str, Array]
    copies: Mapping[str, str] = field(default_factory=dict[str, str])
    reads_copies: bool = False

    def input(self, index: int) -> str:
        """C expression (a pointer) of an operand; a constant operand is written as it is in the
        graph; `NULL` for an absent one.
        """
        operand = self.inputs[index] if index < len(self.inputs) else None
        if operand is None:
            return "NULL"
        if operand.constant is not None:
            self._check(operand.name in self.reads, f"operand {index}")
            return self.pool.add(operand.tensor, operand.constant, operand.description)
        return operand.expression

    @property
    def token(self) -> str:
        """C expression that tells the call from others that are under way."""
        return "token"

    @property
    def output(self) -> str:
        """C expression (a pointer) of the first result."""
        return self.outputs[0].expression

    def prepared(self, layout: str, comment: str = "") -> str:
        """C expression (a pointer) of what the kernel's `prepare` gave under that layout."""
        if layout in self.copies:
            return self.copies[layout]
        label = f"{self.layer}_{layout}"
        return self.pool.add(label, self._data(layout), comment or f"{self.layer}: {layout}")

    def record(self, name: str, c_type: str, value: str) -> str:
        """Address of a struct that lies outside of the function and is written once however many
        layers ask for it. name: must determine the value, `kDims_1_25_5_64`.
        """
        self.pool.record(name, c_type, value)
        return f"&{name}"

    def helper(self, text: str) -> None:
        """Definitions that layers of one kind share, written once in front of all layers. A function
        among them should be TINSMITH_NOINLINE: it is there to save code.
        """
        self.pool.helpers[text] = None

    def first(self, key: str, name: str, text: Callable[[], str]) -> str:
        """The name of what the first layer with that key has defined as a helper: `text`, which defines `name`, if this
        is the first one.
        """
        if key not in self.pool.firsts:
            self.pool.firsts[key] = name
            self.helper(text())
        return self.pool.firsts[key]

    def arranged(self, index: int, layout: str, how: str) -> str:
        """The same, of a constant operand in another arrangement."""
        operand = self.inputs[index]
        if operand is None:
            raise ValueError(f"layer {self.layer}: operand {index} is absent")
        if layout in self.copies:
            return self.copies[layout]
        return self.pool.add(operand.tensor, self._data(layout), f"{operand.description}; {how}")

    def _data(self, layout: str) -> Array:
        self._check(layout in self.layouts, f"constant {layout!r}")
        return self.layouts[layout]

    def _check(self, is_read: bool, what: str) -> None:
        if not is_read:
            raise GraphError(
                f"layer {self.layer}: its kernel writes {what}, which the call does not read; run the pass "
                "`prepare` first"
            )
