"""How often kernels of some kinds load their constants: what `Kernel.loads` says for many of them."""

from collections.abc import Callable
from math import prod

from tinsmith_lowering.kernel import Layer, Loads


def loads_by_pixels(together: int) -> Callable[[Layer], Loads]:
    """Of a convolution that goes through all constants for each `together` pixels of its output."""

    def loads(layer: Layer) -> Loads:
        often = -(-prod(layer.output.shape[:-1]) // together)
        return Loads(often, often)

    return loads


def loads_of_table(table_bytes: int, *, of_element: int = 1) -> Callable[[Layer], Loads]:
    """Of a function by its table, from which each element takes so many values, each a load."""

    def loads(layer: Layer) -> Loads:
        return Loads(-(-4 * of_element * layer.output.elements // table_bytes))

    return loads
