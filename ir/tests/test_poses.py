"""Poses by hand, and against a second writing of Coral's decoder, with a queue as there."""

import heapq
import math
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import DType, GraphError, TensorType
from tinsmith_ir.operators import Poses

Floats = NDArray[np.float32]
Found = tuple[list[list[tuple[float, float]]], list[list[float]], list[float]]

NUMBERS = (
    *("0-1", "1-3", "0-2", "2-4", "0-5", "5-7", "7-9", "5-11"),
    *("11-13", "13-15", "0-6", "6-8", "8-10", "6-12", "12-14", "14-16"),
)
TYPES = [TensorType((1, 6, 7, depth), DType.FLOAT32) for depth in (17, 34, 64)]


def run(operator: Poses, maps: list[Floats]) -> tuple[NDArray[np.generic], ...]:
    types = [TensorType(array.shape, DType.FLOAT32) for array in maps]
    outputs = operator.infer(types)
    operator.verify(types, outputs)
    return operator.evaluate(maps, types, outputs)


def lerp(map_: Floats, y: float, x: float, channel: int) -> float:
    """In double precision."""
    total = 0.0
    for row, part in ((math.floor(y), 1 - y % 1), (math.ceil(y), y % 1)):
        for column, share in ((math.floor(x), 1 - x % 1), (math.ceil(x), x % 1)):
            total += part * share * float(map_[row, column, channel])
    return total


def neighbours(keypoint: int) -> Iterator[tuple[int, int, int]]:
    """Keypoints at the other ends of its edges, and the channels of the way there."""
    for number, edge in enumerate(NUMBERS):
        begin, end = (int(part) for part in edge.split("-"))
        if begin == keypoint:
            yield end, number, 16 + number
        if end == keypoint:
            # Coral has the first way back among those forwards.
            yield (begin, 16, 32) if number == 0 else (begin, 32 + number, 48 + number)


def decoded(p: Poses, maps: list[Floats]) -> Found:
    heat, short, middle = (array[0] for array in maps)
    height, width, _ = heat.shape

    def moved(y: float, x: float, dy: float, dx: float) -> tuple[float, float]:
        return (
            min(max(y + dy / p.stride, 0), height - 1.0),
            min(max(x + dx / p.stride, 0), width - 1.0),
        )

    def near(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return math.hypot(one[0] - other[0], one[1] - other[1]) <= p.nms_radius / p.stride

    queue: list[tuple[float, float, float, int]] = []
    for y in range(height):
        for x in range(width):
            for k in range(17):
                score = float(heat[y, x, k])
                around = heat[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2, k]
                if 1 / (1 + math.exp(-score)) >= p.score_threshold and score >= around.max():
                    at = moved(y, x, float(short[y, x, k]), float(short[y, x, 17 + k]))
                    heapq.heappush(queue, (-score, *at, k))
    bodies: list[tuple[dict[int, tuple[float, float]], dict[int, float]]] = []
    while queue and len(bodies) < p.max_detections:
        _, y, x, k = heapq.heappop(queue)
        if any(near((y, x), points[k]) for points, _ in bodies):
            continue
        points: dict[int, tuple[float, float]] = {}
        scores: dict[int, float] = {}
        sight = [(-lerp(heat, y, x, k), y, x, k)]
        while sight:
            score, y, x, k = heapq.heappop(sight)
            if k in points:
                continue
            points[k], scores[k] = (y, x), 1 / (1 + math.exp(score))
            for other, of_y, of_x in neighbours(k):
                if other not in points:
                    at = moved(y, x, lerp(middle, y, x, of_y), lerp(middle, y, x, of_x))
                    for _ in range(5):
                        at = moved(*at, lerp(short, *at, other), lerp(short, *at, 17 + other))
                    heapq.heappush(sight, (-lerp(heat, *at, other), *at, other))
        if sum(scores.values()) / 17 >= p.score_threshold:
            bodies.append((points, scores))
    bodies.sort(key=lambda body: -sum(body[1].values()))
    final: list[tuple[float, int]] = []
    for number, (points, scores) in enumerate(bodies):
        own = sum(
            score
            for k, score in scores.items()
            if not any(near(points[k], better[k]) for better, _ in bodies[:number])
        )
        final.append((-own / 17, number))
    final = [each for each in sorted(final) if -each[0] >= p.score_threshold]
    return (
        [[bodies[n][0][k] for k in range(17)] for _, n in final],
        [[bodies[n][1][k] for k in range(17)] for _, n in final],
        [-score for score, _ in final],
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_same_people_are_found_as_by_a_second_writing(seed: int) -> None:
    random = np.random.default_rng(seed)
    spread = (
        2.0,
        3.0,
        20.0,
    )  # short offsets of more make the way from one keypoint to the next chaotic
    maps = [
        random.normal(0, width, type_.shape).astype(np.float32)
        for width, type_ in zip(spread, TYPES, strict=True)
    ]
    threshold, radius = (0.5, 0.35, 0.2)[seed % 3], (20.0, 5.0)[seed % 2]
    operator = Poses(max_detections=6, stride=16, score_threshold=threshold, nms_radius=radius)
    points, scores, of_poses = decoded(operator, maps)
    found = run(operator, maps)
    count = len(of_poses)
    assert found[3].tolist() == [count]
    np.testing.assert_allclose(found[2][0, :count].astype(np.float64), of_poses, rtol=1e-4)
    if count:
        of_all = found[0][0, :count].astype(np.float64)
        np.testing.assert_allclose(of_all, np.array(points) * 16, rtol=1e-4, atol=1e-3)
        likely = found[1][0, :count].astype(np.float64)
        np.testing.assert_allclose(likely, np.array(scores), rtol=1e-4, atol=1e-4)
    assert not any(np.any(array[0, count:]) for array in found[:3])


def test_two_people_apart_are_two_poses() -> None:
    heat, short, middle = (np.zeros(type_.shape, np.float32) for type_ in TYPES)
    heat -= 8
    heat[0, 1, 1] = 2  # all keypoints of one at one place
    heat[0, 4, 5] = 3
    keypoints, scores, of_poses, count = run(
        Poses(max_detections=4, stride=16), [heat, short, middle]
    )
    assert count.tolist() == [2]
    assert keypoints[0, :2, 0].tolist() == [[64, 80], [16, 16]]
    likely = 1 / (1 + np.exp(-np.array([3.0, 2.0])))
    np.testing.assert_allclose(of_poses[0, :2].astype(np.float64), likely, rtol=1e-6)
    np.testing.assert_allclose(scores[0, :2, 16].astype(np.float64), likely, rtol=1e-6)


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        (Poses(max_detections=0, stride=16), "max_detections and a stride of at least 1"),
        (Poses(max_detections=1, stride=16, score_threshold=1.0), "score_threshold within 0 and 1"),
        (Poses(max_detections=1, stride=16, nms_radius=-1.0), "nms_radius of 0 to 1e9"),
    ],
)
def test_what_makes_no_sense_is_refused(operator: Poses, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        operator.verify(TYPES, operator.infer(TYPES))


def test_maps_of_other_sizes_are_refused() -> None:
    with pytest.raises(GraphError, match="expected mid_offsets of shape"):
        Poses(max_detections=1, stride=16).infer([*TYPES[:2], TYPES[1]])
