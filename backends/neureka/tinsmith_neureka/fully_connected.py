"""FullyConnected as jobs of N-EUREKA: rows are pixels of a 1x1 convolution, or one row is a window of 3x3 pixels.

Of 1x1 the accelerator takes 32 inputs at once, and a load's 48 cycles for each 32; of a window 252 inputs, with as many
words as weights have bits. So a window is for few bits, and for rows about as long as a multiple of 252.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import FullyConnected
from tinsmith_lowering import (
    BYTES_PER_CYCLE,
    Cost,
    Kernel,
    Layer,
    Prepared,
    Signature,
    only_weights_are_constant,
)

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
)
from tinsmith_neureka.packing import Mode, packed_bytes
from tinsmith_neureka.weight_memory import are_beside, weight_choices

_SIDE = 3
_PIXELS = _SIDE * _SIDE


def extents_fit(layer: Layer) -> str | None:
    """There are at most 65,535 rows, inputs and outputs."""
    largest = max(_rows(layer), *layer.input(1).shape)
    return None if largest <= jobs.LARGEST_EXTENT else f"there are {largest:,}"


def job_of(layer: Layer) -> jobs.Job:
    """Of a layer that obeys the rules."""
    return _job_by(layer, scales.scales_of(layer).shift)


def _job_by(layer: Layer, shift: int) -> jobs.Job:
    """The one that takes least time, with that of the DMA for weights that it brings; of equals the first."""
    return min(_jobs(layer, shift), key=lambda job: jobs.cycles(job) + _copied_cycles(job))


def _jobs(layer: Layer, shift: int) -> Iterator[jobs.Job]:
    """By 1x1, and one row by 3x3."""
    outputs, inputs = layer.input(1).shape
    rows, spacing = _rows(layer), inputs // _PIXELS
    job = partial(
        jobs.Job,
        step=(1, 1),
        padding=(0, 0, 0, 0),
        pad_value=0,
        bits=BITS[layer.input(1).dtype],
        shift=shift,
        in_weight_memory=are_beside(layer),
    )
    yield job(mode=Mode.CONV_1X1, input=(1, rows, inputs), output=(1, rows, outputs))
    if rows == 1 and spacing:
        window = (_SIDE, _SIDE, inputs - (_PIXELS - 1) * spacing)
        yield job(mode=Mode.CONV_3X3, input=window, output=(1, 1, outputs), pixel_bytes=spacing)


def _copied_cycles(job: jobs.Job) -> int:
    if job.in_weight_memory:
        return 0
    shape = (job.output[2], job.mode.side, job.mode.side, job.input[2])
    return packed_bytes(shape, job.mode, job.bits) // BYTES_PER_CYCLE


def prepare(layer: Layer) -> tuple[Prepared, ...]:
    """As of a convolution."""
    found = scales.scales_of(layer)
    job = _job_by(layer, found.shift)
    return constants_of(job, found, _weights_of(job, found.rows))


def _weights_of(job: jobs.Job, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """As `packed_weights` takes them. rows: (outputs, inputs).

    Pixels of a window lie so near each other that the last one ends with the row, and so each ends in the next: an
    input has its weight in the last pixel that has it, and 0 in those before.
    """
    outputs = len(rows)
    if job.mode is Mode.CONV_1X1:
        return rows.reshape(outputs, 1, 1, -1)
    spacing, channels = job.pixel_bytes, job.input[2]
    weights = np.zeros((outputs, _PIXELS, channels), np.int64)
    before = (_PIXELS - 1) * spacing
    weights[:, :-1, :spacing] = rows[:, :before].reshape(outputs, _PIXELS - 1, spacing)
    weights[:, -1] = rows[:, before:]
    return weights.reshape(outputs, _SIDE, _SIDE, channels)


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
            only_weights_are_constant,
            extents_fit,
            scales.clips_to_int8,
            scales.products_fit,
        ),
        prepare=prepare,
        engine="cluster",
        near=True,
        accelerator=BACKEND,
        roundings=scales.ROUNDINGS,
        options=weight_choices,
        cost=cost,
    )
    return tuple(
        kernel(signature=Signature((DType.INT8, dtype, DType.INT32), DType.INT8)) for dtype in BITS
    )


def _rows(layer: Layer) -> int:
    return layer.output.elements // layer.output.shape[-1]
