"""Graphs that find the boxes that count."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Detections

from tinsmith_c.testing.draft import Case, Draft


def detections(draft: Draft) -> None:
    """For the best class, for several, and by class; with and without a background; none at all."""
    anchors = np.abs(draft.numbers((30, 4), DType.FLOAT32)) + np.float32(0.1)
    for depth, operator in (
        (4, Detections(classes=3, max_detections=5, classes_per_detection=2)),
        (3, Detections(classes=3, max_detections=40, score_threshold=0.5, overlap_threshold=0.1)),
        (3, Detections(classes=2, max_detections=4, detections_per_class=3, by_class=True)),
        (3, Detections(classes=3, max_detections=60, by_class=True, y_scale=10.0)),
        (1, Detections(classes=1, max_detections=3, score_threshold=1e6)),
    ):
        operands = [
            draft.input((1, 30, 4), DType.FLOAT32),
            draft.input((1, 30, depth), DType.FLOAT32),
            draft.builder.constant("anchors", anchors),
        ]
        draft.outputs += draft.builder.add_all(operator, operands, "y")


CASES: tuple[Case, ...] = (Case("detections", detections),)
