"""Detections by hand."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import GraphError, parse_graph

Run = Callable[..., list[object]]

# Three boxes of a height and width of 2, the first two nearly the same, the third nine heights below.
BODY = """
  input %scores: f32[1,3,3]
  const %encodings: f32[1,3,4] = [0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0]
  const %anchors: f32[3,4] = [1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0]
  {results} = detections(%encodings, %scores, %anchors) {{{attributes}}}
  output {output}"""

BACKGROUND = 5.0  # a score that does not count


def body(output: str, attributes: str = "classes=2, max_detections=2", rows: int = 2) -> str:
    results = (
        f"%boxes: f32[1,{rows},4], %classes: f32[1,{rows}], %best: f32[1,{rows}], %count: f32[1]"
    )
    return BODY.format(results=results, attributes=attributes, output=output)


def scores(*pairs: tuple[float, float]) -> np.ndarray:
    return np.array([[BACKGROUND, *pair] for pair in pairs], np.float32)


SCORES = scores((0.25, 0.5), (0.75, 0.125), (0.0, 0.25))


def test_the_best_box_drops_what_overlaps_it(run: Run) -> None:
    assert run(body("%boxes"), SCORES) == [0.5, 0.0, 2.5, 2.0, 18.0, 0.0, 20.0, 2.0]
    assert run(body("%classes"), SCORES) == [0, 1]
    assert run(body("%best"), SCORES) == [0.75, 0.25]
    assert run(body("%count"), SCORES) == [2]


def test_boxes_that_overlap_less_than_the_threshold_stay(run: Run) -> None:
    # 1.5 * 2 of 2.5 * 2
    text = body("%best", "classes=2, max_detections=2, overlap_threshold=0.625")
    assert run(text, SCORES) == [0.75, 0.5]


def test_scores_below_the_threshold_leave_zeros(run: Run) -> None:
    attributes = "classes=2, max_detections=2, score_threshold=0.5"
    assert run(body("%best", attributes), SCORES) == [0.75, 0]
    assert run(body("%count", attributes), SCORES) == [1]


def test_several_classes_of_a_box_follow_one_another(run: Run) -> None:
    attributes = "classes=2, max_detections=2, classes_per_detection=2"
    assert run(body("%best", attributes, 4), SCORES) == [0.75, 0.125, 0.25, 0]
    assert run(body("%classes", attributes, 4), SCORES) == [0, 1, 1, 0]
    assert run(body("%count", attributes, 4), SCORES) == [2]


def test_by_class_a_box_may_be_found_twice(run: Run) -> None:
    attributes = "classes=2, max_detections=3, by_class=true"
    assert run(body("%best", attributes, 3), SCORES) == [0.75, 0.5, 0.25]
    assert run(body("%classes", attributes, 3), SCORES) == [0, 1, 1]
    assert run(body("%boxes", attributes, 3), SCORES)[:8] == [0.5, 0, 2.5, 2, 0, 0, 2, 2]


def test_of_equal_scores_the_first_box_and_class_win(run: Run) -> None:
    same = scores((0.5, 0.5), (0.5, 0.5), (0.5, 0.5))
    assert run(body("%boxes"), same)[:4] == [0, 0, 2, 2]
    assert run(body("%classes"), same) == [0, 0]


def test_by_class_the_last_class_of_equal_scores_comes_first(run: Run) -> None:
    attributes = "classes=2, max_detections=3, by_class=true"
    same = scores((0.5, 0.5), (0.0, 0.25), (0.5, 0.125))
    assert run(body("%best", attributes, 3), same) == [0.5, 0.5, 0.5]
    assert run(body("%classes", attributes, 3), same) == [1, 0, 0]
    assert run(body("%boxes", attributes, 3), same)[4:] == [0, 0, 2, 2, 18, 0, 20, 2]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("classes=1, max_detections=2", "or one more of the background"),
        ("classes=2, max_detections=0", "max_detections of at least 1"),
        ("classes=2, max_detections=2, overlap_threshold=0.0", r"in \(0, 1\]"),
        ("classes=2, max_detections=2, y_scale=0.0", "scales other than 0"),
    ],
)
def test_what_makes_no_sense_is_refused(attributes: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {body("%best", attributes)} }}')
