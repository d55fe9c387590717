"""Networks that end in TFLite_Detection_PostProcess, and the options of custom operators."""

import numpy as np
import pytest
from small_models import assert_refused
from tflite_builder import ModelBuilder, flexbuffer
from tinsmith_ir.errors import ModelError
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.operators import Detections
from tinsmith_tflite import import_tflite
from tinsmith_tflite.flexbuffer import scalars

NUMBERS = {
    "max_detections": 2,
    "max_classes_per_detection": 1,
    "num_classes": 1,
    "nms_score_threshold": 0.5,
    "nms_iou_threshold": 0.5,
    "y_scale": 1.0,
    "x_scale": 1.0,
    "h_scale": 1.0,
    "w_scale": 1.0,
}


def model(
    numbers: dict[str, int | float] | None = None,
    shapes: tuple[tuple[int, ...], ...] = ((), (), (), ()),
    options: bytes | None = None,
) -> bytes:
    """Of three boxes of a class."""
    b = ModelBuilder()
    operands = [
        b.tensor("encodings", (1, 3, 4)),
        b.tensor("scores", (1, 3, 1)),
        b.constant("anchors", np.ones((3, 4), np.float32)),
    ]
    names = ("boxes", "classes", "best", "count")
    results = [b.tensor(name, shape) for name, shape in zip(names, shapes, strict=True)]
    found = flexbuffer({**NUMBERS, **(numbers or {})}) if options is None else options
    custom = "TFLite_Detection_PostProcess"
    b.operator("CUSTOM", operands, results, custom=custom, custom_options=found)
    return b.finish(operands[:2], results)


def test_a_box_that_overlaps_a_better_one_is_left_out() -> None:
    graph = import_tflite(model())
    encodings = np.zeros((1, 3, 4), np.float32)
    encodings[0, 2, 0] = 5  # five heights below
    scores = np.array([0.7, 0.9, 0.6], np.float32).reshape(1, 3, 1)
    found = evaluate_graph(graph, {"encodings": encodings, "scores": scores})
    assert found["boxes"].tolist() == [[[0.5, 0.5, 1.5, 1.5], [5.5, 0.5, 6.5, 1.5]]]
    assert found["best"].tolist() == [[np.float32(0.9), np.float32(0.6)]]
    assert found["count"].tolist() == [2]


def test_results_that_the_file_says_have_no_shape_get_theirs() -> None:
    (node,) = import_tflite(model()).nodes
    assert isinstance(node.operator, Detections)
    assert [value.type.shape for value in node.outputs] == [(1, 2, 4), (1, 2), (1, 2), (1,)]
    assert [value.name for value in node.outputs] == ["boxes", "classes", "best", "count"]
    import_tflite(model(shapes=((1, 2, 4), (1, 2), (1, 2), (1,))))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (model({"num_classes": 3}), r"expected scores of shape \(1, 3, 3\)"),
        (model({"max_detections": 0}), "expected max_detections from 1"),
        (model({"nms_iou_threshold": 0.0}), "overlap_threshold"),
        (model(shapes=((), (1, 3), (), ())), r"expected a result \[1, 2\], the file says \[1, 3\]"),
        (model(options=b"no map"), "options that are a map of numbers"),
    ],
)
def test_what_does_not_fit_is_refused(data: bytes, message: str) -> None:
    assert_refused(ModelError, data, message)


@pytest.mark.parametrize(
    "numbers", [{"a": 1}, {"a": -300, "bc": 0.5}, {"x": 7e4, "yes": True, "z": 1 << 40}]
)
def test_numbers_of_a_flexbuffer(numbers: dict[str, int | float]) -> None:
    assert scalars(flexbuffer(numbers)) == numbers


def test_no_damage_of_a_flexbuffer_is_followed() -> None:
    data = flexbuffer(NUMBERS)
    for at in range(len(data)):
        for byte in (0, 1, 127, 255):
            try:
                scalars(data[:at] + bytes([byte]) + data[at + 1 :])
                scalars(data[:at])
            except ValueError:
                pass
