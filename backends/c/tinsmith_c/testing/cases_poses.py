"""Graphs that find the people in an image."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Poses

from tinsmith_c.testing.draft import Case, Draft


def poses(draft: Draft) -> None:
    """Few and many, near and far, equal scores too; in a map of one place; none at all."""
    random = np.random.default_rng(5)
    for (height, width), operator, spread in (
        ((6, 5), Poses(max_detections=5, stride=16), 60.0),
        ((4, 7), Poses(max_detections=20, stride=7, score_threshold=0.3, nms_radius=3.0), 20.0),
        ((1, 1), Poses(max_detections=2, stride=8), 5.0),
        ((3, 3), Poses(max_detections=2, stride=8, score_threshold=0.9999), 5.0),
    ):
        shape = (1, height, width)
        heatmaps = np.round(random.normal(0, 2, (*shape, 17)) * 2) / 2
        offsets = [
            draft.builder.constant(
                "o", random.normal(0, spread, (*shape, depth)).astype(np.float32)
            )
            for depth in (34, 64)
        ]
        operands = [draft.builder.constant("heatmaps", heatmaps.astype(np.float32)), *offsets]
        draft.outputs += draft.builder.add_all(operator, operands, "y")
    operands = [draft.input((1, 4, 4, depth), DType.FLOAT32) for depth in (17, 34, 64)]
    likely = Poses(max_detections=3, stride=1, score_threshold=0.25, nms_radius=1.0)
    draft.outputs += draft.builder.add_all(likely, operands, "y")


CASES: tuple[Case, ...] = (Case("poses", poses),)
