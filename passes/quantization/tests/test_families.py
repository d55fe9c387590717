"""Which tensors have to get more channels together, and which keep theirs."""

import numpy as np
import pytest
from split_networks import convolutions, gated
from tinsmith_ir import Graph, parse_graph
from tinsmith_quantization.channels.channel_copies import Copies
from tinsmith_quantization.channels.families import Family, families_of
from tinsmith_quantization.channels.split_ranges import Seen
from tinsmith_quantization.schemes import Scheme

_FACTORS = np.array([1.0, 2.0, 0.5, 4.0])


def names(graph: Graph) -> list[list[list[str]]]:
    """Of the tensors of each segment of each family."""
    return [
        [[value.name for value in segment.values] for segment in family.segments]
        for family in families_of(graph)
    ]


def family(graph: Graph, number: int = 0) -> Family:
    return families_of(graph)[number]


def test_depthwise_convolutions_part_a_family_and_sums_join_it() -> None:
    graph = convolutions(np.random.default_rng(1))
    assert names(graph) == [[["1", "3", "4", "5"], ["2"]], [["6", "7", "8"]]]
    (link,) = family(graph).links
    assert (link.node.name, link.source, link.result) == ("2", 0, 1)
    first, second = family(graph).segments
    assert [node.name for node in (*first.givers, *first.readers)] == ["1", "3", "6"]
    assert [node.name for node in (*second.givers, *second.readers)] == ["3"]
    assert family(graph).behind(0) == {0, 1}
    assert family(graph).behind(1) == {1}


def test_what_is_not_proportional_is_uneven() -> None:
    graph = convolutions(np.random.default_rng(1), "relu6")
    assert not any(segment.is_homogeneous for segment in family(graph).segments)
    norm, gates = families_of(gated(np.random.default_rng(1)))
    assert norm.segments[0].is_homogeneous
    assert [value.name for value in gates.segments[0].values] == ["2", "3", "4", "5", "6"]
    assert not gates.segments[0].is_homogeneous


TEXT = """graph 2 "g" {
  input %x: f32[1,4,4,4]
  const %a: f32[4,1,1,4] = RANDOM16
  const %b: f32[4,1,1,4] = RANDOM16
  const %d: f32[1,1,1,4] = [1.0, 2.0, 3.0, 4.0]
  const %m: f32[1,1,1,8] = [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]
  const %h: f32[4,1,1,2] = [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]
  const %w: f32[4,1,1,8] = RANDOM32
  %1: f32[1,4,4,4] = conv2d(%x, %a)
  BETWEEN
}""".replace("RANDOM16", str([0.5, -1.0, 2.0, 1.5] * 4)).replace("RANDOM32", str([0.5, 1.0] * 16))


@pytest.mark.parametrize(
    "between",
    [
        "%2: f32[1,4,4,4] = conv2d(%1, %b)\n output %1\n output %2",
        "%2: f32[1,4,4,4] = conv2d(%1, %a)\n output %2",
        "%2: f32[1,4,4,4] = conv2d(%1, %h)\n output %2",
        "%2: f32[1,4,4,8] = depthwise_conv2d(%1, %m)\n %3: f32[1,4,4,4] = conv2d(%2, %w)\n output %3",
        "%2: f32[1,4,4,4] = add(%1, %x)\n %3: f32[1,4,4,4] = conv2d(%2, %b)\n output %3",
        "%2: f32[1,4,4,4] = softmax(%1)\n %3: f32[1,4,4,4] = conv2d(%2, %b)\n output %3",
        "%2: f32[1,4,4,4] = conv2d(%1, %b)\n %3: f32[1,4,4,1] = mean(%1) {axes=[3], keep_dims=true}\n"
        " output %2\n output %3",
        "%2: f32[1,4,4,4] = transpose(%1) {permutation=[0,3,1,2]}\n"
        " %3: f32[1,4,4,4] = conv2d(%2, %b)\n output %3",
    ],
    ids=[
        "an output",
        "shared weights",
        "groups",
        "a multiplier",
        "an input",
        "a softmax",
        "a mean of channels",
        "a transposition",
    ],
)
def test_channels_that_others_see_stay(between: str) -> None:
    assert families_of(parse_graph(TEXT.replace("BETWEEN", between))) == ()


def test_channels_stay_with_whom_they_are_in_between() -> None:
    between = """%2: f32[1,4,4,4] = depthwise_conv2d(%1, %d) {activation=relu}
      %3: f32[1,1,1,4] = mean(%2) {axes=[1,2], keep_dims=true}
      %4: f32[1,1,1,4] = conv2d(%3, %b)
      output %4"""
    graph = parse_graph(TEXT.replace("BETWEEN", between))
    assert names(graph) == [[["1"], ["2", "3"]]]
    assert all(segment.is_homogeneous for segment in family(graph).segments)


@pytest.mark.parametrize("method", ["minmax", "mse", "percentile"])
def test_noise_of_a_tensor_is_that_of_rounding_it(method: str) -> None:
    """Of channels as they are, and of one that is halved in two copies, whose errors count twice."""
    random = np.random.default_rng(1)
    array = (random.normal(size=(6, 5, 5, 4)) * _FACTORS).astype(np.float32)
    seen, scheme = Seen.of(array, 4), Scheme(method=method)
    once = Copies.none(4, 1)
    for copies in (once, once.split(3, frozenset({0}))):
        copied = array[..., copies.origins] * copies.factors(0)
        ends = np.sort(copied.reshape(-1))
        step = (ends[-1] - ends[0]) / 255
        lost = np.rint(copied / step) * step - copied
        made = copies.summed(np.moveaxis(lost, 3, 0), 0, copies.counts(0))
        wanted = float((made**2).mean(axis=(1, 2, 3)).sum())
        got = seen.noise(copies, 0, np.ones(4), scheme)
        assert got <= 1.1 * wanted
        assert method != "minmax" or got >= 0.9 * wanted
