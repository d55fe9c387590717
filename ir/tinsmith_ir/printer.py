"""Graphs as text; `parser.py` reads it back to an equal object. Grammar: README.md."""

import base64
import dataclasses
import enum
import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, cast

import numpy as np

from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.escape import print_name, quoted
from tinsmith_ir.few_bits import packed
from tinsmith_ir.graph import Array, Graph, Location, Node, State, Value
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.operators.chain import Chain
from tinsmith_ir.short_text import COLUMNS, STRING_COLUMNS, shortened
from tinsmith_ir.types import Quantization, TensorType

Constants = Literal["inline", "summary"]

VERSION = 2
"""Of the text form; it stands behind the first word."""

PASSED_ON = "_"
"""In a chain, the operand that is the result of the operator before."""

_DECIMAL_ELEMENTS = 16
_LINE_COLUMNS = 160
_STRING_COLUMNS = 120
_WORD = re.compile(r'(?:[^ "]|"(?:[^"\\]|\\.)*")+')
_LONG = re.compile(rf'"((?:[^"\\]|\\.)*)"|%([A-Za-z0-9_./-]{{{STRING_COLUMNS},}})')
_CHARACTER = re.compile(r"\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\u[0-9a-f]{4}|\\.|.")


@checked
def print_graph(graph: Graph, *, constants: Constants = "inline", short: bool = False) -> str:
    """The graph as text.

    constants: "inline" writes their data, so that the text parses back; "summary" writes a short
    hash instead, for people. short: floats of four digits, lines of 80 columns, for people, too.
    """
    lines = [f"graph {VERSION} {quoted(graph.name)} {{"]
    lines += [f"  input {print_typed(value)}" for value in graph.inputs]
    lines += [f"  {_state(state, constants)}" for state in graph.states]
    lines += [
        f"  {print_constant(constant.value, constant.data, constants)}"
        for constant in graph.constants
    ]
    lines += [f"  {print_node(node)}" for node in graph.nodes]
    lines += [f"  output {print_name(value.name)}" for value in graph.outputs]
    return text_of([*lines, "}"], short=short)


@checked
def print_node(node: Node) -> str:
    """One node as one line, without indentation."""
    results = ", ".join(print_typed(value) for value in node.outputs)
    names = [None if value is None else value.name for value in node.inputs]
    engine = f" on {quoted(node.engine)}" if node.engine else ""
    application = print_application(node.operator, names)
    return f"{results} = {application}{engine}{print_location(node.location)}"


def text_of(statements: Iterable[str], *, short: bool = False) -> str:
    """Statements as lines of at most 160 columns: longer ones go on in lines that are indented deeper, and long
    strings in pieces, which the parser joins. short: as of `print_graph`.
    """
    if short:
        statements = map(shortened, statements)
    columns = (COLUMNS, STRING_COLUMNS) if short else (_LINE_COLUMNS, _STRING_COLUMNS)
    return "".join(f"{line}\n" for statement in statements for line in _lines(statement, *columns))


def _lines(statement: str, columns: int, string_columns: int) -> Iterator[str]:
    if len(statement) <= columns:
        yield statement
        return
    indentation = " " * (len(statement) - len(statement.lstrip()))
    line = indentation
    pieced = _LONG.sub(lambda found: _in_pieces(found, string_columns), statement)
    for word in _WORD.findall(pieced):
        if line.strip() and len(line) + 1 + len(word) > columns:
            yield line
            line = f"{indentation}    "
        line += word if line == indentation or not line.strip() else f" {word}"
    yield line


def _in_pieces(found: re.Match[str], columns: int) -> str:
    """`"abc" "def"` for a long `"abcdef"`, and `%"abc" "def"` for a long name; no escape is torn apart."""
    if len(found[0]) <= columns + len('""'):
        return found[0]
    pieces = [""]
    for character in _CHARACTER.findall(found[1] or found[2]):
        if len(pieces[-1]) + len(character) > columns:
            pieces.append("")
        pieces[-1] += character
    return ("%" if found[2] else "") + " ".join(f'"{piece}"' for piece in pieces)


def print_type(type_: TensorType) -> str:
    """`i8[1,4]<0.5, -3>`: dtype, shape, and quantization if there is one."""
    shape = ",".join(str(size) for size in type_.shape)
    return f"{type_.dtype.value}[{shape}]{_quantization(type_.quantization)}"


def _quantization(quantization: Quantization | None) -> str:
    if quantization is None:
        return ""
    scales = [_float(scale) for scale in quantization.scales]
    zeros = [str(zero) for zero in quantization.zero_points]
    if quantization.axis is None and len(scales) == len(zeros) == 1:
        return f"<{scales[0]}, {zeros[0]}>"
    axis = "" if quantization.axis is None else f", axis {quantization.axis}"
    return f"<[{', '.join(scales)}], [{', '.join(zeros)}]{axis}>"


def print_application(operator: Operator, inputs: Sequence[str | None]) -> str:
    """`conv2d(%x, %w, none) {stride=[2,2]}`; of a chain, `mul(%x, %y) as f32[4] then add(_, %z)`."""
    written = ["none" if name is None else print_name(name) for name in inputs]
    if not isinstance(operator, Chain):
        return _application(operator, written)
    taken = operator.shared(written, [PASSED_ON] * len(operator.links))
    text = _application(operator.first, taken[0])
    for link, operands in zip(operator.links, taken[1:], strict=True):
        text += f" as {print_type(link.taken)} then {_application(link.operator, operands)}"
    return text


def _application(operator: Operator, written: Sequence[str]) -> str:
    operands = ", ".join(written)
    attributes = ", ".join(_attributes(operator))
    return f"{operator.mnemonic}({operands})" + (f" {{{attributes}}}" if attributes else "")


def _attributes(operator: Operator) -> Iterator[str]:
    """Only those that differ from their default."""
    for field in dataclasses.fields(operator):
        value: object = getattr(operator, field.name)
        if value != field.default or type(value) is not type(field.default):
            yield f"{field.name}={_attribute(value)}"


def _attribute(value: object) -> str:
    if isinstance(value, enum.Enum):
        return str(value.value)
    if isinstance(value, tuple):
        elements = cast("tuple[object, ...]", value)
        return "[" + ",".join(_attribute(element) for element in elements) + "]"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return _float(value) if isinstance(value, float) else str(value)


def print_constant(
    value: Value, data: Array, constants: Constants, layout: str = "", memory: str = ""
) -> str:
    """`const %c: i32[2] = [1, 2]`; with `layout "packed"` behind the type if one is given, and `in "l3"`."""
    arranged = f" layout {quoted(layout)}" if layout else ""
    placed = f" in {quoted(memory)}" if memory else ""
    text = print_data(data, constants, value.type.dtype)
    return f"const {print_typed(value)}{arranged}{placed} = {text}"


def _state(state: State, constants: Constants) -> str:
    """`state %h: i32[2] = [0, 0] next %h_next`."""
    initial = print_data(state.initial, constants, state.value.type.dtype)
    return f"state {print_typed(state.value)} = {initial} next {print_name(state.next.name)}"


def print_data(data: Array, constants: Constants, dtype: DType) -> str:
    """Few elements in decimal, many (or not finite) as base64 of little-endian bytes, two of i4 in each, four of i2."""
    if data.size <= _DECIMAL_ELEMENTS and (data.dtype.kind != "f" or np.isfinite(data).all()):
        return "[" + ", ".join(_element(data.flat[index]) for index in range(data.size)) + "]"
    content = np.ascontiguousarray(packed(data, dtype) if dtype.is_packed else data).data
    if constants == "summary":
        return f"summary {quoted(hashlib.sha256(content).hexdigest()[:16])}"
    text = base64.b64encode(content).decode()
    pieces = (text[i : i + _STRING_COLUMNS] for i in range(0, len(text), _STRING_COLUMNS))
    return "base64 " + " ".join(f'"{piece}"' for piece in pieces)


def _element(element: np.generic) -> str:
    if element.dtype.kind == "b":
        return "true" if element else "false"
    # The shortest text that gives the same float32 back.
    return _float(float(str(element))) if element.dtype.kind == "f" else str(int(element))


def print_typed(value: Value) -> str:
    """`%x: i8[1,4]`."""
    return f"{print_name(value.name)}: {print_type(value.type)}"


def print_location(location: Location) -> str:
    """` loc("a.tflite", "op 3")`, "" if nothing is known."""
    if location == Location():
        return ""
    return f" loc({quoted(location.source)}, {quoted(location.name)})"


def _float(value: float) -> str:
    """Python's shortest exact text; always with a point, an exponent, inf or nan."""
    return repr(float(value)) if math.isfinite(value) else str(value)


__all__ = [
    "PASSED_ON",
    "VERSION",
    "Constants",
    "print_application",
    "print_constant",
    "print_data",
    "print_graph",
    "print_location",
    "print_name",
    "print_node",
    "print_type",
    "print_typed",
    "text_of",
]
