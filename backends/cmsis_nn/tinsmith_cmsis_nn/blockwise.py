"""BlockwiseFullyConnected by the packed kernels on weights of four bits (`tinsmith_nn_blockwise.h`)."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import BlockwiseFullyConnected
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    Signature,
    loads_by_pixels,
    weights_are_constant,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn import fully_connected, scratch, walks
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    engine,
    implementation,
    packed_constants,
)
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.packed_two_bits import with_sister
from tinsmith_cmsis_nn.packing import PackedLayer, refusal
from tinsmith_cmsis_nn.packing_blocks import Blocks, kernel_blocks, pack_blockwise

HEADER = "tinsmith_nn_blockwise.h"
_NAME = "tinsmith_blockwise_fully_connected_packed_s4"
_BLOCKS = 3
_SIGNATURE = Signature((DType.INT8, DType.INT4, DType.INT32, DType.UINT8), DType.INT8)


def multipliers_are_constant(layer: Layer) -> str | None:
    """Multipliers of blocks are known at compile time."""
    return "they are computed at run time" if layer.constant(_BLOCKS) is None else None


def weights_pack(layer: Layer) -> str | None:
    """Weights of four bits, multipliers of blocks, bias and scales can be arranged for the packed kernels
    (`tinsmith_nn_blockwise.h`).
    """
    return refusal(lambda: packed(layer))


def packed(layer: Layer) -> PackedLayer:
    """The layer's constants as the kernel of its target takes them; raises PackingError."""
    return fully_connected.packed_by(layer, partial(pack_blockwise, blocks=_blocks(layer)))


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights with multipliers, bias and scales as the kernel of the target takes them."""
    return packed_constants(layer, packed(layer))


def emit(layer: Layer, scope: Scope) -> Emission:
    """One call."""
    return fully_connected.emit_packed_call(_NAME, layer, scope, str(_block(layer)))


def scratch_bytes(layer: Layer) -> int:
    """Sums of the inputs of each block, with MVE none."""
    depth = layer.input(1).shape[1]
    return scratch.blockwise(implementation(layer.target), depth, _block(layer))


def _blocks(layer: Layer) -> Blocks:
    data = layer.constant(_BLOCKS)
    if data is None:
        raise ValueError(f"layer {layer.name}: operand {_BLOCKS} is not constant")
    return Blocks(data.astype(np.uint8), layer.operator_as(BlockwiseFullyConnected).block)


def _block(layer: Layer) -> int:
    """Values of k that share a multiplier, as the kernel is told."""
    return kernel_blocks(_blocks(layer), layer.input(1).shape[1]).size


def kernels(target: Target) -> Iterator[Kernel]:
    """Those of the target's implementation."""
    yield from with_sister(
        Kernel(
            name=_NAME,
            backend=BACKEND,
            operator=BlockwiseFullyConnected,
            signature=_SIGNATURE,
            headers=(HEADER,),
            emit=emit,
            prepare=prepare,
            scratch_bytes=scratch_bytes,
            loads=loads_by_pixels(1),
            walk=walks.fully_connected_packed,
            rules=(weights_are_constant, multipliers_are_constant, weights_pack),
            engine=engine(target),
            checks=PACKED_CHECKS,
            guards=guards(target),
        )
    )
