"""Multipliers for hardware with one shift for all channels: as wide as they may be, tried on every width and input."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir import Graph, UsageError, evaluate_graph, parse_graph, print_graph
from tinsmith_ir.graph import Node
from tinsmith_ir.operators import Conv2D, Convolution
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType
from tinsmith_rounding import SetRounding, narrow_bits, shared_shift_bits

_WIDTHS = range(24, 7, -1)
_VALUES = (-128, -127, -1, 0, 1, 126, 127)
_INPUTS = list(itertools.product(_VALUES, repeat=2))
_LAYERS = 60


def layer(
    weights: Sequence[Sequence[int]],
    biases: Sequence[int],
    scales: Sequence[float],
    *,
    zero_point: int = 0,
    result: Quantization = Quantization.per_tensor(1.0, 0),  # noqa: B008 - frozen
    rounding: Rounding = Rounding.FLOOR,
) -> Graph:
    """1x1, of two channels; a pixel for each of _INPUTS. scales: of the product, as those of input and result are 1."""
    builder = GraphBuilder("layer")
    given = Quantization.per_tensor(1.0, zero_point)
    x = builder.input("x", TensorType((1, 1, len(_INPUTS), 2), DType.INT8, given))
    own = Quantization(tuple(float(np.float32(s)) for s in scales), (0,) * len(scales), 0)
    w = builder.constant("w", np.array(weights, np.int8).reshape(-1, 1, 1, 2), own)
    b = builder.constant("b", np.array(biases, np.int32))
    return builder.build(builder.add(Conv2D(rounding=rounding), [x, w, b], "y", result))


def drawn(seed: int) -> Graph:
    random = np.random.default_rng(seed)
    channels = int(random.integers(1, 4))
    spread = float(random.choice([1.0, 20.0, 2000.0]))
    scales = float(random.choice([2.0**-3, 2.0**-8, 2.0**-12])) / random.uniform(
        1, spread, channels
    )
    reach = int(random.choice([0, 1000, 1 << 20, 1 << 27]))
    return layer(
        random.integers(-128, 128, (channels, 2)).tolist(),
        random.integers(-reach, reach + 1, channels).tolist(),
        scales.tolist(),
        zero_point=int(random.integers(-128, 128)),
        result=Quantization.per_tensor(1.0, int(random.integers(-128, 128))),
        rounding=Rounding(random.choice(["nearest", "floor"])),
    )


def widest(graph: Graph) -> int | None:
    """The widest multipliers by trying all, on all inputs; of those that are written anew here."""
    return next((bits for bits in _WIDTHS if fits(graph, bits)), None)


def fits(graph: Graph, bits: int) -> bool:
    """Whether all values of 32 bits hold those of channels with several results."""
    (node,) = graph.nodes
    assert isinstance(node.operator, Convolution)
    chosen = replace(node, operator=replace(node.operator, multiplier_bits=bits))
    results = results_of(replace(graph, nodes=(chosen,)))
    pairs = [multiplier_of(scale, bits) for scale in scales_of(node)]
    counts = [len(set(column)) > 1 and pair[0] for column, pair in zip(results, pairs, strict=True)]
    shifts = [shift for (_, shift), counted in zip(pairs, counts, strict=True) if counted]
    if not shifts:
        return True
    shift = max(shifts)
    addend = zero_of(node) << shift
    if node.operator.rounding is Rounding.NEAREST:
        addend += (1 << shift) // 2
    return shift <= 31 and all(
        -(1 << 31) <= acc * (multiplier << (shift - own)) + addend < 1 << 31
        for channel, ((multiplier, own), counted) in enumerate(zip(pairs, counts, strict=True))
        if counted
        for acc in sums_of(graph, channel)
    )


def multiplier_of(scale: float, bits: int) -> tuple[int, int]:
    """Of a scale, with the shift to the right."""
    fraction, exponent = math.frexp(scale)
    multiplier = math.floor(math.ldexp(fraction, bits) + 0.5)
    if multiplier == 1 << bits:
        return multiplier >> 1, bits - exponent - 1
    return multiplier, bits - exponent


def scales_of(node: Node) -> Sequence[float]:
    quantization = node.present_inputs[1].type.quantization
    assert quantization is not None
    return quantization.scales


def zero_of(node: Node) -> int:
    quantization = node.outputs[0].type.quantization
    assert quantization is not None
    return quantization.zero_point


def sums_of(graph: Graph, channel: int) -> list[int]:
    quantization = graph.inputs[0].type.quantization
    assert quantization is not None
    row = graph.constant_data["w"][channel].reshape(-1).tolist()
    bias = int(graph.constant_data["b"][channel])
    zero = quantization.zero_point
    return [
        sum(weight * (value - zero) for weight, value in zip(row, values, strict=True)) + bias
        for values in _INPUTS
    ]


def results_of(graph: Graph) -> list[list[int]]:
    """Of each channel, those of all inputs."""
    x = np.array(_INPUTS, np.int8).reshape(1, 1, -1, 2)
    (result,) = evaluate_graph(graph, {"x": x}).values()
    return result.reshape(len(_INPUTS), -1).T.tolist()


def found(graph: Graph) -> int | None:
    return shared_shift_bits(graph, graph.nodes[0])


def test_the_width_is_the_widest_that_fits() -> None:
    widths = [found(drawn(seed)) for seed in range(_LAYERS)]
    assert widths == [widest(drawn(seed)) for seed in range(_LAYERS)]
    counts = [width for width in widths if width is not None]
    assert len({*counts}) > 5
    assert len(counts) > _LAYERS // 2
    assert None in widths


def test_scales_apart_cost_bits() -> None:
    """The multiplier of the larger scale is moved by what their shifts differ."""
    weights = [[127, 127], [127, 127]]
    near, far = (layer(weights, [0, 0], [0.002, 0.002 / apart]) for apart in (1, 64))
    widths = found(near), found(far)
    assert widths[0] is not None
    assert widths[1] is not None
    assert widths[0] - widths[1] == 6


def test_a_channel_of_one_value_does_not_count() -> None:
    """Its bias alone would leave no multiplier; without weights its scale would move the others."""
    usual = layer([[127, 127]], [0], [0.002])
    huge = layer([[127, 127], [1, 1]], [0, 1 << 30], [0.002, 0.002])
    dead = layer([[127, 127], [0, 0]], [0, 5], [0.002, 0.000002])
    assert found(usual) is not None
    assert found(huge) == found(usual)
    assert found(dead) == found(usual)


def test_channels_that_all_have_one_value_take_any_width() -> None:
    assert found(layer([[0, 0]], [5], [0.002])) == _WIDTHS[0]


def test_no_width_is_named_where_few_bits_fit() -> None:
    graph = layer([[127, 127], [127, 127]], [0, 0], [0.002, 0.002 / 4096])
    assert found(graph) is None
    (node,) = SetRounding("floor", one_shift=True).run(graph).nodes
    assert isinstance(node.operator, Convolution)
    assert node.operator.multiplier_bits == 31
    (node,) = SetRounding("floor", narrow=True, one_shift=True).run(graph).nodes
    assert isinstance(node.operator, Convolution)
    assert node.operator.multiplier_bits == narrow_bits(graph, graph.nodes[0])


def test_other_operators_and_unknown_weights_have_none() -> None:
    sums = """graph 2 "g" {
      input %x: i8[1,2]<1.0, 0>
      %y: i8[1,2]<4.0, 0> = add(%x, %x)
      output %y
    }"""
    wide = """graph 2 "g" {
      input %x: i16[1,2]<1.0, 0>
      const %w: i8[1,2]<0.25, 0> = [1, 2]
      %y: i16[1,1]<4.0, 0> = fully_connected(%x, %w, none)
      output %y
    }"""
    unknown = """graph 2 "g" {
      input %x: i8[1,1,1,2]<1.0, 0>
      input %w: i8[1,1,1,2]<0.25, 0>
      %y: i8[1,1,1,1]<4.0, 0> = conv2d(%x, %w, none)
      output %y
    }"""
    for text in (sums, wide, unknown):
        graph = SetRounding("floor").run(parse_graph(text))
        assert found(graph) is None


def test_fully_connected_layers_are_as_convolutions_of_a_pixel() -> None:
    ends = """graph 2 "g" {{
      input %x: i8[{one}2]<1.0, -7>
      const %w: i8[2,{window}2]<[0.25, 0.001], [0, 0], axis 0> = [1, 127, -128, 2]
      const %b: i32[2] = [1000, -1000]
      %y: i8[{one}2]<4.0, 3> = {operator}(%x, %w, %b)
      output %y
    }}"""
    linear = ends.format(one="1,", window="", operator="fully_connected")
    single = ends.format(one="1,1,1,", window="1,1,", operator="conv2d")
    widths = [found(SetRounding("floor").run(parse_graph(text))) for text in (linear, single)]
    assert widths[0] is not None
    assert widths[0] == widths[1]


def test_asymmetric_weights_count_with_their_zero_point() -> None:
    text = """graph 2 "g" {{
      input %x: i8[1,1,1,2]<1.0, 0>
      const %w: i8[1,1,1,2]<0.25, {zero}> = [1, 1]
      %y: i8[1,1,1,1]<4.0, 0> = conv2d(%x, %w, none)
      output %y
    }}"""
    graphs = [SetRounding("floor").run(parse_graph(text.format(zero=zero))) for zero in (-31, -127)]
    narrow, wide = (found(graph) for graph in graphs)
    assert narrow is not None
    assert wide is not None
    # Weights of 32 and of 128.
    assert narrow - wide == 2


@pytest.mark.parametrize("mode", ["nearest", "floor"])
def test_the_option_gives_convolutions_that_width_and_others_full_ones(mode: str) -> None:
    graph = drawn(0)
    whole = SetRounding(mode).run(graph)
    (node,) = SetRounding(mode, one_shift=True).run(graph).nodes
    assert isinstance(node.operator, Convolution)
    expected = found(whole)
    assert expected is not None
    assert node.operator.multiplier_bits == expected
    assert node.operator.rounding.value == mode


def test_halves_of_average_pools_go_away_from_zero() -> None:
    text = """graph 2 "g" {{
      input %x: i8[1,2,2,1]<0.5, 3>
      %y: i8[1,1,1,1]<0.5, 3> = average_pool2d(%x) {{window=[2,2]{more}}}
      output %y
    }}"""
    graph = parse_graph(text.format(more=", halves_to_even=true"))
    away = SetRounding("floor", one_shift=True).run(graph)
    assert print_graph(away) == print_graph(parse_graph(text.format(more="")))


def test_tflites_rounding_has_no_such_width() -> None:
    with pytest.raises(UsageError, match="neither bits nor narrow nor one_shift"):
        SetRounding("tflite", one_shift=True)
