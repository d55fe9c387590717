"""The TFLite operators that are understood: a table of names, versions, operands and converters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import ModelError, UnsupportedError

from tinsmith_tflite import arithmetic, shapes, windows
from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.model_file import FileOperator, quoted
from tinsmith_tflite.problems import RefusedError

_NUMBERS = (DType.FLOAT32, DType.INT8, DType.INT16)


@dataclass(frozen=True)
class Rule:
    """How one kind of operator is imported.

    versions: the highest version whose meaning is known (TFLite 2.18's highest; what a newer version
    of an operator adds, mostly dtypes, is refused by its own check).
    inputs: (fewest, most) operands. options: name of the options table, "" if it has none; a table
    of another kind is not read.
    dtypes: of the result.
    """

    versions: int
    inputs: tuple[int, int]
    options: str
    convert: Callable[[OperatorContext], Conversion]
    dtypes: tuple[DType, ...] = _NUMBERS


RULES: Mapping[str, Rule] = {
    "ADD": Rule(5, (2, 2), "AddOptions", arithmetic.add),
    "AVERAGE_POOL_2D": Rule(3, (1, 1), "Pool2DOptions", windows.average_pool2d),
    "CONCATENATION": Rule(4, (1, 1024), "ConcatenationOptions", shapes.concatenation),
    "CONV_2D": Rule(8, (2, 3), "Conv2DOptions", windows.conv2d),
    "DEPTHWISE_CONV_2D": Rule(7, (2, 3), "DepthwiseConv2DOptions", windows.depthwise_conv2d),
    "DEQUANTIZE": Rule(6, (1, 1), "DequantizeOptions", arithmetic.dequantize),
    "EXPAND_DIMS": Rule(1, (2, 2), "ExpandDimsOptions", shapes.expand_dims),
    "FULLY_CONNECTED": Rule(13, (2, 3), "FullyConnectedOptions", arithmetic.fully_connected),
    "MAX_POOL_2D": Rule(3, (1, 1), "Pool2DOptions", windows.max_pool2d),
    "MEAN": Rule(3, (2, 2), "ReducerOptions", arithmetic.mean),
    "MUL": Rule(7, (2, 2), "MulOptions", arithmetic.mul),
    "PAD": Rule(4, (2, 2), "PadOptions", shapes.pad),
    "PADV2": Rule(4, (3, 3), "PadV2Options", shapes.padv2),
    "QUANTIZE": Rule(3, (1, 1), "QuantizeOptions", arithmetic.quantize),
    "RELU": Rule(3, (1, 1), "", arithmetic.relu),
    "RELU6": Rule(3, (1, 1), "", arithmetic.relu6),
    "RESHAPE": Rule(1, (1, 2), "ReshapeOptions", shapes.reshape),
    "SOFTMAX": Rule(3, (1, 1), "SoftmaxOptions", arithmetic.softmax, (DType.FLOAT32, DType.INT8)),
    "SQUEEZE": Rule(2, (1, 1), "SqueezeOptions", shapes.squeeze),
    "SUB": Rule(5, (2, 2), "SubOptions", arithmetic.sub),
    "TRANSPOSE": Rule(6, (2, 2), "TransposeOptions", shapes.transpose),
}


SUPPORTED = f"Supported operators: {', '.join(RULES)}."

CALLERS = frozenset({"CALL", "CALL_ONCE", "IF", "WHILE"})
"""Operators that run another subgraph."""

_CONTROL_FLOW = "control flow is not supported; unroll or remove it before converting"
_STATE = (
    "variables (state kept between runs) are not supported; make the state an input and an output "
    "of the network"
)
_REASONS = {
    **dict.fromkeys(("CALL", "IF", "WHILE"), _CONTROL_FLOW),
    **dict.fromkeys(("ASSIGN_VARIABLE", "CALL_ONCE", "READ_VARIABLE", "VAR_HANDLE"), _STATE),
    "CUSTOM 'edgetpu-custom-op'": "the model was compiled for the Edge TPU; give the .tflite from "
    "before its compiler",
    "CUSTOM 'ethos-u'": "the model was compiled for Ethos-U by Vela; give the .tflite from before it",
    "CUSTOM 'TFLite_Detection_PostProcess'": "the network's last step is not supported; cut it off, "
    "or do it in code",
}


def unknown(operator: FileOperator, model: str, result: str) -> RefusedError:
    """The error for an operator that is not in RULES. result: the name of what it computes."""
    reason = _REASONS.get(operator.kind)
    if reason is None and operator.kind.startswith("CUSTOM 'Flex"):
        reason = f"{operator.kind} is an operator of TensorFlow; convert without SELECT_TF_OPS"
    if reason is None:
        reason = f"{operator.kind} is not supported; express it with operators that are"
    return RefusedError(model, f"{operator} {quoted(result)}", reason)


def rule_for(operator: FileOperator, model: str) -> Rule:
    """The rule of `operator`, whose version and operand counts it has been checked against.

    The operator's kind is one of RULES. Raises UnsupportedError for a version that is not known,
    ModelError for operands that do not belong to it.
    """
    where = f"{model}: {operator}"
    rule = RULES[operator.kind]
    if not 1 <= operator.version <= rule.versions:
        raise UnsupportedError(
            f"{where}: expected version 1 to {rule.versions}, got {operator.version}"
        )
    fewest, most = rule.inputs
    if not fewest <= len(operator.inputs) <= most:
        raise ModelError(f"{where}: expected {fewest} to {most} inputs, got {len(operator.inputs)}")
    if len(operator.outputs) != 1:
        raise ModelError(f"{where}: expected 1 output, got {len(operator.outputs)}")
    return rule
