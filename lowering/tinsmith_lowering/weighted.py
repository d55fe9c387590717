"""What back ends ask of a layer with weights: whether they are known, multipliers of its channels, rows and biases."""

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import (
    BlockwiseFullyConnected,
    Convolution,
    FullyConnected,
    Weighted,
)
from tinsmith_ir.parameters import (
    ConvParameters,
    conv_parameters,
    fully_connected_channel_parameters,
)

from tinsmith_lowering.kernel import Layer

_WEIGHTS, _BIAS = 1, 2


def weights_are_constant(layer: Layer) -> str | None:
    """Weights and bias are known at compile time."""
    for index, name in ((_WEIGHTS, "weights"), (_BIAS, "bias")):
        if layer.has_input(index) and layer.constant(index) is None:
            return f"{name} is computed at run time"
    return None


def only_weights_are_constant(layer: Layer) -> str | None:
    """Weights and bias are known at compile time, and the input is not."""
    if layer.constant(0) is not None:
        return "the input is a constant"
    return weights_are_constant(layer)


def channel_parameters(layer: Layer) -> ConvParameters:
    """Multipliers, one for each output channel, offsets and clamp. Raises TypeError for a layer without weights."""
    if isinstance(layer.operator, Convolution):
        return conv_parameters(layer.operator, layer.inputs, layer.output)
    operator = layer.operator
    if not isinstance(operator, BlockwiseFullyConnected):
        operator = layer.operator_as(FullyConnected)
    return fully_connected_channel_parameters(operator, layer.inputs, layer.output)


def given_weights(layer: Layer) -> Array:
    """The weights as they are. Raises ValueError if they are not constant."""
    data = layer.constant(_WEIGHTS)
    if data is None:
        raise ValueError(f"layer {layer.name}: the weights are not constant")
    return data


def weight_rows(layer: Layer) -> NDArray[np.int64]:
    """Weights of each output channel, (channels, taps). Raises ValueError if they are not constant."""
    arranged = np.moveaxis(given_weights(layer), layer.operator_as(Weighted).weights_axis, 0)
    return arranged.astype(np.int64).reshape(layer.output.shape[-1], -1)


def given_biases(layer: Layer) -> NDArray[np.int64]:
    """The constant bias of each output channel, (channels,); zeros where the layer has none."""
    data = layer.constant(_BIAS)
    return np.zeros(layer.output.shape[-1], np.int64) if data is None else data.astype(np.int64)
