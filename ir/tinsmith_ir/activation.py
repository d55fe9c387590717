"""The clamp that an operator may apply to its result before storing it."""

import enum


class Activation(enum.Enum):
    """TFLite's fused activation functions that are clamps; the value is the name in IR text."""

    NONE = "none"
    RELU = "relu"
    RELU6 = "relu6"
    RELU_N1_TO_1 = "relu_n1_to_1"

    @property
    def real_range(self) -> tuple[float, float]:
        """Smallest and largest real number that passes; infinite where there is no bound."""
        return _RANGES[self]


_RANGES = {
    Activation.NONE: (float("-inf"), float("inf")),
    Activation.RELU: (0.0, float("inf")),
    Activation.RELU6: (0.0, 6.0),
    Activation.RELU_N1_TO_1: (-1.0, 1.0),
}
