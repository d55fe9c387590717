"""FullyConnected as jobs of N-EUREKA: rows are pixels of a 1x1 convolution."""

from functools import partial

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import FullyConnected
from tinsmith_lowering import Cost, Kernel, Layer, Prepared, Signature

from tinsmith_neureka import jobs, scales
from tinsmith_neureka.convolution import (
    BACKEND,
    BITS,
    HEADERS,
    JOBS,
    board_has_accelerator,
    constants_of,
    cost_of,
    emit,
    weights_are_constant,
)
from tinsmith_neureka.packing import Mode

# Of one row: the autoencoder of MLPerf Tiny takes 41,789 cycles with all layers here, 39,691 with those on the cores.
_MOST_WEIGHTS = 1 << 13


def extents_fit(layer: Layer) -> str | None:
    """There are at most 65,535 rows, inputs and outputs."""
    largest = max(_rows(layer), *layer.input(1).shape)
    return None if largest <= jobs.LARGEST_EXTENT else f"there are {largest:,}"


def weights_are_few(layer: Layer) -> str | None:
    """One row has at most 8,192 weights: those of more are on their way to the cluster's memory for longest, and cores
    that compute meanwhile are as fast.
    """
    count = layer.input(1).elements
    return None if count <= _MOST_WEIGHTS or _rows(layer) > 1 else f"it has {count:,}"


def job_of(layer: Layer) -> jobs.Job:
    """Of a layer that obeys the rules."""
    return _job_by(layer, scales.scales_of(layer).shift)


def _job_by(layer: Layer, shift: int) -> jobs.Job:
    """As of a convolution."""
    outputs, inputs = layer.input(1).shape
    rows = _rows(layer)
    return jobs.Job(
        Mode.CONV_1X1,
        (1, rows, inputs),
        (1, rows, outputs),
        (1, 1),
        (0, 0, 0, 0),
        0,
        BITS[layer.input(1).dtype],
        shift,
    )


def prepare(layer: Layer) -> tuple[Prepared, ...]:
    """As of a convolution."""
    found = scales.scales_of(layer)
    outputs, inputs = layer.input(1).shape
    return constants_of(
        _job_by(layer, found.shift), found, found.rows.reshape(outputs, 1, 1, inputs)
    )


def cost(layer: Layer) -> Cost:
    """Cycles of the job, and of the core that starts it."""
    return cost_of(_job_by(layer, 0))


def kernels() -> tuple[Kernel, ...]:
    """Of weights of eight, four and two bits."""
    kernel = partial(
        Kernel,
        name="tinsmith_neureka_call",
        beside=JOBS,
        backend=BACKEND,
        operator=FullyConnected,
        headers=HEADERS,
        emit=emit,
        rules=(
            board_has_accelerator,
            weights_are_constant,
            extents_fit,
            scales.clips_to_int8,
            scales.products_fit,
        ),
        pays=(weights_are_few,),
        prepare=prepare,
        engine="cluster",
        near=True,
        roundings=scales.ROUNDINGS,
        cost=cost,
    )
    return tuple(
        kernel(signature=Signature((DType.INT8, dtype, DType.INT32), DType.INT8)) for dtype in BITS
    )


def _rows(layer: Layer) -> int:
    return layer.output.elements // layer.output.shape[-1]
