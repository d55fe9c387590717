"""Images of the analog array that stay in banks of L1: layers from there to there, which copy nothing, and copies.

No layer is lowered to these kernels: keep-images gives them those whose images others have or read there.
"""

from dataclasses import replace
from functools import partial

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
from tinsmith_lowering.kernel import no_scratch

from tinsmith_diana import turning
from tinsmith_diana.analog import convolution, jobs
from tinsmith_diana.analog.convolution import ACCELERATOR, BACKEND, board_has_array
from tinsmith_diana.jobs import COPY_CYCLES
from tinsmith_diana.layouts import LANES, DianaBanks, DianaPixels, banks, pixel_bytes
from tinsmith_diana.rules import banks_finding

NAME = "tinsmith_diana_analog_in_banks"
TO, FROM = "tinsmith_diana_to_banks", "tinsmith_diana_from_banks"

_PIXELS, _BANKS = DianaPixels.name, DianaBanks.name
_HEADERS = ("tinsmith_diana_analog_layer.h",)
_FUNCTIONS = "tinsmith_diana_analog"
_BESIDE = Beside(ACCELERATOR, is_fifo=True, depth=1)
_CALL_CYCLES, _COPY_CALL_CYCLES = 200, 150
"""Of the core, around a job, and around a copy: measured on the simulator."""


def array_clips(layer: Layer) -> str | None:
    """The array clips results by itself, to 8 bits: what the core clips to 7 goes to its memory."""
    return "the core clips them to 7" if convolution.is_narrow(layer) else None


def image_fits(layer: Layer) -> str | None:
    """The image fits the L1 memory of 262,144 bytes; of more than 16 channels, each of its banks of 65,536."""
    return banks_finding(1, layer.output)


def prepare(layer: Layer) -> tuple[Prepared, ...]:
    """The instruction, and the weights and scales that the job loads."""
    record, *loaded = convolution.prepare(layer)
    return (replace(record, data=record.data[: jobs.INSTRUCTION_BYTES]), *loaded)


def emit(layer: Layer, scope: Scope) -> Emission:
    """The start and the wait of a layer."""
    del layer
    constants = convolution.constants(scope, "its instruction")
    arguments = [*constants, scope.input(0), scope.output, scope.token]
    return _emission("banks", arguments, scope)


def emit_copy(layer: Layer, scope: Scope, *, way: str) -> Emission:
    """The start and the wait of a copy. way: `to_banks` or `from_banks`."""
    image = turning.image_of(layer.output)
    rows, count = f"{jobs.copied_rows(image)}u", f"{banks(image[2])}u"
    return _emission(way, [scope.input(0), rows, count, scope.output, scope.token], scope)


def cost(layer: Layer) -> Cost:
    """Of the job, and of the core that starts it."""
    return Cost(jobs.job_cycles(convolution.work_of(layer)) + _CALL_CYCLES)


def copy_cost(layer: Layer) -> Cost:
    """Of the copy, and of the core that starts it."""
    height, width, channels = turning.image_of(layer.output)
    words = height * width * pixel_bytes(channels) // LANES
    return Cost(_COPY_CALL_CYCLES + COPY_CYCLES + words)


def layouts(layer: Layer) -> Layouts:
    """In banks."""
    del layer
    return Layouts((_BANKS,), (_BANKS,))


def copy_layouts(layer: Layer, *, lie: Layouts) -> Layouts:
    """Those given."""
    del layer
    return lie


def kernels() -> tuple[Kernel, ...]:
    """Of layers, and of copies both ways."""
    (copying,) = convolution.kernels()
    in_banks = replace(
        copying,
        name=NAME,
        emit=emit,
        rules=(*copying.rules, array_clips),
        scratch_bytes=no_scratch,
        prepare=prepare,
        layouts=layouts,
        cost=cost,
        beside=_BESIDE,
        as_they_lie=True,
    )
    return (
        in_banks,
        _copy(
            TO,
            "to_banks",
            Layouts((_PIXELS,), (_BANKS,)),
            replace(_BESIDE, copies_operands=True),
        ),
        _copy(
            FROM,
            "from_banks",
            Layouts((_BANKS,), (_PIXELS,)),
            replace(_BESIDE, copies_results=True),
        ),
    )


def _copy(name: str, way: str, lie: Layouts, beside: Beside) -> Kernel:
    return Kernel(
        name=name,
        backend=BACKEND,
        operator=Reshape,
        signature=Signature((DType.INT8,), DType.INT8),
        headers=_HEADERS,
        emit=partial(emit_copy, way=way),
        rules=(board_has_array, turning.is_computed, turning.is_image, image_fits),
        engine=ACCELERATOR,
        layouts=partial(copy_layouts, lie=lie),
        cost=copy_cost,
        accelerator=ACCELERATOR,
        beside=beside,
    )


def _emission(start: str, arguments: list[str], scope: Scope) -> Emission:
    return Emission(
        (f"  {_FUNCTIONS}_{start}_start({', '.join(arguments)});",),
        wait=(f"  {_FUNCTIONS}_banks_wait({scope.token});",),
    )
