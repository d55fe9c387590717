"""The clamp that an operator may apply to its result before storing it."""

import enum


class Activation(enum.Enum):
    """TFLite's activation functions that are clamps; the value is the name in IR text.

    TFLite fuses all but RELU_0_TO_1, which is only an operator there.
    """

    NONE = "none"
    RELU = "relu"
    RELU6 = "relu6"
    RELU_N1_TO_1 = "relu_n1_to_1"
    RELU_0_TO_1 = "relu_0_to_1"

    @property
    def real_range(self) -> tuple[float, float]:
        """Smallest and largest real number that passes; infinite where there is no bound."""
        return _RANGES[self]


_RANGES = {
    Activation.NONE: (float("-inf"), float("inf")),
    Activation.RELU: (0.0, float("inf")),
    Activation.RELU6: (0.0, 6.0),
    Activation.RELU_N1_TO_1: (-1.0, 1.0),
    Activation.RELU_0_TO_1: (0.0, 1.0),
}
