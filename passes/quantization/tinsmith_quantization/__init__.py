"""Makes networks of integers of float networks, with calibration data; see README.md."""

from tinsmith_quantization.quantizing import Quantized, quantize
from tinsmith_quantization.samples import checked_samples
from tinsmith_quantization.schemes import METHODS, ROUNDINGS, SCHEMES, WEIGHTS, Scheme, scheme
from tinsmith_quantization.statistics import (
    LayerWeights,
    Losses,
    TensorLoss,
    sqnr,
    top1_agreement,
)

__all__ = [
    "METHODS",
    "ROUNDINGS",
    "SCHEMES",
    "WEIGHTS",
    "LayerWeights",
    "Losses",
    "Quantized",
    "Scheme",
    "TensorLoss",
    "checked_samples",
    "quantize",
    "scheme",
    "sqnr",
    "top1_agreement",
]
