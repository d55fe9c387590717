"""Detections: boxes with scores, and which of them count."""

from tinsmith_c import float_literal
from tinsmith_ir.operators import Detections
from tinsmith_lowering import Emission, Layer, Scope, Signature

from tinsmith_reference.common import FLOAT32, emit_with_scratch, kernel

_FLOATS_OF_A_BOX = 5


def scratch_bytes(layer: Layer) -> int:
    """Of each box its sides and its score."""
    return _FLOATS_OF_A_BOX * layer.input(0).shape[1] * layer.output.dtype.size_bytes


def emit(layer: Layer, scope: Scope) -> Emission:
    """float32."""
    operator = layer.operator_as(Detections)
    _, boxes, depth = layer.input(0).shape
    fields = {
        "boxes": boxes,
        "encoding_depth": depth,
        "classes": operator.classes,
        "score_depth": layer.input(1).shape[2],
        "max_detections": operator.max_detections,
        "detections_per_class": operator.detections_per_class,
        "kept_classes": operator.kept_classes,
        "by_class": int(operator.by_class),
        "rows": layer.output.shape[1],
        "score_threshold": float_literal(operator.score_threshold),
        "overlap_threshold": float_literal(operator.overlap_threshold),
        "y_scale": float_literal(operator.y_scale),
        "x_scale": float_literal(operator.x_scale),
        "height_scale": float_literal(operator.height_scale),
        "width_scale": float_literal(operator.width_scale),
    }
    return emit_with_scratch("tinsmith_detections_f32", fields, layer, scope)


KERNELS = (
    kernel(
        "tinsmith_detections_f32",
        Detections,
        Signature((FLOAT32,) * 3, FLOAT32),
        emit,
        scratch_bytes=scratch_bytes,
    ),
)
