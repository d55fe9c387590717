"""Which operator bears which layouts."""

from collections.abc import Mapping
from functools import cache

from tinsmith_ir.graph import Node, Value
from tinsmith_ir.operators import (
    ArgExtremum,
    BatchMatmul,
    Broadcast,
    Concat,
    Conv2D,
    Conv3D,
    CumSum,
    DepthwiseConv2D,
    FullyConnected,
    Gather,
    Operator,
    Pad,
    Pool,
    Ranking,
    Reduction,
    ResizeBilinear,
    Slice,
    Trait,
)
from tinsmith_ir.operators.moments import MomentsOperator
from tinsmith_ir.operators.rows import RowOperator

from tinsmith_layout.channels import (
    convolves,
    convolves_channels,
    fully_connects,
    keeps_channels,
    multiplies,
    normalizes,
)
from tinsmith_layout.elementwise import broadcasts, elementwise
from tinsmith_layout.parts import or_in_parts
from tinsmith_layout.variants import Rule
from tinsmith_layout.whole_axes import (
    as_wished,
    computes_rows,
    finds,
    gathers,
    goes_along_axis,
    pads,
    reduces,
    slices,
)

RULES: Mapping[type[Operator], Rule] = {
    Broadcast: broadcasts,
    Pad: or_in_parts(pads),
    Slice: or_in_parts(slices),
    Concat: or_in_parts(goes_along_axis),
    CumSum: goes_along_axis,
    RowOperator: computes_rows,
    MomentsOperator: normalizes,
    Ranking: computes_rows,
    Reduction: as_wished(or_in_parts(reduces)),
    ArgExtremum: as_wished(finds),
    Gather: as_wished(gathers),
    FullyConnected: fully_connects,
    BatchMatmul: multiplies,
    Conv2D: convolves,
    Conv3D: convolves,
    DepthwiseConv2D: convolves_channels,
    Pool: keeps_channels,
    ResizeBilinear: keeps_channels,
}
"""By class; what is elementwise needs none."""
_WISHING = (Reduction, ArgExtremum, Gather, FullyConnected)
_WEIGHTED = (FullyConnected, Conv2D, Conv3D, DepthwiseConv2D)


def rule_of(node: Node) -> Rule | None:
    """What the operator bears; None if its tensors have to lie as they do."""
    inputs = node.present_inputs[: 1 if isinstance(node.operator, _WEIGHTED) else None]
    if len(node.outputs) != 1 or any(map(_is_per_axis, (*inputs, *node.outputs))):
        return None
    return _rule_of_kind(type(node.operator))


@cache
def _rule_of_kind(operator: type[Operator]) -> Rule | None:
    rules = (rule for kind, rule in RULES.items() if issubclass(operator, kind))
    is_elementwise = Trait.ELEMENTWISE in operator.traits
    return next(rules, elementwise if is_elementwise else None)


def heeds_wishes(operator: Operator) -> bool:
    """Whether its rule looks at `Case.wishes`."""
    return isinstance(operator, _WISHING)


def _is_per_axis(value: Value) -> bool:
    return value.type.quantization is not None and value.type.quantization.axis is not None
