"""The back end for DIANA's digital accelerator: the layers it takes, their constants, how tensors lie."""

from tinsmith_diana.backend import DianaDigitalBackend
from tinsmith_diana.layouts import DianaRows
from tinsmith_diana.packing import (
    PackingError,
    packed_convolution,
    packed_depthwise,
    packed_fully_connected,
)

__all__ = [
    "DianaDigitalBackend",
    "DianaRows",
    "PackingError",
    "packed_convolution",
    "packed_depthwise",
    "packed_fully_connected",
]
