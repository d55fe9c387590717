"""Conv2D and FullyConnected on arranged weights that have a zero point (`tinsmith_nn.h`): networks of uint8."""

from tinsmith_c import FieldValue
from tinsmith_ir.operators import Conv2D, FullyConnected
from tinsmith_ir.parameters import ConvParameters, fully_connected_channel_parameters
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Loads,
    Prepared,
    Scope,
    Walk,
    loads_by_pixels,
    pixels_walk,
    rows_walk,
    weights_are_constant,
    weights_offset,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn import scratch, sizes, walks
from tinsmith_cmsis_nn.common import (
    BACKEND,
    PACKED_CHECKS,
    PACKED_HEADER,
    activation,
    engine,
    implementation,
    input_zero_point,
    nhwc,
    packed_constants,
    tile,
)
from tinsmith_cmsis_nn.convolution import S8, parameter_fields, parameters_of
from tinsmith_cmsis_nn.geometry import Dims, Geometry
from tinsmith_cmsis_nn.guards import guards
from tinsmith_cmsis_nn.helpers import CONVOLUTION_OFFSET
from tinsmith_cmsis_nn.nearest import full_width, is_nearest
from tinsmith_cmsis_nn.packed_convolution import emit_record, input_is_computed, no_groups
from tinsmith_cmsis_nn.packing import PackedLayer, pack_convolution_offset, refusal
from tinsmith_cmsis_nn.rules import constant_bias, constant_s8


def weights_pack(layer: Layer) -> str | None:
    """Weights with a zero point, bias and scales can be arranged for the packed kernels (`tinsmith_nn.h`)."""
    return refusal(lambda: packed(layer))


def packed(layer: Layer) -> PackedLayer:
    """The layer's constants as the kernel of its target takes them; raises PackingError."""
    p = _parameters(layer)
    weights = constant_s8(layer, 1)
    return pack_convolution_offset(
        implementation(layer.target),
        weights.reshape(_shapes(layer)[1]),
        constant_bias(layer),
        p.multipliers,
        p.shifts,
        input_zero_point=input_zero_point(layer),
        weights_zero_point=-weights_offset(layer),
        nearest=is_nearest(layer),
    )


def _is_fully_connected(layer: Layer) -> bool:
    return isinstance(layer.operator, FullyConnected)


def _parameters(layer: Layer) -> ConvParameters:
    if not _is_fully_connected(layer):
        return parameters_of(layer)
    operator = layer.operator_as(FullyConnected)
    found = fully_connected_channel_parameters(operator, layer.inputs, layer.output)
    return full_width(found) if is_nearest(layer) else found


def _shapes(layer: Layer) -> tuple[Dims, Dims, Dims]:
    """Of input, weights and output; of a fully connected layer those of a convolution on pixels, row by row."""
    if not _is_fully_connected(layer):
        return nhwc(layer.input(0)), nhwc(layer.input(1)), nhwc(layer.output)
    units, depth = layer.input(1).shape
    rows = layer.input(0).elements // depth
    return (rows, 1, 1, depth), (units, 1, 1, depth), (rows, 1, 1, units)


def _scratch_bytes(layer: Layer) -> int:
    if not _is_fully_connected(layer):
        geometry = sizes.geometry(layer)
    else:
        geometry = Geometry(*_shapes(layer), stride=(1, 1), padding=(0, 0), dilation=(1, 1))
    return scratch.convolve_packed_offset(implementation(layer.target), geometry)


def walk(layer: Layer) -> Walk | None:
    """dsp/convolve_columns.h copies the windows of two pixels before it writes them. mve/convolve_packed_offset.c
    copies one, or reads a pixel where it is, once for some channels.
    """
    is_mve = implementation(layer.target) == "mve"
    in_place = is_mve and _scratch_bytes(layer) == 0
    if _is_fully_connected(layer):
        rows = _shapes(layer)[0][0]
        return rows_walk(layer, rows, is_staged=False) if is_mve else None
    height, width = walks.windows(sizes.geometry(layer))
    if is_mve:
        return pixels_walk(layer, height, width, overtaken=int(in_place))
    return pixels_walk(layer, height, width, together=walks.DSP_PIXELS)


def loads(layer: Layer) -> Loads:
    """Over all of them for each pair of pixels with the DSP extension; with MVE for each pixel."""
    return loads_by_pixels(walks.DSP_PIXELS if implementation(layer.target) == "dsp" else 1)(layer)


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Weights, bias with the offset behind it, and scales as the kernel of the target takes them."""
    return packed_constants(layer, packed(layer))


def _fields(layer: Layer) -> dict[str, FieldValue]:
    if not _is_fully_connected(layer):
        return parameter_fields(layer)
    p = _parameters(layer)
    return {
        "input_offset": p.input_offset,
        "output_offset": p.output_offset,
        "stride": tile(1, 1),
        "padding": tile(0, 0),
        "dilation": tile(1, 1),
        "activation": activation(p.clamp_min, p.clamp_max),
    }


def emit(layer: Layer, scope: Scope) -> Emission:
    """One call."""
    return emit_record(CONVOLUTION_OFFSET, layer, scope, _fields(layer), _shapes(layer))


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Those of the DSP extension and MVE; plain C has none."""
    if implementation(target) == "c":
        return ()
    return tuple(
        Kernel(
            name="tinsmith_convolve_packed_offset_s8",
            backend=BACKEND,
            operator=operator,
            signature=S8,
            headers=(PACKED_HEADER,),
            emit=emit,
            takes_offsets=True,
            rules=(input_is_computed, *rules, weights_are_constant, weights_pack),
            scratch_bytes=_scratch_bytes,
            walk=walk,
            prepare=prepare,
            loads=loads,
            engine=engine(target),
            asymmetric_weights=True,
            checks=PACKED_CHECKS,
            guards=guards(target),
        )
        for operator, rules in ((Conv2D, (no_groups,)), (FullyConnected, ()))
    )
