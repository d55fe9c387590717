"""Softmax of int8 and int16, by the public API."""

from functools import partial

from tinsmith_c import call, expression, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.function_tables import softmax_tables
from tinsmith_ir.operators import Softmax
from tinsmith_ir.parameters import softmax16_parameters, softmax_parameters
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    Signature,
    constant_operands,
    elementwise_walk,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn.common import BACKEND, PUBLIC_HEADER, engine

LONGEST_ROW = 511
"""Longer rows may ask for right shifts of 32 and more, which C leaves undefined."""

LARGEST_SHIFT = 14
"""Of a difference of two int16."""

LONGEST_ROW_EITHER = 8
"""As many exponentials have a sum below 2**18 - 1, the first that Arm's library takes for the power of two above it."""


def row_fits(layer: Layer) -> str | None:
    """A row of a softmax has at most 511 elements."""
    depth = layer.output.shape[-1]
    return None if depth <= LONGEST_ROW else f"a row has {depth}"


def row_is_shared(layer: Layer) -> str | None:
    """A row of a softmax of int16 has at least 2 elements."""
    depth = layer.output.shape[-1]
    return None if depth > 1 else f"a row has {depth}"


def row_fits_either_library(layer: Layer) -> str | None:
    """A row of a softmax of int16 has at most 8 elements for any library."""
    depth = layer.output.shape[-1]
    return None if depth <= LONGEST_ROW_EITHER else f"a row has {depth}"


def differences_fit(layer: Layer) -> str | None:
    """Scaled differences of int16 fit 32 bits: a shift of at most 14."""
    p = softmax16_parameters(layer.operator_as(Softmax), layer.inputs, layer.output)
    return None if p.shift <= LARGEST_SHIFT else f"the shift is {p.shift}"


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


def prepare_s16(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The exponential and 1 / (1 + x)."""
    exponential, reciprocal = softmax_tables()
    tables = (Prepared("exponential", exponential), Prepared("reciprocal", reciprocal))
    return (*constant_operands(layer), *tables)


def emit_softmax_s16(layer: Layer, scope: Scope) -> Emission:
    """One call of arm_softmax_s16."""
    p = softmax16_parameters(layer.operator_as(Softmax), layer.inputs, layer.output)
    depth = layer.output.shape[-1]
    fields = {
        "exp_lut": scope.prepared("exponential", "exp(x) * 32768, x from -10 to 0"),
        "one_by_one_lut": scope.prepared("reciprocal", "32768 / (1 + x), x from 0 to 1"),
    }
    tables = initializer("cmsis_nn_softmax_lut_s16", "kTables", fields)
    numbers = (layer.output.elements // depth, depth, p.multiplier, p.shift)
    arguments = [scope.input(0), *map(str, numbers), "&kTables", scope.output]
    return Emission((tables,), expression("arm_softmax_s16", arguments))


def kernels(target: Target, *, either_library: bool) -> tuple[Kernel, ...]:
    """Softmax. either_library: of int16 only where Arm's library does what TFLite does."""
    kernel = partial(
        Kernel,
        backend=BACKEND,
        operator=Softmax,
        headers=(PUBLIC_HEADER,),
        walk=elementwise_walk,
        engine=engine(target),
    )
    either = (row_fits_either_library,) if either_library else ()
    return (
        kernel(
            name="arm_softmax_s8",
            signature=Signature((DType.INT8,), DType.INT8),
            emit=emit_softmax,
            rules=(row_fits,),
        ),
        kernel(
            name="arm_softmax_s16",
            signature=Signature((DType.INT16,), DType.INT16),
            emit=emit_softmax_s16,
            rules=(row_is_shared, *either, differences_fit),
            prepare=prepare_s16,
        ),
    )
