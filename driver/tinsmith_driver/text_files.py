"""Files of IR text: a Graph to compile, or a Program to look at, edit and have checked."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tinsmith_allocation import PlanError, check_program
from tinsmith_ir import Graph, ModelError, Program, UsageError
from tinsmith_ir.errors import GraphError, ParseError
from tinsmith_ir.parser import parse_graph, parse_program

TEXT_SUFFIX = ".tsm"
_Parsed = TypeVar("_Parsed")


def graph_from_text(data: bytes, path: Path) -> Graph:
    """The Graph in a file. Raises ModelError when it is none or breaks a rule, UsageError when the
    file holds a Program.
    """
    if is_program(data):
        raise UsageError(
            f"{path}: expected a Graph, got a Program (after lowering), which only `show` reads"
        )
    return _parsed(parse_graph, data, path)


def program_from_text(data: bytes, path: Path) -> Program:
    """The Program in a file; if its buffers have places, no step reads what another overwrote.

    Raises ModelError.
    """
    program = _parsed(parse_program, data, path)
    roots = [buffer for buffer in program.buffers if buffer.alias_of is None]
    if any(buffer.offset is None for buffer in roots):
        return program
    try:
        check_program(program)
    except PlanError as error:
        raise ModelError(f"{path}: {error}") from error
    return program


def is_program(data: bytes) -> bool:
    """Whether the text starts as a Program does, not as a Graph."""
    return data.lstrip().startswith(b"program")


def _parsed(parse: Callable[[str], _Parsed], data: bytes, path: Path) -> _Parsed:
    try:
        return parse(data.decode("utf-8", "replace"))
    except (ParseError, GraphError) as error:
        raise ModelError(f"{path}: {error}") from error
