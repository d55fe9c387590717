from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from models import computed, expected, one
from numeric import assert_close, numbers
from tinsmith_ir import Array, ModelError, UnsupportedError


def check(
    kind: str,
    operands: Sequence[Array],
    attributes: Mapping[str, object] | None = None,
    *,
    known: Sequence[int] = (),
    outputs: int = 1,
    opset: int = 21,
) -> None:
    """What the graph gives is what the reference implementation gives."""
    made = one(kind, operands, attributes, known=known, outputs=outputs, opset=opset)
    given = {f"x{place}": each for place, each in enumerate(operands) if place not in known}
    for found, wanted in zip(computed(made, given), expected(made, given), strict=True):
        assert_close(found, wanted)


@pytest.mark.parametrize("opset", [7, 9, 14, 15, 21])
@pytest.mark.parametrize("shape", [(2, 3), (1, 3, 4), (2, 3, 2, 2)])
def test_batch_normalization(opset: int, shape: tuple[int, ...]) -> None:
    scale, bias, mean = (numbers(seed, 3) for seed in (1, 2, 3))
    operands = [numbers(0, *shape), scale, bias, mean, np.abs(numbers(4, 3)) + np.float32(0.1)]
    attributes = {"epsilon": 1e-3}
    check("BatchNormalization", operands, attributes, known=(1, 2, 3, 4), opset=15)
    given = {f"x{place}": each for place, each in enumerate(operands)}
    (found,) = computed(one("BatchNormalization", operands, attributes, opset=opset), given)
    (newest,) = computed(one("BatchNormalization", operands, attributes, opset=15), given)
    np.testing.assert_array_equal(found, newest)


def test_batch_normalization_in_training_is_refused() -> None:
    operands = [numbers(0, 1, 2, 3), *(np.ones(2, np.float32) for _ in range(4))]
    for attributes, outputs in (({"training_mode": 1}, 1), ({}, 3)):
        made = one("BatchNormalization", operands, attributes, outputs=outputs)
        with pytest.raises(UnsupportedError, match="expected a model for inference"):
            computed(made, {})


@pytest.mark.parametrize("known", [(), (1, 2, 3, 4)])
def test_batch_normalization_of_elements(known: tuple[int, ...]) -> None:
    x, (scale, bias, mean) = numbers(0, 2, 3, 4), (numbers(seed, 3, 4) for seed in (1, 2, 3))
    variance = np.abs(numbers(4, 3, 4)) + np.float32(0.1)
    operands = [x, scale, bias, mean, variance]
    made = one("BatchNormalization", operands, {"spatial": 0}, known=known, opset=7)
    given = {f"x{place}": each for place, each in enumerate(operands) if place not in known}
    (found,) = computed(made, given)
    assert_close(found, (x - mean) / np.sqrt(variance + np.float32(1e-5)) * scale + bias)


def test_batch_normalization_of_elements_has_numbers_of_each() -> None:
    operands = [numbers(0, 1, 2, 3), *(np.ones(2, np.float32) for _ in range(4))]
    made = one("BatchNormalization", operands, {"spatial": 0}, opset=7)
    with pytest.raises(ModelError, match=r"elements of \[2, 3\], as spatial=0 says, got \[2\]"):
        computed(made, {})


def test_numbers_per_channel_are_as_many_as_channels() -> None:
    made = one("InstanceNormalization", [numbers(0, 1, 2, 3), numbers(1, 3), numbers(2, 3)])
    with pytest.raises(ModelError, match=r"operand 1 of shape \(C,\).*got \[3\] and \[1, 2, 3\]"):
        computed(made, {})


@pytest.mark.parametrize("opset", [7, 22])
def test_instance_normalization(opset: int) -> None:
    operands = [numbers(0, 2, 3, 4, 2), numbers(1, 3), numbers(2, 3)]
    check("InstanceNormalization", operands, {"epsilon": 1e-2}, known=(1, 2), opset=opset)


def test_scales_of_groups_became_those_of_channels() -> None:
    x, scale = numbers(0, 2, 4, 3), numbers(1, 2)
    of_groups = one("GroupNormalization", [x, scale, scale], {"num_groups": 2}, opset=18)
    repeated = np.repeat(scale, 2)
    of_channels = [x, repeated, repeated]
    check("GroupNormalization", of_channels, {"num_groups": 2}, known=(1, 2), opset=21)
    made = one("GroupNormalization", of_channels, {"num_groups": 2}, opset=21)
    (old,) = computed(of_groups, {"x0": x, "x1": scale, "x2": scale})
    (new,) = computed(made, {"x0": x, "x1": repeated, "x2": repeated})
    np.testing.assert_array_equal(old, new)


def test_groups_fill_the_channels() -> None:
    made = one("GroupNormalization", [numbers(0, 1, 3, 2), *[numbers(1, 3)] * 2], {"num_groups": 2})
    with pytest.raises(ModelError, match=r"fill, got 2"):
        computed(made, {})


@pytest.mark.parametrize("axis", [-1, 1, 0])
def test_layer_normalization_with_all_its_results(axis: int) -> None:
    shape = (2, 3, 4)
    size = shape[axis:] if axis >= 0 else shape[-1:]
    operands = [numbers(0, *shape), numbers(1, *size), numbers(2, *size)]
    check("LayerNormalization", operands, {"axis": axis}, known=(1, 2), outputs=3, opset=17)


def test_root_mean_square_normalization() -> None:
    check("RMSNormalization", [numbers(0, 2, 3, 4), numbers(1, 3, 4)], {"axis": 1}, opset=23)


@pytest.mark.parametrize("order", [1, 2])
def test_lp_normalization(order: int) -> None:
    x = np.abs(numbers(0, 2, 3, 4))  # the reference implementation forgets magnitudes
    check("LpNormalization", [x], {"p": order, "axis": 1})


def test_local_response_normalization() -> None:
    # The reference implementation takes as many channels as there are images.
    attributes = {"size": 3, "alpha": 0.3, "beta": 0.6, "bias": 1.5}
    check("LRN", [numbers(0, 4, 4, 3, 2)], attributes)


@pytest.mark.parametrize("axes", [None, [1, -1]])
def test_mean_variance_normalization(axes: list[int] | None) -> None:
    attributes = {} if axes is None else {"axes": axes}
    check("MeanVarianceNormalization", [numbers(0, 2, 3, 4, 5)], attributes)


@pytest.mark.parametrize("kind", ["Softmax", "LogSoftmax", "Hardmax"])
def test_softmax_and_its_kin_are_over_one_axis_or_before_version_13_over_all_behind(
    kind: str,
) -> None:
    x = numbers(0, 2, 3, 4)
    for axis in (-1, 0, 1):
        check(kind, [x], {"axis": axis}, opset=13)
    check(kind, [x], opset=13)
    (flat,) = computed(one(kind, [x], opset=11), {"x0": x})
    (rows,) = computed(one(kind, [x.reshape(2, 12)], opset=13), {"x0": x.reshape(2, 12)})
    np.testing.assert_array_equal(flat, rows.reshape(x.shape))


def test_an_axis_that_is_none_is_an_error() -> None:
    made = one("Softmax", [numbers(0, 2, 3)], {"axis": 2})
    with pytest.raises(ModelError, match=r"Softmax 'y0': expected an axis in \[-2, 1\], got 2"):
        computed(made, {})


def test_sums_that_are_normalized_at_once() -> None:
    x, skip, scale, bias, more = (
        numbers(seed, *shape) for seed, shape in enumerate([(2, 3, 4), (2, 3, 4), (4,), (4,), (4,)])
    )
    made = one(
        "SkipLayerNormalization",
        [x, skip, scale, bias, more],
        {"epsilon": 1e-5},
        outputs=4,
        domain="com.microsoft",
    )
    given = {f"x{place}": each for place, each in enumerate((x, skip, scale, bias, more))}
    found, mean, inverse, summed = computed(made, given)
    total = x + skip + more
    rest = total - total.mean(-1, keepdims=True)
    deviation = np.sqrt((rest * rest).mean(-1, keepdims=True) + 1e-5)
    assert_close(found, rest / deviation * scale + bias)
    assert_close(mean, total.mean(-1, keepdims=True))
    assert_close(inverse, 1 / deviation)
    assert_close(summed, total)

    made = one(
        "SkipSimplifiedLayerNormalization",
        [x, skip, scale],
        {"epsilon": 1e-5},
        domain="com.microsoft",
    )
    (found,) = computed(made, {"x0": x, "x1": skip, "x2": scale})
    total = x + skip
    root = np.sqrt((total * total).mean(-1, keepdims=True) + 1e-5)
    assert_close(found, total / root * scale)


@pytest.mark.parametrize(("attributes", "steepness"), [({}, 1.702), ({"alpha": 0.5}, 0.5)])
def test_a_quick_gelu_is_steep_as_it_says(
    attributes: Mapping[str, object], steepness: float
) -> None:
    x = numbers(0, 2, 4)
    (found,) = computed(one("QuickGelu", [x], attributes, domain="com.microsoft"), {"x0": x})
    assert_close(found, x / (1 + np.exp(-steepness * x.astype(np.float64))))


@pytest.mark.parametrize(("kind", "other"), [("BiasGelu", "none"), ("FastGelu", "tanh")])
def test_gelu_of_a_sum(kind: str, other: str) -> None:
    x, bias = numbers(0, 2, 4), numbers(1, 4)
    made = one(kind, [x, bias], domain="com.microsoft")
    (found,) = computed(made, {"x0": x, "x1": bias})
    plain = one("Gelu", [x], {"approximate": other})
    (wanted,) = computed(plain, {"x0": x + bias})
    np.testing.assert_array_equal(found, wanted)
