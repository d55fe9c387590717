"""Averages in two steps: that parts, added up, give what the pool does, and what is refused."""

import numpy as np
import pytest
from tinsmith_ir import GraphError, evaluate_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Activation, AverageOfSums, AveragePool2D, ChannelSums
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
