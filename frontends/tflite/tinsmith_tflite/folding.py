"""Operators on integers and bool that are known while importing, such as parts of shapes, computed there.

Where a dimension was unknown when a model was written, converters compute the shape of a RESHAPE by
SHAPE, STRIDED_SLICE and PACK; here all shapes are fixed, so nothing of that is left to run. Nor is of the
counters and conditions of loops that are unrolled.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import ModelError, UnsupportedError

from tinsmith_tflite.context import options_of
from tinsmith_tflite.flatbuffer import Table
from tinsmith_tflite.model_file import FileOperator, ModelFile
from tinsmith_tflite.values import KNOWN_TYPES, MOST_ATTRIBUTE_ELEMENTS, Values

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class FoldRule:
    """How one kind of operator is computed.

    versions: the highest whose meaning is known. options: name of its options table, "" for none.
    reads_shape: it wants the shape of its only input, of whatever type, and not the elements.
    """

    versions: int
    options: str
    compute: Callable[["_Folding"], Integers]
    reads_shape: bool = False


@dataclass(frozen=True)
class _Folding:
    """An operator under computation; arrays are the elements of its inputs, of bool 0 and 1."""

    operator: FileOperator
    gives_bool: bool
    options: Table
    arrays: tuple[Integers, ...]

    @cached_property
    def first(self) -> Integers:
        return self.arrays[0]

    def list(self, position: int) -> list[int]:
        return [int(element) for element in self.arrays[position].ravel()]

    def scalar(self, position: int) -> int:
        return int(self.arrays[position].reshape(()))

    def without_activation(self, result: Integers) -> Integers:
        if self.options.integer("FusedActivationFunction") != 0:
            raise UnsupportedError("expected no fused activation of integers")
        return result


class Foldable:
    """Which operators `fold` can compute, asked in the order of execution, as far as types and inputs tell."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._known: dict[int, bool] = {}

    def takes(self, operator: FileOperator) -> bool:
        """Whether `operator` is computed while importing; from then on its result counts as known."""
        rule = FOLD_RULES.get(operator.kind)
        if rule is None or len(operator.outputs) != 1 or not operator.inputs:
            return False
        if not _is_small(self._values.file, operator.outputs[0]):
            return False
        inputs = operator.inputs
        if not rule.reads_shape and not all(
            index != -1 and self._is_known(index) for index in inputs
        ):
            return False
        self._known[operator.outputs[0]] = True
        return True

    def _is_known(self, index: int) -> bool:
        if index not in self._known:
            is_small = _is_small(self._values.file, index)
            self._known[index] = is_small and self._values.has_data(index)
        return self._known[index]


def fold(values: Values, operator: FileOperator) -> None:
    """Compute one of the operators that `Foldable` takes; its result counts as a constant."""
    rule = FOLD_RULES[operator.kind]
    where = f"{values.file.name}: {operator}"
    if not 1 <= operator.version <= rule.versions:
        raise UnsupportedError(
            f"{where}: expected version 1 to {rule.versions}, got {operator.version}"
        )
    if rule.reads_shape:
        arrays = (np.array(values.shape(operator.inputs[0]), np.int64),)
    else:
        arrays = tuple(values.known_array(index) for index in operator.inputs)
    gives_bool = values.file.tensor(operator.outputs[0]).type_name == "BOOL"
    options = options_of(values.file, operator, rule.options)
    folding = _Folding(operator, gives_bool, options, arrays)
    try:
        result = np.asarray(rule.compute(folding), np.int64)
    except UnsupportedError as error:
        raise UnsupportedError(f"{where}: {error}") from error
    except (IndexError, ValueError) as error:
        raise ModelError(f"{where}: expected operands that fit together: {error}") from error
    values.define_integers(operator.outputs[0], result, str(operator))


def _is_small(file: ModelFile, index: int) -> bool:
    tensor = file.tensor(index)
    return (
        tensor.type_name in KNOWN_TYPES
        and min(tensor.shape, default=0) >= 0
        and math.prod(tensor.shape) <= MOST_ATTRIBUTE_ELEMENTS
    )


def _strided_slice(folding: _Folding) -> Integers:
    options = folding.options
    begin_mask, end_mask, ellipsis, new_axis, shrink = (
        options.integer(f"{what}Mask")
        for what in ("Begin", "End", "Ellipsis", "NewAxis", "ShrinkAxis")
    )
    if ellipsis or new_axis or options.boolean("Offset"):
        raise UnsupportedError("expected no ellipsis, new axis or offset in the slice of a shape")
    begins, ends, strides = (folding.list(position) for position in (1, 2, 3))
    selected: list[int | slice] = []
    for axis, (begin, end, stride) in enumerate(zip(begins, ends, strides, strict=True)):
        start = None if begin_mask >> axis & 1 else begin
        stop = None if end_mask >> axis & 1 else end
        if shrink >> axis & 1:
            selected.append((-1 if stride < 0 else 0) if start is None else start)
        else:
            selected.append(slice(start, stop, stride))
    return folding.first[tuple(selected)]


def _slice(folding: _Folding) -> Integers:
    """Begin and size of each axis; -1 is the rest."""
    begins, sizes = folding.list(1), folding.list(2)
    ends = [
        length if size == -1 else begin + size
        for begin, size, length in zip(begins, sizes, folding.first.shape, strict=True)
    ]
    if any(begin < 0 or end < begin for begin, end in zip(begins, ends, strict=True)):
        raise ValueError(f"begin {begins}, size {sizes}")
    return folding.first[tuple(slice(*ends_) for ends_ in zip(begins, ends, strict=True))]


def _gather(folding: _Folding) -> Integers:
    if folding.options.integer("BatchDims"):
        raise UnsupportedError("expected no batch dimensions in the gathering of a shape")
    indices = folding.arrays[1]
    if indices.size and indices.min() < 0:
        raise IndexError(f"index {indices.min()}")
    return np.take(folding.first, indices, axis=folding.options.integer("Axis"))


def _fill(folding: _Folding) -> Integers:
    shape = folding.list(0)
    if min(shape, default=0) < 0 or math.prod(shape) > MOST_ATTRIBUTE_ELEMENTS:
        raise ValueError(f"shape {shape}")
    return np.full(shape, folding.scalar(1), np.int64)


def _cast(folding: _Folding) -> Integers:
    return (folding.first != 0).astype(np.int64) if folding.gives_bool else folding.first


def _broadcast_args(folding: _Folding) -> Integers:
    shapes = [tuple(folding.list(position)) for position in (0, 1)]
    return np.array(np.broadcast_shapes(*shapes), np.int64)


def _range(folding: _Folding) -> Integers:
    """From the first to the second, which is left out, in steps of the third."""
    start, limit, step = (folding.scalar(position) for position in range(3))
    indices = range(start, limit, step)
    if len(indices) > MOST_ATTRIBUTE_ELEMENTS:
        raise ValueError(f"{len(indices)} elements")
    return np.array(indices, np.int64)


def _squeeze(folding: _Folding) -> Integers:
    return np.squeeze(folding.first, axis=folding.options.integers("SqueezeDims") or None)


def _reduce_prod(folding: _Folding) -> Integers:
    axes = tuple(folding.list(1))
    return np.prod(folding.first, axis=axes, keepdims=folding.options.boolean("KeepDims"))


def _sparse_to_dense(folding: _Folding) -> Integers:
    """Values, or one for all, at some places of a shape that is filled with another."""
    shape, values = folding.list(1), folding.arrays[2]
    if min(shape, default=0) < 0 or math.prod(shape) > MOST_ATTRIBUTE_ELEMENTS:
        raise ValueError(f"shape {shape}")
    places = folding.first.reshape(-1, len(shape))
    if places.size and places.min() < 0:
        raise IndexError(f"index {places.min()}")
    result = np.full(shape, folding.scalar(3), np.int64)
    result[tuple(places.T)] = values
    return result


def _comparison(
    options: str, compare: Callable[[Integers, Integers], NDArray[np.bool_]]
) -> FoldRule:
    return FoldRule(2, options, lambda f: compare(f.arrays[0], f.arrays[1]).astype(np.int64))


def _reshape(folding: _Folding) -> Integers:
    has_shape = len(folding.arrays) > 1
    shape = folding.list(1) if has_shape else folding.options.integers("NewShape")
    return folding.first.reshape(shape)


FOLD_RULES: Mapping[str, FoldRule] = {
    "ADD": FoldRule(5, "AddOptions", lambda f: f.without_activation(f.arrays[0] + f.arrays[1])),
    "CAST": FoldRule(7, "CastOptions", _cast),
    "CONCATENATION": FoldRule(
        4,
        "ConcatenationOptions",
        lambda f: f.without_activation(np.concatenate(f.arrays, axis=f.options.integer("Axis"))),
    ),
    "BROADCAST_ARGS": FoldRule(1, "", _broadcast_args),
    "EQUAL": _comparison("EqualOptions", np.equal),
    "EXPAND_DIMS": FoldRule(
        1, "ExpandDimsOptions", lambda f: np.expand_dims(f.first, tuple(f.list(1)))
    ),
    "FILL": FoldRule(4, "FillOptions", _fill),
    "GATHER": FoldRule(7, "GatherOptions", _gather),
    "GREATER": _comparison("GreaterOptions", np.greater),
    "GREATER_EQUAL": _comparison("GreaterEqualOptions", np.greater_equal),
    "LESS": _comparison("LessOptions", np.less),
    "LESS_EQUAL": _comparison("LessEqualOptions", np.less_equal),
    "LOGICAL_AND": FoldRule(1, "LogicalAndOptions", lambda f: f.arrays[0] & f.arrays[1]),
    "LOGICAL_NOT": FoldRule(1, "LogicalNotOptions", lambda f: 1 - f.first),
    "LOGICAL_OR": FoldRule(1, "LogicalOrOptions", lambda f: f.arrays[0] | f.arrays[1]),
    "MAXIMUM": FoldRule(4, "MaximumMinimumOptions", lambda f: np.maximum(f.arrays[0], f.arrays[1])),
    "MINIMUM": FoldRule(4, "MaximumMinimumOptions", lambda f: np.minimum(f.arrays[0], f.arrays[1])),
    "MUL": FoldRule(7, "MulOptions", lambda f: f.without_activation(f.arrays[0] * f.arrays[1])),
    "NOT_EQUAL": _comparison("NotEqualOptions", np.not_equal),
    "PACK": FoldRule(
        4, "PackOptions", lambda f: np.stack(f.arrays, axis=f.options.integer("Axis"))
    ),
    "RANGE": FoldRule(2, "RangeOptions", _range),
    "RANK": FoldRule(1, "RankOptions", lambda f: np.array(f.first.size), reads_shape=True),
    "REDUCE_PROD": FoldRule(2, "ReducerOptions", _reduce_prod),
    "RESHAPE": FoldRule(1, "ReshapeOptions", _reshape),
    "SHAPE": FoldRule(1, "ShapeOptions", lambda f: f.first, reads_shape=True),
    "SLICE": FoldRule(6, "SliceOptions", _slice),
    "SPARSE_TO_DENSE": FoldRule(3, "SparseToDenseOptions", _sparse_to_dense),
    "SQUEEZE": FoldRule(2, "SqueezeOptions", _squeeze),
    "STRIDED_SLICE": FoldRule(8, "StridedSliceOptions", _strided_slice),
    "SUB": FoldRule(5, "SubOptions", lambda f: f.without_activation(f.arrays[0] - f.arrays[1])),
    "WHERE": FoldRule(1, "WhereOptions", lambda f: np.argwhere(f.first)),
    "ZEROS_LIKE": FoldRule(1, "ZerosLikeOptions", lambda f: np.zeros_like(f.first)),
}
