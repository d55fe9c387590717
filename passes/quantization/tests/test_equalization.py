"""Channels between two layers, scaled: the same network, and weights that are alike."""

from dataclasses import replace

import numpy as np
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_quantization import quantize, scheme
from tinsmith_quantization.channels.equalization import equalized

RANDOM = np.random.default_rng(8)


def numbers(*shape: int, scales: "list[float] | None" = None, axis: int = 0) -> str:
    found = RANDOM.normal(size=shape)
    if scales is not None:
        spread = [1] * len(shape)
        spread[axis] = -1
        found = found * np.array(scales).reshape(spread)
    return str([float(number) for number in found.round(4).reshape(-1)])


GRAPH = parse_graph(f"""graph 2 "g" {{
  input %x: f32[1,6,6,4]
  const %a: f32[4,3,3,4] = {numbers(4, 3, 3, 4, scales=[1.0, 0.01, 8.0, 0.3])}
  const %b: f32[4] = [0.1, -0.02, 0.5, 0.0]
  const %c: f32[1,3,3,4] = {numbers(1, 3, 3, 4, scales=[1.0, 60.0, 0.1, 2.0], axis=3)}
  const %d: f32[3,1,1,4] = {numbers(3, 1, 1, 4)}
  %1: f32[1,4,4,4] = conv2d(%x, %a, %b) {{activation=relu}}
  %2: f32[1,2,2,4] = depthwise_conv2d(%1, %c) {{activation=relu}}
  %3: f32[1,2,2,3] = conv2d(%2, %d)
  output %3
}}""")


def samples(graph: Graph) -> list[dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]:
    random = np.random.default_rng(2)
    (value,) = graph.inputs
    return [{value.name: random.normal(size=value.type.shape).astype(np.float32)} for _ in range(8)]


def stacked(graph: Graph) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    given = samples(graph)
    return {name: np.stack([sample[name] for sample in given]) for name in given[0]}


def test_the_network_keeps_every_bit() -> None:
    made = equalized(GRAPH, stacked(GRAPH))
    assert made is not GRAPH
    for sample in samples(GRAPH):
        (wanted,) = evaluate_graph(GRAPH, sample).values()
        (got,) = evaluate_graph(made, sample).values()
        assert wanted.tobytes() == got.tobytes()


def test_channels_are_alike_afterwards() -> None:
    made = equalized(GRAPH, stacked(GRAPH)).constant_data

    def spread(weights: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> float:
        peaks = np.abs(weights.astype(np.float64)).reshape(4, -1).max(axis=1)
        return float(peaks.max() / peaks.min())

    assert spread(made["a"]) < spread(GRAPH.constant_data["a"]) / 10


def test_one_scale_for_a_layer_loses_less() -> None:
    one = replace(scheme("int8"), per_channel=False, weights="nearest")
    plain, scaled = (
        quantize(GRAPH, samples(GRAPH), replace(one, equalize=equalize)).losses.tensors[-1].sqnr_db
        for equalize in (False, True)
    )
    assert scaled > plain + 6


def test_what_knows_an_upper_end_or_is_read_twice_stays() -> None:
    text = """graph 2 "g" {
      input %x: f32[1,2]
      const %a: f32[2,2] = [1.0, 2.0, 100.0, 300.0]
      const %b: f32[2,2] = [1.0, 0.01, 2.0, 0.02]
      %1: f32[1,2] = fully_connected(%x, %a) ACTIVATION
      %2: f32[1,2] = fully_connected(%1, %b)
      OUTPUT
    }"""
    once = parse_graph(text.replace("ACTIVATION", "").replace("OUTPUT", "output %2"))
    given = stacked(once)
    assert equalized(once, given) is not once
    clamped = parse_graph(
        text.replace("ACTIVATION", "{activation=relu6}").replace("OUTPUT", "output %2")
    )
    assert equalized(clamped, given) is clamped
    twice = parse_graph(text.replace("ACTIVATION", "").replace("OUTPUT", "output %1 output %2"))
    assert equalized(twice, given) is twice
