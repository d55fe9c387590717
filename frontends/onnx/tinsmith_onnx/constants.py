"""Rules of operators whose results follow from shapes and attributes alone."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from tinsmith_tensors import Tensor, movement

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.elements import numpy_dtype
from tinsmith_onnx.rules import Rule

_MEL_SCALE = 2595.0
_MEL_HERTZ = 700.0
"""mel(hertz) = scale * log10(1 + hertz / this)."""
_CURVES = 8
"""Arrays of float64, as large as a matrix of triangles, that make one."""


def constant_of_shape(context: OperatorContext) -> Tensor:
    """ConstantOfShape: zeros of float32, if the file says no element."""
    shape = context.integers_of(0)
    if min(shape, default=0) < 0:
        raise context.error(f"expected sizes from 0 on, got {list(shape)}")
    element = context.array("value") if context.has_attribute("value") else np.zeros(1, np.float32)
    if element.size != 1:
        raise context.error(f"expected one element, got shape {list(element.shape)}")
    context.c.check_known_size(shape, element.dtype.itemsize)
    return context.c.known(np.full(shape, element.reshape(-1)[0], element.dtype))


def range_(context: OperatorContext) -> Tensor:
    """Range: from start on in steps, below the limit."""
    start, limit, step = (context.known(position).reshape(()) for position in range(3))
    if not float(step):
        raise context.error("expected a step other than 0")
    # In Python's numbers, which do not overflow; floats are exact there.
    first, last, distance = start.item(), limit.item(), step.item()
    count = max(int(np.ceil((last - first) / distance)), 0)
    counted = context.c.numbers(count)
    return context.c.known((counted * distance + first).astype(start.dtype))


def eye_like(context: OperatorContext) -> Tensor:
    """EyeLike: ones on a diagonal; of the operand's type, if the file says none."""
    x = context.tensor(0)
    if x.rank != 2:
        raise context.error(f"expected a matrix, got shape {list(x.shape)}")
    dtype = numpy_dtype(context.integer("dtype")) if context.has_attribute("dtype") else x.dtype
    context.c.check_known_size(x.shape, dtype.itemsize)
    return context.c.known(np.eye(*x.shape, k=context.integer("k"), dtype=np.int8).astype(dtype))


def dropout(context: OperatorContext) -> Sequence[Tensor | None]:
    """Dropout as networks that are trained have it: nothing is dropped."""
    x = context.tensor(0)
    if context.has(2) and bool(context.known(2).any()):
        ratio = context.number_of(1) if context.has(1) else 0.5
        if ratio:
            raise context.unsupported(
                f"expected a trained network, got one that drops {ratio:g} of its elements at random; "
                "export it for inference"
            )
    if not context.wants(1):
        return [x]
    mask = np.ones((), np.bool_ if context.version >= 10 else x.dtype)
    return [x, movement.broadcast_to(context.c, context.c.known(mask), x.shape)]


def mel_weight_matrix(context: OperatorContext) -> Tensor:
    """MelWeightMatrix: triangles in frequency, of equal width on the mel scale, (spectrum bins, mel bins)."""
    bands, length, rate, low, high = (context.number_of(position) for position in range(5))
    bins, count = int(length) // 2 + 1, int(bands)
    context.c.check_known_size([bins, count], 8 * _CURVES)
    step = (_mel(high) - _mel(low)) / (count + 2)
    mels = np.arange(count + 2) * step + _mel(low)
    hertz = _MEL_HERTZ * np.expm1(mels / _MEL_SCALE * np.log(10.0))
    corners = (((int(length) + 1) * hertz) // rate).astype(np.int64)
    if corners.min() < 0 or corners.max() >= bins:
        raise context.error(
            f"expected edges in hertz within half the rate, got {low:g} and {high:g}"
        )
    dtype = numpy_dtype(context.integer("output_datatype"))
    return context.c.known(_triangles(corners, bins).astype(dtype))


def _mel(hertz: float) -> float:
    return float(_MEL_SCALE * np.log1p(hertz / _MEL_HERTZ) / np.log(10.0))


def _triangles(corners: NDArray[np.int64], bins: int) -> NDArray[np.float64]:
    """(bins, triangles), each from 0 at its left corner up to 1 in the middle and down to 0 at the right one."""
    left, middle, right = corners[:-2], corners[1:-1], corners[2:]
    places = np.arange(bins)[:, np.newaxis]
    rising = (places - left) / np.maximum(middle - left, 1)
    falling = (right - places) / np.maximum(right - middle, 1)
    is_left = (places >= left) & (places < middle)
    is_right = (places >= middle) & (places < right)
    peaks = np.where(places == middle, 1.0, 0.0)
    return np.where(is_left, rising, np.where(is_right, falling, peaks))


def random(context: OperatorContext) -> Tensor:
    """Operators whose results no one can foresee."""
    raise context.unsupported(
        f"expected results that follow from the inputs, got random ones of {context.node.op_type}; let them be an "
        "input of the model"
    )


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            "Bernoulli",
            "Multinomial",
            "RandomNormal",
            "RandomNormalLike",
            "RandomUniform",
            "RandomUniformLike",
        ),
        Rule(random, "refused: results are random"),
    ),
    "ConstantOfShape": Rule(constant_of_shape),
    "Dropout": Rule(dropout, "as in inference"),
    "EyeLike": Rule(eye_like),
    "MelWeightMatrix": Rule(mel_weight_matrix),
    "Range": Rule(range_, "of known bounds"),
}
