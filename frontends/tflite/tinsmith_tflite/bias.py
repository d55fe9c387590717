"""What TFLite demands of an integer bias: its kernels never read scale or zero point of one, but its
checks refuse some that contradict the other operands.
"""

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value

from tinsmith_tflite.context import OperatorContext

_BIAS = 2
_LARGEST_DIFFERENCE = 0.02  # of the result's scale, see GetQuantizedConvolutionMultipler


def convolution_bias(
    context: OperatorContext, source: Value, *, may_be_narrow: bool = False
) -> Value | None:
    """The bias of a convolution: its only zero point must be 0. may_be_narrow: see `OperatorContext.bias`."""
    bias = context.bias(source, may_be_narrow=may_be_narrow)
    if bias is not None and source.type.dtype is not DType.FLOAT32:
        _, zero_point = _stored(context, _BIAS)
        if zero_point != 0:
            raise context.error(f"expected a bias with zero point 0, got {zero_point}")
    return bias


def fully_connected_bias(context: OperatorContext, source: Value) -> Value | None:
    """The bias of FULLY_CONNECTED: its only scale must be about that of input times weights.

    Several scales, and none, count as 0, on both sides.
    """
    bias = context.bias(source, may_be_narrow=True)
    if bias is None or source.type.dtype is DType.FLOAT32:
        return bias
    scales = [_stored(context, position)[0] for position in range(_BIAS + 1)]
    product, scale = scales[0] * scales[1], scales[_BIAS]
    result = context.output.type.quantization
    if result is None or abs(product - scale) <= _LARGEST_DIFFERENCE * result.scales[0]:
        return bias
    if product == 0:
        raise context.error(
            f"expected a bias of one scale per channel, as weights, got {scale:.9g}"
        )
    raise context.error(
        f"expected a bias of scale {product:.9g} (input times weights), got {scale or 'none':.9}"
    )


def _stored(context: OperatorContext, position: int) -> tuple[float, int]:
    """Scale and zero point of an input if it has one of each, else zeros, as in TFLite."""
    quantization = context.stored_quantization(position)
    if quantization is None or (len(quantization.scales), len(quantization.zero_points)) != (1, 1):
        return 0.0, 0
    return quantization.scales[0], quantization.zero_points[0]
