"""Chains of operators that one pass over the elements computes."""

from tinsmith_c import call
from tinsmith_ir.operators import Add, Relu, Relu6, Requantize
from tinsmith_lowering import Emission, Layer, Scope, Signature, elementwise_walk

from tinsmith_reference.common import INT8, INT16, SUFFIX, kernel
from tinsmith_reference.elementwise import broadcast, rank_fits, sum_initializer
from tinsmith_reference.quantization import end_parameters, requantize_initializer


def emit_add_requantize(layer: Layer, scope: Scope) -> Emission:
    """A sum whose scale changes, or that a rectifier of another scale clamps."""
    add, end = layer.steps
    name = f"tinsmith_add_requantize_{SUFFIX[layer.output.dtype]}"
    operands = [scope.input(0), scope.input(1), scope.output]
    return Emission(
        (
            broadcast(add),
            sum_initializer(add),
            requantize_initializer(end_parameters(end), "kEnd"),
            call(name, ["&kBroadcast", "&kParameters", "&kEnd", *operands]),
        )
    )


KERNELS = tuple(
    kernel(
        f"tinsmith_add_requantize_{SUFFIX[dtype]}",
        Add,
        Signature((dtype, dtype), dtype),
        emit_add_requantize,
        (rank_fits,),
        walk=elementwise_walk,
        then=(end,),
    )
    for end in (Requantize, Relu, Relu6)
    for dtype in (INT8, INT16)
)
