"""Results of 7 bits that go from one analog layer to the next: the scale in which nobody has to clip them, and when."""

from dataclasses import replace

import numpy as np
import pytest
from analog_graphs import mapped, one_layer, two_layers
from tinsmith_diana import DianaAnalogBackend
from tinsmith_diana.analog import AnalogConv2D, AnalogReferenceBackend, MapAnalog
from tinsmith_diana.analog.array import AnalogLayer, layer_of
from tinsmith_diana.analog.convolution import NAME
from tinsmith_diana.analog.ends import needs_clip, result_ends
from tinsmith_diana.analog.fitting import Fit, Source, fitted
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.graph import Value
from tinsmith_ir.types import DType, Quantization, TensorType
from tinsmith_lowering import lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import Target

_POINT = Quantization.per_tensor(0.1, 0)
_SOURCE = Source(Value("x", TensorType((1, 6, 6, 16), DType.INT8, _POINT)))
_SMALL, _CLIPPED = "i8[1,6,6,16]<0.02, -128>", "i8[1,6,6,16]<0.02, 0>"


def drawn_layer(seed: int) -> AnalogLayer:
    """Channels with few weights and with many, large biases and small ones."""
    random = np.random.default_rng([seed, 0xE2D])
    graph = one_layer(
        attributes="padding=[1,1,1,1], activation=relu" if seed % 2 else "padding=[1,1,1,1]"
    )
    layer = layer_of(graph, graph.nodes[0])
    weights = layer.weights * (random.random(layer.weights.shape) < random.choice([0.05, 0.3, 1]))
    bias = random.normal(0, random.choice([0.1, 3, 30]), len(weights))
    # Something is above zero.
    bias[0] = abs(bias[0])
    return replace(layer, weights=weights, bias=bias)


def whole(layer: AnalogLayer, gain: int) -> Fit:
    fit = fitted(layer, _SOURCE, 7, gain, is_whole=True)
    assert fit is not None
    return fit


def at_end(fit: Fit, layer: AnalogLayer, channel: int, *, high: bool) -> int:
    """What that channel gives of the input which is at its end, by the operator without its clip to 7 bits."""
    signs = layer.weights[channel] if high else -layer.weights[channel]
    image = np.where(signs > 0, 63, -64)[None].astype(np.int8)
    operator = replace(fit.operator, bits=8, padding=(0, 0, 0, 0))
    arrays = [image, layer.weights.astype(np.int8), fit.multipliers, fit.addends]
    plain = [TensorType(array.shape, DType.INT8) for array in arrays]
    types = [replace(plain[0], quantization=_POINT), *plain[1:]]
    (found,) = operator.evaluate(arrays, types, operator.infer(types))
    return int(found[0, 0, 0, channel])


@pytest.mark.parametrize("gain", [1, 16, 300])
@pytest.mark.parametrize("seed", range(8))
def test_a_whole_scale_holds_what_the_array_can_give_and_little_more(seed: int, gain: int) -> None:
    layer = drawn_layer(seed)
    fit = whole(layer, gain)
    lows = [at_end(fit, layer, channel, high=False) for channel in range(8)]
    highs = [at_end(fit, layer, channel, high=True) for channel in range(8)]
    assert min(lows) >= -64
    assert max(highs) <= 63
    assert min(lows) <= -60 or max(highs) >= 59
    assert not fit.needs_clip
    ends = result_ends(fit.operator, layer.weights, fit.multipliers, fit.addends)
    least = 0 if layer.is_rectified else -128
    assert np.maximum(ends, least).tolist() == [lows, highs]


def test_nothing_is_whole_where_nothing_is_above_zero() -> None:
    layer = drawn_layer(1)
    assert layer.is_rectified
    empty = replace(layer, weights=layer.weights * 0, bias=layer.bias * 0 - 1)
    assert fitted(empty, _SOURCE, 7, 16, is_whole=True) is None


def test_results_of_8_bits_are_clipped_by_the_array() -> None:
    operator = AnalogConv2D(gain=16, chunk_channels=4)
    assert not needs_clip(operator, np.array([[-400], [400]]))
    assert needs_clip(replace(operator, bits=7), np.array([[-64], [64]]))
    assert needs_clip(replace(operator, bits=7), np.array([[-65], [63]]))
    assert not needs_clip(replace(operator, bits=7, rectified=True), np.array([[-65], [63]]))


def clips(graph: Graph, host: Target) -> list[bool]:
    """Of each job of the array in turn, whether its record says that the core clips."""
    backends = (DianaAnalogBackend(), AnalogReferenceBackend(), reference())
    kernels = tuple(kernel for backend in backends for kernel in backend.kernels(host))
    program = prepare(lower(graph, host, kernels), host, kernels)
    records = [
        program.constant[call.reads[0]].data for call in program.calls if call.kernel == NAME
    ]
    return [bool(record.view("<u4")[21]) for record in records]


def test_a_layer_between_others_needs_no_clip_where_that_is_as_good(host: Target) -> None:
    """With the scale of its ends the core would clip, and the layer would keep no more."""
    graph, mapping = mapped(two_layers(a=_SMALL), MapAnalog(gain=16))
    assert clips(graph, host) == [False, False]
    assert [layer.bits for layer in mapping.layers] == [7, 8]
    (made,) = graph.nodes[1].outputs
    assert made.type.quantization is not None
    assert made.type.quantization.scale != pytest.approx(255 * 0.02 / 63)


def test_a_layer_that_its_type_clips_is_clipped_as_it_was(host: Target) -> None:
    """Half of its results are at the end of their type, and the array's would be twice as large."""
    graph, mapping = mapped(two_layers(a=_CLIPPED), MapAnalog(gain=16))
    assert clips(graph, host) == [True, False]
    assert mapping.layers[0].sqnr_db > 25


def test_a_limit_that_only_a_clip_keeps_is_kept_by_one(host: Target) -> None:
    """The layer keeps 33 decibels, 19 of them without a clip: more than enough for a limit of 7, too little for 11."""
    weights = np.random.default_rng(3).integers(-1, 2, (16, 3, 3, 16)).reshape(-1).tolist()
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,6,6,16]<0.05, 0>
      const %w: i2[16,3,3,16]<0.1, 0> = {weights}
      const %v: i2[8,1,1,16]<0.1, 0> = {weights[:128]}
      %a: i8[1,6,6,16]<0.035, 0> = conv2d(%x, %w) {{padding=[1,1,1,1], activation=relu}}
      %y: i8[1,6,6,8]<0.02, 0> = conv2d(%a, %v)
      output %y
    }}""")
    for least_db, first, is_clipped in ((7, 19, False), (11, 32, True)):
        made, mapping = mapped(graph, MapAnalog(gain=16, least_db=least_db))
        assert clips(made, host) == [is_clipped, False]
        assert first < mapping.layers[0].sqnr_db < first + 1
