"""What a kernel is, and lowering: the kernel of every node, chosen by the rules that backends declare."""

from tinsmith_lowering.cut import cut
from tinsmith_lowering.fragments import Emission, Operand, Scope
from tinsmith_lowering.kernel import (
    AsGiven,
    Backend,
    Kernel,
    Layer,
    Layouts,
    Prepared,
    Rule,
    Signature,
    constant_operands,
    no_scratch,
    no_walk,
    rounding_of,
    rule_text,
    weights_offset,
)
from tinsmith_lowering.lift import check_calls, check_layouts, lift
from tinsmith_lowering.lower import (
    ARENA,
    ARENA_ALIGNMENT,
    Lower,
    find_kernel,
    layer_of_call,
    layer_of_node,
    lower,
)
from tinsmith_lowering.manual import supported_operators
from tinsmith_lowering.prepare import Prepare, check_prepared, prepare
from tinsmith_lowering.walk import NEVER, Steps, Walk
from tinsmith_lowering.walks import (
    Window,
    elementwise_walk,
    gathering_walk,
    overlaps,
    pixels_walk,
    pool_walk,
    reducing_walk,
    rows_walk,
)

__all__ = [
    "ARENA",
    "ARENA_ALIGNMENT",
    "NEVER",
    "AsGiven",
    "Backend",
    "Emission",
    "Kernel",
    "Layer",
    "Layouts",
    "Lower",
    "Operand",
    "Prepare",
    "Prepared",
    "Rule",
    "Scope",
    "Signature",
    "Steps",
    "Walk",
    "Window",
    "check_calls",
    "check_layouts",
    "check_prepared",
    "constant_operands",
    "cut",
    "elementwise_walk",
    "find_kernel",
    "gathering_walk",
    "layer_of_call",
    "layer_of_node",
    "lift",
    "lower",
    "no_scratch",
    "no_walk",
    "overlaps",
    "pixels_walk",
    "pool_walk",
    "prepare",
    "reducing_walk",
    "rounding_of",
    "rows_walk",
    "rule_text",
    "supported_operators",
    "weights_offset",
]
