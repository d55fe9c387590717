"""How DIANA's accelerators want activations: planes of rows, or pixels, in 32-bit words that begin at their end."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import Box, ElementLayout, GraphError, TensorType
from tinsmith_ir.dtypes import DType
from tinsmith_ir.layouts import Lines

LANES = 16
"""Bytes of a word of the L1 memory; columns, and output channels, of the array."""
BANKS = 4
"""Of the L1 memory."""
BANK_BYTES = 64 * 1024
"""From a bank to the next."""
BANKED = BANKS * LANES
"""Channels of a word of all banks."""
COPIED_BYTES = 32
"""What a copy between L2 and L1 takes at once: DORY's driver rounds all lengths up to it (pulp-platform/dory)."""
WORD_ORDER = 3
"""Element `i` lies at byte `i ^ 3`: both arrays take 32-bit words from the most significant byte on (HTVM's layout
transform, KULeuven-MICAS/htvm)."""

_PLANES = "diana planes of rows"


class DianaRows(ElementLayout):
    """An image [1, H, W, C] as C planes of H rows, each row padded to a multiple of 16 bytes: element (y, x, c) at byte
    ((c * H + y) * Wp + x) ^ 3. A vector, [C] or [1, C], densely: element c at byte c ^ 3. Padded to a multiple of the
    32 bytes that copies take at once.
    """

    name: ClassVar[str] = "diana_rows"
    family: ClassVar[str] = _PLANES

    def size_bytes(self, type_: TensorType) -> int:
        """A multiple of 32. Raises GraphError for other types than int8, several images, other ranks."""
        shape = type_.shape
        if type_.dtype is DType.INT8 and shape:
            match shape:
                case (1, height, width, channels):
                    return _in_copies(channels * height * padded(width))
                case (channels,) | (1, channels):
                    return _in_copies(channels)
                case _:
                    pass
        raise GraphError(
            f"layout {self.name!r}: expected i8[1,H,W,C], i8[1,C] or i8[C], got {type_}; copy one image at a time"
        )

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        """Of each element, of the tensor's shape."""
        if len(type_.shape) < 4:
            return np.arange(type_.elements, dtype=np.int64).reshape(type_.shape) ^ WORD_ORDER
        _, height, width, channels = type_.shape
        planes = np.arange(channels, dtype=np.int64)[None, None, :] * height
        rows = planes + np.arange(height, dtype=np.int64)[:, None, None]
        columns = np.arange(width, dtype=np.int64)[None, :, None]
        return ((rows * padded(width) + columns) ^ WORD_ORDER)[None]

    def lines(self, whole: TensorType, box: Box) -> Lines | None:
        """A line for each plane: the box's rows of it, if it has all columns."""
        if len(whole.shape) != 4 or not box.is_whole(whole.shape, 2):
            return None
        _, height, width, channels = whole.shape
        _, (first, last), _, (begin, end) = box.ranges
        plane, row = height * padded(width), padded(width)
        starts = np.arange(begin, end, dtype=np.int64) * plane + first * row
        is_last = last == height and end == channels
        tail = self.size_bytes(whole) - channels * plane if is_last else 0
        return Lines(starts, (last - first) * row, tail=tail)


class DianaPlanes(ElementLayout):
    """As `DianaRows`, of an image alone, but each plane is padded to a multiple of the 32 bytes that copies take at
    once: rows of an image come there by a copy for each plane, wherever they begin and however many there are.
    """

    name: ClassVar[str] = "diana_planes"
    family: ClassVar[str] = _PLANES

    def size_bytes(self, type_: TensorType) -> int:
        """A multiple of 32. Raises GraphError for other types than int8, several images, other ranks."""
        if type_.dtype is DType.INT8 and len(type_.shape) == 4 and type_.shape[0] == 1:
            _, height, width, channels = type_.shape
            return channels * plane_bytes(height, width)
        raise GraphError(
            f"layout {self.name!r}: expected i8[1,H,W,C], got {type_}; copy one image at a time"
        )

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        """Of each element, of the tensor's shape."""
        _, height, width, channels = type_.shape
        planes = np.arange(channels, dtype=np.int64) * plane_bytes(height, width)
        rows = np.arange(height, dtype=np.int64)[:, None, None] * padded(width)
        columns = np.arange(width, dtype=np.int64)[None, :, None]
        return ((planes + rows + columns) ^ WORD_ORDER)[None]

    def lines(self, whole: TensorType, box: Box) -> Lines | None:
        """A line for each plane, with its padding."""
        if not box.is_whole(whole.shape):
            return None
        _, height, width, channels = whole.shape
        plane, length = plane_bytes(height, width), height * padded(width)
        starts = np.arange(channels, dtype=np.int64) * plane
        return Lines(starts, length, behind=plane - length, tail=plane - length)


class DianaPixels(ElementLayout):
    """An image [1, H, W, C] as H * W pixels of Cp bytes: element (y, x, c) at byte ((y * W + x) * Cp + c) ^ 3. Cp is C
    padded to a multiple of 16, or of 64 from 65 channels on: 16 bytes for each bank of the L1 memory, of which the
    analog array reads up to four at once. Padded to a multiple of the 32 bytes that copies take at once.
    """

    name: ClassVar[str] = "diana_pixels"

    def size_bytes(self, type_: TensorType) -> int:
        """A multiple of 32. Raises GraphError for other types than int8, several images, other ranks."""
        if type_.dtype is DType.INT8:
            match type_.shape:
                case (1, height, width, channels):
                    return _in_copies(height * width * pixel_bytes(channels))
                case _:
                    pass
        raise GraphError(
            f"layout {self.name!r}: expected i8[1,H,W,C], got {type_}; copy one image at a time"
        )

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        """Of each element, of the tensor's shape."""
        _, height, width, channels = type_.shape
        pixels = np.arange(height * width, dtype=np.int64)[:, None] * pixel_bytes(channels)
        elements = pixels + np.arange(channels, dtype=np.int64)
        return elements.reshape(type_.shape) ^ WORD_ORDER


class DianaBanks(ElementLayout):
    """An image [1, H, W, C] as the analog array has it in L1: of the pixels of `DianaPixels` each 16 bytes lie in the
    next of up to four banks, element (y, x, c) at byte
    (c / 16 mod 4) * 65536 + (((y * W + x) * words + c / 64) * 16 + c mod 16) ^ 3, `words` of each pixel in each bank.
    What of a bank lies behind the image, a multiple of 32 bytes, is left to others.
    """

    name: ClassVar[str] = "diana_banks"

    def size_bytes(self, type_: TensorType) -> int:
        """From the first bank to the last. Raises GraphError as `DianaPixels`, and where one of several has no room."""
        starts, length = self.own_runs(type_)
        if len(starts) > 1 and length > BANK_BYTES:
            raise GraphError(
                f"layout {self.name!r}: expected at most {BANK_BYTES:,} bytes in each bank, got {length:,} of {type_}; "
                "let each layer copy its images"
            )
        return max(starts) + length

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        """Of each element, of the tensor's shape."""
        _, height, width, channels = type_.shape
        pixels = np.arange(height * width, dtype=np.int64)[:, None] * pixel_words(channels)
        channel = np.arange(channels, dtype=np.int64)
        in_bank = (pixels + channel // BANKED) * LANES + channel % LANES
        elements = channel // LANES % BANKS * BANK_BYTES + in_bank
        return elements.reshape(type_.shape) ^ WORD_ORDER

    def own_runs(self, type_: TensorType) -> tuple[tuple[int, ...], int]:
        """The image's bytes in each of its banks."""
        DianaPixels().size_bytes(type_)  # raises for what is no image
        _, height, width, channels = type_.shape
        starts = tuple(bank * BANK_BYTES for bank in range(banks(channels)))
        return starts, _in_copies(height * width * pixel_words(channels) * LANES)


def pixel_words(channels: int) -> int:
    """Of 16 bytes, of a pixel in each of its banks."""
    return pixel_bytes(channels) // (banks(channels) * LANES)


def plane_bytes(height: int, width: int) -> int:
    """Of a plane in `DianaPlanes`."""
    return _in_copies(height * padded(width))


def pixel_bytes(channels: int) -> int:
    """Of a pixel in `DianaPixels`."""
    return -(-channels // BANKED) * BANKED if channels > BANKED else padded(channels)


def banks(channels: int) -> int:
    """Over which an image lies in L1."""
    return min(BANKS, -(-channels // LANES))


def _in_copies(size_bytes: int) -> int:
    return -(-size_bytes // COPIED_BYTES) * COPIED_BYTES


def padded(extent: int) -> int:
    """The next multiple of 16 that is no less."""
    return -(-extent // LANES) * LANES
