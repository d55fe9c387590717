"""The graph's operators that ONNX can say: the tables of all subjects as one."""

from collections.abc import Mapping

from tinsmith_ir.operators import Decompress, Operator
from tinsmith_ir.operators.detections import Detections
from tinsmith_ir.operators.poses import Poses

from tinsmith_onnx.export import (
    arithmetic,
    blockwise,
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
    **blockwise.RULES,
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

REFUSED: Mapping[type[Operator], str] = {
    Decompress: "ONNX has no compressed constants; export the network before they are compressed",
    Detections: "ONNX chooses boxes otherwise; export the network in front of it, and choose behind it",
    Poses: "ONNX has no such operator; export the network in front of it, and look for poses behind it",
}
"""Why others have no rule, and what to do."""
