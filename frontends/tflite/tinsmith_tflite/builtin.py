"""The names of TFLite's schema, and the only place of the importer that touches the untyped `tflite` package.

What a field of a table is (its slot, its type, its default) is asked of the functions of the package that write it.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

_tflite: Any = importlib.import_module("tflite")
_FORMATS = {
    "PrependBoolSlot": "?",
    "PrependInt8Slot": "b",
    "PrependUint8Slot": "B",
    "PrependInt32Slot": "i",
    "PrependUint32Slot": "I",
    "PrependInt64Slot": "q",
    "PrependUint64Slot": "Q",
    "PrependFloat32Slot": "f",
    "PrependUOffsetTRelativeSlot": "I",
}


def _names(enumeration: str) -> dict[int, str]:
    """Value -> name, of a class of constants such as tflite.BuiltinOperator."""
    constants: Any = getattr(_tflite, enumeration)
    # From Python 3.13 on every class has a number of its own, __firstlineno__.
    names = [name for name in dir(constants) if not name.startswith("__")]
    numbers = {name: getattr(constants, name) for name in names}
    return {number: name for name, number in numbers.items() if isinstance(number, int)}


_OPERATORS = _names("BuiltinOperator")
_OPTIONS = _names("BuiltinOptions")
_ACTIVATIONS = _names("ActivationFunctionType")
_PADDINGS = _names("Padding")
_TENSOR_TYPES = _names("TensorType")


def operator_name(code: int) -> str:
    """`CONV_2D` for 3; `operator 9999` for a code that the schema does not know."""
    return _OPERATORS.get(code, f"operator {code}")


def options_name(code: int) -> str:
    """`Conv2DOptions` for 1, `NONE` for 0."""
    return _OPTIONS.get(code, f"options {code}")


def activation_name(code: int) -> str:
    """`RELU` for 1, `NONE` for 0."""
    return _ACTIVATIONS.get(code, f"activation {code}")


def padding_name(code: int) -> str:
    """`SAME` for 0, `VALID` for 1."""
    return _PADDINGS.get(code, f"padding {code}")


def tensor_type_name(code: int) -> str:
    """`FLOAT32` for 0, `INT8` for 9."""
    return _TENSOR_TYPES.get(code, f"type {code}")


@dataclass(frozen=True)
class Field:
    """A field of a table: its place in the vtable, and its type in the letters of `struct`.

    format: of a number; of text, of a vector or of another table, that of the offset to it.
    item_bytes: size of an element of a vector; 0 for what is none.
    """

    slot: int
    format: str
    default: int | float
    item_bytes: int


@cache
def field(table: str, name: str) -> Field:
    """`StrideH` of `Conv2DOptions`, as schema.fbs calls them in CamelCase."""
    written = _Record()
    getattr(_tflite, f"{table}Add{name}")(written, 0)
    method, (slot, _, default) = written.call
    begin = getattr(_tflite, f"{table}Start{name}Vector", None)
    if begin is None:
        return Field(slot, _FORMATS[method], default, 0)
    begin(written, 0)
    _, (item_bytes, *_) = written.call
    return Field(slot, _FORMATS[method], default, item_bytes)


class _Record:
    """Stands for a flatbuffers.Builder. call: the last method that was asked for, and its arguments."""

    call: tuple[str, tuple[Any, ...]]

    def __getattr__(self, method: str) -> Callable[..., None]:
        def record(*arguments: object) -> None:
            self.call = method, arguments

        return record
