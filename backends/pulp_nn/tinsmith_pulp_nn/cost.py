"""Cycles of kernels/pulp_nn on the simulated cluster of Siracusa, without running them.

What the slowest core does is counted from the kernels' loops (blocks, words, lines, tasks) and weighted by the numbers
of coefficients.py, which tools/fit_costs.py measures. Cycles are from before the fork to after the join, with all data
in first-level memory and warm instruction caches.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Literal

from tinsmith_pulp_nn.coefficients import COEFFICIENTS, COLD_CYCLES
from tinsmith_pulp_nn.geometry import (
    BLOCK,
    Box,
    Copy,
    DepthwisePlan,
    Elements,
    Image,
    Linear,
    Mean,
    Rows,
    Side,
    Softmax,
    Widened,
    balanced_members,
    balanced_trials,
    ceiling,
    conv2d_scratch_bytes,
    depthwise_scratch_bytes,
    is_direct,
    padded_columns,
    plan_depthwise,
    share,
    share_of_rows,
)

__all__ = [
    "Kernel",
    "PairsKernel",
    "Stage",
    "Work",
    "add_cycles",
    "add_work",
    "average_pool_cycles",
    "cold_cycles",
    "conv2d_cycles",
    "conv2d_scratch_bytes",
    "conv2d_work",
    "depthwise_cycles",
    "depthwise_scratch_bytes",
    "depthwise_work",
    "dma_cycles",
    "dma_work",
    "linear_cycles",
    "linear_work",
    "lookup_cycles",
    "lookup_work",
    "max_pool_cycles",
    "mean_cycles",
    "mean_work",
    "move_cycles",
    "move_work",
    "pairs_cycles",
    "pairs_work",
    "pool_work",
    "slowest",
    "softmax_cycles",
    "softmax_work",
    "widen_cycles",
    "widen_work",
]

Stage = Literal["tflite", "truncate"]
"""The output stage: TINSMITH_PULP_TFLITE_S8, with bounds of int8, or TINSMITH_PULP_TRUNCATE_S8."""

PairsKernel = Literal["mul_tflite", "mul_scaled", "sum", "extremum"]
"""Functions of two tensors of tinsmith_pulp_tensors.h."""

Kernel = Literal[
    "conv2d",
    "depthwise",
    "linear",
    "add",
    "max_pool",
    "average_pool",
    "softmax",
    "lookup",
    "mul_tflite",
    "mul_scaled",
    "sum",
    "extremum",
    "mean",
    "move",
    "widen",
    "dma",
]

Work = Mapping[str, float]
"""How often one core does what costs alike: names are those of COEFFICIENTS."""

_CACHED = 65536

_DMA_BEAT_BYTES = 8
_DMA_LINE_LEAST = 2
_DMA_BURST_BYTES = 256
_DMA_FREE_STORES = 4

_LEAST_PANEL_WORDS = 2


def conv2d_cycles(image: Image, cores: int, stage: Stage) -> int:
    """tinsmith_pulp_conv2d() with packed weights and SPLIT_BALANCED, all outputs of `image`."""
    return _cycles(*conv2d_work(image, cores, stage))


def depthwise_cycles(image: Image, cores: int, stage: Stage) -> int:
    """tinsmith_pulp_depthwise() of an HWC input."""
    return _cycles(*depthwise_work(image, cores, stage))


def linear_cycles(linear: Linear, cores: int, stage: Stage) -> int:
    """tinsmith_pulp_linear() with packed weights."""
    return _cycles(*linear_work(linear, cores, stage))


def add_cycles(elements: Elements, cores: int) -> int:
    """tinsmith_pulp_add_tflite_s8(), by tables."""
    return _cycles(*add_work(elements, cores))


def max_pool_cycles(image: Image, cores: int) -> int:
    """tinsmith_pulp_pool() with POOL_MAX."""
    return _cycles(*pool_work(image, cores, "max_pool"))


def average_pool_cycles(image: Image, cores: int) -> int:
    """tinsmith_pulp_pool() with POOL_AVERAGE_TFLITE, of windows of two pixels or more."""
    return _cycles(*pool_work(image, cores, "average_pool"))


def softmax_cycles(softmax: Softmax, cores: int) -> int:
    """tinsmith_pulp_softmax_by_table()."""
    return _cycles(*softmax_work(softmax, cores))


def lookup_cycles(elements: Elements, cores: int) -> int:
    """tinsmith_pulp_lookup()."""
    return _cycles(*lookup_work(elements, cores))


def pairs_cycles(rows: Rows, cores: int, kernel: PairsKernel) -> int:
    """tinsmith_pulp_mul_tflite_s8(), tinsmith_pulp_mul_scaled_s8(), tinsmith_pulp_sum_by_tables(), and the smaller or
    larger elements.
    """
    return _cycles(*pairs_work(rows, cores, kernel))


def mean_cycles(mean: Mean, cores: int) -> int:
    """tinsmith_pulp_mean_s8()."""
    return _cycles(*mean_work(mean, cores))


def move_cycles(boxes: tuple[Box, ...], cores: int) -> int:
    """tinsmith_pulp_move()."""
    return _cycles(*move_work(boxes, cores))


def widen_cycles(widened: Widened, cores: int) -> int:
    """tinsmith_pulp_widen_s4(); _s2() has as many instructions."""
    return _cycles(*widen_work(widened, cores))


def cold_cycles(kernel: Kernel, stage: Stage = "tflite") -> int:
    """What a kernel takes longer with empty instruction caches: to add where another one ran before.

    stage: of kernels without one, any.
    """
    return COLD_CYCLES[f"{kernel}-{stage}" if f"{kernel}-{stage}" in COLD_CYCLES else kernel]


def dma_cycles(copy: Copy, *, to_l1: bool) -> int:
    """From before a core calls pulp_dma_start() or pulp_dma_start_lines() to after pulp_dma_wait().

    Of this the core's own instructions are some 26 cycles; the rest is what platforms/simulators/soc/README.md says,
    15 + bytes / 8 for one dimension.
    """
    return _cycles(*dma_work(copy, to_l1=to_l1))


def slowest(coefficients: Mapping[str, float], works: Sequence[Work]) -> tuple[float, Work]:
    """Cycles and work of the core that takes longest."""
    sums = [sum(coefficients[name] * amount for name, amount in w.items()) for w in works]
    longest = max(range(len(works)), key=sums.__getitem__)
    return sums[longest], works[longest]


def _cycles(kind: str, works: Sequence[Work]) -> int:
    return round(slowest(COEFFICIENTS[kind], works)[0])


# Convolutions.


@lru_cache(maxsize=_CACHED)
def conv2d_work(image: Image, cores: int, stage: Stage) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and the work of every core that may be the slowest.

    The first group has as many pixels as any, but the last may have too few to fill a block, and borders are elsewhere,
    too; in a group the first core has most blocks of channels, and the last the channels that fill none.
    """
    direct = is_direct(image)
    pixels = image.output_height * image.output_width
    members = balanced_members(image, cores)
    groups = cores // members
    blocks = ceiling(pixels, BLOCK)
    channel_parts = _channel_parts(image.output_channels, members)
    works: list[Work] = []
    used = min(groups, blocks)
    for group in sorted({0, used - 1}) if direct else range(used):
        first, end = (BLOCK * block for block in share(blocks, group, groups))
        end = min(end, pixels)
        steps = ceiling(end - first, BLOCK) if end - first >= BLOCK else end - first
        patches = {} if direct else _patch_work(image, first, end)
        for whole, rest in channel_parts:
            trials = {"trial": balanced_trials(image, cores)}
            works.append(_panel_work(image, cores, stage, steps, whole, rest) | patches | trials)
    return "conv2d-direct" if direct else "conv2d-patches", works


def _channel_parts(channels: int, members: int) -> Sequence[tuple[int, int]]:
    """Whole blocks of channels and channels left over, of the first core of a group and of the last one with any."""
    blocks, rest = ceiling(channels, BLOCK), channels % BLOCK
    last = min(members, blocks) - 1
    parts: list[tuple[int, int]] = []
    for member in sorted({0, last}):
        first, end = share(blocks, member, members)
        has_rest = rest != 0 and member == last
        parts.append((end - first - (1 if has_rest else 0), rest if has_rest else 0))
    return parts


def _panel_work(
    image: Image, cores: int, stage: Stage, steps: int, whole: int, rest: int
) -> dict[str, float]:
    """`steps` blocks of pixels with `whole` blocks of channels and `rest` channels that fill none.

    Those, and all channels of short rows, are computed four of a pixel at a time, zeros that fill a block up included.
    """
    words = padded_columns(image) // 4
    panels = whole if words >= _LEAST_PANEL_WORDS else 0
    compact = BLOCK * (whole - panels + min(rest, 1))
    return {
        f"call {stage}": 1,
        "team": _team(cores),
        "pixel block": steps,
        f"part {stage}": min(panels, 1),
        f"channel {stage}": BLOCK * panels,
        f"panel block {stage}": steps * panels,
        "words": steps * panels * words,
        "words that meet": steps * panels * words * _others(cores),
        "compact block": steps * compact,
        f"compact channel {stage}": steps * BLOCK * (BLOCK * (whole - panels) + rest),
        "compact block's words": steps * compact * words,
        "compact block's words that meet": steps * compact * words * _others(cores),
    }


def _patch_work(image: Image, first: int, end: int) -> dict[str, float]:
    """Patches of pixels first to end - 1, and those that the last block does again."""
    rows, columns = _reach(image.rows), _reach(image.columns)
    channels = image.input_channels
    copies, accesses = _copies(columns, channels)
    inside_rows = tuple(int(taps == image.kernel_height) for taps in rows)
    inside_columns = tuple(int(taps == image.kernel_width) for taps in columns)
    pixels = end - first
    scale = BLOCK * ceiling(pixels, BLOCK) / pixels if pixels >= BLOCK else 1.0
    inside = scale * _sum_over(inside_rows, inside_columns, first, end)
    moved = scale * _sum_over(rows, copies, first, end)
    steps = (image.stride_width * channels, image.input_width * channels)
    loads = _misaligned(*steps, image.pad_left * channels)
    stores = _misaligned(image.kernel_width * channels)
    touched = scale * _sum_over(rows, accesses, first, end)
    row_bytes = image.kernel_width * channels
    return {
        "patch": scale * pixels,
        "long patch": inside if row_bytes > 12 else 0,
        "border": scale * pixels - inside,
        "border's words": (scale * pixels - inside) * padded_columns(image) / 4,
        "copy": moved,
        "misaligned": touched * (loads + stores),
    }


@lru_cache(maxsize=_CACHED)
def _copies(columns: tuple[int, ...], channels: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Instructions and accesses for one row of each patch; columns: places of the kernel inside the input."""
    instructions = tuple(_copy_instructions(taps * channels) for taps in columns)
    return instructions, tuple(_copy_accesses(taps * channels) for taps in columns)


def _copy_instructions(row_bytes: int) -> int:
    """Of copy_boxes() for one row of a patch, as boxes.h has them."""
    if row_bytes > 12:
        return 6 + 4 * ((row_bytes - 1) // 8)
    return 0 if row_bytes <= 0 else 4 if 4 <= row_bytes <= 8 else 6


def _copy_accesses(row_bytes: int) -> int:
    """Words that copy_boxes() loads, and stores, for one row of a patch."""
    if row_bytes > 12:
        return 2 + 2 * ((row_bytes - 1) // 8)
    return 0 if row_bytes < 4 else 2 if row_bytes <= 8 else 3


# Depthwise convolutions.


@lru_cache(maxsize=_CACHED)
def depthwise_work(image: Image, cores: int, stage: Stage) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and the work of every core."""
    plan = plan_depthwise(image, cores)
    kind = _depthwise_kind(image)
    last_count = image.input_channels - BLOCK * (plan.groups - 1)
    bands = 1 << plan.band_shift
    works: list[Work] = []
    for core in range(cores):
        work = _call(cores)
        cleared = -1
        for task in range(plan.tasks * core // cores, plan.tasks * (core + 1) // cores):
            group, band = divmod(task, bands)
            if band * plan.band_lines >= plan.cross.output:
                continue
            count = last_count if group == plan.groups - 1 else BLOCK
            if band != cleared:
                _add(work, {"cleared word": plan.plane_bytes})
                cleared = band
            _add(work, _task_work(image, cores, band, count))
        works.append(work)
    return f"depthwise-{kind}-{stage}", works


def _depthwise_kind(image: Image) -> str:
    kernel, stride = image.kernel_width, image.stride_width
    if image.kernel_height == kernel and image.stride_height == stride:
        if kernel == 3 and stride <= 2:
            return f"3x3-stride-{stride}"
        if kernel == 5 and stride == 1:
            return "5x5"
    return "any"


def _add(work: dict[str, float], more: Work) -> None:
    for name, amount in more.items():
        work[name] = work.get(name, 0) + amount


@lru_cache(maxsize=_CACHED)
def _task_work(image: Image, cores: int, band: int, count: int) -> Work:
    """`count` channels of a band."""
    plan = plan_depthwise(image, cores)
    top = band * plan.band_lines
    lines = min(plan.cross.output - top, plan.band_lines)
    work: dict[str, float] = {"task": 1} | _unpack_work(image, plan, cores, top, count)
    kind = _depthwise_kind(image)
    columns = plan.line.output
    work["channel"] = count
    if kind == "any":
        taps = plan.cross.kernel * plan.line.kernel
        blocks = count * lines * ceiling(columns, BLOCK)
        loads = blocks * plan.tap_words * plan.cross.kernel
        work["tap"] = count * taps
        work["tap word"] = count * plan.tap_words * plan.cross.kernel
        work["block"] = blocks
        work["output"] = blocks * min(columns, BLOCK)
        work["words of a block"] = blocks * plan.tap_words
        work["words"] = loads
        # Of four windows side by side; a line of a plane begins with a word.
        work["misaligned words"] = loads * sum(plan.line.stride * i % 4 != 0 for i in range(BLOCK))
        return work
    if kind == "5x5":
        work["strip"] = count * columns
        work["output"] = count * columns * lines
        work["odd output"] = count * columns * (lines % 2)
        return work
    if plan.is_turned:
        work["turned channel"] = count
    pairs, odd = divmod(columns, 2)
    work["strip"] = count * (pairs + odd)
    work["output"] = count * 2 * pairs * lines
    work["output of one"] = count * odd * lines
    work["output that meets"] = count * columns * lines * _others(cores)
    return work


def _unpack_work(
    image: Image, plan: DepthwisePlan, cores: int, top: int, count: int
) -> dict[str, float]:
    """The input lines that a band needs, from pixels to planes."""
    above = top * plan.cross.stride - plan.cross.pad
    needed = (plan.band_lines - 1) * plan.cross.stride + plan.cross.kernel
    lines = max(0, min(above + needed, plan.cross.input) - max(above, 0))
    length = max(0, min(plan.line.input, plan.pitch - plan.line.pad))
    if count < BLOCK:
        return {
            "unpacked line": lines,
            "unpacked narrow pixel": lines * length,
            "unpacked byte": lines * length * count,
        }
    words, pixels = divmod(length, 4)
    loads = lines * length * _misaligned(image.input_channels)
    stores = lines * words * 4 * (1 if plan.line.pad % 4 else 0)
    return {
        "unpacked line": lines,
        "unpacked word": lines * words,
        "unpacked pixel": lines * pixels,
        "misaligned": loads + stores,
        "unpacked words that meet": lines * words * _others(cores),
    }


# The others.


@lru_cache(maxsize=_CACHED)
def linear_work(linear: Linear, cores: int, stage: Stage) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and the work of every core."""
    blocks = ceiling(linear.outputs, BLOCK)
    words = ceiling(linear.inputs, 4)
    works: list[Work] = []
    for core in range(cores):
        first = BLOCK * (blocks * core // cores)
        end = min(BLOCK * (blocks * (core + 1) // cores), linear.outputs)
        whole, rest = divmod(max(0, end - first), BLOCK)
        works.append(
            _call(cores)
            | {
                "first block": min(whole, 1),
                "block": whole,
                "words": whole * words,
                "words that meet": whole * words * _others(cores),
                "first single": min(rest, 1),
                "single": rest,
                "single's words": rest * words,
            }
        )
    return f"linear-{stage}", works


@lru_cache(maxsize=_CACHED)
def add_work(elements: Elements, cores: int) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and the work of the first core."""
    return "add", [_call(cores) | _element_work(elements, cores)]


@lru_cache(maxsize=_CACHED)
def lookup_work(elements: Elements, cores: int) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and the work of the first core."""
    return "lookup", [_call(cores) | _element_work(elements, cores)]


def _element_work(elements: Elements, cores: int) -> dict[str, float]:
    """Of the first core: shares are an odd number of words."""
    each = ceiling(elements.count, cores)
    words, left = divmod(min(elements.count, ((each + 3) & ~7) + 4), 4)
    return {"word": words, "word that meets": words * _others(cores), "element left": left}


@lru_cache(maxsize=_CACHED)
def softmax_work(softmax: Softmax, cores: int) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and the work of a core: whole rows, or its part of the results of one."""
    rows = ceiling(softmax.rows, cores)
    results = ceiling(softmax.columns, max(1, cores // softmax.rows))
    words, left = divmod(softmax.columns, 4)
    work = {
        "row": rows,
        "word": rows * words,
        "word that meets": rows * words * _others(cores),
        "element left": rows * left,
        "result": rows * results,
    }
    return "softmax", [_call(cores) | work]


@lru_cache(maxsize=_CACHED)
def pool_work(
    image: Image, cores: int, kernel: Literal["max_pool", "average_pool"]
) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and the work of every core: a part of the row of all pixels' blocks of channels."""
    blocks = ceiling(image.input_channels, BLOCK)
    units = image.output_height * image.output_width * blocks
    works: list[Work] = []
    for core in range(cores):
        work = _call(cores)
        first, end = units * core // cores, units * (core + 1) // cores
        for part in _pool_parts(first, end, blocks):
            _add(work, _pool_part_work(image, *part, is_max=kernel == "max_pool"))
        works.append(work)
    return kernel, works


def _pool_parts(first: int, end: int, blocks: int) -> Iterator[tuple[int, int, int, int]]:
    """Pixels, first to end, and blocks of channels, first to end: a part of a pixel, whole ones, a part of one."""
    while first < end:
        pixel, block = divmod(first, blocks)
        if block == 0 and end - first >= blocks:
            pixels = (end - first) // blocks
            yield pixel, pixel + pixels, 0, blocks
            first += pixels * blocks
        else:
            count = min(blocks - block, end - first)
            yield pixel, pixel + 1, block, block + count
            first += count


def _pool_part_work(
    image: Image, first: int, end: int, block: int, block_end: int, *, is_max: bool
) -> dict[str, float]:
    rows, columns = _reach(image.rows), _reach(image.columns)
    ones = (1,) * len(columns)
    taps = _sum_over(rows, columns, first, end)
    lines = _sum_over(rows, ones, first, end)
    pixels = end - first
    channels = min(BLOCK * block_end, image.input_channels) - BLOCK * block
    shared: dict[str, float] = {"pixel": pixels}
    if not is_max:
        shared |= _divisor_work(rows, columns, first, end, channels)
    if channels < BLOCK:
        return shared | {
            "single": pixels * channels,
            "single's line": lines * channels,
            "single's tap": taps * channels,
        }
    wide, left = divmod(channels, 2 * BLOCK)
    narrow = (1 if left >= BLOCK else 0) + (1 if channels % BLOCK else 0)
    misaligned = _misaligned(image.input_channels)
    of_wide, of_narrow = (4, 3) if is_max else (10, 5)
    return shared | {
        "wide block": pixels * wide,
        "pixel with wide blocks": pixels * min(wide, 1),
        "narrow block": pixels * narrow,
        "line": lines * (wide + narrow),
        "tap": taps * (wide * of_wide + narrow * of_narrow),
        "misaligned": taps * (2 * wide + narrow) * misaligned,
    }


def _divisor_work(
    rows: tuple[int, ...], columns: tuple[int, ...], first: int, end: int, channels: int
) -> dict[str, float]:
    """Windows whose area differs from the last one's, and elements of windows of one pixel: both divide."""
    ones = tuple(int(taps == 1) for taps in columns)
    changes = tuple(int(taps != columns[i - 1]) for i, taps in enumerate(columns))
    single = _sum_over(tuple(int(taps == 1) for taps in rows), ones, first, end)
    changed = _sum_over((1,) * len(rows), changes, first, end)
    return {"change of area": 1 + changed, "divided element": single * channels}


@lru_cache(maxsize=_CACHED)
def pairs_work(rows: Rows, cores: int, kernel: PairsKernel) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and the work of the core that has most rows."""
    count, columns = share_of_rows(rows.rows, rows.columns, cores)
    elements = count * columns
    work = {"row": count, "element": elements, "element that meets": elements * _others(cores)}
    return f"pairs-{kernel}", [_call(cores) | work]


@lru_cache(maxsize=_CACHED)
def mean_work(mean: Mean, cores: int) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and the work of every core."""
    blocks, rest = ceiling(mean.inner, BLOCK), mean.inner % BLOCK
    units = mean.outer * blocks
    works: list[Work] = []
    for core in range(cores):
        first, end = units * core // cores, units * (core + 1) // cores
        narrow = end // blocks - first // blocks if rest else 0
        wide = end - first - narrow
        loads = wide * mean.count
        work = {
            "block": wide,
            "word": loads,
            "word that meets": loads * _others(cores),
            "misaligned": loads * _misaligned(mean.inner),
            "single": narrow * rest,
            "single's element": narrow * rest * mean.count,
        }
        works.append(_call(cores) | work)
    return "mean", works


@lru_cache(maxsize=_CACHED)
def move_work(boxes: tuple[Box, ...], cores: int) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and the work of the core that has most rows."""
    work: dict[str, float] = dict(_call(cores))
    for box in boxes:
        _add(work, _box_work(box, cores))
    return "move", [work]


def _box_work(box: Box, cores: int) -> dict[str, float]:
    rows, elements = share_of_rows(math.prod(box.sizes[:3]), box.sizes[3], cores)
    slabs = ceiling(rows, box.sizes[2])
    if not box.is_dense:
        bytes_ = rows * elements
        meets = bytes_ * _others(cores)
        of_rows = {"scattered row": rows, "byte": bytes_, "byte that meets": meets}
        return {"box": 1, "slab": slabs, **of_rows}
    if elements <= 12:
        return {"box": 1, "slab": slabs, "short row": rows}
    pairs = rows * (1 + (elements - 1) // 8)
    loads, stores = _misaligned(*box.from_steps[:3]), _misaligned(*box.to_steps[:3])
    return {
        "box": 1,
        "slab": slabs,
        "row": rows,
        "pair of words": pairs,
        "pair that meets": pairs * _others(cores),
        "misaligned": 2 * pairs * (loads + stores),
    }


@lru_cache(maxsize=_CACHED)
def widen_work(widened: Widened, cores: int) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and the work of the first core."""
    words, share = widened.shares(cores)
    sixteens = min(share, widened.sixteens)
    work = {
        "word": words,
        "sixteen": sixteens,
        "sixteen that meets": sixteens * _others(cores),
    }
    return "widen", [_call(cores) | work]


@lru_cache(maxsize=_CACHED)
def dma_work(copy: Copy, *, to_l1: bool) -> tuple[str, Sequence[Work]]:
    """The name of the coefficients, and what the DMA does."""
    total = copy.line_bytes * copy.lines
    bursts = 0 if to_l1 else max(0, total // _DMA_BURST_BYTES - _DMA_FREE_STORES)
    beats = ceiling(copy.line_bytes, _DMA_BEAT_BYTES)
    is_flat = copy.lines == 1
    line = beats if is_flat else max(_DMA_LINE_LEAST, beats)
    work = {"call": 1, "two dimensions": 0 if is_flat else 1, "beat": copy.lines * line}
    return "dma", [work | {"burst that waits": bursts}]


# What several of them need.


def _call(cores: int) -> dict[str, float]:
    """What a kernel does once."""
    return {"call": 1, "team": _team(cores)}


def _team(cores: int) -> int:
    """Whether cores are woken: not of a team of one."""
    return 1 if cores > 1 else 0


def _others(cores: int) -> float:
    """How much of what a core loads others load, too, between 0 for one core and 1 for eight."""
    return (cores - 1) / 7


def _misaligned(*steps: int) -> float:
    """The share of addresses, sums of multiples of `steps` bytes, that are none of a word."""
    return 1 - math.gcd(4, *steps) / 4


@lru_cache(maxsize=_CACHED)
def _reach(side: Side) -> tuple[int, ...]:
    """How many places of the kernel lie inside the input, for each output."""
    starts = (output * side.stride - side.pad for output in range(side.output))
    return tuple(max(0, min(start + side.kernel, side.input) - max(start, 0)) for start in starts)


def _sum_over(rows: tuple[int, ...], columns: tuple[int, ...], first: int, end: int) -> int:
    """The sum of rows[y] * columns[x] over pixels first to end - 1, row by row."""
    return _sum_before(rows, columns, end) - _sum_before(rows, columns, first)


def _sum_before(rows: tuple[int, ...], columns: tuple[int, ...], pixel: int) -> int:
    y, x = divmod(pixel, len(columns))
    of_columns = _running(columns)
    partial = rows[y] * of_columns[x] if x else 0
    return _running(rows)[y] * of_columns[-1] + partial


@lru_cache(maxsize=_CACHED)
def _running(values: tuple[int, ...]) -> tuple[int, ...]:
    """Sums of the first 0, 1, ... values."""
    return tuple(accumulate(values, initial=0))
