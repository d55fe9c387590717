"""Weights of four bits with multipliers of blocks, arranged for the packed kernels, and which layers go by these."""

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_cmsis_nn import backend
from tinsmith_cmsis_nn.packing import Implementation, PackedLayer, PackingError
from tinsmith_cmsis_nn.packing_blocks import Blocks, kernel_blocks, pack_blockwise
from tinsmith_cmsis_nn.packing_four_bits import (
    pack_convolution_four_bits,
    pack_fully_connected_four_bits,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import BlockwiseFullyConnected
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import lower
from tinsmith_reference import backend as reference
from tinsmith_target import target

STAGE = np.full(1, 1 << 30, np.int32), np.full(1, -7, np.int32)


def weights_of(channels: int, depth: int) -> NDArray[np.int8]:
    return np.random.default_rng(2).integers(-7, 8, (channels, depth)).astype(np.int8)


def multipliers_of(channels: int, count: int) -> NDArray[np.uint8]:
    return np.random.default_rng(3).integers(1, 256, (channels, count)).astype(np.uint8)


def test_blocks_of_several_times_32_become_such_of_32() -> None:
    multipliers = multipliers_of(3, 2)
    taken = kernel_blocks(Blocks(multipliers, 96), 130)
    assert taken.size == 32
    assert np.array_equal(taken.multipliers, multipliers[:, [0, 0, 0, 1, 1]])


def test_one_block_of_all_becomes_blocks_of_32_whatever_its_size() -> None:
    multipliers = multipliers_of(3, 1)
    taken = kernel_blocks(Blocks(multipliers, 1000), 40)
    assert taken.size == 32
    assert np.array_equal(taken.multipliers, multipliers[:, [0, 0]])


def test_blocks_of_odd_sixteens_stay() -> None:
    blocks = Blocks(multipliers_of(3, 2), 48)
    assert kernel_blocks(blocks, 90) is blocks


def test_blocks_of_another_size_are_refused() -> None:
    with pytest.raises(PackingError, match=r"blocks have 24 inputs, .* multiples of 16"):
        kernel_blocks(Blocks(multipliers_of(3, 2), 24), 48)


def packed_for(implementation: Implementation, depth: int) -> tuple[PackedLayer, NDArray[np.uint8]]:
    multipliers = multipliers_of(8, 2)
    layer = pack_blockwise(
        implementation,
        weights_of(8, depth),
        np.arange(8, dtype=np.int32),
        *STAGE,
        blocks=Blocks(multipliers, 32),
        input_zero_point=3,
    )
    return layer, multipliers


@pytest.mark.parametrize("implementation", ["c", "dsp"])
def test_groups_of_four_channels_have_weights_of_a_block_and_its_multipliers(
    implementation: Implementation,
) -> None:
    packed, multipliers = packed_for(implementation, 64)
    first = weights_of(8, 64)[:4, :32]
    image = pack_convolution_four_bits(
        implementation,
        first.reshape(4, 1, 1, 32),
        None,
        *(np.repeat(s, 4) for s in STAGE),
        input_zero_point=0,
    )
    group = packed.weights.reshape(2, 2, 68)[0, 0]
    assert np.array_equal(group[:64], image.weights)
    assert group[64:].view(np.uint8).tolist() == multipliers[:4, 0].tolist()


def test_mve_has_multipliers_of_even_and_odd_channels_before_the_bytes_of_their_pairs() -> None:
    packed, multipliers = packed_for("mve", 48)
    first, second = packed.weights[: 8 + 128], packed.weights[8 + 128 :]
    assert len(second) == 8 + 64
    assert first[:8].view(np.uint8).tolist() == multipliers[[0, 2, 4, 6, 1, 3, 5, 7], 0].tolist()
    assert second[:8].view(np.uint8).tolist() == multipliers[[0, 2, 4, 6, 1, 3, 5, 7], 1].tolist()
    weights = weights_of(8, 48).astype(np.int16)
    assert np.array_equal(first[8:24], weights[0, :16] + 16 * weights[1, :16])
    assert np.array_equal(first[8 + 64 : 24 + 64], weights[0, 16:32] + 16 * weights[1, 16:32])


def test_bias_counts_each_block_by_its_multiplier() -> None:
    packed, multipliers = packed_for("c", 64)
    sums = weights_of(8, 64).astype(np.int64).reshape(8, 2, 32).sum(axis=2)
    expected = np.arange(8) - 3 * (sums * multipliers).sum(axis=1)
    assert np.array_equal(packed.bias, expected)
    of_pairs, _ = packed_for("mve", 64)
    assert np.array_equal(of_pairs.bias[:4], expected[::2])
    assert np.array_equal(of_pairs.bias[4:], 16 * expected[1::2])


def test_sums_that_leave_sixteen_bits_are_refused_with_dsp() -> None:
    weights = np.full((4, 32), -8, np.int8)
    given = Blocks(np.ones((4, 1), np.uint8), 32)
    pack_blockwise("c", weights, None, *STAGE, blocks=given, input_zero_point=0)
    with pytest.raises(PackingError, match="the sum of a block may reach 32768"):
        pack_blockwise("dsp", weights, None, *STAGE, blocks=given, input_zero_point=0)
    weights[0, 0] = -7
    weights[1:] = 1
    pack_blockwise("dsp", weights, None, *STAGE, blocks=given, input_zero_point=0)


def test_one_multiplier_of_one_changes_nothing_but_the_order() -> None:
    weights = weights_of(4, 32)
    ones = Blocks(np.ones((4, 1), np.uint8), 32)
    packed = pack_blockwise("c", weights, None, *STAGE, blocks=ones, input_zero_point=3)
    plain = pack_fully_connected_four_bits("c", weights, None, *STAGE, input_zero_point=3)
    assert np.array_equal(packed.weights[:-4], plain.weights)
    assert np.array_equal(packed.bias, plain.bias)


@pytest.mark.parametrize("name", ["cortex-m0", "cortex-m4", "cortex-m55", "riscv32"])
@pytest.mark.parametrize(("block", "is_packed"), [(32, True), (16, True), (24, False)])
def test_blocks_of_sixteens_go_by_the_packed_kernel(name: str, block: int, is_packed: bool) -> None:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((1, 70), DType.INT8, Quantization.per_tensor(0.5, 3)))
    scale = Quantization.per_tensor(0.01, 0)
    w = builder.constant("w", weights_of(5, 70), scale, DType.INT4)
    m = builder.constant("m", multipliers_of(5, -(-70 // block)))
    y = builder.add(BlockwiseFullyConnected(block=block), [x, w, None, m], "y", scale)
    chosen = target(name)
    kernels = (*backend().kernels(chosen), *reference().kernels(chosen))
    (call,) = lower(builder.build(y), chosen, kernels).calls
    expected = "packed_s4" if is_packed else "s4"
    assert call.kernel == f"tinsmith_blockwise_fully_connected_{expected}"
