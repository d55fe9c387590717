"""Pad of int8, by the public API."""

from tinsmith_c import expression
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Pad
from tinsmith_ir.parameters import zero_of
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature
from tinsmith_target import Target

from tinsmith_cmsis_nn.common import BACKEND, PUBLIC_HEADER, dims, engine

MOST_DIMENSIONS = 4

_Axis = tuple[int, int, int]
"""Elements before, of the operand, and behind."""


def merged_axes(layer: Layer) -> tuple[_Axis, ...]:
    """Axes of the operand, as few as possible: one that is not padded joins the one in front of it, whose rows it
    lengthens, and one of a single element the one behind.
    """
    padding = layer.operator_as(Pad).padding
    merged: list[_Axis] = []
    for size, front, back in zip(layer.input(0).shape, padding[::2], padding[1::2], strict=True):
        if front == back == 0 and merged:
            before, own, after = merged.pop()
            merged.append((before * size, own * size, after * size))
        elif merged and merged[-1] == (0, 1, 0):
            merged[-1] = (front, size, back)
        else:
            merged.append((front, size, back))
    return tuple(merged)


def rank_fits(layer: Layer) -> str | None:
    """After merging, the padding has at most 4 dimensions."""
    rank = len(merged_axes(layer))
    return None if rank <= MOST_DIMENSIONS else f"it has {rank}"


def emit_pad(layer: Layer, scope: Scope) -> Emission:
    """One call of arm_pad_s8."""
    axes = merged_axes(layer)
    missing = MOST_DIMENSIONS - len(axes)
    before, own, after = zip(*(((0, 1, 0),) * missing), *axes, strict=True)
    operator = layer.operator_as(Pad)
    value = zero_of(layer.input(0)) if operator.value is None else int(operator.value)
    arguments = [
        scope.input(0),
        scope.output,
        str(value),
        *(dims(scope, sizes) for sizes in (own, before, after)),
    ]
    return Emission((), expression("arm_pad_s8", arguments))


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Padding."""
    return (
        Kernel(
            name="arm_pad_s8",
            backend=BACKEND,
            operator=Pad,
            signature=Signature((DType.INT8,), DType.INT8),
            headers=(PUBLIC_HEADER,),
            emit=emit_pad,
            rules=(rank_fits,),
            engine=engine(target),
        ),
    )
