"""The back end for N-EUREKA, the accelerator beside Siracusa's cluster: so far how it wants its weights."""

from tinsmith_neureka.packing import (
    Mode,
    PackingError,
    packed_bytes,
    packed_weights,
    unpacked_weights,
)

__all__ = ["Mode", "PackingError", "packed_bytes", "packed_weights", "unpacked_weights"]
