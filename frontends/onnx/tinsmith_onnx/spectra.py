"""Rules of Fourier transforms."""

from collections.abc import Mapping

from tinsmith_tensors import Tensor, spectra

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule


def dft(context: OperatorContext) -> Tensor:
    """DFT: the axis is an attribute before version 20, and an operand since."""
    x = context.tensor(0)
    inverse, onesided = bool(context.integer("inverse")), bool(context.integer("onesided"))
    axis = -2
    if context.version < 20:
        axis = context.integer("axis")
    elif context.has(2):
        (axis,) = context.integers_of(2)
    axis = context.axis(axis, x.rank)
    if context.has(1):
        (length,) = context.integers_of(1)
    else:
        length = 2 * (x.shape[axis] - 1) if inverse and onesided else x.shape[axis]
    return spectra.dft(context.c, x, axis, length, inverse=inverse, onesided=onesided)


def stft(context: OperatorContext) -> Tensor:
    """STFT: frames are as long as it says, else as the window, else as the signal."""
    x, window = context.tensor(0), context.optional(2)
    if x.rank == 2:
        x = spectra.as_real(context.c, x)
    if x.rank != 3:
        raise context.error(f"expected a signal (B, L, 1) or (B, L, 2), got {list(x.shape)}")
    (step,) = context.integers_of(1)
    if context.has(3):
        (length,) = context.integers_of(3)
    else:
        length = x.shape[1] if window is None else window.elements
    onesided = bool(context.integer("onesided")) and x.shape[2] == 1
    return spectra.stft(context.c, x, step, length, window, onesided=onesided)


RULES: Mapping[str, Rule] = {"DFT": Rule(dft), "STFT": Rule(stft)}
