"""Poses: of maps of keypoints the people in an image, as the last step of a network that looks for them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.float_arithmetic import logistic_f32
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Restriction, Types, required
from tinsmith_ir.types import TensorType

KEYPOINTS = 17
EDGES = (
    *((0, 1), (1, 3), (0, 2), (2, 4), (0, 5), (5, 7), (7, 9), (5, 11)),
    *((11, 13), (13, 15), (0, 6), (6, 8), (8, 10), (6, 12), (12, 14), (14, 16)),
)
"""Between keypoints: nose, eyes, ears, shoulders, elbows, wrists, hips, knees and ankles, the left one first. Away from
the nose; the way back follows behind all of them."""
_REFINEMENTS = 5
_NOT_FOUND = -1.0
_Floats = NDArray[np.float32]
_ONE = np.float32(1)


@dataclass(frozen=True)
class Poses(Operator):
    """heatmaps (1, H, W, 17), short_offsets (1, H, W, 34), mid_offsets (1, H, W, 64) -> keypoints (1, N, 17, 2) as y
    and x, their scores (1, N, 17), scores of the poses (1, N), and how many there are (1,), N = max_detections;
    float32, zeros behind the last.

    heatmaps: logarithms of odds that a keypoint is there. short_offsets: from there to the keypoint, first all y, then
    all x; mid_offsets: along the edges of a body to the next one, y and x forwards, y and x backwards. In pixels of the
    image, of which `stride` lie between two places of a map.

    Keypoints that are likelier than their neighbours and at least score_threshold are taken by falling score, the first
    of equal ones first; one within nms_radius pixels of that of a pose that is found already is left out. From it the
    others are found along the edges, the likeliest first. A pose counts by the mean score of its keypoints, and in the
    end without those that better poses have, too.

    As Coral's `PosenetDecoderOp`, which says nothing of the order of equal scores.
    """

    mnemonic: ClassVar[str] = "poses"
    operands: ClassVar[tuple[Operand, ...]] = (
        Operand("heatmaps"),
        Operand("short_offsets"),
        Operand("mid_offsets"),
    )

    max_detections: int = 1
    stride: int = 16
    score_threshold: float = 0.5
    nms_radius: float = 20.0

    @property
    def least_logit(self) -> float:
        """The logarithm of the odds of score_threshold, float32."""
        return float(np.float32(-math.log(1.0 / (self.score_threshold + 1e-6) - 1.0)))

    @property
    def squared_radius(self) -> float:
        """In places of a map, float32."""
        radius = np.float32(self.nms_radius) / np.float32(self.stride)
        return float(radius * radius)

    @property
    def places_of_a_pixel(self) -> float:
        """1 / stride, float32."""
        return float(np.float32(1.0 / self.stride))

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """See the class."""
        heatmaps = checks.present(inputs, 0, "heatmaps")
        checks.check_rank(heatmaps, 4, "heatmaps")
        for index, depth in enumerate((KEYPOINTS, 2 * KEYPOINTS, 4 * len(EDGES))):
            type_, wanted = checks.present(inputs, index, "maps"), (1, *heatmaps.shape[1:3], depth)
            if type_.shape != wanted:
                name = self.operands[index].name
                raise GraphError(f"expected {name} of shape {wanted}, got {type_.shape}")
        if min(self.max_detections, self.stride) < 1:
            raise GraphError(
                f"expected max_detections and a stride of at least 1, got {self.max_detections} and {self.stride}"
            )
        count = self.max_detections
        shapes = ((1, count, KEYPOINTS, 2), (1, count, KEYPOINTS), (1, count), (1,))
        return tuple(TensorType(shape, DType.FLOAT32) for shape in shapes)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32; a score_threshold within 0 and 1, and a finite radius."""
        for index, operand in enumerate(self.operands):
            type_ = checks.present(inputs, index, operand.name)
            checks.check_dtype(type_, (DType.FLOAT32,), operand.name)
        for output in outputs:
            checks.check_dtype(output, (DType.FLOAT32,), "result")
        if not 0 < self.score_threshold < 1 - 1e-5:
            raise GraphError(
                f"expected a score_threshold within 0 and 1, got {self.score_threshold}"
            )
        if not 0 <= self.nms_radius < 1e9:
            raise GraphError(f"expected an nms_radius of 0 to 1e9, got {self.nms_radius}")

    @np.errstate(all="ignore")
    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Poses one after another, then their final scores."""
        heatmaps, short, middle = (required(arrays, i).astype(np.float32)[0] for i in range(3))
        inverse = np.float32(self.places_of_a_pixel)
        maps = _Maps(heatmaps, short * inverse, middle * inverse)
        poses: list[_Pose] = []
        for point, keypoint in maps.roots(np.float32(self.least_logit)):
            if len(poses) == self.max_detections:
                break
            if any(self._is_near(point, pose.points[keypoint]) for pose in poses):
                continue
            pose = maps.pose(point, keypoint)
            if pose.mean(np.ones(KEYPOINTS, np.bool_)) >= np.float32(self.score_threshold):
                poses.append(pose)
        results = [np.zeros(type_.shape, np.float32) for type_ in outputs]
        place = 0
        for score, pose in self._final(poses):
            if score < np.float32(self.score_threshold):
                break
            results[0][0, place] = pose.points * np.float32(self.stride)
            results[1][0, place], results[2][0, place] = pose.scores, score
            place += 1
        results[3][0] = place
        return tuple(results)

    def _is_near(self, one: _Floats, other: _Floats) -> bool:
        way = other - one
        squares = way * way
        return bool(squares[0] + squares[1] <= np.float32(self.squared_radius))

    def _final(self, poses: "Sequence[_Pose]") -> "Sequence[tuple[np.float32, _Pose]]":
        """By falling score, of those keypoints alone that no better pose has."""
        everything = np.ones(KEYPOINTS, np.bool_)
        ordered = sorted(poses, key=lambda pose: -pose.mean(everything))
        scores: dict[int, np.float32] = {}
        for number, pose in enumerate(ordered):
            is_own = np.array(
                [
                    not any(self._is_near(pose.points[k], o.points[k]) for o in ordered[:number])
                    for k in range(KEYPOINTS)
                ]
            )
            scores[id(pose)] = pose.mean(is_own)
        # Of equal scores the pose that was found first.
        found = [(scores[id(pose)], pose) for pose in poses]
        return sorted(found, key=lambda each: -each[0])

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Nowhere: it has several results."""
        del box, inputs, outputs


@dataclass(frozen=True, eq=False)
class _Pose:
    """points: (17, 2), scores: (17,), probabilities."""

    points: _Floats
    scores: _Floats

    def mean(self, counts: NDArray[np.bool_]) -> np.float32:
        """Of the keypoints that count, the others are 0; added by falling score."""
        total = np.float32(0)
        for keypoint in np.argsort(-self.scores, kind="stable"):
            if counts[keypoint]:
                total += self.scores[keypoint]
        return np.float32(total / np.float32(KEYPOINTS))


@dataclass(frozen=True, eq=False)
class _Maps:
    """What the network says; offsets in places."""

    heatmaps: _Floats
    short: _Floats
    middle: _Floats

    @property
    def last(self) -> _Floats:
        """The last place."""
        height, width, _ = self.heatmaps.shape
        return np.array((height - 1, width - 1), np.float32)

    def roots(self, least: np.float32) -> Sequence[tuple[_Floats, int]]:
        """Points and keypoints that are not less likely than any neighbour, by falling score."""
        found: list[tuple[np.float32, _Floats, int]] = []
        for y, x, k in np.argwhere(self.heatmaps >= least).tolist():
            near = self.heatmaps[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2, k]
            score = self.heatmaps[y, x, k]
            if not np.any(near > score):
                place = np.array((y, x), np.float32)
                found.append((score, self._within(place + self.short[y, x, [k, KEYPOINTS + k]]), k))
        found.sort(key=lambda each: -each[0])
        return [(point, keypoint) for _, point, keypoint in found]

    def pose(self, point: _Floats, keypoint: int) -> _Pose:
        """The others along the edges from one keypoint, the likeliest first, of equal ones what was seen first."""
        points = np.full((KEYPOINTS, 2), _NOT_FOUND, np.float32)
        logits = np.zeros(KEYPOINTS, np.float32)
        is_found = [False] * KEYPOINTS
        score = _sampled(self.heatmaps, point, [keypoint])[0]
        seen = [(score, point, keypoint)]
        while seen:
            best = 0
            for number, (score, _, _) in enumerate(seen):
                best = number if score > seen[best][0] else best
            score, point, keypoint = seen.pop(best)
            if is_found[keypoint]:
                continue
            points[keypoint], logits[keypoint], is_found[keypoint] = point, score, True
            for number, (begin, end) in enumerate((*EDGES, *((b, a) for a, b in EDGES))):
                if begin == keypoint and not is_found[end]:
                    target = self._moved(point, number, end)
                    seen.append((_sampled(self.heatmaps, target, [end])[0], target, end))
        return _Pose(points, logistic_f32(logits))

    def _moved(self, point: _Floats, edge: int, keypoint: int) -> _Floats:
        """Along an edge, then to where the keypoint says it is, some times. The first edge of those backwards is
        looked up where Coral does, which is not where it lies.
        """
        count = len(EDGES)
        channel = edge + count if edge > count else edge
        point = self._within(point + _sampled(self.middle, point, [channel, count + channel]))
        for _ in range(_REFINEMENTS):
            step = _sampled(self.short, point, [keypoint, KEYPOINTS + keypoint])
            point = self._within(point + step)
        return point

    def _within(self, point: _Floats) -> _Floats:
        """Within the map; 0 for what is no number."""
        positive = np.where(point > 0, point, np.float32(0))
        return np.where(positive < self.last, positive, self.last).astype(np.float32)


def _sampled(map_: _Floats, point: _Floats, channels: Sequence[int]) -> _Floats:
    """Between four places."""
    (top, left), (bottom, right) = np.floor(point).astype(int), np.ceil(point).astype(int)
    down, across = point - np.floor(point)
    above = (_ONE - across) * map_[top, left, channels] + across * map_[top, right, channels]
    below = (_ONE - across) * map_[bottom, left, channels] + across * map_[bottom, right, channels]
    return (_ONE - down) * above + down * below
