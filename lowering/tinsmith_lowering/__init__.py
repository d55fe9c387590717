"""What a kernel is, and lowering: the kernel of every node, chosen by the rules that backends declare."""

from tinsmith_lowering.cut import cut
from tinsmith_lowering.fragments import Emission, Operand, Scope
from tinsmith_lowering.kernel import (
    AsGiven,
    Backend,
    Kernel,
    Layer,
    Prepared,
    Rule,
    Signature,
    constant_operands,
    no_scratch,
    rule_text,
)
from tinsmith_lowering.lift import check_calls, lift
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

__all__ = [
    "ARENA",
    "ARENA_ALIGNMENT",
    "AsGiven",
    "Backend",
    "Emission",
    "Kernel",
    "Layer",
    "Lower",
    "Operand",
    "Prepare",
    "Prepared",
    "Rule",
    "Scope",
    "Signature",
    "check_calls",
    "check_prepared",
    "constant_operands",
    "cut",
    "find_kernel",
    "layer_of_call",
    "layer_of_node",
    "lift",
    "lower",
    "no_scratch",
    "prepare",
    "rule_text",
    "supported_operators",
]
