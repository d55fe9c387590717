"""Calibration data: samples of a float network in an .npz file, or one a file in a folder."""

import wave
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

import numpy as np
from tinsmith_ir import Array, Graph, UsageError, Value
from tinsmith_ir.escape import visible

from tinsmith_driver.inputs import load_samples

_WAVE_DTYPES = {1: np.dtype("u1"), 2: np.dtype("<i2"), 4: np.dtype("<i4")}


def calibration_samples(
    path: Path,
    graph: Graph,
    most: int | None = None,
    file_shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> list[dict[str, Array]]:
    """Inputs by name, of at most the first `most` samples.

    path: an .npz file as other commands take it, whose arrays `x` or `x_GROUP` are real numbers; or a folder of .npy,
    .png and .wav files, in the order of their names, each a sample of a network with one input: numbers as they are,
    pixels from 0 to 1, sound from -1 to 1.
    Raises UsageError for what cannot be read or does not fit.
    """
    if path.is_dir():
        return _of_folder(path, graph, most)
    groups = load_samples(path, graph, most, file_shapes)
    names = [value.name for value in graph.inputs]
    samples = [
        dict(zip(names, group.sample(index), strict=True))
        for group in groups
        if group.group != "random" or len(groups) == 1
        for index in range(len(group))
    ]
    return samples[:most]


def _of_folder(path: Path, graph: Graph, most: int | None) -> list[dict[str, Array]]:
    if len(graph.inputs) != 1:
        raise UsageError(
            f"{path}: expected an .npz file for a network of {len(graph.inputs)} inputs, got a folder, "
            "whose files are samples of one input"
        )
    (value,) = graph.inputs
    found = sorted(file for file in path.iterdir() if file.suffix.lower() in _READERS)
    if not found:
        raise UsageError(f"{path}: expected files that end in {', '.join(_READERS)}, found none")
    return [{value.name: _shaped(file, value)} for file in found[:most]]


def _shaped(file: Path, value: Value) -> Array:
    """The numbers in a file in the shape of the input; a vector or a grey image need not have its dimensions of 1."""
    try:
        array = _READERS[file.suffix.lower()](file)
    except (OSError, ValueError, EOFError, wave.Error) as error:
        raise UsageError(f"{file}: cannot be read: {error}") from error
    shape = value.type.shape
    if [size for size in array.shape if size != 1] != [size for size in shape if size != 1]:
        raise UsageError(
            f"{file}: expected {list(shape)} for input {visible(value.name)!r}, got {list(array.shape)}"
        )
    return array.reshape(shape)


def _numbers(file: Path) -> Array:
    array: Array = np.load(file, allow_pickle=False)
    return array.astype(np.float32) if array.dtype == np.float64 else array


def _pixels(file: Path) -> Array:
    """(rows, columns) of grey, or with channels behind; from 0 to 1."""
    try:
        image = import_module("PIL.Image")
    except ImportError as error:
        raise UsageError(
            f"{file}: images are read by Pillow, which is not installed: pip install pillow, or save .npy files"
        ) from error
    with image.open(file) as opened:
        array = np.asarray(opened)
    if array.dtype.kind != "u":
        raise ValueError(f"expected pixels that are unsigned integers, got {array.dtype}")
    return (array / np.iinfo(array.dtype).max).astype(np.float32)


def _sound(file: Path) -> Array:
    """(frames,) of one channel, or (frames, channels); from -1 to 1."""
    with wave.open(str(file), "rb") as opened:
        width, channels = opened.getsampwidth(), opened.getnchannels()
        data = opened.readframes(opened.getnframes())
    if width not in _WAVE_DTYPES:
        raise ValueError(f"expected 8, 16 or 32 bits, got {8 * width}")
    array = np.frombuffer(data, _WAVE_DTYPES[width]).astype(np.float64)
    half = 2.0 ** (8 * width - 1)
    real = ((array - half) if width == 1 else array) / half
    return real.astype(np.float32).reshape((-1, channels) if channels > 1 else (-1,))


_READERS: Mapping[str, Callable[[Path], Array]] = {
    ".npy": _numbers,
    ".png": _pixels,
    ".wav": _sound,
}
