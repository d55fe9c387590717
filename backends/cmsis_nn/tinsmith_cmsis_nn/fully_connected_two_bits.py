"""FullyConnected by the packed kernels on weights of two bits (`tinsmith_nn_two_bits.h`)."""

from collections.abc import Iterator

from tinsmith_ir.operators import FullyConnected
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Loads,
    Prepared,
    Scope,
    Walk,
    loads_by_pixels,
    weights_are_constant,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn import fully_connected, scratch, walks
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    engine,
    implementation,
    packed_constants,
)
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.packed_two_bits import HEADER, S2, with_sister
from tinsmith_cmsis_nn.packing import PackedLayer, refusal
from tinsmith_cmsis_nn.packing_two_bits import pack_fully_connected_two_bits

_NAME = "tinsmith_fully_connected_packed_s2"


def weights_pack(layer: Layer) -> str | None:
    """Weights of two bits, bias and scales can be arranged for the packed kernels (`tinsmith_nn_two_bits.h`)."""
    return refusal(lambda: packed(layer))


def packed(layer: Layer) -> PackedLayer:
    """The layer's constants as the kernel of its target takes them; raises PackingError."""
    return fully_connected.packed_by(layer, pack_fully_connected_two_bits)


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights, bias and scales as the kernel of the target takes them."""
    return packed_constants(layer, packed(layer))


def emit(layer: Layer, scope: Scope) -> Emission:
    """One call."""
    return fully_connected.emit_packed_call(_NAME, layer, scope)


def scratch_bytes(layer: Layer) -> int:
    """Weights of some channels as bytes; the DSP extension takes them as they are."""
    channels, depth = layer.input(1).shape
    return scratch.fully_connected_two_bits(implementation(layer.target), channels, depth)


def walk(layer: Layer) -> Walk | None:
    """Of the DSP extension row by row, as on bytes; the others come back to each row for some more channels."""
    is_dsp = implementation(layer.target) == "dsp"
    return walks.fully_connected_packed(layer) if is_dsp else None


def loads(layer: Layer) -> Loads:
    """Over all for each row of the input; those that make bytes of weights do that once."""
    by_rows = loads_by_pixels(1)(layer)
    return by_rows if implementation(layer.target) == "dsp" else Loads(1, by_rows.others)


def kernels(target: Target) -> Iterator[Kernel]:
    """Those of each implementation."""
    yield from with_sister(
        Kernel(
            name=_NAME,
            backend=BACKEND,
            operator=FullyConnected,
            signature=S2,
            headers=(HEADER,),
            emit=emit,
            prepare=prepare,
            scratch_bytes=scratch_bytes,
            loads=loads,
            walk=walk,
            rules=(weights_are_constant, weights_pack),
            engine=engine(target),
            checks=PACKED_CHECKS,
            guards=guards(target),
        )
    )
