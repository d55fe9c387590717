"""Operators that give images another size, or look at them between their elements."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from models import assert_close, computed, expected, one
from numpy.typing import NDArray
from tinsmith_ir import Array, ModelError, UnsupportedError

_PADDINGS = ("zeros", "border", "reflection")


def numbers(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def made_of(
    kind: str,
    inputs: Sequence[Array | None],
    attributes: Mapping[str, object],
    *,
    known: Sequence[int] = (),
    opset: int = 22,
) -> Array:
    model = one(kind, inputs, attributes, known=known, opset=opset)
    given = {
        f"x{index}": array
        for index, array in enumerate(inputs)
        if array is not None and index not in known
    }
    (found,) = computed(model, given)
    return found


def check(
    kind: str,
    inputs: Sequence[Array | None],
    attributes: Mapping[str, object],
    *,
    known: Sequence[int] = (),
    opset: int = 22,
) -> None:
    """The reference implementation gives the same."""
    model = one(kind, inputs, attributes, known=known, opset=opset)
    given = {
        f"x{index}": array
        for index, array in enumerate(inputs)
        if array is not None and index not in known
    }
    (wanted,) = expected(model, given)
    assert_close(made_of(kind, inputs, attributes, known=known, opset=opset), wanted)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize(
    "coordinates",
    [
        "half_pixel",
        "half_pixel_symmetric",
        "pytorch_half_pixel",
        "align_corners",
        "asymmetric",
    ],
)
def test_resize_to_sizes_and_by_scales(mode: str, coordinates: str) -> None:
    x = numbers(1, 2, 4, 6)
    attributes = {"mode": mode, "coordinate_transformation_mode": coordinates}
    check("Resize", [x, None, None, np.array([1, 2, 7, 3])], attributes, known=[3])
    scales = np.array([1, 1, 2, 0.5], np.float32)
    check("Resize", [x, None, scales], attributes, known=[2])


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_resize_by_the_nearest(rounding: str) -> None:
    attributes = {"mode": "nearest", "nearest_mode": rounding}
    sizes = np.array([9, 3])
    check("Resize", [numbers(6, 4), None, None, sizes], attributes, known=[3])


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
def test_resize_keeps_the_aspect_of_some_axes(policy: str) -> None:
    attributes = {"mode": "nearest", "keep_aspect_ratio_policy": policy, "axes": [2, 1]}
    check("Resize", [numbers(2, 4, 6), None, None, np.array([8, 10])], attributes, known=[3])


def test_resize_crops_and_extrapolates() -> None:
    attributes = {
        "mode": "linear",
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 5.0,
        "axes": [1],
    }
    x = np.array([[0, 10, 20]], np.float32)
    roi, sizes = np.array([0.5, 1.5], np.float32), np.array([5])
    found = made_of("Resize", [x, roi, None, sizes], attributes, known=[1, 3])
    assert_close(found, np.array([[10, 15, 20, 5, 5]]))


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_resize_without_aliases(mode: str) -> None:
    attributes = {"mode": mode, "antialias": 1}
    sizes = np.array([1, 1, 3, 2])
    check("Resize", [numbers(1, 1, 6, 7), None, None, sizes], attributes, known=[3])


@pytest.mark.parametrize(("kind", "opset"), [("Upsample", 7), ("Upsample", 9), ("Resize", 10)])
def test_resizing_of_old_versions(kind: str, opset: int) -> None:
    x = np.array([[[[1, 3]]]], np.float32)
    scales = [1.0, 1.0, 2.0, 1.5]
    for mode, wanted in (("nearest", [1, 1, 3]), ("linear", [1, 7 / 3, 3])):
        if opset == 7:
            found = made_of(kind, [x], {"scales": scales, "mode": mode}, opset=opset)
        else:
            operands = [x, np.array(scales, np.float32)]
            found = made_of(kind, operands, {"mode": mode}, known=[1], opset=opset)
        assert_close(found, np.array([[[wanted, wanted]]]))


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
def test_pad(mode: str) -> None:
    x = numbers(3, 4, 5)
    check("Pad", [x, np.array([0, 2, 1, 1, 0, 3])], {"mode": mode}, known=[1])
    axes = [x, np.array([2, 1, 0, 3]), None, np.array([-1, 0])]
    check("Pad", axes, {"mode": mode}, known=[1, 3])


def test_pad_cuts_off_and_takes_a_computed_value() -> None:
    x, value = np.array([[1, 2, 3]], np.float32), np.array(7, np.float32)
    pads = np.array([0, -1, 1, 2])
    wanted = np.array([[2, 3, 7, 7], [7, 7, 7, 7]])
    for known in ([1], [1, 2]):
        assert_close(made_of("Pad", [x, pads, value], {}, known=known), wanted)
    attributes = {"pads": [0, -1, 1, 2], "value": 7.0}
    assert_close(made_of("Pad", [x], attributes, opset=2), wanted)


def test_pad_of_integers() -> None:
    x, value = np.array([1, 2], np.int64), np.array((1 << 62) + 1, np.int64)
    found = made_of("Pad", [x, np.array([1, 0]), value], {}, known=[1, 2])
    assert found.tolist() == [(1 << 62) + 1, 1, 2]


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_and_space(mode: str) -> None:
    x = numbers(1, 8, 2, 3)
    attributes = {"blocksize": 2, "mode": mode}
    check("DepthToSpace", [x], attributes, opset=13)
    deep = made_of("DepthToSpace", [x], attributes, opset=13)
    if mode == "DCR":
        assert_close(made_of("SpaceToDepth", [deep], {"blocksize": 2}, opset=13), x)


def test_center_crop_pad() -> None:
    x = numbers(4, 5, 6)
    check("CenterCropPad", [x, np.array([7, 2])], {"axes": [0, -1]}, known=[1])
    check("CenterCropPad", [x, np.array([1, 8, 6])], {}, known=[1])


def test_col2im() -> None:
    x = numbers(1, 8, 9)
    attributes = {"pads": [1, 0, 1, 0], "strides": [2, 1]}
    image, block = np.array([4, 4]), np.array([2, 2])
    check("Col2Im", [x, image, block], attributes, known=[1, 2])


@pytest.mark.parametrize(
    ("mode", "padding"),
    [
        ("cubic", "zeros"),
        *((mode, padding) for mode in ("nearest", "linear") for padding in _PADDINGS),
    ],
)
@pytest.mark.parametrize("corners", [0, 1])
def test_grid_sample(mode: str, padding: str, corners: int) -> None:
    grid = np.random.default_rng(0).uniform(-1.5, 1.5, (1, 3, 2, 2)).astype(np.float32)
    attributes = {"mode": mode, "padding_mode": padding, "align_corners": corners}
    check("GridSample", [numbers(1, 2, 4, 5), grid], attributes)


@pytest.mark.parametrize("size", [(2, 1, 3, 4), (1, 1, 2, 3, 2)])
@pytest.mark.parametrize("corners", [0, 1])
def test_affine_grid(size: tuple[int, ...], corners: int) -> None:
    rank = len(size) - 2
    theta = numbers(size[0], rank, rank + 1)
    check("AffineGrid", [theta, np.array(size)], {"align_corners": corners}, known=[1])


def test_roi_align() -> None:
    x = np.broadcast_to(np.arange(6, dtype=np.float32), (1, 1, 4, 6)).copy()
    rois, images = np.array([[1, 1, 3, 3]], np.float32), np.array([0])
    attributes = {"output_width": 2, "sampling_ratio": 2}
    for known, opset, wanted in (([], 10, [1.5, 2.5]), ([1, 2], 16, [1, 2])):
        found = made_of("RoiAlign", [x, rois, images], attributes, known=known, opset=opset)
        assert_close(found, np.array([[[wanted]]]))


def test_deform_conv() -> None:
    x, weights = numbers(1, 2, 4, 4), numbers(2, 1, 2, 2)
    offsets, bias, mask = numbers(1, 8, 3, 3), numbers(2), numbers(1, 4, 3, 3)
    check("DeformConv", [x, weights, offsets, bias, mask], {"group": 2})


@pytest.mark.parametrize(
    ("kind", "inputs", "known", "attributes", "message"),
    [
        ("Resize", [numbers(2, 2)], [], {}, "expected scales or sizes of 2 axes"),
        (
            "Resize",
            [numbers(2), None, None, np.array([4])],
            [3],
            {"mode": "sinc"},
            "expected a mode of nearest",
        ),
        (
            "Resize",
            [numbers(2), None, None, np.array([4])],
            [3],
            {"nearest_mode": "any"},
            "expected a nearest_mode of",
        ),
        (
            "Resize",
            [numbers(2), None, None, np.array([4])],
            [3],
            {"coordinate_transformation_mode": "tf_crop_and_resize"},
            "expected a region of 1 axes",
        ),
        ("Pad", [numbers(2), np.array([1])], [1], {}, "expected 2 pads"),
        (
            "Pad",
            [numbers(2), np.array([1, 1])],
            [1],
            {"mode": "odd"},
            "expected a mode of constant",
        ),
        ("CenterCropPad", [numbers(2, 2), np.array([1])], [1], {}, "expected sizes of 2 axes"),
        (
            "GridSample",
            [numbers(1, 1, 2, 2), numbers(1, 1, 1, 2)],
            [],
            {"mode": "sinc"},
            "expected a mode of nearest",
        ),
    ],
)
def test_what_contradicts_is_refused(
    kind: str,
    inputs: Sequence[Array | None],
    known: Sequence[int],
    attributes: Mapping[str, object],
    message: str,
) -> None:
    with pytest.raises(ModelError, match=message):
        made_of(kind, inputs, attributes, known=known)


def test_computed_sizes_and_open_sampling_of_computed_regions_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="to be known while importing"):
        made_of("Resize", [numbers(2), None, None, np.array([4])], {})
    rois, images = np.array([[0, 0, 1, 1]], np.float32), np.array([0])
    with pytest.raises(UnsupportedError, match="sampling ratio above 0"):
        made_of("RoiAlign", [numbers(1, 1, 2, 2), rois, images], {})


def test_selections_of_a_size_that_depends_on_data_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="be outputs of the model"):
        made_of("NonMaxSuppression", [numbers(1, 3, 4), numbers(1, 1, 3)], {})


def test_an_image_is_scaled_and_each_channel_moved() -> None:
    x = numbers(1, 2, 3, 2)
    found = made_of("ImageScaler", [x], {"scale": 2.0, "bias": [0.5, -3.0]}, opset=8)
    bias = np.array([0.5, -3.0], np.float32).reshape(2, 1, 1)
    assert_close(found, x * np.float32(2) + bias)


def test_an_image_scaler_of_other_channels_is_refused() -> None:
    with pytest.raises(ModelError, match="a bias for each of their channels"):
        made_of("ImageScaler", [numbers(1, 2, 3, 2)], {"bias": [0.5]}, opset=8)


@pytest.mark.parametrize(
    ("attributes", "rows", "columns"),
    [
        ({"border": [1, 2, 3, 1]}, slice(2, 5), slice(1, 4)),
        ({"border": [1, 2, 0, 0], "scale": [4, 2]}, slice(2, 6), slice(1, 3)),
    ],
)
def test_an_image_is_cropped(attributes: Mapping[str, object], rows: slice, columns: slice) -> None:
    x = numbers(1, 2, 6, 7)
    assert_close(made_of("Crop", [x], attributes, opset=8), x[:, :, rows, columns])


def test_a_crop_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(ModelError, match="a part of an image"):
        made_of("Crop", [numbers(1, 2, 3, 2)], {"border": [1, 1, 1, 1]}, opset=8)


def test_affine_scales_and_moves_numbers() -> None:
    found = made_of(
        "Affine", [np.array([1.0, -2.0], np.float32)], {"alpha": 2.0, "beta": 0.5}, opset=8
    )
    assert found.tolist() == [2.5, -3.5]
