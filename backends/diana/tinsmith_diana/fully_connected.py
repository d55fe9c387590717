"""FullyConnected as jobs of DIANA's digital accelerator, 16 outputs each."""

from tinsmith_ir.operators import FullyConnected
from tinsmith_lowering import (
    Cost,
    Kernel,
    Layer,
    Layouts,
    Prepared,
    only_weights_are_constant,
    weight_rows,
)

from tinsmith_diana import jobs, scales
from tinsmith_diana.packing import packed_fully_connected
from tinsmith_diana.rules import (
    board_has_array,
    cost_of,
    in_rows,
    l1_finding,
    prepared,
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


def weights_fit(layer: Layer) -> str | None:
    """The weights and biases of 16 outputs fit the accelerator's weight memory of 65,536 bytes."""
    return weights_finding(_work(layer))


def tensors_fit(layer: Layer) -> str | None:
    """Input and result, padded to whole words, fit the L1 memory of 262,144 bytes together."""
    return l1_finding([layer.input(0)], layer.output)


def _work(layer: Layer, shift: int = 0, *, relu: bool = False) -> jobs.FullyConnected:
    """As of a convolution."""
    outputs, inputs = layer.input(1).shape
    return jobs.FullyConnected(inputs, outputs, shift, relu)


def prepare(layer: Layer) -> tuple[Prepared, ...]:
    """As of a convolution."""
    scale = scales.scale_of(layer)
    packed = packed_fully_connected(weight_rows(layer), scale.biases)
    return prepared(_work(layer, scale.shift, relu=scale.relu), packed)


def cost(layer: Layer) -> Cost:
    """As of a convolution."""
    return cost_of(_work(layer))


def layouts(layer: Layer) -> Layouts:
    """Vectors in words."""
    del layer
    return in_rows(1)


def kernels() -> tuple[Kernel, ...]:
    """The one there is."""
    kernel = weighted_kernel(
        operator=FullyConnected,
        rules=(
            board_has_array,
            only_weights_are_constant,
            one_row,
            weights_fit,
            tensors_fit,
            *scales.RULES,
        ),
        prepare=prepare,
        layouts=layouts,
        cost=cost,
    )
    return (kernel,)
