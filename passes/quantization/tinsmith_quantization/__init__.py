"""Makes networks of integers of float networks, with calibration data; see README.md."""

from tinsmith_quantization.bits.choosing import LEAST, Budget, chosen_bits
from tinsmith_quantization.bits.precision import BITS, Sensitivity, sensitivities
from tinsmith_quantization.caches import keep, with_caches
from tinsmith_quantization.channels.outliers import (
    AddedChannels,
    ChannelSplitting,
    SplitNetwork,
    split_outliers,
)
from tinsmith_quantization.ends import integer_ends
from tinsmith_quantization.quantizing import Quantized, quantize
from tinsmith_quantization.samples import checked_samples
from tinsmith_quantization.schemes import METHODS, ROUNDINGS, SCHEMES, WEIGHTS, Scheme, scheme
from tinsmith_quantization.statistics import (
    LayerWeights,
    Losses,
    RangeChange,
    RangeLearning,
    TensorLoss,
    sqnr,
    top1_agreement,
)

__all__ = [
    "BITS",
    "LEAST",
    "METHODS",
    "ROUNDINGS",
    "SCHEMES",
    "WEIGHTS",
    "AddedChannels",
    "Budget",
    "ChannelSplitting",
    "LayerWeights",
    "Losses",
    "Quantized",
    "RangeChange",
    "RangeLearning",
    "Scheme",
    "Sensitivity",
    "SplitNetwork",
    "TensorLoss",
    "checked_samples",
    "chosen_bits",
    "integer_ends",
    "keep",
    "quantize",
    "scheme",
    "sensitivities",
    "split_outliers",
    "sqnr",
    "top1_agreement",
    "with_caches",
]
