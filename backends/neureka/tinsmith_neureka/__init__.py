"""The back end for N-EUREKA, the accelerator beside Siracusa's cluster: the layers it takes, their constants."""

from tinsmith_neureka.backend import NeurekaBackend
from tinsmith_neureka.packing import (
    Mode,
    PackingError,
    packed_bytes,
    packed_weights,
    unpacked_weights,
)

__all__ = [
    "Mode",
    "NeurekaBackend",
    "PackingError",
    "packed_bytes",
    "packed_weights",
    "unpacked_weights",
]
