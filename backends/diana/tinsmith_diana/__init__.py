"""The back ends for DIANA's accelerators: the layers they take, their constants, how tensors lie."""

from tinsmith_diana.backend import DianaAnalogBackend, DianaDigitalBackend
from tinsmith_diana.layouts import DianaBanks, DianaPixels, DianaPlanes, DianaRows
from tinsmith_diana.packing import (
    PackingError,
    packed_convolution,
    packed_depthwise,
    packed_fully_connected,
)

__all__ = [
    "DianaAnalogBackend",
    "DianaBanks",
    "DianaDigitalBackend",
    "DianaPixels",
    "DianaPlanes",
    "DianaRows",
    "PackingError",
    "packed_convolution",
    "packed_depthwise",
    "packed_fully_connected",
]
