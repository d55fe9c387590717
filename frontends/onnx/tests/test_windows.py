"""Operators that slide a window: convolutions, pools, and what puts their elements back."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from models import assert_close, computed, expected, one
from numpy.typing import NDArray
from tinsmith_ir import Array, ModelError, UnsupportedError


def numbers(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def made_of(
    kind: str,
    inputs: Sequence[Array | None],
    attributes: Mapping[str, object],
    *,
    known: Sequence[int] = (),
    outputs: int = 1,
    opset: int = 22,
) -> list[Array]:
    model = one(kind, inputs, attributes, known=known, outputs=outputs, opset=opset)
    given = {
        f"x{index}": array
        for index, array in enumerate(inputs)
        if array is not None and index not in known
    }
    return computed(model, given)


def check(
    kind: str,
    inputs: Sequence[Array],
    attributes: Mapping[str, object],
    *,
    known: Sequence[int] = (),
    opset: int = 22,
) -> None:
    """The reference implementation gives the same."""
    model = one(kind, inputs, attributes, known=known, opset=opset)
    given = {f"x{index}": array for index, array in enumerate(inputs) if index not in known}
    for found, wanted in zip(computed(model, given), expected(model, given), strict=True):
        assert_close(found, wanted)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"strides": [2, 1], "pads": [1, 0, 0, 2]},
        {"dilations": [2, 1], "group": 2},
        {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
        {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
        {"auto_pad": "VALID"},
    ],
)
@pytest.mark.parametrize("known", [[], [1, 2]])
def test_conv(attributes: Mapping[str, object], known: Sequence[int]) -> None:
    groups = 2 if "group" in attributes else 1
    inputs = [numbers(1, 4, 6, 5), numbers(6, 4 // groups, 3, 2), numbers(6)]
    check("Conv", inputs, attributes, known=known)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"strides": [3, 2], "pads": [1, 0, 0, 1], "output_padding": [1, 0]},
        {"strides": [2, 2], "auto_pad": "SAME_UPPER"},
        {"strides": [2, 2], "auto_pad": "SAME_LOWER"},
        {"dilations": [2, 1], "strides": [2, 1]},
    ],
)
@pytest.mark.parametrize("known", [[], [1, 2]])
def test_conv_transpose(attributes: Mapping[str, object], known: Sequence[int]) -> None:
    inputs = [numbers(1, 2, 4, 3), numbers(2, 3, 3, 3), numbers(3)]
    check("ConvTranspose", inputs, attributes, known=known)


def test_conv_transpose_to_a_size() -> None:
    x, weights = np.array([[[1, 2]]], np.float32), np.array([[[3, 5]]], np.float32)
    whole = [3, 5, 6, 10]
    for size, auto, wanted in (
        (3, "NOTSET", whole[1:]),
        (3, "SAME_UPPER", whole[:3]),
        (2, "NOTSET", whole[1:3]),
        (5, "NOTSET", [*whole, 0]),
    ):
        attributes = {"strides": [2], "output_shape": [size], "auto_pad": auto}
        (found,) = made_of("ConvTranspose", [x, weights], attributes)
        assert_close(found, np.array([[wanted]]))


@pytest.mark.parametrize(
    "attributes",
    [
        {"kernel_shape": [2, 3]},
        {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]},
        {"kernel_shape": [2, 2], "auto_pad": "SAME_UPPER"},
        {"kernel_shape": [2, 2], "dilations": [2, 1]},
    ],
)
@pytest.mark.parametrize("kind", ["MaxPool", "AveragePool", "LpPool"])
def test_pools(kind: str, attributes: Mapping[str, object]) -> None:
    check(kind, [numbers(2, 3, 5, 7)], attributes)


def test_a_last_window_that_sees_less_counts_in_ceil_mode() -> None:
    x = np.array([[[1, 2, 5]]], np.float32)
    attributes = {"kernel_shape": [2], "strides": [2], "ceil_mode": 1}
    for kind, wanted in (("MaxPool", [2, 5]), ("AveragePool", [1.5, 5]), ("LpPool", [5**0.5, 5])):
        (found,) = made_of(kind, [x], attributes)
        assert_close(found, np.array([[wanted]]))


def test_average_pool_counts_padding_but_nothing_behind_it() -> None:
    x = np.array([[[1, 2, 4]]], np.float32)
    attributes = {"kernel_shape": [3], "strides": [2], "pads": [1, 0], "ceil_mode": 1}
    (bare,) = made_of("AveragePool", [x], attributes)
    assert_close(bare, np.array([[[1.5, 3]]]))
    (whole,) = made_of("AveragePool", [x], {**attributes, "count_include_pad": 1})
    assert_close(whole, np.array([[[1, 3]]]))


def test_max_pool_counts_indices_within_the_whole_tensor() -> None:
    x = np.array([[[[1, 7, 3], [9, 2, 8]], [[5, 4, 3], [0, 6, 1]]]], np.float32)
    for order, wanted in ((0, [[[[3, 5]], [[10, 10]]]]), (1, [[[[1, 5]], [[9, 9]]]])):
        attributes = {"kernel_shape": [2, 2], "storage_order": order}
        values, indices = made_of("MaxPool", [x], attributes, outputs=2)
        assert_close(values, np.array([[[[9, 8]], [[6, 6]]]]))
        assert_close(indices, np.array(wanted))


@pytest.mark.parametrize("known", [[], [1]])
def test_max_unpool(known: Sequence[int]) -> None:
    x = np.array([[[[1, 2], [3, 4]]]], np.float32)
    indices = np.array([[[[5, 7], [13, 15]]]], np.int64)
    attributes = {"kernel_shape": [2, 2], "strides": [2, 2]}
    wanted = np.zeros((1, 1, 5, 6))
    wanted[0, 0, 1:4:2, 1:4:2] = x[0, 0]
    (plain,) = made_of("MaxUnpool", [x, indices], attributes, known=known)
    assert_close(plain, wanted[:, :, :4, :4])
    shape = np.array([1, 1, 5, 6])
    (grown,) = made_of("MaxUnpool", [x, indices, shape], attributes, known=[*known, 2])
    assert_close(grown, wanted)


def test_global_pools() -> None:
    x = numbers(2, 3, 4, 5)
    flat = x.reshape(2, 3, 20).astype(np.float64)
    for kind, wanted in (
        ("GlobalAveragePool", flat.mean(axis=2)),
        ("GlobalMaxPool", flat.max(axis=2)),
        ("GlobalLpPool", np.sqrt(np.square(flat).sum(axis=2))),
    ):
        (found,) = made_of(kind, [x], {})
        assert_close(found, wanted.reshape(2, 3, 1, 1))


@pytest.mark.parametrize(
    ("kind", "attributes", "message"),
    [
        ("Conv", {"strides": [0, 1]}, "strides of at least 1"),
        ("Conv", {"dilations": [1]}, "expected 2 dilations"),
        ("Conv", {"pads": [0, 0, 1]}, "expected 4 pads"),
        ("Conv", {"pads": [0, 0, -1, 0]}, "pads of at least 0"),
        ("ConvTranspose", {"output_padding": [1]}, "expected 2 output paddings"),
        ("ConvTranspose", {"output_shape": [9]}, "output shape of 2 sizes"),
        ("MaxPool", {"kernel_shape": [2]}, "kernel of 2 axes"),
        ("MaxPool", {"kernel_shape": [0, 1]}, "kernel of 2 axes"),
    ],
)
def test_attributes_that_contradict_are_refused(
    kind: str, attributes: Mapping[str, object], message: str
) -> None:
    inputs = [numbers(1, 1, 4, 4)]
    if kind.startswith("Conv"):
        inputs.append(numbers(1, 1, 2, 2))
    with pytest.raises(ModelError, match=message):
        made_of(kind, inputs, attributes)


def test_windows_beyond_the_image_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="within the padded input"):
        made_of("AveragePool", [numbers(1, 1, 4)], {"kernel_shape": [5]})


@pytest.mark.parametrize(
    ("activation", "values", "kind", "attributes"),
    [
        ("", (), "Identity", {}),
        ("Relu", (), "Relu", {}),
        ("Sigmoid", (), "Sigmoid", {}),
        ("Tanh", (), "Tanh", {}),
        ("LeakyRelu", (0.2,), "LeakyRelu", {"alpha": 0.2}),
        ("Clip", (-0.5, 1.5), "Clip", {"min": -0.5, "max": 1.5}),
        ("HardSigmoid", (0.3, 0.4), "HardSigmoid", {"alpha": 0.3, "beta": 0.4}),
    ],
)
@pytest.mark.parametrize("is_added", [False, True])
def test_fused_convolutions_are_those_with_a_function_behind(
    activation: str,
    values: tuple[float, ...],
    kind: str,
    attributes: Mapping[str, object],
    is_added: bool,
) -> None:
    x, weights, bias, other = (
        numbers(1, 2, 5, 4),
        numbers(3, 2, 3, 3),
        numbers(3),
        numbers(1, 3, 3, 2),
    )
    (product,) = made_of("Conv", [x, weights, bias], {}, known=(1, 2))
    summed = np.add(product.astype(np.float32), other) if is_added else product
    (wanted,) = made_of(kind, [summed], attributes, opset=6 if kind == "Clip" else 22)
    given = [x, weights, bias, other][: 4 if is_added else 3]
    said = (
        {"activation": activation, "activation_params": values}
        if values
        else {"activation": activation}
    )
    model = one("FusedConv", given, said, known=(1, 2), domain="com.microsoft")
    named = {f"x{index}": array for index, array in enumerate(given) if index not in (1, 2)}
    (found,) = computed(model, named)
    assert_close(found, wanted)


def test_a_fused_function_that_is_unknown_is_named() -> None:
    given = [numbers(1, 2, 5, 4), numbers(3, 2, 3, 3)]
    model = one("FusedConv", given, {"activation": "Mish"}, known=(1,), domain="com.microsoft")
    with pytest.raises(UnsupportedError, match=r"LeakyRelu with 1, .*got 'Mish' with 0"):
        computed(model, {"x0": given[0]})
