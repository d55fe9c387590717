"""BlockwiseFullyConnected."""

from collections.abc import Iterator

from tinsmith_c import call, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import BlockwiseFullyConnected
from tinsmith_ir.parameters import ConvParameters, fully_connected_channel_parameters
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    Signature,
    loads_by_pixels,
    rounding_of,
)

from tinsmith_reference.common import (
    INT8,
    INT32,
    SUFFIX,
    UINT8,
    output_stage,
    packed_weights,
    rescaling_kernels,
    rounded,
    stage_constants,
)
from tinsmith_reference.fully_connected import walk


def _name(weights: DType) -> str:
    return f"tinsmith_blockwise_fully_connected_{SUFFIX[weights]}"


def _parameters(layer: Layer) -> ConvParameters:
    operator = layer.operator_as(BlockwiseFullyConnected)
    return fully_connected_channel_parameters(operator, layer.inputs, layer.output)


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights in shared bytes, bias and the blocks' multipliers as they are, multipliers and shifts."""
    return stage_constants(layer, _parameters(layer))


def emit(layer: Layer, scope: Scope) -> Emission:
    """int8 by int4 or int2."""
    weights = layer.input(1)
    units, depth = weights.shape
    fields = {
        "batches": layer.input(0).elements // depth,
        "depth": depth,
        "units": units,
        "block": layer.operator_as(BlockwiseFullyConnected).block,
    }
    shape = initializer("tinsmith_blockwise_fully_connected_shape", "kShape", fields)
    constants = [packed_weights(layer, scope), scope.input(2), scope.input(3)]
    operands = ["&kShape", "&kStage", scope.input(0), *constants, scope.output]
    name = rounded(_name(weights.dtype), rounding_of(layer))
    return Emission((shape, output_stage(scope, _parameters(layer)), call(name, operands)))


def _kernels() -> Iterator[Kernel]:
    for weights in (DType.INT4, DType.INT2):
        yield from rescaling_kernels(
            _name(weights),
            BlockwiseFullyConnected,
            Signature((INT8, weights, INT32, UINT8), INT8),
            emit,
            prepare=prepare,
            walk=walk,
            loads=loads_by_pixels(1),
        )


KERNELS = tuple(_kernels())
