"""The operators of a Graph, and the table that finds them by mnemonic: each class registers itself."""

from tinsmith_ir.activation import Activation
from tinsmith_ir.operators.base import (
    OPERATORS,
    Array,
    Operand,
    Operator,
    Part,
    Placement,
    Rescaling,
    Restriction,
    Trait,
    Types,
)
from tinsmith_ir.operators.blockwise import BlockwiseFullyConnected
from tinsmith_ir.operators.cast import Cast
from tinsmith_ir.operators.chain import Chain, ChainStep, Link
from tinsmith_ir.operators.convolution import Conv2D, Convolution, DepthwiseConv2D
from tinsmith_ir.operators.decompress import Decompress
from tinsmith_ir.operators.detections import Detections
from tinsmith_ir.operators.differences import Div, Pow, SquaredDifference
from tinsmith_ir.operators.division import FloorDiv, FloorMod
from tinsmith_ir.operators.dynamic import DynamicQuantize, DynamicScale
from tinsmith_ir.operators.elementwise import Add, Arithmetic, Extremum, Maximum, Minimum, Mul, Sub
from tinsmith_ir.operators.float_rescale import FloatRescale
from tinsmith_ir.operators.fully_connected import FullyConnected
from tinsmith_ir.operators.functions import (
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Ceil,
    Cos,
    Cosh,
    Elu,
    Erf,
    Exp,
    Floor,
    Function,
    Gelu,
    Log,
    Neg,
    Round,
    Rsqrt,
    Sign,
    Sin,
    Sinh,
    Sqrt,
    Square,
    TabulatedFunction,
    Tan,
)
from tinsmith_ir.operators.gather import Broadcast, Gather
from tinsmith_ir.operators.layout import Concat, Pad, Reshape, Slice, Transpose
from tinsmith_ir.operators.logic import Compare, Relation, Select
from tinsmith_ir.operators.logistic import Logistic, SigmoidCurve, Tanh
from tinsmith_ir.operators.lstm import Lstm
from tinsmith_ir.operators.matmul import BatchMatmul
from tinsmith_ir.operators.moments import LayerNorm, RmsNorm
from tinsmith_ir.operators.normalization import L2Normalization, LogSoftmax
from tinsmith_ir.operators.partial_sums import AverageOfSums, ChannelSums, MeanOfSums
from tinsmith_ir.operators.pooling import AveragePool2D, MaxPool2D, Pool
from tinsmith_ir.operators.poses import Poses
from tinsmith_ir.operators.quantize import Dequantize, Quantize, Requantize
from tinsmith_ir.operators.ranking import Ranking, TopK, TopKIndices
from tinsmith_ir.operators.rectifiers import HardSwish, LeakyRelu, Prelu
from tinsmith_ir.operators.reduction import (
    ArgExtremum,
    ArgMax,
    ArgMin,
    Mean,
    ReduceExtremum,
    ReduceMax,
    ReduceMin,
    ReduceProd,
    Reduction,
    Sum,
    Total,
)
from tinsmith_ir.operators.relu import Clamp, Relu, Relu0To1, Relu6, ReluN1To1
from tinsmith_ir.operators.resize import ResizeBilinear
from tinsmith_ir.operators.scan import CumSum
from tinsmith_ir.operators.softmax import Softmax
from tinsmith_ir.operators.svdf import Svdf, SvdfState
from tinsmith_ir.operators.tabulated import Lookup, Tabulated
from tinsmith_ir.operators.volumes import Conv3D
from tinsmith_ir.operators.weighted import Weighted
from tinsmith_ir.rounding import Rounding

__all__ = [
    "OPERATORS",
    "Abs",
    "Acos",
    "Acosh",
    "Activation",
    "Add",
    "ArgExtremum",
    "ArgMax",
    "ArgMin",
    "Arithmetic",
    "Array",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "AverageOfSums",
    "AveragePool2D",
    "BatchMatmul",
    "BlockwiseFullyConnected",
    "Broadcast",
    "Cast",
    "Ceil",
    "Chain",
    "ChainStep",
    "ChannelSums",
    "Clamp",
    "Compare",
    "Concat",
    "Conv2D",
    "Conv3D",
    "Convolution",
    "Cos",
    "Cosh",
    "CumSum",
    "Decompress",
    "DepthwiseConv2D",
    "Dequantize",
    "Detections",
    "Div",
    "DynamicQuantize",
    "DynamicScale",
    "Elu",
    "Erf",
    "Exp",
    "Extremum",
    "FloatRescale",
    "Floor",
    "FloorDiv",
    "FloorMod",
    "FullyConnected",
    "Function",
    "Gather",
    "Gelu",
    "HardSwish",
    "L2Normalization",
    "LayerNorm",
    "LeakyRelu",
    "Link",
    "Log",
    "LogSoftmax",
    "Logistic",
    "Lookup",
    "Lstm",
    "MaxPool2D",
    "Maximum",
    "Mean",
    "MeanOfSums",
    "Minimum",
    "Mul",
    "Neg",
    "Operand",
    "Operator",
    "Pad",
    "Part",
    "Placement",
    "Pool",
    "Poses",
    "Pow",
    "Prelu",
    "Quantize",
    "Ranking",
    "ReduceExtremum",
    "ReduceMax",
    "ReduceMin",
    "ReduceProd",
    "Reduction",
    "Relation",
    "Relu",
    "Relu0To1",
    "Relu6",
    "ReluN1To1",
    "Requantize",
    "Rescaling",
    "Reshape",
    "ResizeBilinear",
    "Restriction",
    "RmsNorm",
    "Round",
    "Rounding",
    "Rsqrt",
    "Select",
    "SigmoidCurve",
    "Sign",
    "Sin",
    "Sinh",
    "Slice",
    "Softmax",
    "Sqrt",
    "Square",
    "SquaredDifference",
    "Sub",
    "Sum",
    "Svdf",
    "SvdfState",
    "Tabulated",
    "TabulatedFunction",
    "Tan",
    "Tanh",
    "TopK",
    "TopKIndices",
    "Total",
    "Trait",
    "Transpose",
    "Types",
    "Weighted",
]
