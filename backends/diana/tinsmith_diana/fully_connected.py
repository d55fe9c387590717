"""FullyConnected as jobs of DIANA's digital accelerator, 16 outputs each."""

from functools import partial

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import FullyConnected
from tinsmith_lowering import Cost, Emission, Kernel, Layer, Layouts, Prepared, Scope, Signature

from tinsmith_diana import jobs, scales
from tinsmith_diana.packing import packed_fully_connected
from tinsmith_diana.rules import (
    ACCELERATOR,
    BACKEND,
    HEADERS,
    JOBS,
    NAME,
    board_has_array,
    cost_of,
    emission,
    in_rows,
    l1_finding,
    prepared,
    weights_are_constant,
)


def one_row(layer: Layer) -> str | None:
    """There is one row, of one or two axes."""
    shapes = [layer.input(0).shape, layer.output.shape]
    rows = layer.output.elements // layer.output.shape[-1]
    if max(map(len, shapes)) > 2:
        return f"shapes are {shapes[0]} and {shapes[1]}"
    return None if rows == 1 else f"there are {rows}"


def weights_fit(layer: Layer) -> str | None:
    """The weights and biases of 16 outputs fit the accelerator's weight memory of 65,536 bytes."""
    needed = _work(layer, 0).weight_bytes
    return None if needed <= jobs.WEIGHT_MEMORY_BYTES else f"they take {needed:,} bytes"


def tensors_fit(layer: Layer) -> str | None:
    """Input and result, padded to whole words, fit the L1 memory of 262,144 bytes together."""
    return l1_finding([layer.input(0)], layer.output)


def work_of(layer: Layer) -> jobs.FullyConnected:
    """Of a layer that obeys the rules."""
    return _work(layer, scales.scale_of(layer).shift, relu=scales.scale_of(layer).relu)


def _work(layer: Layer, shift: int, *, relu: bool = False) -> jobs.FullyConnected:
    """The same where shift and clip are known, or do not matter."""
    outputs, inputs = layer.input(1).shape
    return jobs.FullyConnected(inputs, outputs, shift, relu)


def prepare(layer: Layer) -> tuple[Prepared, ...]:
    """As of a convolution."""
    rows = scales.rows_of(layer).astype(np.int8)
    packed = packed_fully_connected(rows, scales.scale_of(layer).biases)
    return prepared(work_of(layer), Prepared("weights", packed))


def emit(layer: Layer, scope: Scope) -> Emission:
    """The start and the wait."""
    del layer
    return emission(scope, weights=True)


def cost(layer: Layer) -> Cost:
    """As of a convolution."""
    return cost_of(_work(layer, 0))


def layouts(layer: Layer) -> Layouts:
    """Vectors in words."""
    del layer
    return in_rows(1)


def kernels() -> tuple[Kernel, ...]:
    """The one there is."""
    kernel = partial(
        Kernel,
        name=NAME,
        backend=BACKEND,
        operator=FullyConnected,
        signature=Signature((DType.INT8, DType.INT8, DType.INT32), DType.INT8),
        headers=HEADERS,
        emit=emit,
        rules=(
            board_has_array,
            weights_are_constant,
            one_row,
            weights_fit,
            tensors_fit,
            scales.clips_to_int8_or_relu,
            scales.is_one_shift,
            scales.sums_fit,
        ),
        prepare=prepare,
        engine=ACCELERATOR,
        roundings=scales.ROUNDINGS,
        layouts=layouts,
        cost=cost,
        accelerator=ACCELERATOR,
        beside=JOBS,
    )
    return (kernel(),)
