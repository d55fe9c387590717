"""TopK and TopKIndices."""

from tinsmith_c import call, initializer
from tinsmith_ir.operators import TopK, TopKIndices
from tinsmith_lowering import Emission, Layer, Scope, Signature

from tinsmith_reference.common import FLOAT32, INT8, INT16, INT32, SUFFIX, kernel


def emit(layer: Layer, scope: Scope) -> Emission:
    """Rows of the last axis."""
    depth, count = layer.input(0).shape[-1], layer.output.shape[-1]
    fields = {"rows": layer.output.elements // count, "depth": depth, "count": count}
    name = f"tinsmith_{layer.operator.mnemonic}_{SUFFIX[layer.input(0).dtype]}"
    arguments = ["&kShape", scope.input(0), scope.output]
    return Emission(
        (initializer("tinsmith_ranking_shape", "kShape", fields), call(name, arguments))
    )


KERNELS = tuple(
    kernel(
        f"tinsmith_{operator.mnemonic}_{SUFFIX[dtype]}",
        operator,
        Signature((dtype,), dtype if operator is TopK else INT32),
        emit,
    )
    for operator in (TopK, TopKIndices)
    for dtype in (INT8, INT16, INT32, FLOAT32)
)
