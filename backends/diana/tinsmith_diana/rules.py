"""Rules that layers of several operators share, and what their kernels declare alike."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import TensorType
from tinsmith_ir.dtypes import DType
from tinsmith_lowering import Beside, Cost, Emission, Kernel, Layer, Layouts, Scope, Signature
from tinsmith_lowering import Prepared as Constant

from tinsmith_diana import jobs, scales
from tinsmith_diana.layouts import (
    BANK_BYTES,
    COPIED_BYTES,
    DianaBanks,
    DianaRows,
    banks,
    padded,
)

ACCELERATOR = "digital"
"""Among those of a board."""
ROWS = DianaRows.name
IN_ROWS, IN_PIXELS = "tinsmith_diana_digital", "tinsmith_diana_digital_in_pixels"
"""Names of the accelerator's kernels, by how what they read lies: in rows, or as the analog accelerator leaves it."""
IN_BANKS, TO_BANKS = "tinsmith_diana_digital_in_banks", "tinsmith_diana_digital_to_banks"
"""Those of images in banks of L1, as `keep-images` has them: from there to there, and from rows to there."""
IN_PLANES = "tinsmith_diana_digital_in_planes"
"""That of tiles whose rows are copied to padded planes."""
_BACKEND = "diana_digital"

job_kernel = partial(
    Kernel,
    name=IN_ROWS,
    backend=_BACKEND,
    headers=("tinsmith_diana_digital.h",),
    engine=ACCELERATOR,
    accelerator=ACCELERATOR,
    beside=Beside(ACCELERATOR, is_fifo=True, depth=1),
)
"""What all kernels of the accelerator have in common."""

plane_kernel = partial(
    Kernel,
    backend=_BACKEND,
    signature=Signature((DType.INT8,), DType.INT8),
    headers=("tinsmith_diana_planes.h",),
)
"""What all kernels of the core have, which turn tensors in rows or compute with them."""

_RECORD, _WEIGHTS = "layer", "weights"
_CALL_CYCLES = 20
"""Of a core, around start and wait of a layer: calls of functions, and their arguments."""


def board_has_array(layer: Layer) -> str | None:
    """The board has the digital accelerator, or is a computer, which has its twin."""
    return accelerator_finding(layer, ACCELERATOR)


def accelerator_finding(layer: Layer, accelerator: str) -> str | None:
    """None if the board has it, or is a computer, which has its twin."""
    board = layer.target.board
    has_array = board.scratchpad is not None and accelerator in board.scratchpad.accelerators
    return None if has_array or board.architecture == "host" else f"{board.name} has not"


def features_of(layer: Layer) -> jobs.Features:
    """What the target's accelerators may be asked beyond what is published."""
    return layer.target.board.accelerator_features


def rows_bytes(type_: TensorType) -> int:
    """Of a tensor in rows."""
    return DianaRows().size_bytes(type_)


def room_finding(needed: int) -> str | None:
    """None if so many bytes fit the L1 memory."""
    return None if needed <= jobs.L1_BYTES else f"they take {needed:,} bytes"


def l1_finding(*tensors: TensorType) -> str | None:
    """None if they lie in the L1 memory together, in rows."""
    return room_finding(sum(map(rows_bytes, tensors)))


def least_rows(width: int, height: int) -> int:
    """The fewest rows of a result that copies move, which take whole pieces."""
    return min(height, COPIED_BYTES // math.gcd(COPIED_BYTES, padded(width)))


def weights_finding(work: jobs.Work) -> str | None:
    """None if what a job loads fits the weight memory."""
    needed = work.weight_bytes
    return None if needed <= jobs.WEIGHT_MEMORY_BYTES else f"they take {needed:,} bytes"


def prepared(work: jobs.Work, packed: NDArray[np.int8] | None = None) -> tuple[Constant, ...]:
    """The record of a layer, and what its jobs load: packed weights and biases."""
    words = Constant(_RECORD, jobs.record(work).astype("<u4").view("i1"))
    return (words,) if packed is None else (words, Constant(_WEIGHTS, packed))


def cost_of(work: jobs.Work) -> Cost:
    """Of the jobs, and of the core that starts them."""
    return Cost(jobs.cycles(work) + _CALL_CYCLES, start=jobs.start_cycles(work))


def emit_weighted(work: jobs.Work, scope: Scope) -> Emission:
    """The start and the wait of a layer with weights."""
    return emission(scope, weights=True, joined=work.joined > 1)


def emission(
    scope: Scope, *, weights: bool, operand: str = "NULL", joined: bool = False
) -> Emission:
    """The start of a layer's jobs and the wait for them. operand: C expression of an addition's second one. joined:
    whether a job is several runs of the layer's instruction.
    """
    words = scope.prepared(_RECORD, f"{scope.layer}: its instruction, and how it is repeated")
    packed = (
        scope.prepared(_WEIGHTS, f"{scope.layer}: packed weights and biases") if weights else "NULL"
    )
    return job_emission(scope, words, packed, operand, joined=joined)


def job_emission(
    scope: Scope, words: str, packed: str, operand: str = "NULL", *, joined: bool = False
) -> Emission:
    """The same of constants by their C expressions."""
    arguments = [words, packed, scope.input(0), operand, scope.output]
    start = "joined_start" if joined else "start"
    return Emission(
        (f"  tinsmith_diana_digital_{start}({', '.join(arguments)}, {scope.token});",),
        wait=(f"  tinsmith_diana_digital_wait({scope.token});",),
    )


def banks_emission(scope: Scope, operand: str, count: int) -> Emission:
    """Of an addition of images in so many banks."""
    words = scope.prepared(_RECORD, f"{scope.layer}: its instruction, of a bank")
    arguments = [words, scope.input(0), operand, scope.output, f"{count}u", scope.token]
    return Emission(
        (f"  tinsmith_diana_digital_banks_start({', '.join(arguments)});",),
        wait=(f"  tinsmith_diana_digital_wait({scope.token});",),
    )


def copying_emission(scope: Scope, function: str, constants: Sequence[str]) -> Emission:
    """The start and the wait of a call that copies an image by itself, from or to its scratch in L1. function: of both,
    but for their endings. constants: C expressions of what is prepared.
    """
    if scope.scratch is None:
        raise ValueError(f"layer {scope.layer}: its images have no place")
    arguments = [*constants, scope.input(0), scope.scratch.expression, scope.output, scope.token]
    return Emission(
        (f"  {function}_start({', '.join(arguments)});",),
        wait=(f"  {function}_wait({scope.token});",),
    )


def bank_bytes(type_: TensorType) -> int:
    """Of an image in each of its banks."""
    _, length = DianaBanks().own_runs(type_)
    return length


def banks_of(type_: TensorType) -> int:
    """Over which an image lies."""
    return banks(type_.shape[3])


def banks_finding(images: int, type_: TensorType) -> str | None:
    """None if so many images of that type lie in the L1 memory together, beside one another in each of their banks."""
    needed = images * bank_bytes(type_)
    room = BANK_BYTES if banks_of(type_) > 1 else jobs.L1_BYTES
    return None if needed <= room else f"they take {needed:,} bytes of {room:,}"


def in_rows(operands: int, behind: int = 0) -> Layouts:
    """The first operands and the result lie in rows."""
    return Layouts((ROWS,) * operands, (ROWS,), (behind,) if behind else ())


weighted_kernel = partial(
    job_kernel,
    signature=Signature((DType.INT8, DType.INT8, DType.INT32), DType.INT8),
    roundings=scales.ROUNDINGS,
)
"""What those of layers with weights have in common, besides."""
