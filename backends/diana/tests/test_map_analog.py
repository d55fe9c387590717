"""Layers that become analog: what is around them then, their scales, and what is said of what they lose."""

import dataclasses
import re

import numpy as np
import pytest
from analog_graphs import mapped, mnemonics, one_layer, ternary, two_layers
from tinsmith_diana.analog import AnalogConv2D, AnalogMapping, MapAnalog
from tinsmith_ir import Graph, evaluate_graph, parse_graph, print_graph
from tinsmith_ir.errors import UsageError
from tinsmith_ir.operators import Requantize, Reshape
from tinsmith_ir.passes import Metric
from tinsmith_ir.pipeline import Pipeline
from tinsmith_ir.testing import random_inputs


def test_a_layer_becomes_analog_between_rescalings() -> None:
    graph, mapping = mapped(one_layer(x="i8[1,6,6,16]<0.05, -3>", y="i8[1,6,6,8]<0.5, 2>"))
    assert mnemonics(graph) == ["requantize", "analog_conv2d", "requantize"]
    (layer,) = mapping.layers
    assert (layer.name, layer.chunks, layer.bits) == ("y", 1, 8)
    assert mapping.left == ()
    operator = graph.nodes[1].operator
    assert isinstance(operator, AnalogConv2D)
    assert operator.padding == (1, 1, 1, 1)
    assert operator.gain & (operator.gain - 1) == 0
    assert str(layer).startswith("y is analog: gain ")


def test_a_result_of_the_same_scale_needs_no_rescaling() -> None:
    graph, _ = mapped(one_layer())
    assert mnemonics(graph) == ["requantize", "analog_conv2d"]
    assert graph.nodes[1].name == "y"
    graph, _ = mapped(one_layer(attributes="padding=[1,1,1,1], activation=relu"))
    operator = graph.nodes[1].operator
    assert isinstance(operator, AnalogConv2D)
    assert operator.clip == (0, 127)


def test_relu6_of_a_wider_type_clips_where_it_did() -> None:
    """6 is 120 steps of 0.05 above a zero point of -128."""
    before = one_layer(
        attributes="padding=[1,1,1,1], activation=relu6", y="i8[1,6,6,8]<0.05, -128>"
    )
    after, mapping = mapped(before)
    assert len(mapping.layers) == 1
    sample = random_inputs(before, 2)
    wanted, got = (evaluate_graph(graph, sample)["y"] for graph in (before, after))
    assert int(wanted.max()) == int(got.max()) == 120 - 128
    assert int(wanted.min()) == int(got.min()) == -128


def test_scales_are_those_of_the_layer() -> None:
    """One channel, numbers by hand.

    An integer of 7 bits is two of those of 0.05, rounded down, which loses a quarter of it in the mean where every
    other number is odd. A gain of 2 makes a step of the converter 2 * 0.1 * 0.1, which is 4 steps of the result;
    4 * 2**4 = 64 is the largest multiplier of int8. A sum that is rounded down loses half of one in the mean, 1 step of
    the result; with the half of the input, 0.5 more, the bias of 4, and half a step for the last rounding,
    6 * 2**4 = 96.
    """
    graph, mapping = mapped(
        parse_graph("""graph 2 "g" {
          input %x: i8[1,8,8,1]<0.05, 0>
          const %w: i2[1,1,1,1]<0.1, 0> = [1]
          const %b: i32[1]<0.005, 0> = [4]
          %y: i8[1,8,8,1]<0.005, 0> = conv2d(%x, %w, %b)
          output %y
        }"""),
        MapAnalog(gain=2, samples=[{"x": np.arange(-32, 32, dtype=np.int8).reshape(1, 8, 8, 1)}]),
    )
    assert len(mapping.layers) == 1
    narrowed, layer = graph.nodes
    quantization = narrowed.outputs[0].type.quantization
    assert quantization is not None
    assert quantization.scale == pytest.approx(0.1)
    operator = layer.operator
    assert isinstance(operator, AnalogConv2D)
    scales = [graph.constant_data[value.name].tolist() for value in layer.present_inputs[2:]]
    assert (operator.shift, operator.addend_shift) == (4, 0)
    assert scales == [[64], [96]]


def test_a_layer_behind_another_reads_its_seven_bits() -> None:
    graph, mapping = mapped(two_layers())
    assert mnemonics(graph) == ["requantize", "analog_conv2d", "analog_conv2d", "requantize"]
    assert [layer.bits for layer in mapping.layers] == [7, 8]
    found = evaluate_graph(graph, random_inputs(graph, 1), keep=True)
    assert int(found["a.analog"].max()) <= 63


def test_rows_become_images_of_a_pixel() -> None:
    before = parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,4,32]<0.05, 7>
      const %w: i2[10,128]<[{", ".join(["0.1", "0.05"] * 5)}], [{", ".join(["0"] * 10)}], axis 0> = {ternary(10, 128)}
      %y: i8[1,10]<0.5, 0> = fully_connected(%x, %w) {{activation=relu}}
      output %y
    }}""")
    graph, mapping = mapped(before)
    assert [type(node.operator) for node in graph.nodes] == [
        Requantize,
        Reshape,
        AnalogConv2D,
        Reshape,
    ]
    assert graph.outputs == before.outputs
    assert len(mapping.layers) == 1


def test_more_rows_than_the_array_has_are_converted_in_parts() -> None:
    graph, mapping = mapped(
        one_layer(shape="8,3,3,300", x="i8[1,6,6,300]<0.05, 0>", y="i8[1,6,6,8]<2.0, 0>")
    )
    assert [layer.chunks for layer in mapping.layers] == [3]
    assert any(
        isinstance(node.operator, AnalogConv2D) and node.operator.chunk_channels == 128
        for node in graph.nodes
    )


def test_a_layer_that_would_lose_too_much_stays() -> None:
    graph = one_layer()
    _, mapping = mapped(graph)
    (layer,) = mapping.layers
    same, refused = mapped(graph, MapAnalog(least_db=layer.sqnr_db + 1))
    assert same is graph
    assert re.search(r"it would keep [0-9.]+ dB, expected [0-9.]+", refused.left[0][1])


def test_a_gain_whose_multipliers_are_no_int8_is_refused() -> None:
    _, mapping = mapped(one_layer(), MapAnalog(gain=1 << 17))
    assert mapping.left[0][1] == ("with a gain of 131072 its multipliers would be no int8")


@pytest.mark.parametrize("graph", [one_layer(), two_layers()], ids=["one", "two"])
def test_samples_choose_the_gain_that_loses_least(graph: Graph) -> None:
    samples = [random_inputs(graph, seed) for seed in range(2)]
    _, chosen = mapped(graph, MapAnalog(samples=samples))
    for gain in (1, 4, 16, 64):
        _, forced = mapped(graph, MapAnalog(gain=gain, samples=samples, least_db=6.1))
        first = [layer.sqnr_db for layer in forced.layers if layer.name == chosen.layers[0].name]
        assert all(found <= chosen.layers[0].sqnr_db for found in first)


@pytest.mark.parametrize("graph", [one_layer(), two_layers()], ids=["one", "two"])
def test_losses_are_what_the_contract_measures(graph: Graph) -> None:
    sample = random_inputs(graph, 5)
    pass_ = MapAnalog(samples=[sample])
    _, mapping = mapped(graph, pass_)
    (record,) = Pipeline([pass_]).run(graph, verify_inputs=sample).records
    least = min(layer.sqnr_db for layer in mapping.layers)
    assert record.measured is not None
    assert -20 * np.log10(record.measured) == pytest.approx(least)


def test_the_largest_difference_is_that_of_the_layer() -> None:
    graph = one_layer()
    sample = random_inputs(graph, 5)
    after, mapping = mapped(graph, MapAnalog(samples=[sample]))
    before, now = (evaluate_graph(each, sample)["y"].astype(int) for each in (graph, after))
    assert mapping.layers[0].largest == np.abs(before - now).max() > 0
    assert mapping.layers[0].sqnr_db == pytest.approx(
        -20 * np.log10(Metric.NOISE_OF_EACH.of(before, now))
    )


def test_the_result_reads_back_and_is_mapped_no_further() -> None:
    graph, _ = mapped(two_layers())
    assert print_graph(parse_graph(print_graph(graph))) == print_graph(graph)
    again, mapping = mapped(graph)
    assert again is graph
    assert mapping == AnalogMapping()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gain": -1}, "expected a gain from 1 to 131072, or 0, got -1"),
        ({"gain": (1 << 17) + 1}, "expected a gain from 1"),
        ({"least_db": 6.0}, "expected least_db from 6.1, got 6"),
    ],
)
def test_options_are_checked(options: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        dataclasses.replace(MapAnalog(), **options)
