"""Declarations of kernels that have no C behind them, to test lowering and writing alone."""

from dataclasses import dataclass

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Add, Relu, Reshape

from tinsmith_lowering import AsGiven, Emission, Kernel, Layer, Prepared, Scope, Signature

_HEADER = "toy.h"


def is_small(layer: Layer) -> str | None:
    """A tensor has at most 8 elements."""
    elements = layer.output.elements
    return None if elements <= 8 else f"it has {elements}"


def _emit(layer: Layer, scope: Scope) -> Emission:
    operands = [scope.input(index) for index in range(len(layer.inputs))]
    arguments = [str(layer.output.elements), *operands, scope.output]
    return Emission((f"  toy_{layer.operator.mnemonic}({', '.join(arguments)});",))


def _sums(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    return (Prepared("sums", np.arange(layer.output.elements, dtype=np.int32)),)


def _emit_with_status(layer: Layer, scope: Scope) -> Emission:
    del layer
    sums = scope.prepared("sums")
    return Emission(
        (), f"toy_fast_add({sums}, {scope.scratch and scope.scratch.expression}, {scope.output})"
    )


_FLOATS = Signature((DType.FLOAT32,), DType.FLOAT32)


@dataclass(frozen=True)
class Toys:
    """The kernels by name."""

    fast_add: Kernel
    add: Kernel
    relu: Kernel
    copy: Kernel

    @property
    def all(self) -> tuple[Kernel, ...]:
        """In order of preference."""
        return (self.fast_add, self.add, self.relu, self.copy)


def toys() -> Toys:
    """A vector add for at most 8 elements, and slow kernels for add, relu and reshape, all float32."""
    return Toys(
        Kernel(
            "toy_fast_add",
            "fast",
            Add,
            _FLOATS,
            ("fast.h",),
            _emit_with_status,
            (is_small,),
            scratch_bytes=lambda layer: 4 * layer.output.elements,
            prepare=_sums,
            engine="vector",
        ),
        Kernel("toy_add", "slow", Add, _FLOATS, (_HEADER,), _emit, checks=("TOY == 1",)),
        Kernel("toy_relu", "slow", Relu, _FLOATS, (_HEADER,), _emit),
        Kernel("toy_copy", "slow", Reshape, _FLOATS, (_HEADER,), _emit),
    )
