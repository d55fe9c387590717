"""Poses: of maps of keypoints the people in an image."""

from tinsmith_c import float_literal
from tinsmith_ir.operators import Poses
from tinsmith_lowering import Emission, Layer, Scope, Signature

from tinsmith_reference.common import FLOAT32, emit_with_scratch, kernel

_FLOATS_OF_A_POSE = 53


def scratch_bytes(layer: Layer) -> int:
    """Of each pose its points, their scores and two of its own."""
    operator = layer.operator_as(Poses)
    return _FLOATS_OF_A_POSE * operator.max_detections * layer.output.dtype.size_bytes


def emit(layer: Layer, scope: Scope) -> Emission:
    """float32."""
    operator = layer.operator_as(Poses)
    _, height, width, _ = layer.input(0).shape
    fields = {
        "height": height,
        "width": width,
        "max_detections": operator.max_detections,
        "stride": float_literal(float(operator.stride)),
        "places_of_a_pixel": float_literal(operator.places_of_a_pixel),
        "score_threshold": float_literal(operator.score_threshold),
        "least_logit": float_literal(operator.least_logit),
        "squared_radius": float_literal(operator.squared_radius),
    }
    return emit_with_scratch("tinsmith_poses_f32", fields, layer, scope)


KERNELS = (
    kernel(
        "tinsmith_poses_f32",
        Poses,
        Signature((FLOAT32,) * 3, FLOAT32),
        emit,
        scratch_bytes=scratch_bytes,
    ),
)
