"""DynamicScale and DynamicQuantize."""

from tinsmith_c import call
from tinsmith_ir.operators import DynamicQuantize, DynamicScale
from tinsmith_lowering import Emission, Layer, Scope, Signature

from tinsmith_reference.common import FLOAT32, INT16, kernel


def emit(layer: Layer, scope: Scope) -> Emission:
    """A row is all behind the first axis."""
    operator = layer.operator
    is_symmetric = isinstance(operator, DynamicScale | DynamicQuantize) and operator.symmetric
    name = f"tinsmith_{operator.mnemonic}{'_symmetric' if is_symmetric else ''}"
    source = layer.input(0)
    rows = source.shape[0]
    arguments = [str(rows), str(source.elements // rows), scope.input(0), scope.output]
    return Emission((call(name, arguments),))


KERNELS = (
    kernel("tinsmith_dynamic_scale", DynamicScale, Signature((FLOAT32,), FLOAT32), emit),
    kernel("tinsmith_dynamic_quantize", DynamicQuantize, Signature((FLOAT32,), INT16), emit),
)
