"""Instructions that decompressing takes, about: counted on an emulated Cortex-M4."""

from tinsmith_ir.compression import Compression
from tinsmith_ir.graph import Array
from tinsmith_ir.program import Copy, Program

_OF_A_PART = 150
_OF_A_COPIED_ELEMENT = 3
_OF_AN_INTEGER = 22
_OF_A_BYTE = 3
_OF_A_CODE_BYTE = 8


def call_cost(parts: int) -> int:
    """Of so many calls, and what prepares them, for one."""
    return parts * 2 * _OF_A_PART


def copy_cost(program: Program, copy: Copy) -> int:
    """Of a part's result to where it belongs, or of an operand."""
    return _OF_A_PART + program.type_of(copy.source).elements * _OF_A_COPIED_ELEMENT


def decompression_cost(code: Array, size: int, compression: Compression) -> int:
    """Of `size` integers."""
    if compression is Compression.RICE:
        return size * _OF_AN_INTEGER
    return size * _OF_A_BYTE + code.size * _OF_A_CODE_BYTE
