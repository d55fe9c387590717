"""Instructions of the kernels of int8 that rows stream through, without running them, for the DSP extension and MVE.

How often the loops of `kernels/cmsis_nn` turn is counted from a layer's sizes and weighted by the numbers of
coefficients.py, which tools/fit_costs.py measures on emulated boards. An instruction is not a cycle
(docs/benchmarks.md). Layers that round once take a little less.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.operators.pooling import Pool
from tinsmith_lowering import Cost, Layer

from tinsmith_cmsis_nn import packing_pixels, scratch, scratch_mve, sizes
from tinsmith_cmsis_nn.coefficients import COEFFICIENTS
from tinsmith_cmsis_nn.common import implementation, nhwc
from tinsmith_cmsis_nn.geometry import Geometry
from tinsmith_cmsis_nn.packing import Implementation

_VECTOR = 16
_WORD = 4
_SHALLOW, HALF_DEEP = 16, 48
"""Of a product on MVE, the largest depths whose weights stay in registers while rows pass by."""

_PATCHES_AT_ONCE = 16
_PAIR = 2
_SINGLE = 1.45
"""Two pixels one after the other take so many times the instructions of both at once."""


@dataclass(frozen=True)
class Work:
    """How often a kernel does what costs alike. kind: of layers that share coefficients; counts: name -> how often."""

    kind: str
    counts: Mapping[str, float]


def instructions(work: Work) -> int:
    """Of one call, about."""
    weights = COEFFICIENTS[work.kind]
    return round(sum(weights.get(name, 0.0) * count for name, count in work.counts.items()))


def _cost(work: Callable[[Layer], Work | None]) -> Callable[[Layer], Cost | None]:
    def cost(layer: Layer) -> Cost | None:
        found = work(layer)
        # Depthwise layers of other taps than 3x3 whose strides no layer of the fit has are not measured.
        if found is None or found.kind not in COEFFICIENTS:
            return None
        return Cost(instructions(found))

    return cost


def convolution_work(layer: Layer) -> Work | None:
    """Of tinsmith_convolve_packed_s8 and its sister for any scale; None of plain C."""
    geometry = sizes.geometry(layer)
    match implementation(layer.target):
        case "mve":
            return _convolution_mve(geometry, sizes.pixels(layer))
        case "dsp":
            return _convolution_dsp(geometry, sizes.columns(layer))
        case "c":
            return None


def depthwise_work(layer: Layer) -> Work | None:
    """Of tinsmith_depthwise_packed_s8 and its sister for any scale; None of plain C."""
    geometry = sizes.geometry(layer)
    match implementation(layer.target):
        case "mve":
            return (_depthwise_3x3 if sizes.is_3x3_mve(layer) else _depthwise_mve)(geometry)
        case "dsp":
            strip = sizes.strip(layer)
            return None if strip is None else _depthwise_dsp(geometry, strip)
        case "c":
            return None


def pixels_work(layer: Layer) -> Work | None:
    """Of tinsmith_depthwise_pixels_s8; None of plain C."""
    geometry, built = sizes.geometry(layer), implementation(layer.target)
    images, height, width, channels = geometry.output
    taps = geometry.weights[1] * geometry.weights[2]
    together = packing_pixels.MVE_TOGETHER if built == "mve" else packing_pixels.TOGETHER
    pixels = images * height * width
    blocks = pixels * _ceiling(channels, together)
    counts = {"call": 1, "pixel": pixels, "block": blocks, "tap of block": blocks * taps}
    return _unless_c(built, "pixels", counts)


def add_work(layer: Layer) -> Work | None:
    """Of arm_elementwise_add_s8; None of plain C."""
    counts = {"call": 1, "element": layer.output.elements}
    return _unless_c(implementation(layer.target), "add", counts)


def average_pool_work(layer: Layer) -> Work | None:
    """Of arm_avgpool_s8; None of plain C."""
    return _pool(layer, "average")


def max_pool_work(layer: Layer) -> Work | None:
    """Of arm_max_pool_s8; None of plain C."""
    return _pool(layer, "max")


convolution, depthwise, pixels, add, average_pool, max_pool = map(
    _cost,
    (convolution_work, depthwise_work, pixels_work, add_work, average_pool_work, max_pool_work),
)


def _unless_c(built: Implementation, kind: str, counts: Mapping[str, float]) -> Work | None:
    return None if built == "c" else Work(f"{built} {kind}", counts)


def _ceiling(value: int, unit: int) -> int:
    return -(-value // unit)


def _pieces(count: int, most: int) -> list[int]:
    """Of a count, each of `most`, the last one of what is left."""
    return [most] * (count // most) + [count % most] * (count % most > 0)


def _pool(layer: Layer, kind: str) -> Work | None:
    """Pixel by pixel, of each so many channels at once."""
    images, *outputs, channels = nhwc(layer.output)
    _, *inputs, _ = nhwc(layer.input(0))
    pool, built = layer.operator_as(Pool), implementation(layer.target)
    rows, columns = (
        _taps_inside(inputs[axis], outputs[axis], pool.window[axis], pool.stride[axis], padding)
        for axis, padding in enumerate((pool.padding[0], pool.padding[2]))
    )
    together = 1 if built == "dsp" else _WORD if kind == "average" else _VECTOR
    pixels, blocks = images * outputs[0] * outputs[1], _ceiling(channels, together)
    lines, taps = images * rows * outputs[1], images * rows * columns
    counts = {
        "call": 1,
        "pixel": pixels,
        "block": pixels * blocks,
        "line": lines,
        "line of block": lines * blocks,
        "tap": taps,
        "tap of block": taps * blocks,
    }
    return _unless_c(built, kind, counts)


def _taps_inside(size: int, outputs: int, taps: int, stride: int, padding: int) -> int:
    """Of all windows along one axis."""
    firsts = range(-padding, outputs * stride - padding, stride)
    return sum(min(first + taps, size) - max(first, 0) for first in firsts)


def _convolution_mve(geometry: Geometry, at_once: int | None) -> Work:
    """mve/convolve_core.c: products of a matrix with so many rows, which are copied before or lie in the input.

    at_once: pixels that are copied where outputs lie over them.
    """
    images, height, width, channels = geometry.output
    _, taps_y, taps_x, inputs = geometry.weights
    depth = taps_y * taps_x * inputs
    pixels = images * height * width
    counts = {"call": 1.0}
    rows = rows_of_products_mve(geometry, at_once)
    if at_once is None and not scratch_mve.fields_in_place(geometry):
        chunks = _ceiling(taps_x * inputs, _VECTOR)
        lines = pixels * taps_y
        clipped = pixels - images * _inside(geometry)
        counts |= {
            "field": pixels,
            "line of field": lines,
            "chunk of field": lines * chunks,
            "clipped field": clipped,
            "line of clipped field": clipped * taps_y,
            "chunk of clipped field": clipped * _ceiling(depth, _VECTOR),
        }
    for count in sorted(set(rows)):
        for name, often in _product_mve(count, depth, channels).items():
            counts[name] = counts.get(name, 0.0) + rows.count(count) * often
    mode = "shallow" if depth <= _SHALLOW else "half deep" if depth <= HALF_DEEP else "deep"
    return Work(f"mve {mode} convolution", counts)


def rows_of_products_mve(geometry: Geometry, at_once: int | None) -> Sequence[int]:
    """Of each product of matrices that a convolution is done by."""
    images, height, width, _ = geometry.output
    pixels = images * height * width
    if at_once is not None:
        return _pieces(pixels, at_once)
    if scratch_mve.fields_in_place(geometry):
        is_one = width * geometry.stride[1] == geometry.stride[0] * geometry.input[2]
        return [height * width] * images if is_one else [width] * (images * height)
    depth = geometry.weights[1] * geometry.weights[2] * geometry.weights[3]
    return _pieces(height * width, scratch_mve.fields_bytes(geometry.weights) // depth) * images


def _inside(geometry: Geometry) -> int:
    """Windows of an image that lie inside it."""
    found = 1
    for axis in (1, 2):
        taps, stride, padding = (
            geometry.weights[axis],
            geometry.stride[axis - 1],
            geometry.padding[axis - 1],
        )
        span = (taps - 1) * geometry.dilation[axis - 1] + 1
        first = _ceiling(padding, stride)
        end = (geometry.input[axis] - span + padding) // stride + 1
        found *= max(min(end, geometry.output[axis]) - first, 0)
    return found


def _product_mve(rows: int, depth: int, channels: int) -> dict[str, float]:
    """mve/matrix_product.c: groups of rows by four channels, one row by itself, channels left by themselves."""
    chunks = _ceiling(depth, _VECTOR)
    quads = _ceiling(channels, _WORD) if channels >= _WORD else 0
    if rows == 1 and quads:
        return {"product": 1, "quad of one row": quads, "chunk of one row": quads * chunks}
    singles = 0 if quads and channels % _WORD in (0, 3) else channels % _WORD
    quads -= 1 if singles and quads else 0
    groups = _pieces(rows, scratch_mve.ROWS_AT_ONCE)
    turns = singles * _ceiling(rows, _WORD)
    counts: dict[str, float] = {
        "product": 1,
        "group": len(groups) * quads,
        "row": rows * quads,
        "single": turns,
        "chunk of single": turns * chunks,
    }
    if depth <= HALF_DEEP:
        return counts
    triples = sum(group // 3 for group in groups) * quads
    lone = sum(group % 3 == 1 for group in groups) * quads
    pairs = sum(group % 3 == 2 for group in groups) * quads
    return counts | {
        "triple": triples,
        "chunk of triple": triples * chunks,
        "row left": lone,
        "chunk of row left": lone * chunks,
        "pair left": pairs,
        "chunk of pair left": pairs * chunks,
    }


def _convolution_dsp(geometry: Geometry, columns: int) -> Work:
    """dsp/convolve_columns.h: two pixels at a time, or one, by four channels, their windows copied before."""
    images, height, width, channels = geometry.output
    _, taps_y, taps_x, inputs = geometry.weights
    blocks = _ceiling(taps_y * taps_x * inputs, _WORD)
    pixels = images * height * width
    quads = _ceiling(pixels, _PAIR) * _ceiling(channels, _WORD)
    single = _SINGLE if columns == 1 else 1.0
    is_pixelwise = (taps_y, taps_x) == (1, 1) and geometry.padding == (0, 0)
    counts = {
        "call": 1,
        "pair": _ceiling(pixels, _PAIR),
        "quad": quads * single,
        "block of quad": quads * blocks * single,
        "block of window": pixels * blocks,
    }
    if is_pixelwise:
        return Work("dsp 1x1", counts)
    lines = pixels * taps_y
    words = lines * _ceiling(taps_x * inputs, _WORD)
    return Work("dsp convolution", counts | {"line of window": lines, "word of line": words})


def _depthwise_mve(geometry: Geometry) -> Work:
    """mve/depthwise_patches.c or mve/depthwise_lines.c."""
    images, *_, channels = geometry.output
    along, across = scratch_mve.axes(geometry)
    blocks = images * _ceiling(channels, scratch_mve.DEPTHWISE_BLOCK)
    counts: dict[str, float] = {"call": 1, "block": blocks}
    copied = min(across.input, (across.output - 1) * across.stride + across.taps)
    plan = scratch_mve.patch_plan(along, across)
    if plan is None:
        outputs = blocks * along.output * across.output
        taps = along.taps * across.taps
        counts |= {
            "tap of block": blocks * taps,
            "line": blocks * across.output,
            "tap of line": blocks * across.output * taps,
            "position copied": blocks * copied * (along.output * along.stride + along.taps),
            "output": outputs,
            "tap": outputs * taps,
        }
        return Work("mve depthwise lines", counts)
    strips = _ceiling(across.output, plan.lines)
    patches = _ceiling(along.output, plan.outputs)
    columns = (patches - 1) * plan.column_step + _WORD
    quads = images * _ceiling(channels, _WORD) * strips
    counts |= {
        "strip": blocks * strips,
        "column": blocks * strips * columns,
        "quad": quads * _ceiling(patches, _PATCHES_AT_ONCE),
        "patch": quads * patches,
        "sum of patch": quads * patches * plan.lines * plan.outputs,
        "output": images * _ceiling(channels, _WORD) * across.output * along.output,
    }
    return Work("mve depthwise patches", counts)


def _depthwise_3x3(geometry: Geometry) -> Work:
    """mve/depthwise_3x3.c."""
    images, *_, channels = geometry.output
    along, across = scratch_mve.axes_3x3(geometry)
    blocks = images * _ceiling(channels, scratch_mve.DEPTHWISE_BLOCK)
    copied = min(across.input, (across.output - 1) * across.stride + across.taps)
    is_pair = along.stride == 1 and channels <= scratch_mve.DEPTHWISE_BLOCK // 2
    vectors = _ceiling(along.output, 2 if is_pair else 1) * across.output
    counts = {
        "call": 1,
        "block": blocks,
        "line": blocks * across.output,
        "line copied": blocks * copied,
        "position copied": blocks * copied * min(along.input, along.output * along.stride),
        "vector": blocks * vectors,
    }
    return Work("mve depthwise 3x3", counts)


def _depthwise_dsp(geometry: Geometry, strip: int) -> Work:
    """common/depthwise_strips.h and dsp/depthwise_sums*.c: two channels of a strip at a time."""
    axis = scratch.strip_axis(geometry)
    row = 3 - axis
    lines, width = geometry.output[axis], geometry.output[row]
    rows_of_taps, words = geometry.weights[axis], geometry.weights[row] // _PAIR + 1
    stride = geometry.stride[row - 1]
    images, channels = geometry.output[0], geometry.output[3]
    steps = images * _ceiling(channels, _PAIR)
    strips = _pieces(lines, strip)
    rows = [(count - 1) * geometry.stride[axis - 1] + geometry.weights[axis] for count in strips]
    copied = sum(min(count, geometry.input[axis]) for count in rows) * steps
    plane = sum(rows) * (width * stride + geometry.weights[row])
    pairs = steps * lines * _ceiling(width, _PAIR)
    counts = {
        "call": 1,
        "strip": len(strips),
        "value filled": plane,
        "step": steps * len(strips),
        "row copied": copied,
        "value copied": copied * min(geometry.input[row], width * stride),
        "line": steps * lines,
        "pair": pairs,
        "row of line": steps * lines * rows_of_taps,
        "word of line": steps * lines * rows_of_taps * words,
        "row of pair": pairs * rows_of_taps,
        "word of pair": pairs * rows_of_taps * words,
    }
    is_3x3 = geometry.weights[1:3] == (3, 3) and stride <= _PAIR
    return Work(f"dsp depthwise {'3x3' if is_3x3 else 'other'} stride {min(stride, 3)}", counts)
