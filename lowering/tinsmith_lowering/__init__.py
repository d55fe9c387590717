"""What a kernel is, and lowering: the kernel of every node, chosen by the rules that backends declare."""

from tinsmith_lowering.fragments import Emission, Operand, Scope
from tinsmith_lowering.kernel import Backend, Kernel, Layer, Rule, Signature, no_scratch, rule_text
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

__all__ = [
    "ARENA",
    "ARENA_ALIGNMENT",
    "Backend",
    "Emission",
    "Kernel",
    "Layer",
    "Lower",
    "Operand",
    "Rule",
    "Scope",
    "Signature",
    "find_kernel",
    "layer_of_call",
    "layer_of_node",
    "lower",
    "no_scratch",
    "rule_text",
    "supported_operators",
]
