"""FullyConnected by the packed kernel on weights of four bits (`tinsmith_nn.h`)."""

from tinsmith_ir.operators import FullyConnected
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    loads_by_pixels,
    weights_are_constant,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn import fully_connected, walks
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    PACKED_HEADER,
    engine,
    packed_constants,
)
from tinsmith_cmsis_nn.four_bits import S4
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.packing import PackedLayer, refusal
from tinsmith_cmsis_nn.packing_four_bits import pack_fully_connected_four_bits

_NAME = "tinsmith_fully_connected_packed_s4"


def weights_pack(layer: Layer) -> str | None:
    """Weights of four bits, bias and scales can be arranged for the packed kernels (`tinsmith_nn.h`)."""
    return refusal(lambda: packed(layer))


def packed(layer: Layer) -> PackedLayer:
    """The layer's constants as the kernel of its target takes them; raises PackingError."""
    return fully_connected.packed_by(layer, pack_fully_connected_four_bits)


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights, bias and scales as the kernel of the target takes them."""
    return packed_constants(layer, packed(layer))


def emit(layer: Layer, scope: Scope) -> Emission:
    """One call."""
    return fully_connected.emit_packed_call(_NAME, layer, scope)


def kernels(target: Target) -> tuple[Kernel, ...]:
    """That of the target's implementation."""
    kernel = Kernel(
        name=_NAME,
        backend=BACKEND,
        operator=FullyConnected,
        signature=S4,
        headers=(PACKED_HEADER,),
        emit=emit,
        prepare=prepare,
        loads=loads_by_pixels(1),
        walk=walks.fully_connected_packed,
        rules=(weights_are_constant, weights_pack),
        engine=engine(target),
        checks=PACKED_CHECKS,
        guards=guards(target),
    )
    return (kernel,)
