"""Graphs and Programs as text; `parser.py` reads it back to an equal object. Grammar: README.md."""

import base64
import dataclasses
import enum
import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import Literal, cast

import numpy as np

from tinsmith_ir.checked import checked
from tinsmith_ir.escape import print_name, quoted
from tinsmith_ir.graph import Array, Constant, Graph, Location, Node, Value
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.program import Barrier, Buffer, DmaCopy, KernelCall, Memory, Program, Step
from tinsmith_ir.types import Quantization, TensorType

Constants = Literal["inline", "summary"]

_DECIMAL_ELEMENTS = 16


@checked
def print_graph(graph: Graph, *, constants: Constants = "inline") -> str:
    """The graph as text.

    constants: "inline" writes their data, so that the text parses back; "summary" writes a short
    hash instead, for people.
    """
    lines = [f"graph {quoted(graph.name)} {{"]
    lines += [f"  input {_typed(value)}" for value in graph.inputs]
    lines += [f"  {_constant(constant, constants)}" for constant in graph.constants]
    lines += [f"  {print_node(node)}" for node in graph.nodes]
    lines += [f"  output {print_name(value.name)}" for value in graph.outputs]
    return "\n".join([*lines, "}", ""])


@checked
def print_program(program: Program, *, constants: Constants = "inline") -> str:
    """The program as text; `constants` as for `print_graph`."""
    lines = [f"program {quoted(program.name)} for {quoted(program.target)} {{"]
    lines += [f"  {_memory(memory)}" for memory in program.memories]
    lines += [f"  {_buffer(buffer)}" for buffer in program.buffers]
    for constant in program.constants:
        value = Value(constant.name, constant.type)
        layout = f" layout {quoted(constant.layout)}" if constant.layout else ""
        lines.append(f"  const {_typed(value)}{layout} = {_data(constant.data, constants)}")
    lines += [f"  input {print_name(name)}" for name in program.inputs]
    lines += [f"  {print_step(step)}" for step in program.steps]
    lines += [f"  output {print_name(name)}" for name in program.outputs]
    return "\n".join([*lines, "}", ""])


@checked
def print_node(node: Node) -> str:
    """One node as one line, without indentation."""
    results = ", ".join(_typed(value) for value in node.outputs)
    names = [None if value is None else value.name for value in node.inputs]
    return f"{results} = {_application(node.operator, names)}{_location(node.location)}"


@checked
def print_step(step: Step) -> str:
    """One step of a program as one line, without indentation."""
    match step:
        case DmaCopy(source, destination, token):
            return f"dma {print_name(source)} -> {print_name(destination)} token {token}"
        case Barrier(token):
            return f"barrier {token}"
        case KernelCall():
            return _call(step)


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


def _call(call: KernelCall) -> str:
    results = ", ".join(print_name(name) for name in call.outputs)
    scratch = f" scratch {print_name(call.scratch)}" if call.scratch is not None else ""
    reads = f" reads {', '.join(map(print_name, call.reads))}" if call.reads else ""
    reason = f" reason {quoted(call.reason)}" if call.reason else ""
    return (
        f"call {quoted(call.name)} kernel {quoted(call.kernel)}: {results} = "
        f"{_application(call.operator, call.inputs)}{scratch}{reads}{reason}{_location(call.location)}"
    )


def _application(operator: Operator, inputs: Sequence[str | None]) -> str:
    operands = ", ".join("none" if name is None else print_name(name) for name in inputs)
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


def _constant(constant: Constant, constants: Constants) -> str:
    return f"const {_typed(constant.value)} = {_data(constant.data, constants)}"


def _data(data: Array, constants: Constants) -> str:
    """Few elements in decimal, many (or not finite) as base64 of their little-endian bytes."""
    if data.size <= _DECIMAL_ELEMENTS and (data.dtype.kind != "f" or np.isfinite(data).all()):
        return "[" + ", ".join(_element(data.flat[index]) for index in range(data.size)) + "]"
    content = np.ascontiguousarray(data).data
    if constants == "summary":
        return f"summary {quoted(hashlib.sha256(content).hexdigest()[:16])}"
    return f'base64 "{base64.b64encode(content).decode()}"'


def _element(element: np.generic) -> str:
    if element.dtype.kind == "b":
        return "true" if element else "false"
    # The shortest text that gives the same float32 back.
    return _float(float(str(element))) if element.dtype.kind == "f" else str(int(element))


def _memory(memory: Memory) -> str:
    size = "" if memory.size_bytes is None else f" size {memory.size_bytes}"
    return f"memory {quoted(memory.name)}{size} align {memory.alignment}"


def _buffer(buffer: Buffer) -> str:
    offset = "" if buffer.offset is None else f" at {buffer.offset}"
    alias = "" if buffer.alias_of is None else f" alias {print_name(buffer.alias_of)}"
    typed = _typed(Value(buffer.name, buffer.type))
    return f"buffer {typed} in {quoted(buffer.memory)}{offset}{alias}"


def _typed(value: Value) -> str:
    return f"{print_name(value.name)}: {print_type(value.type)}"


def _location(location: Location) -> str:
    if location == Location():
        return ""
    return f" loc({quoted(location.source)}, {quoted(location.name)})"


def _float(value: float) -> str:
    """Python's shortest exact text; always with a point, an exponent, inf or nan."""
    return repr(float(value)) if math.isfinite(value) else str(value)


__all__ = ["print_graph", "print_name", "print_node", "print_program", "print_step", "print_type"]
