"""What back ends are told of layers with weights."""

import numpy as np
import pytest
from tinsmith_ir import Graph, parse_graph
from tinsmith_lowering import (
    Layer,
    channel_parameters,
    given_biases,
    given_weights,
    layer_of_node,
    only_weights_are_constant,
    weight_rows,
    weights_are_constant,
)
from tinsmith_target import target

# Two inputs and three outputs, whose multipliers are one half, a quarter and an eighth.
LINEAR = """graph 2 "g" {
  input %x: i8[1,2]<1.0, 3>
  const %w: i8[3,2]<[0.5, 0.25, 0.125], [0, 0, 0], axis 0> = [1, 2, 3, 4, 5, 6]
  const %b: i32[3] = [7, -8, 9]
  %y: i8[1,3]<1.0, -1> = fully_connected(%x, %w, %b)
  output %y
}"""

# A window of one row and two columns over two channels: the channels are the last axis of the weights.
DEPTHWISE = """graph 2 "g" {
  input %x: i8[1,1,2,2]<1.0, 0>
  const %w: i8[1,1,2,2]<0.5, 0> = [1, 2, 3, 4]
  %y: i8[1,1,1,2]<1.0, 0> = depthwise_conv2d(%x, %w)
  output %y
}"""


def layer(text: str) -> Layer:
    graph: Graph = parse_graph(text)
    return layer_of_node(graph, graph.nodes[-1], target("host"))


def test_rows_are_the_weights_of_each_output() -> None:
    assert weight_rows(layer(LINEAR)).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert weight_rows(layer(DEPTHWISE)).tolist() == [[1, 3], [2, 4]]
    assert given_weights(layer(DEPTHWISE)).shape == (1, 1, 2, 2)


def test_a_layer_without_biases_has_zeros() -> None:
    assert given_biases(layer(LINEAR)).tolist() == [7, -8, 9]
    assert given_biases(layer(DEPTHWISE)).tolist() == [0, 0]


def test_each_channel_has_a_multiplier() -> None:
    for text, wanted in ((LINEAR, [0.5, 0.25, 0.125]), (DEPTHWISE, [0.5, 0.5])):
        p = channel_parameters(layer(text))
        scales = np.ldexp(p.multipliers.astype(float), p.shifts - 31)
        assert scales.tolist() == wanted
    p = channel_parameters(layer(LINEAR))
    assert (p.input_offset, p.output_offset, p.clamp_min, p.clamp_max) == (-3, -1, -128, 127)


WEIGHTS = "%w: i8[3,2]<[0.5, 0.25, 0.125], [0, 0, 0], axis 0>"


@pytest.mark.parametrize(
    ("old", "new", "known", "only"),
    [
        ("", "", None, None),
        (
            "const %b: i32[3] = [7, -8, 9]",
            "input %b: i32[3]",
            *["bias is computed at run time"] * 2,
        ),
        (
            f"const {WEIGHTS} = [1, 2, 3, 4, 5, 6]",
            f"input {WEIGHTS}",
            *["weights is computed at run time"] * 2,
        ),
        (
            "input %x: i8[1,2]<1.0, 3>",
            "const %x: i8[1,2]<1.0, 3> = [1, 2]",
            None,
            "the input is a constant",
        ),
    ],
)
def test_rules_say_what_is_not_known(
    old: str, new: str, known: str | None, only: str | None
) -> None:
    found = layer(LINEAR.replace(old, new))
    assert weights_are_constant(found) == known
    assert only_weights_are_constant(found) == only


def test_weights_of_the_run_time_have_no_rows() -> None:
    computed = LINEAR.replace(f"const {WEIGHTS} = [1, 2, 3, 4, 5, 6]", f"input {WEIGHTS}")
    with pytest.raises(ValueError, match="the weights are not constant"):
        weight_rows(layer(computed))
