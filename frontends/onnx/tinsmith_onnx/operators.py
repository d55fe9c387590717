"""The ONNX operators that are understood: the tables of all subjects as one."""

from collections.abc import Mapping

from tinsmith_onnx import (
    activations,
    arithmetic,
    attention,
    bits,
    constants,
    control,
    images,
    indexing,
    normalization,
    products,
    quantization,
    recurrent,
    reductions,
    sampling,
    sequences,
    shapes,
    spectra,
    windows,
)
from tinsmith_onnx.rules import Rule

_TABLES = (
    activations.RULES,
    arithmetic.RULES,
    attention.RULES,
    bits.RULES,
    constants.RULES,
    control.RULES,
    images.RULES,
    indexing.RULES,
    normalization.RULES,
    products.RULES,
    quantization.RULES,
    recurrent.RULES,
    reductions.RULES,
    sampling.RULES,
    sequences.RULES,
    shapes.RULES,
    spectra.RULES,
    windows.RULES,
)
RULES: Mapping[str, Rule] = dict(
    sorted((item for table in _TABLES for item in table.items()), key=lambda item: item[0])
)
"""Name of an operator, with its domain in front unless it is the main one -> how it is imported."""


def with_custom(custom: Mapping[str, Rule]) -> Mapping[str, Rule]:
    """RULES, and those of a user's own operators."""
    return {**RULES, **custom}


def is_known_domain(domain: str, rules: Mapping[str, Rule]) -> bool:
    """Whether a domain is ONNX's own, or there are rules for operators of it."""
    is_onnx = domain == "" or domain.startswith("ai.onnx")
    return is_onnx or any(name.rpartition(".")[0] == domain for name in rules)


def supported(rules: Mapping[str, Rule]) -> str:
    """The operators that rules are for, as a hint."""
    return f"Supported operators: {', '.join(rules)}, and what the onnx package defines by these."
