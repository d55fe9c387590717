"""Which layers the analog array can compute, and why it cannot compute others."""

import json
import re

import numpy as np
import pytest
from analog_graphs import mapped, one_layer, ternary
from tinsmith_diana.analog import MapAnalog
from tinsmith_ir import parse_graph

_REFUSED = {
    "groups": (
        {"shape": "8,3,3,8", "weights": ternary(8, 3, 3, 8)},
        "one group, .*: there are 2 groups",
    ),
    "dilation": (
        {"attributes": "padding=[2,2,2,2], dilation=[2,2]"},
        "no dilation, .*: the dilation is 2x2",
    ),
    "window": ({"shape": "8,2,3,16", "y": "i8[1,7,6,8]<0.5, 0>"}, "1, 3, 5 or 7 .*: it is 2x3"),
    "stride": (
        {"attributes": "padding=[1,1,1,1], stride=[1,2]", "y": "i8[1,6,3,8]<0.5, 0>"},
        "the stride is 1x2",
    ),
    "padding": (
        {"attributes": "padding=[4,1,1,1]", "y": "i8[1,9,6,8]<0.5, 0>"},
        "at most 3: the padding is 4",
    ),
    "weights": (
        {"weights": json.dumps([-2, 1] + [0] * (8 * 9 * 16 - 2))},
        "ternary.*: those of 1 channels are not",
    ),
    "columns": (
        {"shape": "513,1,1,16", "attributes": "", "y": "i8[1,6,6,513]<0.5, 0>"},
        "512 output channels.*: there are 513",
    ),
    "channels": (
        {"shape": "8,1,1,1024", "attributes": "", "x": "i8[1,6,6,1024]<0.05, 0>"},
        "1,023 input channels.*: there are 1024",
    ),
    "images": (
        {"x": "i8[2,6,6,16]<0.05, 0>", "y": "i8[2,6,6,8]<0.5, 0>"},
        "one image, .*: there are 2",
    ),
    "activation": (
        {"attributes": "padding=[1,1,1,1], activation=relu_n1_to_1"},
        "its activation is relu_n1_to_1",
    ),
    "ends": (
        {"attributes": "padding=[1,1,1,1], activation=relu", "y": "i8[1,6,6,8]<0.5, 127>"},
        "nothing is above 0",
    ),
}


@pytest.mark.parametrize("name", _REFUSED)
def test_layers_that_the_array_cannot_compute_stay_with_a_reason(name: str) -> None:
    changed, reason = _REFUSED[name]
    before = one_layer(**changed)
    graph, mapping = mapped(before)
    assert graph is before
    ((layer, why),) = mapping.left
    assert layer == "y"
    assert re.search(reason, why), why


def test_depthwise_layers_and_sums_stay() -> None:
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,6,6,16]<0.05, 0>
      const %w: i2[1,3,3,16]<0.1, 0> = {ternary(1, 3, 3, 16)}
      const %v: i2[8,1,1,16]<0.1, 0> = {ternary(8, 1, 1, 16)}
      %a: i8[1,4,4,16]<0.25, 0> = depthwise_conv2d(%x, %w)
      %y: i32[1,4,4,8]<0.025, 0> = conv2d(%a, %v) {{accumulator=i32}}
      output %y
    }}""")
    after, mapping = mapped(graph)
    assert after is graph
    reasons = dict(mapping.left)
    assert reasons["a"].endswith("it is a depthwise_conv2d")
    assert reasons["y"].endswith("it gives sums")


def test_computed_weights_stay() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: i8[1,2,2,4]<0.05, 0>
      input %w: i8[8,1,1,4]<0.1, 0>
      %y: i8[1,2,2,8]<0.5, 0> = conv2d(%x, %w)
      output %y
    }""")
    _, mapping = mapped(graph)
    assert mapping.left[0][1].endswith("w is computed")


def test_weights_of_one_magnitude_are_ternary_whatever_their_bits() -> None:
    """Of int8, 5 or -5 or 0 in one channel, 7 in another: the scale of a one is 5 or 7 steps."""
    weights = np.random.default_rng(0).integers(-1, 2, (2, 16)) * [[5], [7]]
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,4,4,16]<0.05, 0>
      const %w: i8[2,1,1,16]<0.02, 0> = {json.dumps(weights.reshape(-1).tolist())}
      %y: i8[1,4,4,2]<0.25, 0> = conv2d(%x, %w)
      output %y
    }}""")
    after, _ = mapped(graph)
    multipliers = after.constant_data[after.nodes[1].present_inputs[2].name]
    assert after.nodes[1].operator.mnemonic == "analog_conv2d"
    assert multipliers[0] / multipliers[1] == pytest.approx(5 / 7, abs=0.02)


@pytest.mark.parametrize(("end", "is_copy"), [(1, True), (-1, False)])
def test_layers_that_copy_stay_and_those_that_move_channels_do_not(end: int, is_copy: bool) -> None:
    ones = np.eye(16, dtype=int)[::end].reshape(-1).tolist()
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,6,6,16]<0.5, 0>
      const %w: i8[16,1,1,16]<1.0, 0> = {ones}
      %y: i8[1,6,6,16]<0.5, 0> = conv2d(%x, %w) {{activation=relu}}
      output %y
    }}""")
    _, mapping = mapped(graph, MapAnalog(gain=4, least_db=6.1))
    assert len(mapping.layers) == (0 if is_copy else 1), mapping.lines
    assert any("each channel is its own" in why for _, why in mapping.left) == is_copy
