"""Plain C for AnalogConv2D on every target."""

from dataclasses import dataclass

import numpy as np
from tinsmith_c import call, initializer
from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.few_bits import packed
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    Signature,
    Walk,
    Window,
    given_weights,
    loads_by_pixels,
    pixels_walk,
)
from tinsmith_target import Target

from tinsmith_diana.analog.operator import AnalogConv2D

BACKEND = "analog_reference"
NAME = "tinsmith_analog_conv2d_s8"
_WEIGHTS = "weights"


def weights_are_ternary(layer: Layer) -> str | None:
    """The weights are known at compile time, each -1, 0 or 1."""
    weights = layer.constant(1)
    if weights is None:
        return "weights are computed at run time"
    found = np.setdiff1d(weights, [-1, 0, 1])
    return f"there is {found[0]}" if found.size else None


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Four weights to a byte; multipliers and addends as they are."""
    weights = given_weights(layer)
    scales = tuple(AsGiven(index) for index in (2, 3) if layer.constant(index) is not None)
    return (Prepared(_WEIGHTS, packed(weights, DType.INT2)), *scales)


def emit(layer: Layer, scope: Scope) -> Emission:
    """The call, behind its record."""
    operator = layer.operator_as(AnalogConv2D)
    batches, input_height, input_width, input_channels = layer.input(0).shape
    _, output_height, output_width, output_channels = layer.output.shape
    _, kernel_height, kernel_width, _ = layer.input(1).shape
    fields = {
        "batches": batches,
        "input_height": input_height,
        "input_width": input_width,
        "input_channels": input_channels,
        "output_height": output_height,
        "output_width": output_width,
        "output_channels": output_channels,
        "kernel_height": kernel_height,
        "kernel_width": kernel_width,
        "stride_height": operator.stride[0],
        "stride_width": operator.stride[1],
        "padding_top": operator.padding[0],
        "padding_left": operator.padding[2],
        "chunk_channels": operator.chunk_channels,
        "gain": operator.gain,
        "addend_shift": operator.addend_shift,
        "shift": operator.shift,
        "clamp_min": operator.clip[0],
        "clamp_max": operator.clip[1],
    }
    record = initializer("tinsmith_analog_conv2d_parameters", "kParameters", fields)
    weights = scope.arranged(1, _WEIGHTS, "four in each byte")
    operands = [scope.input(0), weights, scope.input(2), scope.input(3), scope.output]
    return Emission((record, call(NAME, ["&kParameters", *operands])))


def walk(layer: Layer) -> Walk:
    """Pixel after pixel; each channel of the result reads the window once more."""
    operator = layer.operator_as(AnalogConv2D)
    height, width = (
        Window(
            layer.input(0).shape[axis],
            layer.output.shape[axis],
            layer.input(1).shape[axis],
            operator.stride[axis - 1],
            operator.padding[2 * (axis - 1)],
            1,
        )
        for axis in (1, 2)
    )
    return pixels_walk(layer, height, width, overtaken=int(layer.output.shape[3] > 1))


_KERNELS = (
    Kernel(
        name=NAME,
        backend=BACKEND,
        operator=AnalogConv2D,
        signature=Signature((DType.INT8,) * 4, DType.INT8),
        headers=("tinsmith_analog.h",),
        emit=emit,
        rules=(weights_are_ternary,),
        prepare=prepare,
        checks=("TINSMITH_ANALOG_API_VERSION == 1",),
        walk=walk,
        loads=loads_by_pixels(1),
    ),
)


@dataclass(frozen=True)
class AnalogReferenceBackend(Checked):
    """The operators of analog arrays by a core."""

    name: str = BACKEND

    @checked
    def kernels(self, target: Target) -> tuple[Kernel, ...]:
        """The same of any target."""
        del target
        return _KERNELS
