"""Averages in two steps: that parts, added up, give what the pool does, and what is refused."""

import numpy as np
import pytest
from tinsmith_ir import GraphError, evaluate_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Activation,
    AverageOfSums,
    AveragePool2D,
    ChannelSums,
    FullyConnected,
    Mean,
    MeanOfSums,
)
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType

SHAPE = (2, 5, 3, 4)


def type_of(dtype: DType) -> TensorType:
    zero_point = -7 if dtype is DType.INT8 else 0
    return TensorType(SHAPE, dtype, Quantization.per_tensor(0.1, zero_point))


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize("halves", ["", "halves_up", "halves_to_even"])
@pytest.mark.parametrize("activation", [Activation.NONE, Activation.RELU])
@pytest.mark.parametrize("cuts", [(5,), (1, 5), (2, 3, 4, 5)])
def test_sums_of_parts_give_the_average(
    dtype: DType, halves: str, activation: Activation, cuts: tuple[int, ...]
) -> None:
    if halves == "halves_up" and dtype is DType.INT16:
        return
    pool = AveragePool2D(
        window=(SHAPE[1], SHAPE[2]),
        activation=activation,
        halves_up=halves == "halves_up",
        halves_to_even=halves == "halves_to_even",
    )
    type_ = type_of(dtype)
    found = pool.partial_sums([type_], pool.infer([type_]))
    assert found is not None
    for seed in range(20):
        x = np.random.default_rng(seed).integers(*dtype.integer_range, SHAPE, endpoint=True)
        x = x.astype(dtype.numpy)
        begin, sums = 0, None
        for end in cuts:
            rows = x[:, begin:end]
            given = [rows, sums] if begin else [rows]
            types = [type_.with_shape(rows.shape), found.sums][: len(given)]
            (sums,) = found.adds.evaluate(given, types, [found.sums])
            begin = end
        output = pool.infer([type_])
        (wanted,) = pool.evaluate([x], [type_], output)
        (made,) = found.ends.evaluate([sums], [found.sums], output)
        assert np.array_equal(made, wanted)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize("rounding", Rounding)
@pytest.mark.parametrize("keep_dims", [True, False])
def test_sums_of_parts_give_the_mean(dtype: DType, rounding: Rounding, *, keep_dims: bool) -> None:
    operator = Mean(axes=(1, 2), keep_dims=keep_dims, rounding=rounding)
    type_ = type_of(dtype)
    plain = operator.infer([type_])[0]
    zero_point = 9 if dtype is DType.INT8 else 0
    output = TensorType(plain.shape, dtype, Quantization.per_tensor(0.037, zero_point))
    found = operator.partial_sums([type_], [output])
    assert found is not None
    found.ends.verify([found.sums], [output])
    assert found.ends.infer([found.sums])[0].shape == output.shape
    for seed in range(20):
        x = np.random.default_rng(seed).integers(*dtype.integer_range, SHAPE, endpoint=True)
        x = x.astype(dtype.numpy)
        (upper,) = found.adds.evaluate([x[:, :2]], [type_], [found.sums])
        (sums,) = found.adds.evaluate([x[:, 2:], upper], [type_, found.sums], [found.sums])
        (wanted,) = operator.evaluate([x], [type_], [output])
        (made,) = found.ends.evaluate([sums], [found.sums], [output])
        assert np.array_equal(made, wanted)


def test_means_over_other_axes_are_not_summed_up() -> None:
    type_ = type_of(DType.INT8)
    for axes in ((1,), (1, 2, 3), (0, 1, 2)):
        operator = Mean(axes=axes)
        output = TensorType(operator.infer([type_])[0].shape, DType.INT8, type_.quantization)
        assert operator.partial_sums([type_], [output]) is None
    with pytest.raises(GraphError, match="sums of height and width 1"):
        MeanOfSums().infer([TensorType((1, 2, 1, 3), DType.INT32)])
    sums = TensorType((1, 1, 1, 3), DType.INT32)
    output = TensorType((1, 1, 1, 3), DType.INT8, Quantization.per_tensor(0.1, 0))
    with pytest.raises(GraphError, match="a count of i8 whose sums fit 32 bits, got 0"):
        MeanOfSums(count=0).verify([sums], [output])


@pytest.mark.parametrize("rounding", Rounding)
@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("has_bias", [True, False])
def test_sums_of_columns_give_the_layer(
    rounding: Rounding, axis: int | None, *, has_bias: bool
) -> None:
    """Rows of the input, each with its columns of the weights, added to what the rows before gave."""
    random = np.random.default_rng(3)
    shape, units = (1, 6, 2, 3), 5
    scales = tuple(
        float(np.float32(s)) for s in random.uniform(0.01, 0.1, units if axis == 0 else 1)
    )
    x_type = TensorType(shape, DType.INT8, Quantization.per_tensor(0.1, -7))
    w_type = TensorType((units, 36), DType.INT8, Quantization(scales, (0,) * len(scales), axis))
    types = [x_type, w_type, TensorType((units,), DType.INT32)][: 2 + has_bias]
    layer = FullyConnected(activation=Activation.RELU, rounding=rounding)
    output = TensorType((1, units), DType.INT8, Quantization.per_tensor(0.7, 3))
    found = layer.partial_sums(types, [output])
    assert found is not None
    assert (found.sums_at, found.cut) == (2, ((1, 1),))
    for _ in range(20):
        x = random.integers(-128, 128, shape).astype(np.int8)
        w = random.integers(-127, 128, (units, 36)).astype(np.int8)
        bias = random.integers(-3000, 3000, units).astype(np.int32) if has_bias else None
        sums = bias
        for begin, end in ((0, 1), (1, 4), (4, 6)):
            rows, columns = x[:, begin:end], w[:, begin * 6 : end * 6]
            cut = [
                x_type.with_shape(rows.shape),
                w_type.with_shape(columns.shape),
                found.given if begin else None if bias is None else types[2],
            ]
            (total,) = found.adds.evaluate([rows, columns, sums], cut, [found.sums])
            sums = total.reshape(units)
        (wanted,) = layer.evaluate([x, w, bias], types, [output])
        (made,) = found.ends.evaluate([total], [found.sums], [output])
        assert np.array_equal(made, wanted)


def test_only_one_row_of_int8_is_summed_up() -> None:
    scale = Quantization.per_tensor(0.1, 0)
    weights = TensorType((5, 36), DType.INT8, scale)
    layer = FullyConnected()
    for shape, dtype in (((2, 36), DType.INT8), ((1, 36), DType.INT16)):
        x = TensorType(shape, dtype, scale)
        (output,) = layer.infer([x, weights])
        assert layer.partial_sums([x, weights], [output]) is None


def test_sums_by_hand() -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((1, 2, 2, 1), DType.INT8, Quantization.per_tensor(1.0, 5)))
    sums = builder.add(ChannelSums(), [x], "sums")
    twice = builder.add(ChannelSums(), [x, sums], "twice")
    averages = [
        builder.add(
            AverageOfSums(8, halves_to_even=is_even), [twice], name, Quantization.per_tensor(1.0, 5)
        )
        for name, is_even in (("away", False), ("even", True))
    ]
    graph = builder.build([twice, *averages])
    given = np.array([1, 2, 3, 4], np.int8).reshape(1, 2, 2, 1)
    found = evaluate_graph(graph, {"x": given})
    assert {name: int(value.item()) for name, value in found.items()} == {
        "twice": 20,
        "away": 3,
        "even": 3,  # -2.5 less the zero point goes to -2
    }


def test_windows_that_are_less_than_all_have_no_sums() -> None:
    type_ = type_of(DType.INT8)
    for pool in (
        AveragePool2D(window=(4, 3)),
        AveragePool2D(window=(5, 2)),
        AveragePool2D(window=(5, 3), stride=(2, 2), padding=(0, 1, 0, 0)),
    ):
        assert pool.partial_sums([type_], pool.infer([type_])) is None
    plain = TensorType(SHAPE, DType.FLOAT32)
    pool = AveragePool2D(window=(5, 3))
    assert pool.partial_sums([plain], pool.infer([plain])) is None


def test_what_is_no_sum_is_refused() -> None:
    sums = TensorType((1, 1, 1, 4), DType.INT32)
    output = TensorType((1, 1, 1, 4), DType.INT8, Quantization.per_tensor(0.1, 0))
    with pytest.raises(GraphError, match="whose sums fit 32 bits, got 0"):
        AverageOfSums(0).verify([sums], [output])
    with pytest.raises(GraphError, match="whose sums fit 32 bits"):
        AverageOfSums(1 << 24).verify([sums], [output])
    with pytest.raises(GraphError, match="halves_up of i8 alone"):
        AverageOfSums(4, halves_up=True, halves_to_even=True).verify([sums], [output])
    with pytest.raises(GraphError, match=r"expected sums of shape \(2, 1, 1, 4\)"):
        ChannelSums().infer([type_of(DType.INT8), sums])
    with pytest.raises(GraphError, match="expected input of dtype i8, i16"):
        ChannelSums().verify([TensorType(SHAPE, DType.FLOAT32)], [sums])
