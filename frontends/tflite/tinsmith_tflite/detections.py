"""Converter of TFLite_Detection_PostProcess, the custom operator that ends networks of TensorFlow's detection API."""

from collections.abc import Mapping

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Dequantize, Detections

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import FLOATS, Rule

_MOST = 1 << 20


def detection_post_process(context: OperatorContext) -> Conversion:
    """TFLite_Detection_PostProcess: integers become float32 first, as in TFLite."""
    operands = [_real(context, position) for position in range(3)]
    numbers = context.custom_numbers()

    def count(name: str, otherwise: int) -> int:
        found = int(numbers.get(name, otherwise))
        if not 1 <= found <= _MOST:
            raise context.error(f"expected {name} from 1 to {_MOST}, got {found}")
        return found

    def real(name: str) -> float:
        return float(np.float32(numbers.get(name, 0.0)))

    operator = Detections(
        classes=count("num_classes", 0),
        max_detections=count("max_detections", 0),
        classes_per_detection=count("max_classes_per_detection", 0),
        detections_per_class=count("detections_per_class", 100),
        by_class=bool(numbers.get("use_regular_nms", 0)),
        score_threshold=real("nms_score_threshold"),
        overlap_threshold=real("nms_iou_threshold"),
        y_scale=real("y_scale"),
        x_scale=real("x_scale"),
        height_scale=real("h_scale"),
        width_scale=real("w_scale"),
    )
    context.further_results(operator, operands)
    return operator, operands


def _real(context: OperatorContext, position: int) -> Value:
    value = context.value(position)
    is_real = value.type.dtype is DType.FLOAT32
    return value if is_real else context.step(Dequantize(), [value])


RULES: Mapping[str, Rule] = {
    "CUSTOM 'TFLite_Detection_PostProcess'": Rule(
        1, (3, 3), "", (Detections,), detection_post_process, FLOATS, outputs=(4, 4)
    ),
}
