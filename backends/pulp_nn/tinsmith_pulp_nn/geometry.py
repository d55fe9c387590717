"""Sizes of a call of kernels/pulp_nn, and how the kernels divide it: shares of cores, planes, scratch memory.

What is here is exact: the same integers as internal/parts.h and internal/plan.h compute. Cycles, which are not, are in
cost.py.
"""

from dataclasses import dataclass
from functools import lru_cache

BLOCK = 4
"""Channels, and pixels, that the kernels take at once."""

_MOST_BAND_SHIFTS = 5


@dataclass(frozen=True)
class Image:
    """A convolution, depthwise convolution or pool over HWC; padding at the bottom and right follows from the output.

    Of depthwise convolutions and pools output_channels is input_channels.
    """

    input_height: int
    input_width: int
    input_channels: int
    output_height: int
    output_width: int
    output_channels: int
    kernel_height: int
    kernel_width: int
    stride_height: int = 1
    stride_width: int = 1
    pad_top: int = 0
    pad_left: int = 0

    @property
    def rows(self) -> "Side":
        """The image from top to bottom."""
        return Side(
            self.input_height,
            self.output_height,
            self.kernel_height,
            self.stride_height,
            self.pad_top,
        )

    @property
    def columns(self) -> "Side":
        """The image from left to right."""
        return Side(
            self.input_width,
            self.output_width,
            self.kernel_width,
            self.stride_width,
            self.pad_left,
        )


@dataclass(frozen=True)
class Linear:
    """A fully connected layer of one row of inputs."""

    inputs: int
    outputs: int


@dataclass(frozen=True)
class Softmax:
    """Softmax over `rows` rows of `columns` elements, 511 at most."""

    rows: int
    columns: int


@dataclass(frozen=True)
class Elements:
    """What is computed element by element: sums, tables."""

    count: int


@dataclass(frozen=True)
class Rows:
    """Rows of elements of two tensors."""

    rows: int
    columns: int


@dataclass(frozen=True)
class Mean:
    """Means of (outer, count, inner) over `count`."""

    outer: int
    count: int
    inner: int


@dataclass(frozen=True)
class Box:
    """Elements that move, as tinsmith_pulp_box_t: four sizes, the last one that of elements, and bytes along each."""

    sizes: tuple[int, int, int, int]
    from_steps: tuple[int, int, int, int]
    to_steps: tuple[int, int, int, int]

    @property
    def is_dense(self) -> bool:
        """Whether rows lie side by side on both sides."""
        return self.from_steps[3] == self.to_steps[3] == 1


@dataclass(frozen=True)
class Widened:
    """An array whose weights of few bits become bytes. words: of the channels, which are copied. sixteens: of
    weights.
    """

    words: int
    sixteens: int

    @property
    def bytes(self) -> int:
        """Of the array that it becomes."""
        return 4 * self.words + 16 * self.sixteens

    def shares(self, cores: int) -> tuple[int, int]:
        """Words and sixteens of the first core: of these an odd number."""
        return ceiling(self.words, cores), ceiling(self.sixteens, cores) | 1


@dataclass(frozen=True)
class Copy:
    """A copy by the DMA: one line, or lines that lie apart in the other memory and side by side in the first-level one.

    65536 bytes at most.
    """

    line_bytes: int
    lines: int = 1


@dataclass(frozen=True)
class Side:
    """One side of an image."""

    input: int
    output: int
    kernel: int
    stride: int
    pad: int


def ceiling(value: int, divisor: int) -> int:
    """The quotient, rounded up."""
    return -(-value // divisor)


def rounded_up(value: int) -> int:
    """The next multiple of 4."""
    return (value + 3) & ~3


# Convolutions, packed weights, SPLIT_BALANCED.


def is_direct(image: Image) -> bool:
    """Whether pixels of the input are what the weights meet, and no patches are put together."""
    is_pointwise = image.kernel_height == image.kernel_width == 1
    is_dense = image.stride_height == image.stride_width == 1
    is_inside = (
        image.pad_top == image.pad_left == 0
        and image.output_height == image.input_height
        and image.output_width == image.input_width
    )
    return is_pointwise and is_dense and is_inside and image.input_channels % 4 == 0


def padded_columns(image: Image) -> int:
    """Bytes of a patch with packed weights."""
    return rounded_up(image.kernel_height * image.kernel_width * image.input_channels)


def conv2d_scratch_bytes(image: Image, cores: int) -> int:
    """The number of tinsmith_pulp_conv2d_scratch_bytes() for packed weights; 0 where the input is used as it is."""
    return 0 if is_direct(image) else cores * BLOCK * padded_columns(image)


def balanced_members(image: Image, cores: int) -> int:
    """How many cores share the channels of one group's pixels; there are cores // that groups."""
    return _balance(image, cores)[0]


def balanced_trials(image: Image, cores: int) -> int:
    """How many such numbers the kernel compares."""
    return _balance(image, cores)[1]


@lru_cache(maxsize=4096)
def _balance(image: Image, cores: int) -> tuple[int, int]:
    pixel_blocks = ceiling(image.output_height * image.output_width, BLOCK)
    channel_blocks = ceiling(image.output_channels, BLOCK)
    channels_cycles = 80 + padded_columns(image) // 4 * 24
    pixels_cycles = 80
    if not is_direct(image):
        row_bytes = image.kernel_width * image.input_channels
        pixels_cycles += BLOCK * (20 + image.kernel_height * (6 + row_bytes // 2))
    best_members, best_cycles = 1, -1
    members = trials = 1
    while members <= cores and cores % members == 0:
        groups = cores // members
        pixels = ceiling(pixel_blocks, groups)
        channels = ceiling(channel_blocks, members)
        cycles = pixels * (channels * channels_cycles + pixels_cycles)
        if best_cycles < 0 or cycles < best_cycles:
            best_members, best_cycles = members, cycles
        if pixels * groups == pixel_blocks:
            break
        members *= 2
        trials += 1
    return best_members, trials


def share(total: int, index: int, count: int) -> tuple[int, int]:
    """Begin and end of share `index` of `count`; the first ones are larger by one."""
    each, larger = divmod(total, count)
    first = index * each + min(index, larger)
    return first, first + each + (1 if index < larger else 0)


def share_of_rows(rows: int, columns: int, cores: int) -> tuple[int, int]:
    """How many rows a core takes at most, and how many elements of each: whole rows, or a part of one."""
    if rows >= cores:
        return ceiling(rows, cores), columns
    members = cores // rows
    if members == 1:
        return 1, columns
    part = ((ceiling(columns, members) + 3) & ~7) + 4
    return 1, min(part, columns)


# Depthwise convolutions over HWC.


@dataclass(frozen=True)
class DepthwisePlan:
    """How a depthwise convolution is laid out and divided, as plan_t of planes.h.

    line: the side that lies along a plane's lines; cross: the other one. Tasks are groups of four channels times
    1 << band_shift bands of band_lines output lines.
    """

    line: Side
    cross: Side
    is_turned: bool
    groups: int
    band_shift: int
    band_lines: int
    pitch: int
    plane_bytes: int
    tap_words: int

    @property
    def tasks(self) -> int:
        """Of all cores."""
        return self.groups << self.band_shift


def _cost_of_lines(line: Side, cross: Side) -> int:
    starts = 55 * line.output if line.kernel == 5 else 24 * ((line.output + 1) // 2)
    return starts + cross.input * (4 + line.input % 4)


def _band_shift(cross: Side, groups: int, cores: int) -> int:
    best, best_cost = 0, -1
    for shift in range(_MOST_BAND_SHIFTS):
        if 1 << shift > cross.output:
            break
        lines = ceiling(cross.output, 1 << shift)
        tasks = ceiling(groups << shift, cores)
        cost = tasks * (4 * lines + cross.kernel + 1)
        if best_cost < 0 or cost < best_cost:
            best, best_cost = shift, cost
        if tasks * cores == groups << shift:
            break
    return best


@lru_cache(maxsize=4096)
def plan_depthwise(image: Image, cores: int) -> DepthwisePlan:
    """What internal/plan.h plans for HWC."""
    line, cross = image.columns, image.rows
    is_turned = _cost_of_lines(cross, line) < _cost_of_lines(line, cross)
    if is_turned:
        line, cross = cross, line
    groups = ceiling(image.input_channels, BLOCK)
    shift = _band_shift(cross, groups, cores)
    band_lines = ceiling(cross.output, 1 << shift)
    tap_words = ceiling(line.kernel, 4)
    pitch = rounded_up((max(line.output, BLOCK) - 1) * line.stride + 4 * tap_words)
    plane_bytes = ((band_lines - 1) * cross.stride + cross.kernel) * pitch
    return DepthwisePlan(
        line, cross, is_turned, groups, shift, band_lines, pitch, plane_bytes, tap_words
    )


def depthwise_scratch_bytes(image: Image, cores: int) -> int:
    """The number of tinsmith_pulp_depthwise_scratch_bytes() for HWC."""
    plan = plan_depthwise(image, cores)
    return cores * (BLOCK * plan.plane_bytes + 4 * plan.cross.kernel * plan.tap_words)
