"""The names of TFLite's enumerations, and the only place that touches the untyped `tflite` package."""

import importlib
from typing import Any


def _names(enumeration: str) -> dict[int, str]:
    """Value -> name, of a class of constants such as tflite.BuiltinOperator."""
    constants: Any = getattr(importlib.import_module("tflite"), enumeration)
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
