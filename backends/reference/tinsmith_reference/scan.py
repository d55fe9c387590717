"""CumSum."""

import math

from tinsmith_c import call, initializer
from tinsmith_ir.operators import CumSum
from tinsmith_lowering import Emission, Layer, Scope, Signature

from tinsmith_reference.common import FLOAT32, INT32, INT64, SUFFIX, kernel


def emit(layer: Layer, scope: Scope) -> Emission:
    """Along any axis."""
    operator, shape = layer.operator_as(CumSum), layer.output.shape
    fields = {
        "blocks": math.prod(shape[: operator.axis]),
        "count": shape[operator.axis],
        "inner": math.prod(shape[operator.axis + 1 :]),
        "exclusive": int(operator.exclusive),
        "reverse": int(operator.reverse),
    }
    name = f"tinsmith_cumsum_{SUFFIX[layer.output.dtype]}"
    arguments = ["&kShape", scope.input(0), scope.output]
    return Emission((initializer("tinsmith_scan_shape", "kShape", fields), call(name, arguments)))


KERNELS = tuple(
    kernel(f"tinsmith_cumsum_{SUFFIX[dtype]}", CumSum, Signature((dtype,), dtype), emit)
    for dtype in (INT32, INT64, FLOAT32)
)
