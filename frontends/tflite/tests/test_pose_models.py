"""Networks that end in Coral's PosenetDecoderOp."""

from small_models import assert_refused
from tflite_builder import ModelBuilder, flexbuffer
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.operators import Poses
from tinsmith_ir.types import Quantization
from tinsmith_tflite import import_tflite

NUMBERS = {"max_detections": 3, "stride": 16, "score_threshold": 0.25, "nms_radius": 10.0}


def model(type_name: str = "FLOAT32", *, has_masks: bool = False, **numbers: float) -> bytes:
    """Of maps of 5 x 4 places."""
    b = ModelBuilder()
    quantization = None if type_name == "FLOAT32" else Quantization.per_tensor(0.5, 128)
    operands = [
        b.tensor(name, (1, 5, 4, depth), type_name, quantization=quantization)
        for name, depth in (("heatmaps", 17), ("short", 34), ("middle", 64), ("long", 34))
    ]
    names = ("keypoints", "keypoint_scores", "scores", "count", "masks")
    results = [b.tensor(name, ()) for name in names]
    inputs, outputs = (operands, results) if has_masks else (operands[:3], results[:4])
    options = flexbuffer({**NUMBERS, **numbers})
    b.operator("CUSTOM", inputs, outputs, custom="PosenetDecoderOp", custom_options=options)
    return b.finish(inputs, outputs)


def test_results_have_the_sizes_that_the_options_ask_for() -> None:
    (node,) = import_tflite(model()).nodes
    assert node.operator == Poses(
        max_detections=3, stride=16, score_threshold=0.25, nms_radius=10.0
    )
    shapes = [value.type.shape for value in node.outputs]
    assert shapes == [(1, 3, 17, 2), (1, 3, 17), (1, 3), (1,)]


def test_maps_of_uint8_become_float32_first() -> None:
    nodes = import_tflite(model("UINT8")).nodes
    mnemonics = [node.operator.mnemonic for node in nodes]
    assert mnemonics == [*["requantize", "dequantize"] * 3, "poses"]


def test_what_is_not_there_is_refused() -> None:
    assert_refused(UnsupportedError, model(has_masks=True), "expected keypoints alone")
    assert_refused(ModelError, model(stride=0), "expected max_detections and stride from 1")
    assert_refused(ModelError, model(score_threshold=1.5), "score_threshold within 0 and 1")
