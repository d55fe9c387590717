"""What the scales of an operator say about the way in which TFLite computes it."""

from tinsmith_ir.arithmetic import exponent_of
from tinsmith_ir.types import TensorType


def is_power_of_two(type_: TensorType) -> bool:
    """Whether the only scale is a power of two, within 0.07 % as in TFLite's `CheckedLog2`."""
    q = type_.quantization
    if q is None or len(q.scales) != 1:
        return False
    return exponent_of(q.scale) is not None
