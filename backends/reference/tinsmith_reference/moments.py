"""LayerNorm and RmsNorm over the last axis."""

from tinsmith_c import call, float_literal, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.moment_parameters import moment_parameters
from tinsmith_ir.operators import LayerNorm, RmsNorm
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature, elementwise_walk, no_walk

from tinsmith_reference.common import FLOAT32, INT8, INT16, INT32, SUFFIX, kernel


def emit(layer: Layer, scope: Scope) -> Emission:
    """Integers; gamma and beta as they are."""
    operator = layer.operator
    assert isinstance(operator, LayerNorm | RmsNorm)
    p = moment_parameters(operator, layer.inputs, layer.output)
    fields = {
        "zero_point": p.zero_point,
        "square_shift": p.square_shift,
        "epsilon": f"INT64_C({p.epsilon})",
        "base_shift": p.base_shift,
        "gain": p.gain,
        "right_shift": p.right_shift,
        "output_zero_point": p.output_zero_point,
    }
    name = _name(type(operator), layer.input(0).dtype, layer.output.dtype)
    arguments = [*_rows(layer), "&kParameters", *_operands(layer, scope), scope.output]
    return Emission(
        (
            initializer("tinsmith_moment_parameters", "kParameters", fields),
            call(name, arguments),
        )
    )


def emit_float(layer: Layer, scope: Scope) -> Emission:
    """float32."""
    operator = layer.operator
    assert isinstance(operator, LayerNorm | RmsNorm)
    epsilon = float_literal(operator.epsilon)
    arguments = [*_rows(layer), epsilon, *_operands(layer, scope), scope.output]
    return Emission((call(_name(type(operator), FLOAT32, FLOAT32), arguments),))


def _rows(layer: Layer) -> list[str]:
    depth = layer.output.shape[-1]
    return [str(layer.output.elements // depth), str(depth)]


def _operands(layer: Layer, scope: Scope) -> list[str]:
    """All that the operator can have, in a file or not."""
    count = len(layer.operator.operands)
    given = [scope.input(index) for index in range(len(layer.inputs))]
    return given + ["NULL"] * (count - len(given))


def _name(operator: type[LayerNorm | RmsNorm], source: DType, result: DType) -> str:
    suffix = SUFFIX[source] if source is result else f"{SUFFIX[source]}_{SUFFIX[result]}"
    return f"tinsmith_{operator.mnemonic}_{suffix}"


def _kernel(operator: type[LayerNorm | RmsNorm], source: DType, result: DType) -> Kernel:
    is_float = source is FLOAT32
    factors = (FLOAT32 if is_float else INT32,) * (len(operator.operands) - 1)
    return kernel(
        _name(operator, source, result),
        operator,
        Signature((source, *factors), result),
        emit_float if is_float else emit,
        walk=elementwise_walk if source is result else no_walk,
    )


KERNELS = tuple(
    _kernel(operator, source, result)
    for operator in (LayerNorm, RmsNorm)
    for source, result in (
        (INT8, INT8),
        (INT8, INT16),
        (INT16, INT16),
        (INT16, INT8),
        (FLOAT32, FLOAT32),
    )
)
