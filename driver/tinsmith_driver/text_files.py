"""Files of IR text: a Graph to compile, or a Program to look at, edit and have checked."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tinsmith_allocation import PlanError, check_program
from tinsmith_ir import Graph, ModelError, Program
from tinsmith_ir.errors import GraphError, ParseError
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.program_parser import parse_program
from tinsmith_ir.verify import verify_graph
from tinsmith_lowering import lift
from tinsmith_target import UnknownTargetError

from tinsmith_driver.network import Network, ProgramNetwork
from tinsmith_driver.plugins import registry

TEXT_SUFFIX = ".tsm"
_HEAD_BYTES = 1 << 16
_FIRST_WORD = re.compile(rb"(?:[ \t\r\n]|#[^\n]*\n)*([a-z]*)")
_Parsed = TypeVar("_Parsed")


def graph_from_text(data: bytes, path: Path) -> Graph:
    """The Graph in a file. Raises ModelError when it is none or breaks a rule."""
    return _parsed(parse_graph, data, path)


def network_of_program(program: Program) -> Network:
    """What a Program computes: the Graph of its calls, if it does nothing but call kernels, one after another."""
    try:
        graph = lift(program)
        verify_graph(graph)
    except GraphError:
        return ProgramNetwork(program)
    return graph


def placed_program_from_text(data: bytes, path: Path) -> Program:
    """A Program whose buffers all have places. Raises ModelError for others."""
    program = program_from_text(data, path)
    missing = [buffer.name for buffer in program.buffers if buffer.offset is None]
    if missing:
        raise ModelError(
            f"{path}: expected a place (`at`) for every buffer, got none for %{missing[0]}: "
            "compile what `show --after allocate-buffers --constants` prints"
        )
    return program


def program_from_text(data: bytes, path: Path) -> Program:
    """The Program in a file; if its buffers have places, no step reads what another overwrote.

    Raises ModelError.
    """
    program = _parsed(parse_program, data, path)
    _check_reach(program, path)
    if any(buffer.offset is None for buffer in program.buffers):
        return program
    try:
        check_program(program)
    except PlanError as error:
        raise ModelError(f"{path}: {error}") from error
    return program


def _check_reach(program: Program, path: Path) -> None:
    """Raise ModelError for a buffer where the program's target has no addresses."""
    try:
        board = registry().target(program.target).board
    except UnknownTargetError:
        return  # of no consequence as long as the program is only shown
    for buffer in program.buffers:
        if (
            buffer.offset is not None
            and buffer.offset + buffer.size_bytes > board.largest_array_bytes
        ):
            raise ModelError(
                f"{path}: buffer %{buffer.name} ends at byte {buffer.offset + buffer.size_bytes:,} of "
                f"memory '{buffer.memory}': expected at most {board.largest_array_bytes:,}, the largest "
                f"array on {program.target}"
            )


def is_text(data: bytes, path: Path) -> bool:
    """Whether a model file is IR text: it starts so, or at least its name and not its content says so."""
    if registry().importer_of(data) is not None:
        return False
    return _first_word(data) in (b"graph", b"program") or path.suffix.lower() == TEXT_SUFFIX


def is_program(data: bytes) -> bool:
    """Whether the text starts as a Program does, not as a Graph."""
    return _first_word(data) == b"program"


def _first_word(data: bytes) -> bytes:
    """The first word behind blanks and comments."""
    found = _FIRST_WORD.match(data[:_HEAD_BYTES])
    return found[1] if found else b""


def _parsed(parse: Callable[[str], _Parsed], data: bytes, path: Path) -> _Parsed:
    try:
        return parse(data.decode("utf-8", "replace"))
    except (ParseError, GraphError) as error:
        raise ModelError(f"{path}: {error}") from error
