"""What a tensor is: shape, element type, and how its integers stand for real numbers."""

import math
from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.checked import Checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError

# Half of the smallest float32 rounds to 0, this much beyond the largest one to infinity.
_SMALLEST_SCALE = math.ldexp(1, -150)
_INFINITE_SCALE = math.ldexp(2 - math.ldexp(1, -24), 127)


def _is_scale(scale: float) -> bool:
    return _SMALLEST_SCALE < scale < _INFINITE_SCALE


@dataclass(frozen=True)
class Quantization(Checked):
    """real = scale * (integer - zero_point), per tensor or per slice of `axis`.

    scales: float32 values held as Python floats; one, or one per index of `axis`.
    zero_points: as many as scales.
    axis: None means per tensor.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int | None = None

    def __post_init__(self) -> None:
        """Raise GraphError for scales that are no positive float32, or not one for each zero point."""
        super().__post_init__()
        if not all(map(_is_scale, self.scales)):
            raise GraphError(
                f"expected scales that are finite and above 0, also as float32, got {self.scales}"
            )
        if len(self.scales) != len(self.zero_points):
            raise GraphError(
                "expected as many zero points as scales, got "
                f"{len(self.zero_points)} zero points and {len(self.scales)} scales"
            )

    @property
    def scale(self) -> float:
        """The only scale; raises ValueError when there are several."""
        if self.axis is not None or len(self.scales) != 1:
            raise ValueError(
                f"per-axis quantization with {len(self.scales)} scales has no one scale"
            )
        return self.scales[0]

    @property
    def zero_point(self) -> int:
        """The only zero point; raises ValueError when there are several."""
        if self.axis is not None or len(self.zero_points) != 1:
            raise ValueError("per-axis quantization has no one zero point")
        return self.zero_points[0]

    @staticmethod
    def per_tensor(scale: float, zero_point: int) -> "Quantization":
        """One scale and zero point for all elements."""
        return Quantization((scale,), (zero_point,))


@dataclass(frozen=True)
class TensorType(Checked):
    """Static shape (batch first; activations NHWC, convolution weights OHWI), dtype, quantization.

    A scalar has the shape (). Every dimension is at least 1.
    """

    shape: tuple[int, ...]
    dtype: DType
    quantization: Quantization | None = None

    def __post_init__(self) -> None:
        """Raise GraphError for a dimension below 1."""
        super().__post_init__()
        if min(self.shape, default=1) < 1:
            raise GraphError(f"expected dimensions of at least 1, got shape {self.shape}")

    @cached_property
    def elements(self) -> int:
        """How many elements; 1 for a scalar."""
        return math.prod(self.shape)

    @cached_property
    def size_bytes(self) -> int:
        """Bytes when stored densely."""
        return -(-self.elements * self.dtype.bits // 8)

    def with_shape(self, shape: tuple[int, ...]) -> "TensorType":
        """The same type in another shape."""
        return TensorType(shape, self.dtype, self.quantization)
