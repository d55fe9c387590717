"""C text as clang-format would leave it: numbers, arrays, initialisers, calls. 120 columns, indent 2."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.escape import c_comment_text
from tinsmith_ir.graph import Array

COLUMNS = 120
MEMORY_SECTION = ".rodata.tinsmith_in_"
"""Of constants in a memory of their own, and then its name, where object files have sections by such names."""

_LINES_AT_ONCE = 1024  # a list of all numbers of an array would take many times its bytes
_BYTE_TEXT = [str(value) for value in range(-128, 128)]
_ARRAY_TYPES = {
    "int8": "int8_t",
    "uint8": "uint8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "float32": "float",
}

FieldValue = int | str | Sequence[int]
"""A number, C text, or an array of numbers."""


def float_literal(value: float) -> str:
    """The shortest decimal that a C compiler reads back as the same float32; infinities, of masks, are quotients.

    Raises UnsupportedError for NaN, whose bits no C99 without a library says.
    """
    single = np.float32(value)
    if np.isnan(single):
        raise UnsupportedError("a float constant of the network is nan; expected a number")
    if np.isinf(single):
        return "(1.0f / 0.0f)" if single > 0 else "(-1.0f / 0.0f)"
    text = str(single)
    return f"{text}f" if any(mark in text for mark in ".e") else f"{text}.0f"


def integer_literal(value: int) -> str:
    """A decimal that C takes as an int32 or int64 (the smallest of each has no literal of its own)."""
    return f"({value + 1} - 1)" if value in (-(2**31), -(2**63)) else str(value)


def array_definition(name: str, data: Array, comment: str, attribute: str = "") -> str:
    """`static const` array, aligned as `CONSTANT_ALIGNMENT` says, its elements in lines of up to 20 numbers.

    attribute: C text that says more of where it lies.
    """
    flat = data.reshape(-1)
    flat = flat.view(np.uint8) if flat.dtype == np.bool_ else flat
    per_line = {1: 20, 2: 16}.get(flat.dtype.itemsize, 10)
    piece = per_line * _LINES_AT_ONCE
    lines = [
        line
        for start in range(0, flat.size, piece)
        for line in _lines(_numbers(flat[start : start + piece]), per_line)
    ]
    element = _ARRAY_TYPES[flat.dtype.name]
    aligned = f"TINSMITH_ALIGNED {attribute}".rstrip()
    head = f"static const {element} {name}[{flat.size}] {aligned} = {{"
    return "\n".join([*comment_lines(comment), head, *lines, "};"])


def _lines(numbers: Sequence[str], per_line: int) -> Iterator[str]:
    for start in range(0, len(numbers), per_line):
        yield "    " + ", ".join(numbers[start : start + per_line]) + ","


def _numbers(flat: NDArray[np.generic]) -> list[str]:
    if flat.dtype == np.int8:
        return [_BYTE_TEXT[value] for value in (flat.astype(np.int16) + 128).tolist()]
    if flat.dtype == np.float32:
        return [float_literal(value) for value in flat.tolist()]
    return [integer_literal(value) for value in flat.tolist()]


def initializer(
    c_type: str, name: str, fields: Mapping[str, FieldValue], *, is_static: bool = True
) -> str:
    """A `static const` struct inside a function, one field a line.

    is_static: False where a field is no constant of C, such as a pointer into the arena.
    """
    lines = [f"      .{field} ={_gap(value)}{_field(value)}," for field, value in fields.items()]
    storage = "static const" if is_static else "const"
    return "\n".join([f"  {storage} {c_type} {name} = {{", *lines, "  };"])


def definition(c_type: str, name: str, fields: Mapping[str, FieldValue]) -> str:
    """The same outside of functions."""
    lines = initializer(c_type, name, fields).split("\n")
    return "\n".join(line.removeprefix("  ") for line in lines)


def nested(fields: Mapping[str, FieldValue]) -> str:
    """A struct inside of another initialiser, written the same way."""
    lines = [f"              .{field} = {_field(value)}," for field, value in fields.items()]
    return "\n".join(["{", *lines, "          }"])


def _gap(value: FieldValue) -> str:
    """A nested struct begins on a line of its own."""
    return "\n          " if isinstance(value, str) and "\n" in value else " "


def _field(value: FieldValue) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return integer_literal(value)
    return "{" + ", ".join(integer_literal(item) for item in value) + "}"


def call(function: str, arguments: Iterable[str]) -> str:
    """A call statement inside a function body."""
    return wrapped_call(f"  {function}(", list(arguments), ");")


def expression(function: str, arguments: Iterable[str]) -> str:
    """A call as the result of a function: what stands behind `  return `."""
    text = wrapped_call(f"  return {function}(", list(arguments), ");")
    return text.removeprefix("  return ").removesuffix(";")


def wrapped_call(head: str, arguments: Sequence[str], tail: str, separator: str = ",") -> str:
    """`head` + arguments + `tail`; if that is too long, arguments fill lines behind the parenthesis.

    separator: behind each argument but the last, such as ` +` between terms in parentheses.
    """
    lines: list[str] = []
    line = head
    for index, argument in enumerate(arguments):
        last = index == len(arguments) - 1
        piece = argument + (tail if last else separator)
        gap = "" if line == head or line.isspace() else " "
        if len(line) + len(gap) + len(piece) > COLUMNS and line != head:
            lines.append(line)
            line, gap = " " * len(head), ""
        line += gap + piece
    return "\n".join([*lines, line])


def assignment(indent: str, target: str, function: str, arguments: Sequence[str]) -> str:
    """A statement that gives what a call returns to `target`, `refused |=`; "" for nowhere."""
    call = f"{function}({', '.join(arguments)});"
    line = f"{indent}{target} {call}" if target else f"{indent}{call}"
    if target and len(line) > COLUMNS >= len(indent) + 4 + len(call):
        return f"{indent}{target}\n{indent}    {call}"
    return wrapped_call(line[: -len(call)] + f"{function}(", arguments, ");")


def declaration(indent: str, declared: str, value: str) -> str:
    """`const uint8_t *const from = a + b;`, broken behind a plus outside of parentheses where it is too long."""
    head = f"{indent}{declared} = "
    lines = [head]
    for term in _terms(value):
        is_first = lines[-1].endswith("= ")
        if is_first or len(lines[-1]) + len(term) + 4 <= COLUMNS:
            lines[-1] += term if is_first else f" + {term}"
        else:
            lines[-1] += " +"
            lines.append(" " * len(head) + term)
    return "\n".join(lines) + ";"


def _terms(value: str) -> Iterator[str]:
    """What a sum adds, as it stands outside of parentheses and brackets."""
    depth = begin = 0
    for at, character in enumerate(value):
        depth += (character in "([") - (character in ")]")
        if depth == 0 and value.startswith(" + ", at):
            yield value[begin:at]
            begin = at + 3
    yield value[begin:]


def comment_lines(*paragraphs: str) -> list[str]:
    """`//` comment. A paragraph that is longer than a line is broken at spaces, and what follows stands
    a little further in if it begins with one. No character of it ends the comment, whatever it is.
    """
    lines: list[str] = []
    for paragraph in paragraphs:
        line = "//"
        hanging = "    " if paragraph.startswith(" ") else ""
        for word in c_comment_text(paragraph).split(" "):
            if len(line) + 1 + len(word) > COLUMNS and line.strip() != "//":
                lines.append(line)
                line = f"//{hanging}"
            line += f" {word}"
        lines.append(line.rstrip())
    return lines
