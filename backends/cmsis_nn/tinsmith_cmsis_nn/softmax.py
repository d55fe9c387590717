"""Softmax of int8, by the public API."""

from tinsmith_c import call
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Softmax
from tinsmith_ir.parameters import softmax_parameters
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature, elementwise_walk
from tinsmith_target import Target

from tinsmith_cmsis_nn.common import BACKEND, PUBLIC_HEADER, engine

LONGEST_ROW = 511
"""Longer rows may ask for right shifts of 32 and more, which C leaves undefined."""


def row_fits(layer: Layer) -> str | None:
    """A row of a softmax has at most 511 elements."""
    depth = layer.output.shape[-1]
    return None if depth <= LONGEST_ROW else f"a row has {depth}"


def emit_softmax(layer: Layer, scope: Scope) -> Emission:
    """One call of arm_softmax_s8."""
    p = softmax_parameters(layer.operator_as(Softmax), layer.inputs, layer.output)
    depth = layer.output.shape[-1]
    values = {
        "kRows": layer.output.elements // depth,
        "kRowSize": depth,
        "kMultiplier": p.input_multiplier,
        "kShift": p.input_left_shift,
        "kDiffMin": p.diff_min,
    }
    lines = [f"    {name} = {value}," for name, value in values.items()]
    constants = "\n".join(["  enum {", *lines, "  };"])
    arguments = [scope.input(0), *values, scope.output]
    return Emission((constants, call("arm_softmax_s8", arguments)))


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Softmax."""
    return (
        Kernel(
            name="arm_softmax_s8",
            backend=BACKEND,
            operator=Softmax,
            signature=Signature((DType.INT8,), DType.INT8),
            headers=(PUBLIC_HEADER,),
            emit=emit_softmax,
            rules=(row_fits,),
            walk=elementwise_walk,
            engine=engine(target),
        ),
    )
