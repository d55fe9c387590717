"""FullyConnected as jobs of DIANA's digital accelerator, 16 outputs each, or more where the target has it so.

It reads a vector, and an image of one pixel as the analog accelerator leaves it, whose bytes are those of a vector.
"""

from functools import partial

from tinsmith_ir.operators import FullyConnected
from tinsmith_lowering import (
    Cost,
    Emission,
    Kernel,
    Layer,
    Layouts,
    Prepared,
    Scope,
    only_weights_are_constant,
    weight_rows,
)

from tinsmith_diana import jobs, scales
from tinsmith_diana.layouts import DianaPixels, pixel_bytes
from tinsmith_diana.packing import packed_fully_connected
from tinsmith_diana.rules import (
    IN_PIXELS,
    ROWS,
    board_has_array,
    cost_of,
    emit_weighted,
    features_of,
    l1_finding,
    prepared,
    room_finding,
    rows_bytes,
    weighted_kernel,
    weights_finding,
)


def one_row(layer: Layer) -> str | None:
    """There is one row, of one or two axes."""
    shapes = [layer.input(0).shape, layer.output.shape]
    rows = layer.output.elements // layer.output.shape[-1]
    if max(map(len, shapes)) > 2:
        return f"shapes are {shapes[0]} and {shapes[1]}"
    return None if rows == 1 else f"there are {rows}"


def one_pixel(layer: Layer) -> str | None:
    """The input is an image of one pixel, the result one row of one or two axes."""
    source, result = layer.input(0).shape, layer.output.shape
    is_pixel = len(source) == 4 and source[:3] == (1, 1, 1)
    is_row = 1 <= len(result) <= 2 and layer.output.elements == result[-1]
    return None if is_pixel and is_row else f"shapes are {source} and {result}"


def weights_fit(layer: Layer) -> str | None:
    """The weights and biases of 16 outputs fit the accelerator's weight memory of 65,536 bytes."""
    return weights_finding(_work(layer))


def pixel_fits(layer: Layer) -> str | None:
    """The pixel and the result, padded to whole words, fit the L1 memory of 262,144 bytes together."""
    return room_finding(pixel_bytes(layer.input(0).shape[3]) + rows_bytes(layer.output))


def tensors_fit(layer: Layer) -> str | None:
    """Input and result, padded to whole words, fit the L1 memory of 262,144 bytes together."""
    return l1_finding(layer.input(0), layer.output)


def _work(layer: Layer, shift: int = 0, *, relu: bool = False) -> jobs.FullyConnected:
    """As of a convolution."""
    outputs, inputs = layer.input(1).shape
    return jobs.FullyConnected(inputs, outputs, shift, relu, features_of(layer))


def prepare(layer: Layer) -> tuple[Prepared, ...]:
    """As of a convolution."""
    scale = scales.scale_of(layer)
    packed = packed_fully_connected(weight_rows(layer), scale.biases)
    return prepared(_work(layer, scale.shift, relu=scale.relu), packed)


def emit(layer: Layer, scope: Scope) -> Emission:
    """As of a convolution."""
    return emit_weighted(_work(layer), scope)


def cost(layer: Layer) -> Cost:
    """As of a convolution."""
    return cost_of(_work(layer))


def layouts(layer: Layer, *, lies: str) -> Layouts:
    """The input as it lies, to a vector in words."""
    del layer
    return Layouts((lies,), (ROWS,))


def kernels() -> tuple[Kernel, ...]:
    """That of a pixel where it lies so, as a vector would have to be made of it."""
    kernel = partial(
        weighted_kernel, operator=FullyConnected, prepare=prepare, emit=emit, cost=cost
    )
    before = (board_has_array, only_weights_are_constant)
    return (
        kernel(
            name=IN_PIXELS,
            rules=(*before, one_pixel, weights_fit, pixel_fits, *scales.RULES),
            layouts=partial(layouts, lies=DianaPixels.name),
            as_they_lie=True,
        ),
        kernel(
            rules=(*before, one_row, weights_fit, tensors_fit, *scales.RULES),
            layouts=partial(layouts, lies=ROWS),
        ),
    )
