"""Conv2D by DIANA's digital accelerator that gives the analog one's pixels, in the core's memory or in banks of L1.

No layer is lowered to these kernels, as what reads a result is not known then: keep-images gives them convolutions
whose rows somebody turns to pixels, and does nothing else with.
"""

from dataclasses import replace
from functools import partial

import numpy as np
from tinsmith_ir.operators import Conv2D
from tinsmith_lowering import Cost, Emission, Kernel, Layer, Prepared, Scope

from tinsmith_diana import convolution, jobs, scales
from tinsmith_diana.layouts import BANKED, DianaBanks, DianaPixels
from tinsmith_diana.pixels import COPYING, NAME, PixelImage, layouts, rows_are_whole
from tinsmith_diana.rules import (
    TO_BANKS,
    copying_emission,
    cost_of,
    job_emission,
    room_finding,
    rows_bytes,
    weighted_kernel,
)

_RECORD, _WEIGHTS = "layer", "weights"


def outputs_are_banked(layer: Layer) -> str | None:
    """There are at most 64 output channels, 16 for each bank; or the weights of all fit the accelerator's weight memory
    together, as one job writes pixels of several words.
    """
    outputs, parts = layer.output.shape[3], convolution.work_of(layer).jobs
    is_banked = outputs <= BANKED or parts == 1
    return None if is_banked else f"there are {outputs}, in {parts} jobs"


def images_fit(layer: Layer) -> str | None:
    """The input in rows and the result as pixels fit the L1 memory of 262,144 bytes; pixels of more than 16 channels
    reach from the first of its banks to the last.
    """
    return room_finding(rows_bytes(layer.input(0)) + scratch_bytes(layer))


def prepare(layer: Layer, *, copies: bool) -> tuple[Prepared, ...]:
    """The record, and weights and biases that its jobs load. copies: whether the call copies the pixels, too."""
    scale = scales.scale_of(layer)
    work = convolution.work_of(layer, scale.shift, relu=scale.relu)
    words = jobs.record(replace(work, gives_pixels=True))
    if copies:
        words = np.concatenate([words, _image(layer).copy_words])
    return (
        Prepared(_RECORD, words.astype("<u4").view("i1")),
        Prepared(_WEIGHTS, convolution.packed_weights(layer)),
    )


def emit(layer: Layer, scope: Scope, *, copies: bool) -> Emission:
    """The start and the wait."""
    del layer
    what = "how it is repeated, and copies of its pixels" if copies else "and how it is repeated"
    words = scope.prepared(_RECORD, f"{scope.layer}: its instruction, {what}")
    packed = scope.prepared(_WEIGHTS, f"{scope.layer}: packed weights and biases")
    if copies:
        return copying_emission(scope, NAME, [words, packed])
    return job_emission(scope, words, packed)


def scratch_bytes(layer: Layer) -> int:
    """Of the pixels in their banks."""
    return _image(layer).scratch_bytes


def cost(layer: Layer, *, copies: bool) -> Cost:
    """Of the jobs, of the copies if there are any, and of the core."""
    of_jobs = cost_of(convolution.work_of(layer))
    wait = _image(layer).copy_cycles if copies else 0
    return Cost(of_jobs.cycles + wait, start=of_jobs.start, wait=wait)


def kernels() -> tuple[Kernel, ...]:
    """One for each memory of the pixels."""
    kernel = partial(weighted_kernel, operator=Conv2D)
    rules = (*convolution.RULES, outputs_are_banked)
    return (
        kernel(
            name=NAME,
            emit=partial(emit, copies=True),
            rules=(*rules, images_fit),
            scratch_bytes=scratch_bytes,
            prepare=partial(prepare, copies=True),
            layouts=partial(layouts, result=DianaPixels.name),
            cost=partial(cost, copies=True),
            beside=COPYING,
        ),
        kernel(
            name=TO_BANKS,
            emit=partial(emit, copies=False),
            rules=(*rules, rows_are_whole, images_fit),
            prepare=partial(prepare, copies=False),
            layouts=partial(layouts, result=DianaBanks.name),
            cost=partial(cost, copies=False),
        ),
    )


def _image(layer: Layer) -> PixelImage:
    _, height, width, channels = layer.output.shape
    return PixelImage((height, width, channels))
