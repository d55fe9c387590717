"""Cast."""

from tinsmith_c import call
from tinsmith_ir.dtypes import COMPUTED_DTYPES, DType
from tinsmith_ir.operators import Cast
from tinsmith_lowering import Emission, Layer, Scope, Signature, elementwise_walk

from tinsmith_reference.common import BOOL, SUFFIX, kernel
from tinsmith_reference.layout import emit_copy

_SUFFIX = {**SUFFIX, BOOL: "bool"}


def _name(source: DType, result: DType) -> str:
    return f"tinsmith_cast_{_SUFFIX[source]}_{_SUFFIX[result]}"


def emit_cast(layer: Layer, scope: Scope) -> Emission:
    """Any element type as another."""
    name = _name(layer.input(0).dtype, layer.output.dtype)
    return Emission((call(name, [str(layer.output.elements), scope.input(0), scope.output]),))


KERNELS = tuple(
    kernel("tinsmith_copy", Cast, Signature((source,), result), emit_copy)
    if source is result
    else kernel(
        _name(source, result), Cast, Signature((source,), result), emit_cast, walk=elementwise_walk
    )
    for source in COMPUTED_DTYPES
    for result in COMPUTED_DTYPES
)
