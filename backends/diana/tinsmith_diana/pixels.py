"""From rows to pixels by DIANA's digital accelerator, which writes its output as the analog one reads it: an image
convolved with an identity of 1x1.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Reshape
from tinsmith_lowering import (
    Beside,
    Cost,
    Emission,
    Kernel,
    Layer,
    Layouts,
    Prepared,
    Scope,
    Signature,
)

from tinsmith_diana import jobs, turning
from tinsmith_diana.layouts import (
    BANK_BYTES,
    BANKED,
    BANKS,
    LANES,
    DianaBanks,
    DianaPixels,
    banks,
    padded,
    pixel_words,
)
from tinsmith_diana.packing import packed_convolution
from tinsmith_diana.rules import (
    ACCELERATOR,
    ROWS,
    TO_BANKS,
    board_has_array,
    copying_emission,
    job_emission,
    job_kernel,
    room_finding,
    rows_bytes,
    weights_finding,
)

NAME = "tinsmith_diana_digital_pixels"
"""Of kernels that copy the pixels to the core's memory."""
COPYING = Beside(ACCELERATOR, is_fifo=True, depth=1, copies_results=True)

_RECORD, _WEIGHTS = "layer", "identity"
_CALL_CYCLES, _JOB_CYCLES, _COPY_CYCLES = 180, 80, 115
"""Measured on the simulator: of a call, of a job besides its load and its work, of the start of a copy."""


@dataclass(frozen=True)
class PixelImage:
    """An image of that height, width and number of channels as the array leaves it in L1, and copies of it from there:
    pixels of `DianaBanks`, but for rows that are padded to 16 of them.
    """

    image: tuple[int, int, int]

    @property
    def is_dense(self) -> bool:
        """Whether no row is padded, so that the analog array reads it as it is."""
        return self.image[1] % LANES == 0

    @property
    def copies(self) -> int:
        """Rows are padded to 16 pixels: those of other widths are copied one by one."""
        return 1 if self.is_dense else self.image[0]

    @property
    def copied_rows(self) -> int:
        """Of each copy, of 16 bytes of each bank."""
        height, width, channels = self.image
        return height * width // self.copies * pixel_words(channels)

    @property
    def copy_step(self) -> int:
        """Bytes of a bank from one copy to the next."""
        _, width, channels = self.image
        return padded(width) * pixel_words(channels) * LANES

    @property
    def scratch_bytes(self) -> int:
        """From the first byte in the first bank to the last one in the last bank: as of the analog array's images, it
        fits the memory just where it begins in the first bank, if there are several.
        """
        in_bank = self.image[0] * self.copy_step
        return in_bank + ((BANKS - 1) * BANK_BYTES if banks(self.image[2]) > 1 else 0)

    @property
    def copy_words(self) -> NDArray[np.uint32]:
        """Behind the words of `jobs.record`: 40 copies, 41 rows and 42 banks of each, 43 bytes of a bank from one to
        the next.
        """
        words = self.copies, self.copied_rows, banks(self.image[2]), self.copy_step
        return np.array(words, np.uint32)

    @property
    def copy_cycles(self) -> int:
        """Of the core that starts copies, and of their engine."""
        copied = self.copied_rows * banks(self.image[2])
        return self.copies * (_COPY_CYCLES + jobs.COPY_CYCLES + copied)


@dataclass(frozen=True)
class Turning(PixelImage):
    """From rows to pixels.

    Up to 64 channels, each 16 are a job: all of them write to the same word of the next bank, by the same weights. More
    are one job, as pixels have several words then, and so are those that are no multiple of 16.
    """

    @property
    def parts(self) -> int:
        """The jobs."""
        channels = self.image[2]
        return channels // LANES if channels % LANES == 0 and channels <= BANKED else 1

    @property
    def part(self) -> jobs.Convolution:
        """What the first job does, and the others of the next channels."""
        height, width, channels = self.image
        image = height, width, channels // self.parts
        return jobs.Convolution(
            image, image, (1, 1), 1, (0, 0, 0), shift=0, relu=False, gives_pixels=True
        )


def record(work: Turning) -> NDArray[np.uint32]:
    """The words of `jobs.record`, of which each job loads the same weights."""
    words = jobs.record(work.part)
    words[32] = work.parts
    words[35] = 0
    words[37] = work.part.input[2] * work.part.plane_bytes[0]
    return words


def cost_of(work: Turning, *, copies: bool = True) -> Cost:
    """Of the jobs, of which the last one has begun when the start returns, of the copies, which the wait makes if there
    are any, and of the core.
    """
    part = work.part
    of_job = _JOB_CYCLES + jobs.loaded_bytes(part) // LANES + jobs.compute_cycles(part)
    start = _CALL_CYCLES + (work.parts - 1) * of_job
    wait = work.copy_cycles if copies else 0
    return Cost(start + of_job + wait, start=start, wait=wait)


def identity_fits(layer: Layer) -> str | None:
    """The weights that leave the image as it is fit the accelerator's weight memory of 65,536 bytes."""
    part = _work(layer).part
    needed = part.jobs * part.weight_bytes
    return weights_finding(part) if part.jobs == 1 else f"they take {needed:,} bytes"


def images_fit(layer: Layer) -> str | None:
    """The image in rows and as pixels fits the L1 memory of 262,144 bytes; pixels of more than 16 channels reach from
    the first of its banks to the last.
    """
    return room_finding(rows_bytes(layer.input(0)) + _work(layer).scratch_bytes)


def is_faster(layer: Layer) -> str | None:
    """The array takes less cycles than the core, which turns it element by element."""
    own, of_core = cost(layer).cycles, turning.cost(layer).cycles
    return None if own < of_core else f"it takes {own:,}, the core {of_core:,}"


def rows_are_whole(layer: Layer) -> str | None:
    """Rows are a multiple of 16 pixels: to that the array pads them, and the analog one reads no padding."""
    width = layer.output.shape[2]
    return None if width % LANES == 0 else f"they have {width}"


def prepare(layer: Layer, *, copies: bool) -> tuple[Prepared, ...]:
    """The record, and the weights that each job loads. copies: whether the call copies the pixels, too."""
    work = _work(layer)
    channels = work.part.input[2]
    identity = np.eye(channels, dtype=np.int8).reshape(channels, 1, 1, channels)
    words = np.concatenate([record(work), work.copy_words]) if copies else record(work)
    return (
        Prepared(_RECORD, words.astype("<u4").view("i1")),
        Prepared(_WEIGHTS, packed_convolution(identity, np.zeros(channels, np.int32))),
    )


def emit(layer: Layer, scope: Scope, *, copies: bool) -> Emission:
    """The start and the wait."""
    del layer
    what = "its instruction, and copies of its pixels" if copies else "its instruction"
    constants = [
        scope.prepared(_RECORD, f"{scope.layer}: {what}"),
        scope.prepared(_WEIGHTS, f"{scope.layer}: an identity"),
    ]
    if copies:
        return copying_emission(scope, NAME, constants)
    return job_emission(scope, *constants)


def scratch_bytes(layer: Layer) -> int:
    """Of the pixels in their banks."""
    return _work(layer).scratch_bytes


def cost(layer: Layer, *, copies: bool = True) -> Cost:
    """Of the jobs, of the copies if there are any, and of the core."""
    return cost_of(_work(layer), copies=copies)


def layouts(layer: Layer, *, result: str) -> Layouts:
    """From rows to pixels."""
    del layer
    return Layouts((ROWS,), (result,))


def kernels() -> tuple[Kernel, ...]:
    """To pixels in the core's memory, and in banks of L1, where keep-images wants them."""
    kernel = partial(job_kernel, operator=Reshape, signature=Signature((DType.INT8,), DType.INT8))
    rules = (board_has_array, turning.is_computed, turning.is_image, identity_fits)
    return (
        kernel(
            name=NAME,
            emit=partial(emit, copies=True),
            rules=(*rules, images_fit),
            pays=(is_faster,),
            scratch_bytes=scratch_bytes,
            prepare=partial(prepare, copies=True),
            layouts=partial(layouts, result=DianaPixels.name),
            cost=cost,
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


def _work(layer: Layer) -> Turning:
    return Turning(turning.image_of(layer.output))
