"""The operators of PyTorch that are understood: the tables of all subjects as one."""

from collections.abc import Mapping

from tinsmith_torch import (
    activations,
    arithmetic,
    bits,
    complexes,
    constants,
    images,
    indexing,
    normalization,
    products,
    quantization,
    ranges,
    recurrent,
    reductions,
    shapes,
    windows,
)
from tinsmith_torch.rules import Rule

_TABLES = (
    activations.RULES,
    arithmetic.RULES,
    bits.RULES,
    constants.RULES,
    images.RULES,
    indexing.RULES,
    normalization.RULES,
    products.RULES,
    quantization.RULES,
    ranges.RULES,
    recurrent.RULES,
    reductions.RULES,
    shapes.RULES,
    windows.RULES,
)
RULES: Mapping[str, Rule] = dict(
    sorted((item for table in _TABLES for item in table.items()), key=lambda item: item[0])
)
"""Name of an operator in all its forms, as `aten.add` -> how it is imported."""


OF_COMPLEX: Mapping[str, Rule] = complexes.RULES
"""The same of operators that read or give complex numbers."""


def rule_for(operator: str, rules: Mapping[str, Rule]) -> Rule | None:
    """The rule for an operator in one of its forms, as `aten.add.Tensor`."""
    return rules.get(operator.rpartition(".")[0])


def supported(rules: Mapping[str, Rule]) -> str:
    """The operators that rules are for, as a hint."""
    names = ", ".join(name.removeprefix("aten.") for name in rules)
    return f"Supported operators: {names}, and what PyTorch decomposes into these."
