"""AveragePool2D over a whole image, by the core, of planes as the digital accelerator leaves them."""

from functools import partial

from tinsmith_ir.operators import AveragePool2D
from tinsmith_ir.parameters import pool_parameters
from tinsmith_lowering import Cost, Emission, Kernel, Layer, Layouts, Scope

from tinsmith_diana.rules import ROWS, board_has_array, plane_kernel

NAME = "tinsmith_diana_average"
_MOST_ELEMENTS = 1 << 24
"""Of a plane, whose sum has 32 bits."""

# Cycles, measured on the simulator: of a call; of a plane, of a loop over words of it, of two of these words.
_CALL_CYCLES, _PLANE_CYCLES, _LOOP_CYCLES, _WORDS_CYCLES = 60, 12, 17, 5
_WORD_BYTES = 4


def is_whole_image(layer: Layer) -> str | None:
    """One window covers one image, without padding."""
    pool = layer.operator_as(AveragePool2D)
    batch, height, width, _ = layer.input(0).shape
    if batch != 1:
        return f"there are {batch} images"
    is_whole = pool.window == (height, width) and not any(pool.padding)
    return (
        None
        if is_whole
        else f"the window is {pool.window}, the image ({height}, {width}), padding {pool.padding}"
    )


def sums_fit(layer: Layer) -> str | None:
    """An image has less than 2**24 pixels, so that sums have 32 bits."""
    _, height, width, _ = layer.input(0).shape
    return None if height * width < _MOST_ELEMENTS else f"it has {height * width:,}"


def rounds_halves_away(layer: Layer) -> str | None:
    """Halves are rounded away from zero."""
    pool = layer.operator_as(AveragePool2D)
    if pool.halves_to_even:
        return "they are rounded to even"
    return "they are rounded up" if pool.halves_up else None


def emit(layer: Layer, scope: Scope, *, name: str) -> Emission:
    """One call of a function, however the image lies."""
    p = pool_parameters(layer.operator_as(AveragePool2D), layer.inputs, layer.output)
    _, height, width, channels = layer.input(0).shape
    numbers = f"{height}u, {width}u, {channels}u, {p.clamp_min}, {p.clamp_max}"
    return Emission((f"  {name}({scope.input(0)}, {numbers}, {scope.output});",))


def cost(layer: Layer) -> Cost:
    """Cycles of the core, all in its memory: loops go along rows where these have more words than there are rows, else
    from row to row, over two words of each at once.
    """
    _, height, width, channels = layer.input(0).shape
    words = -(-width // _WORD_BYTES)
    loops = height if words > height else -(-words // 2)
    of_plane = _PLANE_CYCLES + loops * _LOOP_CYCLES + height * words * _WORDS_CYCLES // 2
    return Cost(_CALL_CYCLES + channels * of_plane)


def layouts(layer: Layer) -> Layouts:
    """Planes to a dense result."""
    del layer
    return Layouts((ROWS,))


RULES = (is_whole_image, sums_fit, rounds_halves_away)
"""Of averages by the core, however an image lies."""


def kernels() -> tuple[Kernel, ...]:
    """The one there is."""
    return (
        plane_kernel(
            name=NAME,
            operator=AveragePool2D,
            emit=partial(emit, name=NAME),
            rules=(board_has_array, *RULES),
            layouts=layouts,
            cost=cost,
            as_they_lie=True,
        ),
    )
