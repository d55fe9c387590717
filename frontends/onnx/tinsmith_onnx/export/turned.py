"""Which values are channels first from the beginning: no Transpose stands between a layer and its quantization."""

from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Convolution, Operator, Pad, Pool, ResizeBilinear, Trait

_LAYERS = (Convolution, Pool, ResizeBilinear)


def turned(graph: Graph) -> set[str]:
    """Names of results that a layer of windows reads, or another operator reads that works in any order of axes, and
    whose own result is turned.
    """
    found: set[str] = set()
    for node in reversed(graph.nodes):
        is_layer = isinstance(node.operator, _LAYERS)
        goes_on = _works_in_any_order(node.operator) and node.name in found
        if not (is_layer or goes_on):
            continue
        read = node.present_inputs[:1] if is_layer else node.present_inputs
        shape = node.outputs[0].type.shape
        found.update(v.name for v in read if is_layer or len(v.type.shape) == len(shape))
    return found


def _works_in_any_order(operator: Operator) -> bool:
    return Trait.ELEMENTWISE in operator.traits or isinstance(operator, Pad)
