"""The TFLite operators that are understood: a table of names, versions, operands and converters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.operators import (
    Abs,
    Add,
    ArgMax,
    ArgMin,
    AveragePool2D,
    Broadcast,
    Cast,
    Ceil,
    Compare,
    Concat,
    Conv2D,
    DepthwiseConv2D,
    Dequantize,
    Div,
    Elu,
    Exp,
    FloatRescale,
    Floor,
    FullyConnected,
    Gather,
    Gelu,
    HardSwish,
    LeakyRelu,
    Log,
    Logistic,
    Maximum,
    MaxPool2D,
    Mean,
    Minimum,
    Mul,
    Neg,
    Operator,
    Pad,
    Prelu,
    Quantize,
    ReduceMax,
    ReduceMin,
    Relation,
    Relu,
    Relu0To1,
    Relu6,
    ReluN1To1,
    Requantize,
    Reshape,
    ResizeBilinear,
    Round,
    Rsqrt,
    Select,
    Sign,
    Slice,
    Softmax,
    Sqrt,
    Square,
    SquaredDifference,
    Sub,
    Sum,
    Tanh,
    Transpose,
)

from tinsmith_tflite import (
    arithmetic,
    blocks,
    functions,
    gathering,
    logic,
    reductions,
    resizing,
    shapes,
    slices,
    transposed,
    windows,
)
from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.model_file import FileOperator, printable, quoted
from tinsmith_tflite.problems import RefusedError

_NUMBERS = (DType.FLOAT32, DType.INT8, DType.INT16)
_SMALL = (DType.FLOAT32, DType.INT8)
_INTEGERS = (*_NUMBERS, DType.INT32)
_ALL = tuple(DType)
_ANY = (*_NUMBERS, DType.INT32, DType.BOOL)
"""Of results that only move."""
_INDICES = (DType.INT32,)
_BOOL = (DType.BOOL,)
_SEVERAL = (1, 1024)


@dataclass(frozen=True)
class Rule:
    """How one kind of operator is imported.

    versions: the highest version whose meaning is known (TFLite 2.18's highest; what a newer version
    of an operator adds, mostly dtypes, is refused by its own check).
    inputs: (fewest, most) operands. options: name of the options table, "" if it has none; a table
    of another kind is not read. makes: what it may become.
    dtypes: of the results. outputs: (fewest, most) results; `convert` is asked for each of them.
    """

    versions: int
    inputs: tuple[int, int]
    options: str
    makes: tuple[type[Operator], ...]
    convert: Callable[[OperatorContext], Conversion]
    dtypes: tuple[DType, ...] = _NUMBERS
    outputs: tuple[int, int] = (1, 1)


def _plain(
    versions: int, options: str, kind: type[Operator], dtypes: tuple[DType, ...] = _NUMBERS
) -> Rule:
    """The rule of an operator that has the same operands here and there, and no attributes."""
    count = len(kind.operands)

    def convert(context: OperatorContext) -> Conversion:
        return kind(), [context.value(position) for position in range(count)]

    return Rule(versions, (count, count), options, (kind,), convert, dtypes)


_FLOATS = (DType.FLOAT32,)


def _comparison(options: str, relation: Relation, *, is_exchanged: bool = False) -> Rule:
    convert = logic.compare(relation, is_exchanged=is_exchanged)
    return Rule(4, (2, 2), options, (Compare,), convert, _BOOL)


RULES: Mapping[str, Rule] = {
    "ABS": _plain(5, "AbsOptions", Abs),
    "ADD": Rule(5, (2, 2), "AddOptions", (Add,), arithmetic.add, _INTEGERS),
    "ADD_N": Rule(1, (2, 1024), "AddNOptions", (Add,), functions.add_n, _FLOATS),
    "ARG_MAX": Rule(3, (2, 2), "ArgMaxOptions", (ArgMax,), reductions.arg_max, _INDICES),
    "ARG_MIN": Rule(3, (2, 2), "ArgMinOptions", (ArgMin,), reductions.arg_min, _INDICES),
    "AVERAGE_POOL_2D": Rule(3, (1, 1), "Pool2DOptions", (AveragePool2D,), windows.average_pool2d),
    "BATCH_TO_SPACE_ND": Rule(
        4, (3, 3), "BatchToSpaceNDOptions", (Reshape, Slice), blocks.batch_to_space_nd, _ANY
    ),
    "BROADCAST_TO": Rule(
        3, (2, 2), "BroadcastToOptions", (Broadcast,), gathering.broadcast_to, _ANY
    ),
    "CAST": Rule(7, (1, 1), "", (Cast,), arithmetic.cast, _ALL),
    "CEIL": _plain(1, "", Ceil, _FLOATS),
    "CONCATENATION": Rule(
        4, (1, 1024), "ConcatenationOptions", (Concat, FloatRescale), shapes.concatenation, _ALL
    ),
    "CONV_2D": Rule(8, (2, 3), "Conv2DOptions", (Conv2D,), windows.conv2d),
    "DEPTH_TO_SPACE": Rule(
        2, (1, 1), "DepthToSpaceOptions", (Reshape,), blocks.depth_to_space, _ANY
    ),
    "DEPTHWISE_CONV_2D": Rule(
        7, (2, 3), "DepthwiseConv2DOptions", (DepthwiseConv2D,), windows.depthwise_conv2d
    ),
    "DEQUANTIZE": Rule(6, (1, 1), "DequantizeOptions", (Dequantize,), arithmetic.dequantize),
    "DIV": Rule(2, (2, 2), "DivOptions", (Div,), functions.div, _FLOATS),
    "ELU": _plain(1, "", Elu, _SMALL),
    "EMBEDDING_LOOKUP": Rule(3, (2, 2), "", (Gather,), gathering.embedding_lookup, _ANY),
    "EQUAL": _comparison("EqualOptions", Relation.EQUAL),
    "EXP": _plain(2, "ExpOptions", Exp),
    "EXPAND_DIMS": Rule(1, (2, 2), "ExpandDimsOptions", (Reshape,), shapes.expand_dims, _ALL),
    "FILL": Rule(4, (2, 2), "FillOptions", (Broadcast, Reshape), gathering.fill, _ANY),
    "FLOOR": _plain(1, "", Floor, _FLOATS),
    "FULLY_CONNECTED": Rule(
        13, (2, 3), "FullyConnectedOptions", (FullyConnected,), arithmetic.fully_connected
    ),
    "GELU": Rule(2, (1, 1), "GeluOptions", (Gelu,), functions.gelu, _SMALL),
    "HARD_SWISH": _plain(1, "HardSwishOptions", HardSwish, _SMALL),
    "LEAKY_RELU": Rule(2, (1, 1), "LeakyReluOptions", (LeakyRelu,), functions.leaky_relu),
    "GATHER": Rule(7, (2, 2), "GatherOptions", (Gather,), gathering.gather, _ANY),
    "GATHER_ND": Rule(5, (2, 2), "GatherNdOptions", (Gather,), gathering.gather_nd, _ANY),
    "GREATER": _comparison("GreaterOptions", Relation.LESS, is_exchanged=True),
    "GREATER_EQUAL": _comparison("GreaterEqualOptions", Relation.LESS_EQUAL, is_exchanged=True),
    "LESS": _comparison("LessOptions", Relation.LESS),
    "LESS_EQUAL": _comparison("LessEqualOptions", Relation.LESS_EQUAL),
    "LOG": _plain(2, "", Log, _FLOATS),
    "LOGICAL_AND": Rule(1, (2, 2), "LogicalAndOptions", (Minimum,), logic.logical_and, _BOOL),
    "LOGICAL_NOT": Rule(1, (1, 1), "LogicalNotOptions", (Compare,), logic.logical_not, _BOOL),
    "LOGICAL_OR": Rule(1, (2, 2), "LogicalOrOptions", (Maximum,), logic.logical_or, _BOOL),
    "LOGISTIC": _plain(3, "", Logistic),
    "MAX_POOL_2D": Rule(3, (1, 1), "Pool2DOptions", (MaxPool2D,), windows.max_pool2d),
    "MAXIMUM": _plain(4, "MaximumMinimumOptions", Maximum, _INTEGERS),
    "MEAN": Rule(3, (2, 2), "ReducerOptions", (Mean,), reductions.mean),
    "MINIMUM": _plain(4, "MaximumMinimumOptions", Minimum, _INTEGERS),
    "MIRROR_PAD": Rule(
        3, (2, 2), "MirrorPadOptions", (Gather, Reshape), gathering.mirror_pad, _ANY
    ),
    "MUL": Rule(7, (2, 2), "MulOptions", (Mul,), arithmetic.mul, _INTEGERS),
    "NEG": _plain(1, "NegOptions", Neg, _FLOATS),
    "NOT_EQUAL": _comparison("NotEqualOptions", Relation.NOT_EQUAL),
    "PACK": Rule(4, _SEVERAL, "PackOptions", (Concat,), gathering.pack, _ANY),
    "PAD": Rule(4, (2, 2), "PadOptions", (Pad,), shapes.pad, _ALL),
    "PADV2": Rule(4, (3, 3), "PadV2Options", (Pad,), shapes.padv2, _ALL),
    "PRELU": _plain(1, "", Prelu, _SMALL),
    "QUANTIZE": Rule(3, (1, 1), "QuantizeOptions", (Quantize, Requantize), arithmetic.quantize),
    "REDUCE_ALL": Rule(1, (2, 2), "ReducerOptions", (ReduceMin,), reductions.reduce_all, _BOOL),
    "REDUCE_ANY": Rule(2, (2, 2), "ReducerOptions", (ReduceMax,), reductions.reduce_any, _BOOL),
    "REDUCE_MAX": Rule(3, (2, 2), "ReducerOptions", (ReduceMax,), reductions.reduce_max, _ANY),
    "REDUCE_MIN": Rule(3, (2, 2), "ReducerOptions", (ReduceMin,), reductions.reduce_min, _ANY),
    "RELU": _plain(3, "", Relu),
    "RELU6": _plain(3, "", Relu6),
    "RELU_0_TO_1": _plain(1, "", Relu0To1, _SMALL),
    "RELU_N1_TO_1": _plain(1, "", ReluN1To1, _SMALL),
    "RESHAPE": Rule(1, (1, 2), "ReshapeOptions", (Reshape,), shapes.reshape, _ALL),
    "RESIZE_BILINEAR": Rule(
        4, (2, 2), "ResizeBilinearOptions", (ResizeBilinear,), resizing.resize_bilinear
    ),
    "RESIZE_NEAREST_NEIGHBOR": Rule(
        4,
        (2, 2),
        "ResizeNearestNeighborOptions",
        (Gather, Reshape),
        resizing.resize_nearest_neighbor,
    ),
    "REVERSE_V2": Rule(3, (2, 2), "ReverseV2Options", (Slice,), gathering.reverse_v2, _ANY),
    "ROUND": _plain(1, "", Round, _FLOATS),
    "RSQRT": _plain(3, "", Rsqrt, _SMALL),
    "SELECT": Rule(4, (3, 3), "SelectOptions", (Select,), logic.select, _ANY),
    "SELECT_V2": Rule(2, (3, 3), "SelectV2Options", (Select,), logic.select_v2, _ANY),
    "SIGN": _plain(2, "SignOptions", Sign, _FLOATS),
    "SLICE": Rule(6, (3, 3), "SliceOptions", (Slice,), slices.slice_, _ALL),
    "SOFTMAX": Rule(
        3, (1, 1), "SoftmaxOptions", (Softmax,), arithmetic.softmax, (DType.FLOAT32, DType.INT8)
    ),
    "SPACE_TO_BATCH_ND": Rule(
        4, (3, 3), "SpaceToBatchNDOptions", (Reshape,), blocks.space_to_batch_nd, _ANY
    ),
    "SPACE_TO_DEPTH": Rule(
        2, (1, 1), "SpaceToDepthOptions", (Reshape,), blocks.space_to_depth, _ANY
    ),
    "SPLIT": Rule(4, (2, 2), "SplitOptions", (Slice,), slices.split, _ALL, outputs=_SEVERAL),
    "SPLIT_V": Rule(2, (3, 3), "SplitVOptions", (Slice,), slices.split_v, _ALL, outputs=_SEVERAL),
    "SQRT": _plain(2, "", Sqrt, _FLOATS),
    "SQUARE": _plain(1, "SquareOptions", Square, _FLOATS),
    "SQUARED_DIFFERENCE": _plain(3, "SquaredDifferenceOptions", SquaredDifference, _SMALL),
    "SQUEEZE": Rule(2, (1, 1), "SqueezeOptions", (Reshape,), shapes.squeeze, _ALL),
    "STRIDED_SLICE": Rule(
        8, (4, 4), "StridedSliceOptions", (Slice, Reshape), slices.strided_slice, _ALL
    ),
    "SUB": Rule(5, (2, 2), "SubOptions", (Sub,), arithmetic.sub, _INTEGERS),
    "SUM": Rule(2, (2, 2), "ReducerOptions", (Sum,), reductions.sum_),
    "TANH": _plain(3, "", Tanh),
    "TILE": Rule(3, (2, 2), "TileOptions", (Reshape,), gathering.tile, _ANY),
    "TRANSPOSE": Rule(6, (2, 2), "TransposeOptions", (Transpose,), shapes.transpose, _ALL),
    "TRANSPOSE_CONV": Rule(
        4, (3, 4), "TransposeConvOptions", (Conv2D, Reshape, Slice), transposed.transpose_conv
    ),
    "UNPACK": Rule(
        4, (1, 1), "UnpackOptions", (Slice, Reshape), slices.unpack, _ALL, outputs=_SEVERAL
    ),
    "ZEROS_LIKE": Rule(1, (1, 1), "ZerosLikeOptions", (Broadcast,), gathering.zeros_like, _ANY),
}
"""Kind of an operator in the file -> how it is imported."""

NOT_IN_FILES: Mapping[type[Operator], str] = {}
"""Operators of the IR that no rule makes, and why."""


def with_custom(custom: Mapping[str, Rule]) -> Mapping[str, Rule]:
    """RULES, and the rules of custom operators by the name that files give them."""
    return {**RULES, **{f"CUSTOM '{printable(name)}'": rule for name, rule in custom.items()}}


def supported(rules: Mapping[str, Rule]) -> str:
    """The operators that rules are for, as a hint."""
    return f"Supported operators: {', '.join(rules)}."


CALLERS = frozenset({"CALL", "CALL_ONCE", "IF", "WHILE"})
"""Operators that run another subgraph."""

_CONTROL_FLOW = "control flow is not supported; unroll or remove it before converting"
_REASONS = {
    **dict.fromkeys(("CALL", "IF", "WHILE"), _CONTROL_FLOW),
    "CUSTOM 'edgetpu-custom-op'": "the model was compiled for the Edge TPU; give the .tflite from "
    "before its compiler",
    "CUSTOM 'ethos-u'": "the model was compiled for Ethos-U by Vela; give the .tflite from before it",
    "CUSTOM 'TFLite_Detection_PostProcess'": "the network's last step is not supported; cut it off, "
    "or do it in code",
}


def unknown(operator: FileOperator, model: str, result: str) -> RefusedError:
    """The error for an operator that has no rule. result: the name of what it computes."""
    reason = _REASONS.get(operator.kind)
    if reason is None and operator.kind.startswith("CUSTOM 'Flex"):
        reason = f"{operator.kind} is an operator of TensorFlow; convert without SELECT_TF_OPS"
    if reason is None:
        reason = f"{operator.kind} is not supported; express it with operators that are"
    return RefusedError(model, f"{operator} {quoted(result)}", reason)


def check_rule(rule: Rule, operator: FileOperator, model: str) -> None:
    """Check an operator's version and counts of operands against its rule.

    Raises UnsupportedError for a version that is not known, ModelError for operands that do not belong to it.
    """
    where = f"{model}: {operator}"
    if not 1 <= operator.version <= rule.versions:
        raise UnsupportedError(
            f"{where}: expected version 1 to {rule.versions}, got {operator.version}"
        )
    fewest, most = rule.inputs
    if not fewest <= len(operator.inputs) <= most:
        raise ModelError(f"{where}: expected {fewest} to {most} inputs, got {len(operator.inputs)}")
    fewest, most = rule.outputs
    if not fewest <= len(operator.outputs) <= most:
        wanted = "1 output" if most == 1 else f"{fewest} to {most} outputs"
        raise ModelError(f"{where}: expected {wanted}, got {len(operator.outputs)}")
