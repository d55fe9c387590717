"""Layers whose weights have scales of blocks: real weights by DequantizeLinear of `block_size`, operator set 21."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import BlockwiseFullyConnected, Operator

from tinsmith_onnx.export.forms import CHANNELS_FIRST, natural
from tinsmith_onnx.export.products import bias
from tinsmith_onnx.export.site import Rule, Site
from tinsmith_onnx.export.values import quantization_of


def _blockwise(site: Site) -> None:
    """Conv of images, whose order of axes it keeps; else Gemm of rows."""
    shape, (units, depth) = site.output.type.shape, site.shape(1)
    if len(shape) == len(CHANNELS_FIRST):
        operands = [site.real(0, CHANNELS_FIRST), _weights(site, len(shape)), *bias(site)]
        site.finish(site.emit("Conv", operands, kernel_shape=(1, 1)), CHANNELS_FIRST)
        return
    count = site.output.type.elements // units
    operands = [site.flattened(0, (count, depth)), _weights(site, 2), *bias(site)]
    rows = site.emit("Gemm", operands, transB=1)
    result = rows if len(shape) == 2 else site.reshape(rows, shape)
    site.finish(result, natural(len(shape)))


def _weights(site: Site, rank: int) -> str:
    """The real numbers of the weights, with axes of one element behind: units, inputs, and places of a convolution."""
    integers, blocks = site.array(1), site.array(3)
    if integers is None or blocks is None:
        raise UnsupportedError(
            "expected weights and multipliers of blocks that are constants, got computed ones"
        )
    value, block = site.operand(1), site.of(BlockwiseFullyConnected).block
    rows = np.broadcast_to(quantization_of(value).scales, len(blocks)).astype(np.float32)
    scales = rows[:, None] * np.maximum(blocks, 1).astype(np.float32)
    # A scale is never 0: where the multiplier is, the weights are.
    counts = np.repeat(blocks != 0, block, axis=1)[:, : integers.shape[1]]
    shape = (1,) * (rank - 2)
    stored = site.known(
        (integers * counts).astype(np.int8).reshape(*integers.shape, *shape), value.name, DType.INT4
    )
    steps = site.known(scales.reshape(*scales.shape, *shape), f"{value.name}_scale")
    return site.emit("DequantizeLinear", [stored, steps], axis=1, block_size=block)


RULES: dict[type[Operator], Rule] = {BlockwiseFullyConnected: _blockwise}
