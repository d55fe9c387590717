"""memcpy, memmove and memset of the boards' runtime: every alignment, many lengths, and their speed."""

from collections.abc import Callable

import pytest
from tinsmith_emulators import RunResult, run
from tinsmith_target import target, targets
from tinsmith_toolchains import Firmware

BuildProgram = Callable[..., Firmware]

_BOARDS = [item.name for item in targets() if item.name != "host"]
_LENGTHS = (0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 18, 19, 31, 32, 33, 63, 64, 65, 100, 257, 512)
_START = bytes((i * 7 + (i >> 8)) & 255 for i in range(2048))
_COPY, _MOVE, _FILL = 0, 1, 2
_SECOND_HALF = 1024


@pytest.mark.parametrize("name", _BOARDS)
def test_copies_and_fills_are_those_of_c(name: str, build_program: BuildProgram) -> None:
    commands = [
        _command(function, to, source, length)
        for length in _LENGTHS
        for to in range(4)
        for source in range(4)
        for function in (_COPY, _FILL)
    ]

    result = _run(name, commands, build_program)

    for command, output in zip(commands, result.outputs, strict=True):
        assert output == _expected(command), command[:6]


@pytest.mark.parametrize("name", _BOARDS)
def test_overlapping_moves_are_those_of_c(name: str, build_program: BuildProgram) -> None:
    commands = [
        _command(_MOVE, to, source, length)
        for length in (0, 1, 16, 33, 100)
        for to, source in ((0, 0), (0, 1), (1, 0), (0, 4), (4, 0), (8, 40), (40, 8), (120, 0))
    ]

    result = _run(name, commands, build_program)

    for command, output in zip(commands, result.outputs, strict=True):
        assert output == _expected(command), command[:6]


@pytest.mark.parametrize(
    ("name", "most_per_byte"),
    [
        ("cortex-m0", 0.8),
        ("cortex-m3", 0.25),
        ("cortex-m4", 0.25),
        ("cortex-m55", 0.35),
        ("riscv32", 0.8),
        ("pulp-open", 0.8),
    ],
)
def test_aligned_copy_of_512_bytes_moves_words(
    name: str, most_per_byte: float, build_program: BuildProgram
) -> None:
    result = _run(name, [_command(_COPY, 0, 0, 512)], build_program)

    assert result.layer_instructions[1] / 512 < most_per_byte


def _command(function: int, to: int, source: int, length: int) -> bytes:
    return bytes([function, to, source, 0xA5, length & 255, length >> 8]).ljust(64, b"\0")


def _expected(command: bytes) -> bytes:
    function, to, source, fill, low, high = command[:6]
    length = low + 256 * high
    if function == _COPY:
        to += _SECOND_HALF
    data = bytes([fill]) * length if function == _FILL else _START[source : source + length]
    return _START[:to] + data + _START[to + length :]


def _run(name: str, commands: list[bytes], build_program: BuildProgram) -> RunResult:
    firmware = build_program(name, "memory.c", "memory_harness_model.c", layer_hook=True)
    return run(firmware, target(name), commands)
