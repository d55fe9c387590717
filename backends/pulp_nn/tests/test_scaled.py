"""Constants of stages that round once, computed with words that wrap as the kernels' do, against the evaluator."""

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_lowering import Layer
from tinsmith_pulp_nn.scaled import high_words, high_words_fit, low_words, low_words_fit
from tinsmith_target import target

_GRAPH = """graph 2 "g" {{
  input %x: i8[1,4]<0.5, {zero}>
  const %w: i8[2,4]<[{scale}, 0.0013], [0, 0], axis 0> = [127, -127, 100, -128, 1, -2, 3, -4]
  const %b: i32[2] = [{bias}, -5]
  %y: i8[1,2]<1.0, -7> = fully_connected(%x, %w, %b) {{rounding={mode}, multiplier_bits={bits}}}
  output %y
}}"""


def layer_of(graph: Graph) -> Layer:
    (node,) = graph.nodes
    types = tuple(value.type for value in node.present_inputs)
    constants = tuple(graph.constant(value) for value in node.inputs)
    results = tuple(value.type for value in node.outputs)
    return Layer("y", node.operator, types, results, constants, target("siracusa"))


def computed(layer: Layer, x: NDArray[np.int8], *, is_high: bool) -> NDArray[np.int64]:
    found = high_words(layer) if is_high else low_words(layer)
    acc = found.rows.astype(np.int64) @ x.astype(np.int64)
    if is_high:
        acc = acc + found.words[0]
    multipliers, addends, shifts = found.words[-1].reshape(-1, 3).astype(np.int64).T
    product = acc * multipliers >> (32 if is_high else 0)
    return np.clip((product + addends).astype(np.int32).astype(np.int64) >> shifts, -128, 127)


@pytest.mark.parametrize("mode", ["nearest", "floor"])
@pytest.mark.parametrize(
    ("bits", "bias", "scale"),
    [(12, 300, 0.002), (31, 300, 0.002), (12, 1 << 29, 0.002), (31, -(1 << 29), 0.002)],
)
@pytest.mark.parametrize("zero", [-128, 3])
def test_stages_give_the_one_rounding(
    mode: str, bits: int, bias: int, scale: float, zero: int
) -> None:
    text = _GRAPH.format(zero=zero, scale=scale, bias=bias, mode=mode, bits=bits)
    graph = parse_graph(text)
    layer = layer_of(graph)
    generator = np.random.default_rng(7)
    random = generator.integers(-128, 128, (200, 4)).astype(np.int8)
    ends = generator.choice(np.array([-128, 127], np.int8), (40, 4))
    assert high_words_fit(layer) is None
    assert (low_words_fit(layer) is None) == (bits == 12)
    for x in np.concatenate([random, ends]):
        (wanted,) = evaluate_graph(graph, {"x": x[None]}).values()
        assert (computed(layer, x, is_high=True) == wanted[0]).all()
        if bits == 12:
            assert (computed(layer, x, is_high=False) == wanted[0]).all()


def test_a_scale_beyond_words_is_refused_by_both() -> None:
    text = _GRAPH.format(zero=0, scale=4.0, bias=0, mode="floor", bits=31)
    layer = layer_of(parse_graph(text))
    for finding in (low_words_fit(layer), high_words_fit(layer)):
        assert finding is not None
        assert "channel 0" in finding
