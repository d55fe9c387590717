"""The graph's operators that ONNX can say: the tables of all subjects as one."""

from collections.abc import Mapping

from tinsmith_ir.operators import Operator

from tinsmith_onnx.export import (
    arithmetic,
    conversions,
    dynamic,
    functions,
    movement,
    products,
    recurrent,
    reductions,
    sums,
    windows,
)
from tinsmith_onnx.export.site import Rule

RULES: Mapping[type[Operator], Rule] = {
    **arithmetic.RULES,
    **conversions.RULES,
    **dynamic.RULES,
    **functions.RULES,
    **movement.RULES,
    **products.RULES,
    **recurrent.RULES,
    **reductions.RULES,
    **sums.RULES,
    **windows.RULES,
}
