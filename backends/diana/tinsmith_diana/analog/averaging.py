"""AveragePool2D over a whole image, by the core, of pixels as the analog accelerator leaves them."""

from functools import partial

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import AveragePool2D
from tinsmith_lowering import Cost, Kernel, Layer, Layouts, Signature

from tinsmith_diana import averaging
from tinsmith_diana.analog.convolution import BACKEND, board_has_array
from tinsmith_diana.layouts import DianaPixels

NAME = "tinsmith_diana_average_pixels"

# Cycles, measured on the simulator: of a call; of the means of four channels; of a round of 16 words of these, and of a
# word that is left.
_CALL_CYCLES, _MEANS_CYCLES, _ROUND_CYCLES, _LEFT_CYCLES = 60, 75, 68, 8
_WORD_BYTES, _ROUND_WORDS = 4, 16


def cost(layer: Layer) -> Cost:
    """Cycles of the core, all in its memory: four channels after the others, over all pixels."""
    _, height, width, channels = layer.input(0).shape
    rounds, left = divmod(height * width, _ROUND_WORDS)
    of_word = _MEANS_CYCLES + rounds * _ROUND_CYCLES + left * _LEFT_CYCLES
    return Cost(_CALL_CYCLES + -(-channels // _WORD_BYTES) * of_word)


def layouts(layer: Layer) -> Layouts:
    """Pixels to a dense result."""
    del layer
    return Layouts((DianaPixels.name,))


def kernels() -> tuple[Kernel, ...]:
    """The one there is."""
    return (
        Kernel(
            name=NAME,
            backend=BACKEND,
            operator=AveragePool2D,
            signature=Signature((DType.INT8,), DType.INT8),
            headers=("tinsmith_diana_pixels.h",),
            emit=partial(averaging.emit, name=NAME),
            rules=(board_has_array, *averaging.RULES),
            layouts=layouts,
            cost=cost,
            as_they_lie=True,
        ),
    )
