"""From tensors as stored to types of the IR, refusing what has no honest meaning there."""

import math
from dataclasses import replace

from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.problems import RefusedError
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_tflite.model_file import FileQuantization, FileTensor

LARGEST_BYTES = 2**31 - 1
_DTYPES = {
    "INT8": DType.INT8,
    "UINT8": DType.UINT8,
    "INT16": DType.INT16,
    "INT32": DType.INT32,
    "INT64": DType.INT64,
    "FLOAT32": DType.FLOAT32,
    "BOOL": DType.BOOL,
}
_BLOCKWISE = 2
"""Of QuantizationDetails in schemas later than 2.14's."""
_HINTS = {
    "INT4": "only weights of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED beside INT8 may be INT4",
    "FLOAT16": "only constants may be float16; convert the model with float32 activations",
}


def tensor_type(tensor: FileTensor, model: str) -> TensorType:
    """The type of `tensor`, with checked shape and quantization.

    Raises UnsupportedError for what TFLite allows and Tinsmith does not have (other dtypes, unknown
    dimensions, sparse tensors, variables), ModelError for what is wrong in itself.
    """
    where = f"{model}: {tensor}"
    _refuse_variable(tensor, model)
    dtype = _DTYPES.get(tensor.type_name)
    if dtype is None:
        hint = _HINTS.get(tensor.type_name, "leave such tensors out of the model")
        raise RefusedError(
            model,
            str(tensor),
            f"got {tensor.type_name}, expected one of {', '.join(_DTYPES)}; {hint}",
        )
    shape = dense_shape(tensor, model)
    _check_size(shape, dtype, where)
    if not dtype.is_integer or tensor.quantization is None:
        return TensorType(shape, dtype)
    quantization = _quantization(tensor.quantization, shape, dtype, where)
    if dtype is DType.UINT8 and quantization is not None and quantization.axis is not None:
        raise UnsupportedError(
            f"{where}: expected UINT8 with one scale, got {len(quantization.scales)}; TFLite has "
            "scales per channel of INT8 only"
        )
    return TensorType(shape, dtype, quantization)


def bias_type(tensor: FileTensor, model: str) -> TensorType:
    """The type of an int32 or int64 bias as Tinsmith keeps it: int32, in one dimension.

    No kernel reads its scales, which are those of the input times the weights. They are kept where
    they say something; TFLite's files have axes here that the bias does not have, and scales of 0.
    """
    where = f"{model}: {tensor}"
    _refuse_variable(tensor, model)
    shape = (math.prod(dense_shape(tensor, model)),)
    _check_size(shape, DType.INT32, where)
    stored = tensor.quantization
    if stored is None or not all(_is_scale(scale) for scale in stored.scales):
        return TensorType(shape, DType.INT32)
    own_axis = replace(stored, axis=0)
    return TensorType(shape, DType.INT32, _quantization(own_axis, shape, DType.INT32, where))


def dense_shape(tensor: FileTensor, model: str) -> tuple[int, ...]:
    """The shape of a dense tensor of whatever dtype, if every dimension is at least 1."""
    where = f"{model}: {tensor}"
    if tensor.is_sparse:
        raise RefusedError(
            model, str(tensor), "expected a dense tensor, got a sparse one; densify it first"
        )
    if -1 in tensor.shape:
        raise _dynamic(tensor.shape, tensor, model)
    if any(size < 1 for size in tensor.shape):
        raise ModelError(
            f"{where}: expected dimensions of at least 1, got shape {list(tensor.shape)}"
        )
    return tensor.shape


def check_input_signature(tensor: FileTensor, model: str) -> None:
    """Refuse graph inputs of unknown size; an unknown batch is taken as what the shape says.

    The shape stored for an unknown dimension is a mere placeholder of 1.
    """
    if tensor.signature and len(tensor.signature) != len(tensor.shape):
        raise ModelError(
            f"{model}: {tensor}: expected a shape signature of {len(tensor.shape)} dimensions, got "
            f"{list(tensor.signature)}"
        )
    if any(size < 0 for size in tensor.signature[1:]):
        raise _dynamic(tensor.signature, tensor, model)


def may_be(shape: tuple[int, ...], tensor: FileTensor) -> bool:
    """Whether the signature of `tensor` leaves dimensions open and `shape` fills them."""
    return (
        -1 in tensor.signature
        and len(shape) == len(tensor.signature)
        and all(known in (-1, size) for known, size in zip(tensor.signature, shape, strict=True))
    )


def _refuse_variable(tensor: FileTensor, model: str) -> None:
    if tensor.is_variable:
        raise RefusedError(
            model, str(tensor), "variables (state kept between runs) are not supported"
        )


def _check_size(shape: tuple[int, ...], dtype: DType, where: str) -> None:
    size_bytes = math.prod(shape) * dtype.size_bytes
    if size_bytes > LARGEST_BYTES:
        raise ModelError(
            f"{where}: expected at most {LARGEST_BYTES} bytes, got {size_bytes} for {list(shape)}"
        )


def _is_scale(number: float) -> bool:
    return math.isfinite(number) and number > 0


def _dynamic(shape: tuple[int, ...], tensor: FileTensor, model: str) -> UnsupportedError:
    return RefusedError(
        model,
        str(tensor),
        f"expected a fixed shape, got {list(shape)} with an unknown dimension; give the model's inputs "
        "a fixed shape when converting it",
    )


def _quantization(
    stored: FileQuantization, shape: tuple[int, ...], dtype: DType, where: str
) -> Quantization | None:
    """Checked scales and zero points; None when the file has no scales."""
    if stored.details == _BLOCKWISE:
        raise UnsupportedError(
            f"{where}: scales of blocks are not supported in TFLite files; give the network as ONNX, whose "
            "DequantizeLinear has block_size, or quantize it per channel"
        )
    if stored.details:
        raise UnsupportedError(f"{where}: custom quantization is not supported")
    if not stored.scales:
        return None
    for scale in stored.scales:
        if not _is_scale(scale):
            raise ModelError(f"{where}: expected finite scales above 0, got {scale}")
    zero_points = _zero_points(stored, dtype, where)
    if len(stored.scales) == 1:
        return Quantization(stored.scales, zero_points)
    if not 0 <= stored.axis < len(shape) or shape[stored.axis] != len(stored.scales):
        raise ModelError(
            f"{where}: expected one scale, or one per index of an axis of {list(shape)}, got "
            f"{len(stored.scales)} scales for axis {stored.axis}"
        )
    return Quantization(stored.scales, zero_points, stored.axis)


def _zero_points(stored: FileQuantization, dtype: DType, where: str) -> tuple[int, ...]:
    """One zero point per scale; a single one in the file stands for all, none for zeros."""
    zero_points = stored.zero_points or (0,)
    if len(zero_points) == 1:
        zero_points *= len(stored.scales)
    if len(zero_points) != len(stored.scales):
        raise ModelError(
            f"{where}: expected as many zero points as scales ({len(stored.scales)}), got "
            f"{len(zero_points)}"
        )
    low, high = dtype.integer_range
    for zero_point in zero_points:
        if not low <= zero_point <= high:
            raise ModelError(
                f"{where}: expected zero points in [{low}, {high}] ({dtype.value}), got {zero_point}"
            )
    return zero_points
