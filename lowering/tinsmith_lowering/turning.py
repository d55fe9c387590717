"""Kernels that turn a tensor from one layout to another: of a Reshape that leaves the shape alone."""

from collections.abc import Sequence

from tinsmith_ir.graph import Node, Value
from tinsmith_ir.operators import Reshape

from tinsmith_lowering.kernel import Kernel, Layer


def turns(kernel: Kernel, layer: Layer) -> bool:
    """True if, of a Reshape, it takes one layout and gives another: no layer of a graph is for it to compute."""
    if not isinstance(layer.operator, Reshape) or not kernel.takes(layer.kind):
        return False
    layouts = kernel.layouts(layer)
    return layouts.of_input(0) != layouts.of_output(0)


def turning(kernels: Sequence[Kernel], layer: Layer, source: str, wanted: str) -> list[Kernel]:
    """Those that take the operand of a Reshape in layout `source` and give `wanted`; "" is dense."""
    return [
        kernel
        for kernel in kernels
        if turns(kernel, layer)
        and kernel.layouts(layer).of_input(0) == source
        and kernel.layouts(layer).of_output(0) == wanted
    ]


def turning_node(value: Value, turned: str) -> Node:
    """What such a kernel computes. turned: the name of its result."""
    type_ = value.type
    return Node(Reshape(shape=type_.shape), (value,), (Value(turned, type_),))
