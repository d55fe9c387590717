"""The numbers that LeakyRelu, Prelu and HardSwish compute integers with, as parameters.py for other operators.

Formulas as in TFLite 2.14's Prepare functions, which compute ratios of scales in float32.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tinsmith_ir.arithmetic import quantize_multiplier
from tinsmith_ir.errors import GraphError
from tinsmith_ir.types import Quantization, TensorType

Types = Sequence[TensorType | None]

HARD_SWISH_BITS = 7
"""int8 is shifted to the left by as many before it is multiplied by numbers of 15 bits."""
_MAX_EXPONENT = 15
_RELUISH_SCALE = np.float32(3.0) / np.float32(32768.0)


@dataclass(frozen=True)
class RectifierParameters:
    """Of LeakyRelu and Prelu: x + input_offset, rescaled by the first pair where it is not negative; elsewhere
    times (alpha + alpha_offset), which is 1 for LeakyRelu, and by the second. Then plus output_offset.

    negative_multiplier: of LeakyRelu below 0 where alpha is.
    """

    input_offset: int
    alpha_offset: int
    output_offset: int
    multiplier: int
    shift: int
    negative_multiplier: int
    negative_shift: int


@dataclass(frozen=True)
class HardSwishParameters:
    """Of HardSwish: multipliers of 15 bits and exponents, of the way to the result's scale (exponent at most 0)
    and to the scale where 32768 stands for 3.
    """

    input_offset: int
    output_offset: int
    output_multiplier: int
    output_exponent: int
    reluish_multiplier: int
    reluish_exponent: int


@np.errstate(over="ignore")  # too large: quantize_multiplier says so
def leaky_relu_parameters(alpha: float, inputs: Types, output: TensorType) -> RectifierParameters:
    """Of a LeakyRelu, TFLite's `LeakyReluPrepare`."""
    source, out = _quantization(inputs, 0), _checked(output, "result")
    scale = np.float32(source.scale)
    real = float(scale * np.float32(alpha) / np.float32(out.scale))
    multiplier, shift = quantize_multiplier(abs(real))
    return RectifierParameters(
        -source.zero_point,
        0,
        out.zero_point,
        *quantize_multiplier(float(scale / np.float32(out.scale))),
        -multiplier if real < 0 else multiplier,
        shift,
    )


@np.errstate(over="ignore")  # too large: quantize_multiplier says so
def prelu_parameters(inputs: Types, output: TensorType) -> RectifierParameters:
    """Of a Prelu, TFLite's `PreluPrepare`."""
    source, alpha = _quantization(inputs, 0), _quantization(inputs, 1)
    out = _checked(output, "result")
    scale = np.float32(source.scale)
    return RectifierParameters(
        -source.zero_point,
        -alpha.zero_point,
        out.zero_point,
        *quantize_multiplier(float(scale / np.float32(out.scale))),
        *quantize_multiplier(float(scale * np.float32(alpha.scale) / np.float32(out.scale))),
    )


@np.errstate(over="ignore")  # too large: quantize_multiplier says so
def hard_swish_parameters(inputs: Types, output: TensorType) -> HardSwishParameters:
    """Of a HardSwish of int8, TFLite's `HardSwishPrepare`. Raises GraphError for a ratio of scales beyond its
    int16.
    """
    source, out = _quantization(inputs, 0), _checked(output, "result")
    fine = np.float32(1 / (1 << HARD_SWISH_BITS)) * np.float32(source.scale)
    output_multiplier, output_exponent = _short(float(fine / np.float32(out.scale)))
    reluish_multiplier, reluish_exponent = _short(float(fine / _RELUISH_SCALE))
    if not -_MAX_EXPONENT <= output_exponent <= 0:
        raise GraphError(
            f"expected a ratio of input and result scale in [2**-9, 2**7), got {source.scale} "
            f"and {out.scale}"
        )
    if not -_MAX_EXPONENT <= reluish_exponent <= _MAX_EXPONENT:
        raise GraphError(f"expected an input scale in [3.6e-07, 384), got {source.scale}")
    return HardSwishParameters(
        -source.zero_point,
        out.zero_point,
        output_multiplier,
        output_exponent,
        reluish_multiplier,
        reluish_exponent,
    )


def _short(real: float) -> tuple[int, int]:
    """A multiplier of 15 bits, TFLite's `DownScaleInt32ToInt16Multiplier`, and its exponent."""
    multiplier, exponent = quantize_multiplier(real)
    return min((multiplier + (1 << 15)) >> 16, (1 << 15) - 1), exponent


def _quantization(inputs: Types, index: int) -> Quantization:
    return _checked(inputs[index] if index < len(inputs) else None, ("input", "alpha")[index])


def _checked(type_: TensorType | None, name: str) -> Quantization:
    # Operators import this module: it can import nothing of theirs before they are there.
    from tinsmith_ir.operators import checks

    return checks.check_quantized(checks.present([type_], 0, name), name)
