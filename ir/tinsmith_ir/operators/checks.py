"""Conditions that several operators demand of their types, with the message of each."""

from collections.abc import Collection, Sequence

from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.types import Quantization, TensorType

QUANTIZED_DTYPES = (DType.INT8, DType.INT16)
CONVERTED_DTYPES = (*QUANTIZED_DTYPES, DType.UINT8)
"""Where networks begin and end there is uint8, too."""


def present(inputs: Sequence[TensorType | None], index: int, name: str) -> TensorType:
    """The type of a required operand; raises GraphError if it is absent."""
    type_ = inputs[index] if index < len(inputs) else None
    if type_ is None:
        raise GraphError(f"expected an operand '{name}', got none")
    return type_


def optional(inputs: Sequence[TensorType | None], index: int) -> TensorType | None:
    """The type of an optional operand."""
    return inputs[index] if index < len(inputs) else None


def check_rank(type_: TensorType, rank: int, name: str) -> None:
    """Raise GraphError unless `type_` has `rank` dimensions."""
    if len(type_.shape) != rank:
        raise GraphError(f"expected {name} of rank {rank}, got shape {type_.shape}")


def check_dtype(type_: TensorType, allowed: Collection[DType], name: str) -> None:
    """Raise GraphError unless the dtype of `type_` is one of `allowed`."""
    if type_.dtype not in allowed:
        names = ", ".join(dtype.value for dtype in allowed)
        raise GraphError(f"expected {name} of dtype {names}, got {type_.dtype.value}")


def check_quantized(type_: TensorType, name: str, *, may_be_shifted: bool = False) -> Quantization:
    """The per-tensor quantization of an integer tensor; raises GraphError without one.

    int16 must be symmetric, as TFLite demands of 16-bit activations, unless it may be shifted.
    """
    quantization = type_.quantization
    if quantization is None:
        raise GraphError(f"expected {name} with a quantization, got {type_.dtype.value} without")
    if quantization.axis is not None or len(quantization.scales) != 1:
        raise GraphError(f"expected {name} quantized per tensor, got per axis {quantization.axis}")
    if type_.dtype is DType.INT16 and quantization.zero_point != 0 and not may_be_shifted:
        raise GraphError(f"expected i16 {name} with zero point 0, got {quantization.zero_point}")
    return quantization


def are_quantized(*types: TensorType | None) -> bool:
    """True if all are there and quantized, so that parameters can be asked for."""
    return all(
        type_ is not None and type_.dtype in QUANTIZED_DTYPES and type_.quantization is not None
        for type_ in types
    )


def check_numbers(type_: TensorType, name: str, *, plain: Collection[DType] = ()) -> None:
    """Raise GraphError unless `type_` is float32, quantized int8 or int16, or a `plain` dtype
    without quantization.
    """
    check_dtype(type_, (DType.FLOAT32, *QUANTIZED_DTYPES, *plain), name)
    if type_.dtype in QUANTIZED_DTYPES and type_.dtype not in plain:
        check_quantized(type_, name)
    elif type_.quantization is not None:
        raise GraphError(f"expected {type_.dtype.value} {name} without quantization")


def check_same_quantization(first: TensorType, second: TensorType, what: str) -> None:
    """Raise GraphError unless both have the same quantization (or both none)."""
    if first.quantization != second.quantization:
        raise GraphError(
            f"expected the same quantization of {what}, "
            f"got {first.quantization} and {second.quantization}"
        )


def check_moved(input_: TensorType, output: TensorType) -> None:
    """Raise GraphError unless the result is quantized as the input, and not per axis: elements change places."""
    check_same_quantization(input_, output, "input and result")
    if input_.quantization is not None and input_.quantization.axis is not None:
        raise GraphError("expected an input that is not quantized per axis")
