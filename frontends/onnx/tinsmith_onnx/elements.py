"""Element types of ONNX, and what they are in a graph."""

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import TensorProto, helper
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError

_GRAPH: Mapping[int, tuple[DType, str]] = {
    TensorProto.FLOAT: (DType.FLOAT32, ""),
    TensorProto.FLOAT16: (DType.FLOAT32, "float16 is computed as float32"),
    TensorProto.BFLOAT16: (DType.FLOAT32, "bfloat16 is computed as float32"),
    TensorProto.DOUBLE: (DType.FLOAT32, "float64 is computed as float32"),
    TensorProto.INT8: (DType.INT8, ""),
    TensorProto.UINT8: (DType.UINT8, ""),
    TensorProto.INT16: (DType.INT16, ""),
    TensorProto.UINT16: (DType.INT32, "uint16 is computed as int32"),
    TensorProto.INT32: (DType.INT32, ""),
    TensorProto.UINT32: (DType.INT64, "uint32 is computed as int64"),
    TensorProto.INT64: (DType.INT64, ""),
    TensorProto.UINT64: (DType.INT64, "uint64 is computed as int64"),
    TensorProto.BOOL: (DType.BOOL, ""),
}


def name_of(element_type: int) -> str:
    """As the format calls it, for messages."""
    try:
        return TensorProto.DataType.Name(element_type).lower()
    except ValueError:
        return f"element type {element_type}"


def graph_dtype(element_type: int) -> DType:
    """What computed elements of that type are in a graph.

    Raises UnsupportedError for types that have no arithmetic there.
    """
    if element_type not in _GRAPH:
        raise UnsupportedError(
            f"expected elements that a graph can compute, got {name_of(element_type)}"
        )
    return _GRAPH[element_type][0]


def remark(element_type: int) -> str:
    """What a user should know of inputs of that type; "" if they are what they are in the file."""
    return _GRAPH.get(element_type, (None, ""))[1]


def numpy_dtype(element_type: int) -> np.dtype[np.generic]:
    """Of known elements of that type. Raises UnsupportedError if there is none."""
    try:
        found = helper.tensor_dtype_to_np_dtype(element_type)
    except (KeyError, TypeError, ValueError) as error:
        raise UnsupportedError(f"expected numbers, got {name_of(element_type)}") from error
    if found.kind == "c":
        raise UnsupportedError(f"expected real numbers, got {name_of(element_type)}")
    return found


def is_tensor(type_: onnx.TypeProto) -> bool:
    """Whether it is a tensor, not a sequence, a map or an optional one."""
    return type_.WhichOneof("value") == "tensor_type"
