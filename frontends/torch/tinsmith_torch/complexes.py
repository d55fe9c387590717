"""Rules of complex numbers, which are pairs here: a last axis of real and imaginary part. Spectra are made of them."""

from collections.abc import Mapping, Sequence

import numpy as np
from tinsmith_ir.operators import Cos, Sin
from tinsmith_tensors import Composer, Tensor, movement, reductions, spectra
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.padding import PadMode, pad_by_elements

from tinsmith_torch.arithmetic import direction
from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule

_BY_ROOT, _BY_LENGTH = 1, 2
"""How transforms are scaled; 0 is not at all."""
_MODES: Mapping[str, PadMode] = {"reflect": PadMode.REFLECT, "replicate": PadMode.EDGE}


def pair(t: OperatorContext, name: str) -> Tensor:
    """An argument as pairs; a real one has zeros behind."""
    x = t.tensor(name)
    if t.is_complex(name):
        return x
    real = ew.cast(t.c, movement.unsqueeze(t.c, x, [x.rank]), np.dtype("<f4"))
    return movement.pad(t.c, real, [*[(0, 0)] * x.rank, (0, 1)], 0.0)


def parts(c: Composer, x: Tensor) -> tuple[Tensor, Tensor]:
    """Real and imaginary part."""
    last = x.rank - 1
    halves = (movement.part(c, x, last, index, index + 1) for index in range(2))
    real, imaginary = (movement.squeeze(c, half, [last]) for half in halves)
    return real, imaginary


def paired(c: Composer, real: Tensor, imaginary: Tensor) -> Tensor:
    """The opposite of `parts`."""
    shape = np.broadcast_shapes(real.shape, imaginary.shape)
    both = [movement.broadcast_to(c, each, shape) for each in (real, imaginary)]
    return movement.stack(c, both, len(shape))


def magnitude(t: OperatorContext) -> Tensor:
    """The root of the sum of both squares."""
    x = t.tensor("self")
    return reductions.l2_norm(t.c, x, [x.rank - 1], keep_dims=False)


def angle(t: OperatorContext) -> Tensor:
    """From -pi to pi."""
    real, imaginary = parts(t.c, t.tensor("self"))
    return direction(t.c, imaginary, real)


def conjugate(t: OperatorContext) -> Tensor:
    """With the opposite imaginary part."""
    return ew.mul(t.c, t.tensor("self"), t.c.known(np.array([1.0, -1.0], np.float32)))


def add(t: OperatorContext) -> Tensor:
    """self + alpha * other."""
    return ew.add(t.c, pair(t, "self"), _scaled(t))


def subtract(t: OperatorContext) -> Tensor:
    """self - alpha * other."""
    return ew.sub(t.c, pair(t, "self"), _scaled(t))


def _scaled(t: OperatorContext) -> Tensor:
    other, alpha = pair(t, "other"), t.real("alpha") if t.has("alpha") else 1.0
    return other if alpha == 1.0 else ew.mul(t.c, other, t.c.number(alpha, other))


def multiply(t: OperatorContext) -> Tensor:
    """By a complex number: (a + bi) (c + di); by a real one: both parts."""
    c = t.c
    if not (t.is_complex("self") and t.is_complex("other")):
        names = ("self", "other") if t.is_complex("self") else ("other", "self")
        whole, real = t.tensor(names[0]), t.tensor(names[1])
        factor = ew.cast(c, movement.unsqueeze(c, real, [real.rank]), np.dtype("<f4"))
        return ew.mul(c, whole, factor)
    (a, b), (x, y) = parts(c, t.tensor("self")), parts(c, t.tensor("other"))
    real = ew.sub(c, ew.mul(c, a, x), ew.mul(c, b, y))
    return paired(c, real, ew.add(c, ew.mul(c, a, y), ew.mul(c, b, x)))


def divide(t: OperatorContext) -> Tensor:
    """By a real number."""
    if t.is_complex("other"):
        raise t.unsupported("expected a real divisor, got a complex one")
    other = t.tensor("other")
    divisor = ew.cast(t.c, movement.unsqueeze(t.c, other, [other.rank]), np.dtype("<f4"))
    return ew.div(t.c, t.tensor("self"), divisor)


def put_together(t: OperatorContext) -> Tensor:
    """Of real and imaginary part."""
    return paired(t.c, t.tensor("real"), t.tensor("imag"))


def polar(t: OperatorContext) -> Tensor:
    """Of magnitude and angle."""
    c, size, turn = t.c, t.tensor("abs"), t.tensor("angle")
    real, imaginary = ew.mul(c, size, c.emit(Cos(), turn)), ew.mul(c, size, c.emit(Sin(), turn))
    return paired(c, real, imaginary)


def view(t: OperatorContext) -> Tensor:
    """In the result's shape."""
    return movement.reshape(t.c, t.tensor("self"), (*t.result.shape, 2))


def transpose(t: OperatorContext) -> Tensor:
    """Two axes exchanged."""
    x = t.tensor("self")
    order = list(range(x.rank))
    first, second = t.axis("dim0", x.rank - 1), t.axis("dim1", x.rank - 1)
    order[first], order[second] = second, first
    return movement.transpose(t.c, x, order)


def permute(t: OperatorContext) -> Tensor:
    """Axes in the order of dims."""
    x = t.tensor("self")
    rank = x.rank - 1
    return movement.transpose(t.c, x, [*(axis % rank for axis in t.integers("dims")), rank])


def transform_of_real(t: OperatorContext) -> Tensor:
    """_fft_r2c: along the last of dim from real numbers, then along the others."""
    x, axes = t.tensor("self"), t.integers("dim")
    rank = x.rank
    ordered = [axis % rank for axis in axes][::-1]
    length = x.shape[ordered[0]]
    numbers = spectra.as_real(t.c, x)
    result = spectra.dft(t.c, numbers, ordered[0], length, onesided=t.flag("onesided"))
    for axis in ordered[1:]:
        result = spectra.dft(t.c, result, axis, result.shape[axis])
    return _normalized(t, result, [x.shape[axis] for axis in ordered])


def transform(t: OperatorContext) -> Tensor:
    """_fft_c2c, in either direction."""
    x = t.tensor("self")
    axes = [axis % (x.rank - 1) for axis in t.integers("dim")]
    result, is_inverse = x, not t.flag("forward")
    sizes = [x.shape[axis] for axis in axes]
    for axis, size in zip(axes, sizes, strict=True):
        result = spectra.dft(t.c, result, axis, size, inverse=is_inverse)
        if is_inverse:  # which divides
            result = _times(t, result, size)
    return _normalized(t, result, sizes)


def transform_to_real(t: OperatorContext) -> Tensor:
    """_fft_c2r: back along all but the last of dim, then along that one to real numbers."""
    x = t.tensor("self")
    axes = [axis % (x.rank - 1) for axis in t.integers("dim")]
    sizes = [*(x.shape[axis] for axis in axes[:-1]), t.integer("last_dim_size")]
    result = x
    for axis, size in zip(axes[:-1], sizes, strict=False):
        result = _times(t, spectra.dft(t.c, result, axis, size, inverse=True), size)
    result = spectra.dft(t.c, result, axes[-1], sizes[-1], inverse=True, onesided=True)
    result = movement.squeeze(t.c, _times(t, result, sizes[-1]), [result.rank - 1])
    return _normalized(t, result, sizes)


def _times(t: OperatorContext, x: Tensor, factor: float) -> Tensor:
    return ew.mul(t.c, x, t.c.number(factor, x))


def _normalized(t: OperatorContext, x: Tensor, sizes: Sequence[int]) -> Tensor:
    """As the operator says."""
    kind, count = t.integer("normalization"), float(np.prod(sizes))
    if kind == _BY_ROOT:
        return _times(t, x, count**-0.5)
    return _times(t, x, 1.0 / count) if kind == _BY_LENGTH else x


def short_time_transform(t: OperatorContext) -> Tensor:
    """stft: spectra of frames, (B, L) to pairs (B, M, F, 2)."""
    c, x, length = t.c, t.tensor("self"), t.integer("n_fft")
    step = t.integer("hop_length") if t.has("hop_length") else length // 4
    rows = movement.reshape(c, x, (1, x.elements)) if x.rank == 1 else x
    if t.flag("center"):
        widths = [(0, 0), (length // 2, length // 2)]
        mode = t.text("pad_mode")
        rows = (
            movement.pad(c, rows, widths, 0.0)
            if mode == "constant"
            else pad_by_elements(c, rows, widths, _MODES[mode])
        )
    is_onesided = t.flag("onesided") if t.has("onesided") else True
    found = spectra.stft(
        c, spectra.as_real(c, rows), step, length, _window(t, length), onesided=is_onesided
    )
    turned = movement.transpose(c, found, (0, 2, 1, 3))
    if t.flag("normalized"):
        turned = _times(t, turned, float(length) ** -0.5)
    meta = t.result
    is_pairs = meta.dtype.kind == "c"
    return movement.reshape(c, turned, (*meta.shape, 2) if is_pairs else meta.shape)


def _window(t: OperatorContext, length: int) -> Tensor | None:
    """In the middle of a frame, if it is shorter."""
    size = t.integer("win_length") if t.has("win_length") else length
    before = (length - size) // 2
    widths = [(before, length - size - before)]
    if t.has("window"):
        return movement.pad(t.c, t.tensor("window"), widths, 0.0)
    ones = t.c.known(np.ones(size, np.float32))
    return None if size == length else movement.pad(t.c, ones, widths, 0.0)


RULES: Mapping[str, Rule] = {
    "aten._conj": Rule(conjugate),
    "aten._conj_physical": Rule(conjugate),
    "aten._fft_c2c": Rule(transform),
    "aten._fft_c2r": Rule(transform_to_real),
    "aten._fft_r2c": Rule(transform_of_real),
    "aten.abs": Rule(magnitude),
    "aten.add": Rule(add),
    "aten.alias": Rule(lambda t: t.tensor("self")),
    "aten.angle": Rule(angle),
    "aten.clone": Rule(lambda t: t.tensor("self")),
    "aten.complex": Rule(put_together),
    "aten.conj_physical": Rule(conjugate),
    "aten.div": Rule(divide),
    "aten.mul": Rule(multiply),
    "aten.permute": Rule(permute),
    "aten.polar": Rule(polar),
    "aten.reshape": Rule(view),
    "aten.squeeze": Rule(view),
    "aten.stft": Rule(short_time_transform),
    "aten.sub": Rule(subtract),
    "aten.transpose": Rule(transpose),
    "aten.unsqueeze": Rule(view),
    "aten.view": Rule(view),
    "aten.view_as_complex": Rule(lambda t: t.tensor("self")),
    "aten.view_as_real": Rule(lambda t: t.tensor("self")),
}
