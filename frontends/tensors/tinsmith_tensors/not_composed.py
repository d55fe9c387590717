"""Operators of graphs that no function here composes, and why; a test holds the list against the sources."""

from collections.abc import Mapping

from tinsmith_ir.operators import (
    AverageOfSums,
    BlockwiseFullyConnected,
    ChannelSums,
    Decompress,
    Detections,
    DynamicQuantize,
    DynamicScale,
    FloatRescale,
    L2Normalization,
    Lookup,
    MeanOfSums,
    Operator,
    Poses,
    ReluN1To1,
    SquaredDifference,
    Svdf,
    SvdfState,
)

NOT_COMPOSED: Mapping[type[Operator], str] = {
    AverageOfSums: "made by passes, of average pools",
    BlockwiseFullyConnected: "made by passes, of products with weights that have a scale for each block",
    ChannelSums: "made by passes, of average pools and means",
    Decompress: "made by passes, of weights",
    Detections: "a custom operator of TFLite's",
    DynamicQuantize: "integers within TFLite's hybrid layers",
    DynamicScale: "of TFLite's hybrid layers",
    FloatRescale: "how TFLite joins uint8 of several scales",
    L2Normalization: "another epsilon than ONNX's and PyTorch's, which are composed",
    Lookup: "made by passes, of functions of one integer",
    MeanOfSums: "made by passes, of means",
    Poses: "a custom operator of Coral's",
    ReluN1To1: "a clamp as others in ONNX and PyTorch",
    SquaredDifference: "a difference and a square in ONNX and PyTorch",
    Svdf: "a layer of TFLite's",
    SvdfState: "a layer of TFLite's",
}
