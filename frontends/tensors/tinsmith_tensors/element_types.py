"""Element types of known tensors, which are all that NumPy has, and what a graph holds such elements as."""

from collections.abc import Mapping

import numpy as np
from tinsmith_ir.dtypes import COMPUTED_DTYPES, DType
from tinsmith_ir.errors import UnsupportedError

GRAPH_DTYPES: Mapping[np.dtype[np.generic], DType] = {
    dtype.numpy: dtype for dtype in COMPUTED_DTYPES
}
_WIDENED: Mapping[str, DType] = {
    "int2": DType.INT8,
    "int4": DType.INT8,
    "uint2": DType.INT8,
    "uint4": DType.INT8,
    "uint16": DType.INT32,
    "uint32": DType.INT64,
    "uint64": DType.INT64,
}
"""Integers that a graph lacks, and those that hold them all, but for the largest of 64 bits."""


def graph_dtype(dtype: np.dtype[np.generic]) -> DType:
    """What computed elements are: floats of any width float32, integers that a graph lacks wider ones.

    Raises UnsupportedError for elements that are no real numbers.
    """
    if dtype in GRAPH_DTYPES:
        return GRAPH_DTYPES[dtype]
    if dtype.name in _WIDENED:
        return _WIDENED[dtype.name]
    # Floats of 8 and 16 bits, which others bring to NumPy, have kinds of their own.
    if dtype.kind == "f" or dtype.name.startswith(("bfloat", "float")):
        return DType.FLOAT32
    names = ", ".join(each.value for each in COMPUTED_DTYPES)
    raise UnsupportedError(f"expected elements of {names}, got {dtype}")
