"""What a tensor is: shape, element type, and how its integers stand for real numbers."""

import math
from dataclasses import dataclass

from tinsmith_ir.checked import Checked
from tinsmith_ir.dtypes import DType


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

    @property
    def elements(self) -> int:
        """How many elements; 1 for a scalar."""
        return math.prod(self.shape)

    @property
    def size_bytes(self) -> int:
        """Bytes when stored densely."""
        return self.elements * self.dtype.size_bytes

    def with_shape(self, shape: tuple[int, ...]) -> "TensorType":
        """The same type in another shape."""
        return TensorType(shape, self.dtype, self.quantization)
