"""Add, Sub, Mul, Minimum, Maximum with broadcasting; Relu and its like."""

from tinsmith_c import call, initializer
from tinsmith_ir.arithmetic import activation_range
from tinsmith_ir.operators import (
    Activation,
    Add,
    Arithmetic,
    Clamp,
    Maximum,
    Minimum,
    Mul,
    Relu,
    Relu0To1,
    Relu6,
    ReluN1To1,
    Sub,
)
from tinsmith_ir.operators.base import activation_of
from tinsmith_ir.parameters import (
    ElementwiseAddParameters,
    elementwise_add_parameters,
    mul_parameters,
    weighted_sum_parameters,
)
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.strides import broadcast_strides, merged
from tinsmith_lowering import Emission, Layer, Scope, Signature, elementwise_walk

from tinsmith_reference.common import (
    BOOL,
    FLOAT32,
    INT8,
    INT16,
    INT32,
    INT64,
    MAX_RANK,
    SUFFIX,
    clamp_f32,
    kernel,
    rescaling_kernels,
    rounded,
    scale,
)

_SUFFIX = {**SUFFIX, BOOL: "bool"}


def _walk(layer: Layer) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    shape = layer.output.shape
    walks = [broadcast_strides(layer.input(index).shape, shape) for index in (0, 1)]
    return merged(shape, walks)


def rank_fits(layer: Layer) -> str | None:
    """After merging, the broadcast has at most 6 dimensions."""
    rank = len(_walk(layer)[0])
    return None if rank <= MAX_RANK else f"it has {rank}"


def no_activation(layer: Layer) -> str | None:
    """Integers of 64 bits are not clamped."""
    activation = activation_of(layer.operator)
    return None if activation is Activation.NONE else f"the activation is {activation.value}"


def broadcast(layer: Layer) -> str:
    """Definition of `kBroadcast`, how the first two operands meet."""
    shape, (lhs, rhs) = _walk(layer)
    fields = {"rank": len(shape), "shape": shape, "lhs_strides": lhs, "rhs_strides": rhs}
    return initializer("tinsmith_broadcast", "kBroadcast", fields)


def _call(layer: Layer, scope: Scope, parameters: str) -> str:
    name = f"tinsmith_{layer.operator.mnemonic}_{SUFFIX[layer.output.dtype]}"
    name = rounded(name, layer.operator_as(Arithmetic).rounding)
    operands = [scope.input(0), scope.input(1), scope.output]
    return call(name, ["&kBroadcast", f"&{parameters}", *operands])


def emit_sum(layer: Layer, scope: Scope) -> Emission:
    """Add and Sub of integers."""
    if layer.operator_as(Arithmetic).rounding is not Rounding.TFLITE:
        return _emit_weighted_sum(layer, scope)
    parameters = sum_initializer(layer)
    return Emission((broadcast(layer), parameters, _call(layer, scope, "kParameters")))


def sum_initializer(layer: Layer) -> str:
    """Definition of `kParameters` for Add and Sub of integers."""
    operator = layer.operator_as(Arithmetic)
    return add_parameters(elementwise_add_parameters(operator, layer.inputs, layer.output))


def add_parameters(p: ElementwiseAddParameters) -> str:
    """Definition of `kParameters`."""
    return initializer(
        "tinsmith_add_parameters",
        "kParameters",
        {
            "lhs_offset": p.input1_offset,
            "rhs_offset": p.input2_offset,
            "output_offset": p.output_offset,
            "left_shift": p.left_shift,
            "lhs": scale(p.input1_multiplier, p.input1_shift),
            "rhs": scale(p.input2_multiplier, p.input2_shift),
            "output": scale(p.output_multiplier, p.output_shift),
            "clamp_min": p.clamp_min,
            "clamp_max": p.clamp_max,
        },
    )


def _emit_weighted_sum(layer: Layer, scope: Scope) -> Emission:
    p = weighted_sum_parameters(layer.operator_as(Arithmetic), layer.inputs, layer.output)
    parameters = initializer(
        "tinsmith_weighted_sum_parameters",
        "kParameters",
        {
            "lhs_offset": p.input1_offset,
            "rhs_offset": p.input2_offset,
            "lhs_multiplier": p.multiplier1,
            "rhs_multiplier": p.multiplier2,
            "shift": p.shift,
            "output_offset": p.output_offset,
            "clamp_min": p.clamp_min,
            "clamp_max": p.clamp_max,
        },
    )
    return Emission((broadcast(layer), parameters, _call(layer, scope, "kParameters")))


def emit_product(layer: Layer, scope: Scope) -> Emission:
    """Mul of integers."""
    p = mul_parameters(layer.operator_as(Arithmetic), layer.inputs, layer.output)
    parameters = initializer(
        "tinsmith_mul_parameters",
        "kParameters",
        {
            "lhs_offset": p.input1_offset,
            "rhs_offset": p.input2_offset,
            "output_offset": p.output_offset,
            "output": scale(p.output_multiplier, p.output_shift),
            "clamp_min": p.clamp_min,
            "clamp_max": p.clamp_max,
        },
    )
    return Emission((broadcast(layer), parameters, _call(layer, scope, "kParameters")))


def emit_plain(layer: Layer, scope: Scope) -> Emission:
    """Add, Sub and Mul of int32 without quantization."""
    low, high = activation_range(layer.operator_as(Arithmetic).activation, layer.output)
    clamp = initializer("tinsmith_clamp", "kClamp", {"min": low, "max": high})
    return Emission((broadcast(layer), clamp, _call(layer, scope, "kClamp")))


def emit_float(layer: Layer, scope: Scope) -> Emission:
    """Add, Sub and Mul of float32."""
    clamp = clamp_f32(layer.operator_as(Arithmetic).activation)
    return Emission((broadcast(layer), clamp, _call(layer, scope, "kClamp")))


def emit_without_parameters(layer: Layer, scope: Scope) -> Emission:
    """Minimum and Maximum; Add, Sub, Mul and Div of int64."""
    name = f"tinsmith_{layer.operator.mnemonic}_{_SUFFIX[layer.output.dtype]}"
    arguments = ["&kBroadcast", scope.input(0), scope.input(1), scope.output]
    return Emission((broadcast(layer), call(name, arguments)))


def emit_rectifier_float(layer: Layer, scope: Scope) -> Emission:
    """Relu and its like of float32."""
    rectifier = layer.operator_as(Clamp)
    arguments = [str(layer.output.elements), "&kClamp", scope.input(0), scope.output]
    return Emission(
        (clamp_f32(rectifier.activation), call("tinsmith_clamp_elements_f32", arguments))
    )


KERNELS = (
    *(
        found
        for operator in (Add, Sub, Mul)
        for dtype in (INT8, INT16)
        for found in rescaling_kernels(
            f"tinsmith_{operator.mnemonic}_{SUFFIX[dtype]}",
            operator,
            Signature((dtype, dtype), dtype),
            emit_product if operator is Mul else emit_sum,
            (rank_fits,),
            walk=elementwise_walk,
        )
    ),
    *(
        kernel(
            f"tinsmith_{operator.mnemonic}_s32",
            operator,
            Signature((INT32, INT32), INT32),
            emit_plain,
            (rank_fits,),
            walk=elementwise_walk,
        )
        for operator in (Add, Sub, Mul)
    ),
    *(
        kernel(
            f"tinsmith_{operator.mnemonic}_s64",
            operator,
            Signature((INT64, INT64), INT64),
            emit_without_parameters,
            (rank_fits, no_activation),
            walk=elementwise_walk,
        )
        for operator in (Add, Sub, Mul)
    ),
    *(
        kernel(
            f"tinsmith_{operator.mnemonic}_f32",
            operator,
            Signature((FLOAT32, FLOAT32), FLOAT32),
            emit_float,
            (rank_fits,),
            walk=elementwise_walk,
        )
        for operator in (Add, Sub, Mul)
    ),
    *(
        kernel(
            f"tinsmith_{operator.mnemonic}_{_SUFFIX[dtype]}",
            operator,
            Signature((dtype, dtype), dtype),
            emit_without_parameters,
            (rank_fits,),
            walk=elementwise_walk,
        )
        for operator in (Minimum, Maximum)
        for dtype in (INT8, INT16, INT32, INT64, FLOAT32, BOOL)
    ),
    *(
        kernel(
            "tinsmith_clamp_elements_f32",
            operator,
            Signature((FLOAT32,), FLOAT32),
            emit_rectifier_float,
            walk=elementwise_walk,
        )
        for operator in (Relu, Relu6, ReluN1To1, Relu0To1)
    ),
)
