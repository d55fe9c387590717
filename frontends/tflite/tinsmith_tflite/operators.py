"""The TFLite operators that are understood: the tables of all subjects as one."""

from collections.abc import Mapping

from tinsmith_ir.operators import (
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    AverageOfSums,
    BlockwiseFullyConnected,
    ChannelSums,
    Cosh,
    Decompress,
    Erf,
    LayerNorm,
    Lookup,
    MeanOfSums,
    Operator,
    Poses,
    RmsNorm,
    Sinh,
    Tan,
)
from tinsmith_ir.problems import RefusedError

from tinsmith_tflite import (
    arithmetic,
    blocks,
    counting,
    detections,
    functions,
    gathering,
    logic,
    normalization,
    poses,
    powers,
    products,
    ranking,
    recurrent,
    reductions,
    resizing,
    shapes,
    slices,
    transposed,
    windows,
)
from tinsmith_tflite.model_file import FileOperator, printable, quoted
from tinsmith_tflite.rules import Rule

_TABLES = (
    arithmetic.RULES,
    blocks.RULES,
    counting.RULES,
    detections.RULES,
    functions.RULES,
    gathering.RULES,
    logic.RULES,
    recurrent.RULES,
    normalization.RULES,
    poses.RULES,
    powers.RULES,
    products.RULES,
    ranking.RULES,
    reductions.RULES,
    resizing.RULES,
    shapes.RULES,
    slices.RULES,
    transposed.RULES,
    windows.RULES,
)
RULES: Mapping[str, Rule] = dict(
    sorted((item for table in _TABLES for item in table.items()), key=lambda item: item[0])
)
"""Kind of an operator in the file -> how it is imported."""

_NO_BUILTIN = "no builtin operator of TFLite"

NOT_IN_FILES: Mapping[type[Operator], str] = dict.fromkeys(
    (
        Acos,
        Acosh,
        Asin,
        Asinh,
        Atan,
        Atanh,
        AverageOfSums,
        BlockwiseFullyConnected,
        ChannelSums,
        Cosh,
        Decompress,
        Erf,
        LayerNorm,
        Lookup,
        MeanOfSums,
        RmsNorm,
        Sinh,
        Tan,
    ),
    _NO_BUILTIN,
)
"""Operators of the IR that no rule makes, and why."""

NOT_IN_TFLITE: Mapping[type[Operator], str] = {Poses: "a custom operator of Coral's own runtime"}
"""Operators that rules make and TFLite has no kernel of, and why; so they have no goldens."""


def with_custom(custom: Mapping[str, Rule]) -> Mapping[str, Rule]:
    """RULES, and the rules of custom operators by the name that files give them."""
    return {**RULES, **{f"CUSTOM '{printable(name)}'": rule for name, rule in custom.items()}}


def supported(rules: Mapping[str, Rule]) -> str:
    """The operators that rules are for, as a hint."""
    return f"Supported operators: {', '.join(rules)}."


_REASONS = {
    "CALL": "calls are not supported; inline what is called before converting",
    "CUSTOM 'edgetpu-custom-op'": "the model was compiled for the Edge TPU; give the .tflite from "
    "before its compiler",
    "CUSTOM 'ethos-u'": "the model was compiled for Ethos-U by Vela; give the .tflite from before it",
}


def unknown(operator: FileOperator, model: str, result: str) -> RefusedError:
    """The error for an operator that has no rule. result: the name of what it computes."""
    reason = _REASONS.get(operator.kind)
    if reason is None and operator.kind.startswith("CUSTOM 'Flex"):
        reason = f"{operator.kind} is an operator of TensorFlow; convert without SELECT_TF_OPS"
    if reason is None:
        reason = f"{operator.kind} is not supported; express it with operators that are"
    return RefusedError(model, f"{operator} {quoted(result)}", reason)
