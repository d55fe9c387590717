"""Inputs for a public network: sizes where its file leaves them open, and values that mean something."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import onnx
from tinsmith_ir.graph import Array

_IMAGE_RANK = 4
_PIXELS = (64, 224, 32, 128, 320, 640, 16)
_LENGTHS = (8, 16, 64, 128, 32, 512, 1)
_CHANNELS = (3, 1)
_MOST_ID = 4
"""Integers are mostly indices and numbers of words, of which few are in any range."""
_STATES = ("state", "hidden", "h0", "c0")
"""Parts of the names of what recurrent layers begin with, of which only the batch is open."""
_VALUES = {"sr": 16000}
"""Inputs that say what the others are: a sampling rate."""


@dataclass(frozen=True)
class OpenInput:
    """An input of a file. sizes: along each axis, or the name of one that the file leaves open ("?" without one)."""

    name: str
    dtype: np.dtype[np.generic]
    sizes: tuple[int | str, ...]


class TextsError(Exception):
    """The network reads texts, or something that is no tensor."""


def open_inputs(model: onnx.ModelProto) -> list[OpenInput]:
    """All that are no initializers. Raises TextsError."""
    stored = {tensor.name for tensor in model.graph.initializer}
    return [_open_input(value) for value in model.graph.input if value.name not in stored]


def _open_input(value: onnx.ValueInfoProto) -> OpenInput:
    kind = value.type.tensor_type.elem_type
    if value.type.WhichOneof("value") != "tensor_type" or kind == onnx.TensorProto.STRING:
        raise TextsError(f"input {value.name!r} is no tensor of numbers")
    sizes = tuple(
        dimension.dim_value if dimension.dim_value > 0 else dimension.dim_param or "?"
        for dimension in value.type.tensor_type.shape.dim
    )
    return OpenInput(value.name, np.dtype(onnx.helper.tensor_dtype_to_np_dtype(kind)), sizes)


def shapes_to_try(inputs: list[OpenInput]) -> Iterator[dict[str, tuple[int, ...]]]:
    """Shapes by the inputs' names; first ones are the likeliest. A batch, or a first axis, is 1."""
    firsts = (each.sizes[0] for each in inputs if each.sizes)
    batches = {size for size in firsts if isinstance(size, str)} - {"?"}
    tried: list[dict[str, tuple[int, ...]]] = []
    for channels in _CHANNELS:
        for pixels, length in zip(_PIXELS, _LENGTHS, strict=True):
            shapes = {each.name: _shape(each, batches, channels, pixels, length) for each in inputs}
            if shapes not in tried:
                tried.append(shapes)
                yield shapes


def _shape(
    each: OpenInput, batches: set[str], channels: int, pixels: int, length: int
) -> tuple[int, ...]:
    is_image = len(each.sizes) == _IMAGE_RANK
    is_state = any(word in each.name.lower() for word in _STATES)

    def size(axis: int, said: int | str) -> int:
        if isinstance(said, int):
            return said
        if axis == 0 or said in batches or is_state:
            return 1
        if is_image:
            return channels if axis == 1 else pixels
        return length

    return tuple(size(axis, said) for axis, said in enumerate(each.sizes))


def random_inputs(
    inputs: list[OpenInput], shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, Array]:
    """By name: floats of a normal distribution, small integers, any bytes; of masks, ones."""
    random = np.random.RandomState(0)
    return {each.name: _random(each, shapes[each.name], random) for each in inputs}


def _random(each: OpenInput, shape: tuple[int, ...], random: np.random.RandomState) -> Array:
    if each.name in _VALUES:
        return np.full(shape, _VALUES[each.name], each.dtype)
    if each.dtype.kind == "f":
        return np.asarray(random.standard_normal(shape)).astype(each.dtype)
    if "mask" in each.name:
        return np.ones(shape, each.dtype)
    if each.dtype.kind == "b" or each.dtype.itemsize > 1:
        most = 2 if each.dtype.kind == "b" else _MOST_ID
        return np.asarray(random.randint(0, most, shape)).astype(each.dtype)
    limits = np.iinfo(each.dtype.name)
    return np.asarray(random.randint(limits.min, limits.max + 1, shape)).astype(each.dtype)


def known_inputs(inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Those that a network may need to know while it is imported: single integers."""
    return {
        name: array
        for name, array in inputs.items()
        if array.dtype.kind in "iu" and array.size == 1
    }
