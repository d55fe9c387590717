"""Golden cases of the custom operator that ends networks which detect objects."""

import numpy as np
from case_builder import Case, CaseBuilder, Kind
from tflite_builder import flexbuffer
from tinsmith_ir.types import Quantization


def detections(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """TFLite_Detection_PostProcess: by the best class or each, of float32 and uint8; one of its results."""
    r = b.random.randint
    boxes, classes, background = 20 + int(r(30)), 1 + int(r(4)), int(r(2))
    by_class = index % 3 == 2
    is_real = index % 2 == 0
    numbers: dict[str, int | float] = {
        # Without by_class, TFLite writes nothing behind the last that it finds: so these are few.
        "max_detections": 1 + int(r(6 if by_class else 3)),
        "max_classes_per_detection": 1 if by_class else min(classes, 1 + index % 2),
        "num_classes": classes,
        "nms_score_threshold": -10.0 if index % 4 < 2 else 0.2,
        "nms_iou_threshold": 0.3,
        "y_scale": 10.0,
        "x_scale": 10.0,
        "h_scale": 5.0,
        "w_scale": 5.0,
    }
    if by_class:
        numbers |= {"detections_per_class": 1 + int(r(5)), "use_regular_nms": True}
    shapes = (1, boxes, 4), (1, boxes, classes + background), (boxes, 4)
    operands: list[int] = []
    for position, shape in enumerate(shapes):
        data = b.random.standard_normal(shape).astype(np.float32)
        if position == 2:
            data = np.abs(data) / 4 + np.float32(0.1)
        if is_real:
            if position == 2:
                operands.append(b.model.constant("anchors", data))
            else:
                operands.append(b.plain(data, "FLOAT32"))
            continue
        bytes_ = r(1, 256, shape).astype(np.uint8)
        # Anchors of no height have no area.
        scale, zero_point = (
            (b.scale(0.01), 0) if position == 2 else (b.scale(0.02), int(r(64, 192)))
        )
        operands.append(b.plain(bytes_, "UINT8", Quantization.per_tensor(scale, zero_point)))
    results = [b.model.tensor(name, ()) for name in ("boxes", "classes", "scores", "count")]
    name = "TFLite_Detection_PostProcess"
    b.model.operator("CUSTOM", operands, results, custom=name, custom_options=flexbuffer(numbers))
    return b.finish(results[index // 3 % 4])
