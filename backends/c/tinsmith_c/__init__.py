"""The C writer of all backends: kernel declarations, lowering by rules, and the generated files."""

from tinsmith_c.facts import LayerFacts, layer_facts
from tinsmith_c.kernel import Backend, Kernel, Layer, Rule, Signature, no_scratch, rule_text
from tinsmith_c.layout import c_name
from tinsmith_c.lowering import lower
from tinsmith_c.manual import supported_operators
from tinsmith_c.options import WriteOptions
from tinsmith_c.scope import Emission, Scope
from tinsmith_c.text import FieldValue, call, expression, float_literal, initializer, nested
from tinsmith_c.writer import write, write_harness_model

__all__ = [
    "Backend",
    "Emission",
    "FieldValue",
    "Kernel",
    "Layer",
    "LayerFacts",
    "Rule",
    "Scope",
    "Signature",
    "WriteOptions",
    "c_name",
    "call",
    "expression",
    "float_literal",
    "initializer",
    "layer_facts",
    "lower",
    "nested",
    "no_scratch",
    "rule_text",
    "supported_operators",
    "write",
    "write_harness_model",
]
