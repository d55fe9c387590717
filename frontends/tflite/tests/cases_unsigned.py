"""The int8 cases in uint8: integers and zero points are 128 higher, weights have one scale and a zero point."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from case_builder import Array, Case, CaseBuilder, Kind
from tflite_builder import ModelBuilder, Stored, options
from tinsmith_ir.types import Quantization

_DISTANCE = 128


class UnsignedCaseBuilder(CaseBuilder):
    """Makes uint8 of all that is int8."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.model = _UnsignedModelBuilder(np.random.RandomState(len(name)))

    def finish(self, output: int) -> Case:
        """The case."""
        case = super().finish(output)
        return replace(case, inputs=tuple(_unsigned(array) for array in case.inputs))


class _UnsignedModelBuilder(ModelBuilder):
    def __init__(self, random: np.random.RandomState) -> None:
        super().__init__()
        self._random = random

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        type_name: str = "FLOAT32",
        *,
        data: bytes | None = None,
        quantization: Quantization | Stored | None = None,
        signature: Sequence[int] | None = None,
        sparse: bool = False,
        **extra: int,
    ) -> int:
        """Add a tensor."""
        if quantization is not None:
            scale, zero_point = quantization.scales[0], quantization.zero_points[0]
            if type_name == "INT8":
                is_weights = data is not None and len(shape) > 1
                zero_point = _DISTANCE + (self._weight_zero_point() if is_weights else zero_point)
            quantization = Quantization.per_tensor(scale, zero_point)
        if type_name == "INT8":
            type_name = "UINT8"
            data = None if data is None else bytes(byte ^ _DISTANCE for byte in data)
        return super().tensor(
            name,
            shape,
            type_name,
            data=data,
            quantization=quantization,
            signature=signature,
            sparse=sparse,
            **extra,
        )

    def _weight_zero_point(self) -> int:
        """0 now and then, as the twins of int8 have it in most networks."""
        return 0 if self._random.randint(4) == 0 else int(self._random.randint(-128, 128))


def _unsigned(array: Array) -> Array:
    if array.dtype != np.int8:
        return array
    return cast("Array", np.bitwise_xor(array.view(np.uint8), _DISTANCE))


def concatenate_scales(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """CONCATENATION of inputs with scales and zero points of their own."""
    near = b.scale(0.05)
    scales = [near, b.scale((0.002, 1.0, 0.05)[index % 3])]
    size = 6 if index == 0 else 80
    operands = [b.input((2, size), kind, scale) for scale in scales]
    output = b.output((2, 2 * size), kind, near)
    chosen = options("ConcatenationOptions", Axis=1)
    b.model.operator("CONCATENATION", operands, [output], chosen, version=2)
    return b.finish(output)


def quantize_bytes(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """QUANTIZE between int8 and uint8: of one scale, of others, and of zero points that are apart."""
    names = [("INT8", "UINT8"), ("UINT8", "INT8"), ("UINT8", "UINT8")][index % 3]
    zero_points = {"INT8": b.zero_point(kind), "UINT8": b.zero_point(kind) + _DISTANCE}
    if index < 3:
        zero_points["UINT8"] = zero_points["INT8"] + _DISTANCE
    scales = [b.scale(0.03)] * 2 if index < 6 else [b.scale(0.03), b.scale(0.03)]
    data = b.random.randint(0, 256, (3, 256)).astype(np.uint8)
    x, y = (
        ModelBuilder.tensor(
            b.model, name, data.shape, type_name,
            quantization=Quantization.per_tensor(scale, zero_points[type_name]),
        )
        for name, type_name, scale in zip("xy", names, scales, strict=True)
    )  # fmt: skip
    b.model.operator("QUANTIZE", [x], [y], options("QuantizeOptions"), version=2)
    array = data if names[0] == "UINT8" else data.view(np.int8)
    return Case(b.name, b.model.finish([x], [y]), (array,))
