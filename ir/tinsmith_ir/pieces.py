"""Tensors that come in pieces along one axis, one in each run: how whole ones are cut, and what the last is part of."""

from collections.abc import Mapping, Sequence

import numpy as np

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.escape import print_name
from tinsmith_ir.graph import Array, Value
from tinsmith_ir.printer import print_type
from tinsmith_ir.types import TensorType


@checked
def piece_axis(whole: TensorType, piece: TensorType) -> int | None:
    """The axis along which `piece` is shorter than `whole`; None if both are one type.

    Raises GraphError if they differ in anything else.
    """
    if whole == piece:
        return None
    is_like = len(whole.shape) == len(piece.shape) and whole.with_shape(piece.shape) == piece
    pairs = list(zip(whole.shape, piece.shape, strict=is_like)) if is_like else []
    axes = [axis for axis, (long, short) in enumerate(pairs) if long != short]
    if len(axes) != 1 or pairs[axes[0]][0] < pairs[axes[0]][1]:
        raise GraphError(
            f"expected {print_type(whole)} or less of it along one axis, got {print_type(piece)}"
        )
    return axes[0]


@checked
def check_pieces(whole: Sequence[Value], pieces: Sequence[Value]) -> None:
    """Raise GraphError unless the values have the same names, and each type is one of a piece; see `piece_axis`."""
    if [value.name for value in whole] != [value.name for value in pieces]:
        raise GraphError(f"expected {_names(whole)}, got {_names(pieces)}")
    for old, new in zip(whole, pieces, strict=True):
        try:
            piece_axis(old.type, new.type)
        except GraphError as error:
            raise GraphError(f"{print_name(old.name)}: {error}") from error


@checked
def cut_in_pieces(
    whole: Sequence[Value], pieces: Sequence[Value], inputs: Mapping[str, Array]
) -> list[dict[str, Array]]:
    """The inputs of one run after another, of those for the whole, by name.

    Pieces are counted from the end; what the first one has more than there is left is filled with zeros. An input that
    has no pieces comes whole each time. Raises GraphError for types that `check_pieces` refuses.
    """
    cut = {
        old.name: _cut(inputs[old.name], old, new) for old, new in zip(whole, pieces, strict=True)
    }
    runs = max((len(found) for found in cut.values()), default=1)
    return [
        {name: found[run] if len(found) == runs else found[-1] for name, found in cut.items()}
        for run in range(runs)
    ]


def _cut(array: Array, whole: Value, piece: Value) -> list[Array]:
    axis = piece_axis(whole.type, piece.type)
    if axis is None:
        return [array]
    size = piece.type.shape[axis]
    missing = -array.shape[axis] % size
    widths = [(missing if at == axis else 0, 0) for at in range(array.ndim)]
    zero = 0 if piece.type.quantization is None else piece.type.quantization.zero_point
    filled = np.pad(array, widths, constant_values=zero)
    count = filled.shape[axis] // size
    return [np.ascontiguousarray(part) for part in np.split(filled, count, axis=axis)]


@checked
def last_rows(array: Array, whole: Value, piece: Value) -> Array:
    """What of a whole result its last piece is. Raises GraphError for types that `piece_axis` refuses."""
    axis = piece_axis(whole.type, piece.type)
    if axis is None:
        return array
    start = array.shape[axis] - piece.type.shape[axis]
    return np.ascontiguousarray(np.take(array, range(start, array.shape[axis]), axis=axis))


def _names(values: Sequence[Value]) -> str:
    return ", ".join(print_name(value.name) for value in values) or "none"
