"""Detections: of many boxes with scores those that count, as the last step of a network that detects objects."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.float_arithmetic import exp_f32
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Restriction, Types, required
from tinsmith_ir.types import TensorType

_SIDES = 4
_NO_SCORE = np.finfo(np.float32).min
"""Of a box that is not to be taken, or no longer."""
_Floats = NDArray[np.float32]
_Found = tuple[int, int, np.float32]
"""A box, a class and its score."""


@dataclass(frozen=True)
class Detections(Operator):
    """encodings (1, B, 4 or more), scores (1, B, C), anchors (B, 4) -> boxes (1, N, 4), classes (1, N), scores (1, N)
    and how many there are (1,), N = max_detections * classes_per_detection; float32, zeros behind the last.

    An anchor is a centre y, x, a height and a width. A box is encoded as the way of its centre from the anchor's, in
    heights and widths of it, and the logarithms of its own, each times a scale; it is given as its top, left, bottom
    and right.
    The scores are those of `classes` classes, behind one of the background if there is one more.

    Boxes are taken by falling score, the first of equal ones first, from score_threshold on. What shares more than
    overlap_threshold of what both cover with a box that is taken, is left out. A box is taken for its best class and
    given for the `classes_per_detection` best ones; by_class: each class by itself, up to detections_per_class boxes,
    and of all of these the best, of equal ones that of the last class first.

    As TFLite's `TFLite_Detection_PostProcess`, which decodes boxes in double precision.
    """

    mnemonic: ClassVar[str] = "detections"
    operands: ClassVar[tuple[Operand, ...]] = (
        Operand("encodings"),
        Operand("scores"),
        Operand("anchors"),
    )

    classes: int = 1
    max_detections: int = 1
    classes_per_detection: int = 1
    detections_per_class: int = 100
    by_class: bool = False
    score_threshold: float = 0.0
    overlap_threshold: float = 0.5
    y_scale: float = 1.0
    x_scale: float = 1.0
    height_scale: float = 1.0
    width_scale: float = 1.0

    @property
    def kept_classes(self) -> int:
        """Of a box that is taken for its best class."""
        return min(self.classes, self.classes_per_detection)

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """See the class."""
        encodings = checks.present(inputs, 0, "encodings")
        scores = checks.present(inputs, 1, "scores")
        anchors = checks.present(inputs, 2, "anchors")
        for type_, name in ((encodings, "encodings"), (scores, "scores")):
            checks.check_rank(type_, 3, name)
        count = encodings.shape[1]
        if encodings.shape[0] != 1 or encodings.shape[2] < _SIDES:
            raise GraphError(
                f"expected encodings of shape (1, boxes, 4 or more), got {encodings.shape}"
            )
        if scores.shape[:2] != (1, count) or scores.shape[2] - self.classes not in (0, 1):
            raise GraphError(
                f"expected scores of shape (1, {count}, {self.classes}), or one more of the background, "
                f"got {scores.shape}"
            )
        if anchors.shape != (count, _SIDES):
            raise GraphError(f"expected anchors of shape {(count, _SIDES)}, got {anchors.shape}")
        for name in ("classes", "max_detections", "classes_per_detection", "detections_per_class"):
            if getattr(self, name) < 1:
                raise GraphError(f"expected {name} of at least 1, got {getattr(self, name)}")
        size = self.max_detections * self.classes_per_detection
        shapes = ((1, size, _SIDES), (1, size), (1, size), (1,))
        return tuple(TensorType(shape, DType.FLOAT32) for shape in shapes)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32; finite thresholds and scales, these not 0, and of overlaps one in (0, 1]."""
        for index, operand in enumerate(self.operands):
            checks.check_dtype(
                checks.present(inputs, index, operand.name), (DType.FLOAT32,), operand.name
            )
        for output in outputs:
            checks.check_dtype(output, (DType.FLOAT32,), "result")
        scales = (self.y_scale, self.x_scale, self.height_scale, self.width_scale)
        if not np.isfinite([self.score_threshold, *scales]).all() or 0 in scales:
            raise GraphError(
                f"expected a finite score_threshold and finite scales other than 0, got "
                f"{self.score_threshold} and {scales}"
            )
        if not 0 < self.overlap_threshold <= 1:
            raise GraphError(
                f"expected an overlap_threshold in (0, 1], got {self.overlap_threshold}"
            )

    @np.errstate(all="ignore")
    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """All boxes, then those that are taken, one after another."""
        encodings, scores, anchors = (required(arrays, i).astype(np.float32) for i in range(3))
        boxes = self._decoded(encodings[0], anchors)
        # The background comes first.
        rows = scores[0][:, scores.shape[2] - self.classes :]
        results = [np.zeros(type_.shape, np.float32) for type_ in outputs]
        found = self._found_by_class(boxes, rows) if self.by_class else self._found(boxes, rows)
        for row, places in enumerate(found):
            for column, (index, class_, score) in enumerate(places):
                place = row * len(places) + column
                results[0][0, place] = boxes[index]
                results[1][0, place], results[2][0, place] = class_, score
        results[3][0] = len(found)
        return tuple(results)

    def _decoded(self, encodings: _Floats, anchors: _Floats) -> _Floats:
        """Top, left, bottom and right of each."""
        scales = np.array(
            (self.y_scale, self.x_scale, self.height_scale, self.width_scale), np.float32
        )
        parts = encodings[:, :_SIDES] / scales
        centres = parts[:, :2] * anchors[:, 2:] + anchors[:, :2]
        halves = np.float32(0.5) * exp_f32(parts[:, 2:]) * anchors[:, 2:]
        sides = np.concatenate([centres - halves, centres + halves], axis=1)
        return sides.astype(np.float32)

    def _found(self, boxes: _Floats, rows: _Floats) -> Sequence[Sequence[_Found]]:
        """Of each box its best classes."""
        orders = np.argsort(-rows, axis=1, kind="stable")[:, : self.kept_classes]
        best = np.take_along_axis(rows, orders[:, :1], axis=1)[:, 0]
        return [
            [(index, int(class_), rows[index, class_]) for class_ in orders[index]]
            for index in self._taken(boxes, best, self.max_detections)
        ]

    def _found_by_class(self, boxes: _Floats, rows: _Floats) -> Sequence[Sequence[_Found]]:
        """Boxes of one class each."""
        found = [
            (index, class_, rows[index, class_])
            for class_ in range(self.classes)
            for index in self._taken(boxes, rows[:, class_], self.detections_per_class)
        ]
        best = sorted(found, key=lambda each: (-each[2], -each[1]))[: self.max_detections]
        return [[each] for each in best]

    def _taken(self, boxes: _Floats, scores: _Floats, most: int) -> Sequence[int]:
        """The boxes of falling scores that do not overlap one before."""
        left = np.where(scores >= np.float32(self.score_threshold), scores, _NO_SCORE)
        taken: list[int] = []
        while len(taken) < most and left.max() > _NO_SCORE:
            index = int(left.argmax())
            taken.append(index)
            left[index] = _NO_SCORE
            left[_overlaps(boxes, boxes[index]) > np.float32(self.overlap_threshold)] = _NO_SCORE
        return taken

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Nowhere: it has several results."""
        del box, inputs, outputs


def _overlaps(boxes: _Floats, box: _Floats) -> _Floats:
    """Of each box with this one, the share of what both cover together; 0 where one covers nothing."""
    areas, area = _area(boxes), _area(box)
    begins, ends = boxes[:, :2], boxes[:, 2:]
    first = np.where(begins < box[:2], box[:2], begins)
    last = np.where(ends > box[2:], box[2:], ends)
    sides = last - first
    sides = np.where(sides > 0, sides, np.float32(0))
    common = sides[:, 0] * sides[:, 1]
    share = common / (area + areas - common)
    return np.where((areas > 0) & (area > 0), share, 0).astype(np.float32)


def _area(boxes: _Floats) -> _Floats:
    sides = np.subtract(boxes[..., 2:], boxes[..., :2])
    return np.multiply(sides[..., 0], sides[..., 1], dtype=np.float32)
