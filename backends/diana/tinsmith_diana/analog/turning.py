"""Between pixels, which the analog accelerator reads and leaves, and dense images or the digital one's rows: by the
core.
"""

from functools import partial

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Reshape
from tinsmith_lowering import Cost, Kernel, Layer, Signature

from tinsmith_diana import turning
from tinsmith_diana.analog.convolution import BACKEND, board_has_array
from tinsmith_diana.layouts import DianaPixels
from tinsmith_diana.rules import ROWS

PIXELS = DianaPixels.name

# By name, the layouts of operand and result.
_TURNS = {
    "tinsmith_diana_to_pixels": ("", PIXELS),
    "tinsmith_diana_from_pixels": (PIXELS, ""),
    "tinsmith_diana_rows_to_pixels": (ROWS, PIXELS),
    "tinsmith_diana_pixels_to_rows": (PIXELS, ROWS),
}

# Cycles, measured on the simulator: of a call, of a pixel, of four bytes of it.
_CALL_CYCLES, _PIXEL_CYCLES, _WORD_CYCLES = 30, 6, 4
_WORD_BYTES = 4


def cost(layer: Layer) -> Cost:
    """Of dense elements, cycles of the core, all in its memory; the same both ways."""
    height, width, channels = turning.image_of(layer.output)
    words = -(-channels // _WORD_BYTES)
    return Cost(_CALL_CYCLES + height * width * (_PIXEL_CYCLES + words * _WORD_CYCLES))


def kernels() -> tuple[Kernel, ...]:
    """One for each way."""
    return tuple(
        Kernel(
            name=name,
            backend=BACKEND,
            operator=Reshape,
            signature=Signature((DType.INT8,), DType.INT8),
            headers=("tinsmith_diana_pixels.h",),
            emit=partial(turning.emit, name=name),
            rules=(board_has_array, turning.is_computed, turning.is_image),
            layouts=partial(turning.layouts, operand=operand, result=result),
            cost=turning.cost if ROWS in (operand, result) else cost,
        )
        for name, (operand, result) in _TURNS.items()
    )
