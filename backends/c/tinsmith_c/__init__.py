"""The C writer of all backends: generated files, facts for reports, and what the text of calls is made of."""

from tinsmith_c.check import example_memories, generated_inputs, write_check
from tinsmith_c.facts import LayerFacts, layer_facts
from tinsmith_c.layout import c_name
from tinsmith_c.options import WriteOptions
from tinsmith_c.shared_arena import HEADER_NAME, shared_arena_header
from tinsmith_c.text import (
    FieldValue,
    call,
    definition,
    expression,
    float_literal,
    initializer,
    nested,
    wrapped_call,
)
from tinsmith_c.writer import write, write_harness_model

__all__ = [
    "HEADER_NAME",
    "FieldValue",
    "LayerFacts",
    "WriteOptions",
    "c_name",
    "call",
    "definition",
    "example_memories",
    "expression",
    "float_literal",
    "generated_inputs",
    "initializer",
    "layer_facts",
    "nested",
    "shared_arena_header",
    "wrapped_call",
    "write",
    "write_check",
    "write_harness_model",
]
