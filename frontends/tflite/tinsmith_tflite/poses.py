"""Converter of PosenetDecoderOp, the custom operator that ends Coral's networks which look for people."""

from collections.abc import Mapping

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Dequantize, Poses

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import FLOATS, Rule

_MOST = 1 << 16


def posenet_decoder(context: OperatorContext) -> Conversion:
    """PosenetDecoderOp: integers become float32 first."""
    if len(context.operator.inputs) != 3 or len(context.operator.outputs) != 4:
        raise context.unsupported(
            "expected keypoints alone, got masks of bodies (a fourth input, a fifth output), too; leave them out of "
            "the model"
        )
    operands = [_real(context, position) for position in range(3)]
    numbers = context.custom_numbers()
    counts = [int(numbers.get(name, 0)) for name in ("max_detections", "stride")]
    if not 1 <= min(counts) <= max(counts) <= _MOST:
        raise context.error(f"expected max_detections and stride from 1 to {_MOST}, got {counts}")
    operator = Poses(
        max_detections=counts[0],
        stride=counts[1],
        score_threshold=float(np.float32(numbers.get("score_threshold", 0.0))),
        nms_radius=float(np.float32(numbers.get("nms_radius", 0.0))),
    )
    context.further_results(operator, operands)
    return operator, operands


def _real(context: OperatorContext, position: int) -> Value:
    value = context.value(position)
    is_real = value.type.dtype is DType.FLOAT32
    return value if is_real else context.step(Dequantize(), [value])


RULES: Mapping[str, Rule] = {
    "CUSTOM 'PosenetDecoderOp'": Rule(
        1, (3, 4), "", (Poses,), posenet_decoder, FLOATS, outputs=(4, 5)
    ),
}
