"""Convolution over volumes, NDHWC activations with DHWIO weights."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Restriction, Trait, Types
from tinsmith_ir.operators.weighted import accumulate, finish_f32, weighted_operands
from tinsmith_ir.operators.windows import MAX_EXTENT, MAX_PIXELS, seen_along
from tinsmith_ir.types import TensorType

Triple = tuple[int, int, int]
Padding3D = tuple[int, int, int, int, int, int]


@dataclass(frozen=True)
class Conv3D(Operator):
    """input (N,D,H,W,C) * weights (kd,kh,kw,C,O) + bias (O,) -> (N,OD,OH,OW,O), of float32.

    padding: (front, back, top, bottom, left, right) of zeros. Products are added over (kernel slice, kernel row, kernel
    column, input channel) in that order from zero, then the bias: the order of TFLite's reference kernel.
    """

    mnemonic: ClassVar[str] = "conv3d"
    operands: ClassVar[tuple[Operand, ...]] = (
        Operand("input"),
        Operand("weights"),
        Operand("bias", optional=True),
    )
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.FUSES_CLAMP})

    stride: Triple = (1, 1, 1)
    dilation: Triple = (1, 1, 1)
    padding: Padding3D = (0, 0, 0, 0, 0, 0)
    activation: Activation = Activation.NONE

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """(N, OD, OH, OW, O); weights are of all channels of the input."""
        input_ = checks.present(inputs, 0, "input")
        weights = checks.present(inputs, 1, "weights")
        bias = checks.optional(inputs, 2)
        checks.check_rank(input_, 5, "input")
        checks.check_rank(weights, 5, "weights")
        if weights.shape[3] != input_.shape[4]:
            raise GraphError(
                f"expected weights of {input_.shape[4]} input channels, got {weights.shape}"
            )
        channels = weights.shape[4]
        if bias is not None and bias.shape != (channels,):
            raise GraphError(f"expected bias of shape {(channels,)}, got {bias.shape}")
        size = self._output_size(input_.shape[1:4], weights.shape[:3])
        return (TensorType((input_.shape[0], *size, channels), input_.dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """All float32."""
        for index, operand in enumerate(self.operands):
            type_ = checks.optional(inputs, index)
            if type_ is not None:
                checks.check_dtype(type_, (DType.FLOAT32,), operand.name)
        checks.check_numbers(outputs[0], "result")

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One matrix product per place of the window."""
        array, weights, bias = weighted_operands(arrays)
        columns = np.concatenate(
            [*self._taps(array, weights.shape[:3], outputs[0].shape[1:4])], axis=4
        )
        acc = accumulate(columns, weights.reshape(-1, weights.shape[4]).T)
        return (finish_f32(acc, bias, self.activation),)

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """One for each output element and weight it sees, padding included."""
        weights = checks.present(inputs, 1, "weights")
        return outputs[0].elements * math.prod(weights.shape[:4])

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere but where all windows see nothing but padding."""
        del outputs
        input_ = checks.present(inputs, 0, "input")
        weights = checks.present(inputs, 1, "weights")
        seen = [
            seen_along(outputs_, size, window, stride, dilation, before)
            for outputs_, size, window, stride, dilation, before in zip(
                box.ranges[1:4],
                input_.shape[1:4],
                weights.shape[:3],
                self.stride,
                self.dilation,
                self.padding[::2],
                strict=True,
            )
        ]
        depth, height, width = seen
        if depth is None or height is None or width is None:
            return None
        boxes = (
            Box((box.ranges[0], depth[0], height[0], width[0], (0, input_.shape[4]))),
            Box.whole(weights.shape).with_range(4, *box.ranges[4]),
            Box((box.ranges[4],)) if checks.optional(inputs, 2) is not None else None,
        )
        padding = (*depth[1], *height[1], *width[1])
        return Restriction(replace(self, padding=padding), boxes[: len(inputs)])

    def _output_size(self, size: tuple[int, ...], window: tuple[int, ...]) -> Triple:
        """Depth, height and width of the result. Raises GraphError if an attribute is out of range, or the window
        does not fit once.
        """
        for what, extents in (("stride", self.stride), ("dilation", self.dilation)):
            if min(extents) < 1 or max(extents) > MAX_EXTENT:
                raise GraphError(f"expected {what} (d, h, w) from 1 to {MAX_EXTENT}, got {extents}")
        if min(self.padding) < 0 or max(self.padding) > MAX_EXTENT:
            raise GraphError(
                "expected padding (front, back, top, bottom, left, right) from 0 to "
                f"{MAX_EXTENT}, got {self.padding}"
            )
        befores, afters = self.padding[::2], self.padding[1::2]
        padded = [sum(sides) for sides in zip(befores, size, afters, strict=True)]
        reach = [(taps - 1) * step + 1 for taps, step in zip(window, self.dilation, strict=True)]
        if math.prod(padded) > MAX_PIXELS:
            raise GraphError(f"expected at most {MAX_PIXELS} padded places, got {padded}")
        if any(wanted > there for wanted, there in zip(reach, padded, strict=True)):
            raise GraphError(f"expected a window within the padded input {padded}, got {reach}")
        depth, height, width = (
            (there - wanted) // step + 1
            for there, wanted, step in zip(padded, reach, self.stride, strict=True)
        )
        return depth, height, width

    def _taps(
        self, array: Array, window: tuple[int, ...], output: tuple[int, ...]
    ) -> Iterator[Array]:
        """What each place of the window sees for every output, (N, OD, OH, OW, C), in row-major order."""
        sides = zip(self.padding[::2], self.padding[1::2], strict=True)
        padded = np.pad(array, ((0, 0), *sides, (0, 0)))
        for places in itertools.product(*(range(taps) for taps in window)):
            starts = [at * step for at, step in zip(places, self.dilation, strict=True)]
            cuts = (
                slice(start, start + (count - 1) * step + 1, step)
                for start, count, step in zip(starts, output, self.stride, strict=True)
            )
            yield padded[(slice(None), *cuts)]
