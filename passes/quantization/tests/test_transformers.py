"""A block of an encoder, attention and a layer of GELU, as integers alone."""

import numpy as np
import pytest
from recurrent_networks import constant, decibels, frames
from tinsmith_ir import Graph, parse_graph
from tinsmith_qdq import FoldQuantization, remaining
from tinsmith_quantization import quantize, scheme

TOKENS, WIDTH, HIDDEN = 6, 8, 16


def encoder(seed: int = 1, *, attributes: str = "", gain: float = 1.0) -> Graph:
    """gain: of what GELU reads. attributes: of GELU."""
    random = np.random.default_rng(seed)
    square = f"f32[1,{TOKENS},{WIDTH}]"
    ones, zeros = ", ".join([f"{gain}"] * WIDTH), ", ".join(["0.0"] * WIDTH)
    shapes = dict.fromkeys("qkvo", (WIDTH, WIDTH))
    shapes |= {"u": (HIDDEN, WIDTH), "d": (WIDTH, HIDDEN)}
    lines = [
        *(constant(name, random, *shape) for name, shape in shapes.items()),
        f"const %one: f32[{WIDTH}] = [{ones}]",
        f"const %zero: f32[{WIDTH}] = [{zeros}]",
        f"%n: {square} = layer_norm(%x, %one, %zero)",
        *(
            f"%p{name}: {square} = fully_connected(%n, %{name}, none) {{keep_dims=true}}"
            for name in "qkv"
        ),
        f"%s: f32[1,{TOKENS},{TOKENS}] = batch_matmul(%pq, %pk) {{transpose_rhs=true}}",
        f"%a: f32[1,{TOKENS},{TOKENS}] = softmax(%s)",
        f"%m: {square} = batch_matmul(%a, %pv)",
        f"%r: {square} = fully_connected(%m, %o, none) {{keep_dims=true}}",
        f"%t: {square} = add(%x, %r)",
        f"%w: {square} = layer_norm(%t, %one, %zero)",
        f"%h: f32[1,{TOKENS},{HIDDEN}] = fully_connected(%w, %u, none) {{keep_dims=true}}",
        f"%g: f32[1,{TOKENS},{HIDDEN}] = gelu(%h) {{{attributes}}}",
        f"%f: {square} = fully_connected(%g, %d, none) {{keep_dims=true}}",
        f"%y: {square} = add(%t, %f)",
        "output %y",
    ]
    text = "\n".join(f"  {line}" for line in (f"input %x: {square}", *lines))
    return parse_graph(f'graph 2 "encoder" {{\n{text}\n}}\n')


@pytest.mark.parametrize("attributes", ["", "approximate=true"])
@pytest.mark.parametrize(
    ("name", "gain", "least"), [("int8", 0.5, 35.0), ("int16x8", 0.5, 52.0), ("int16x8", 4.0, 25.0)]
)
def test_a_block_of_an_encoder_is_integers_alone(
    attributes: str, name: str, gain: float, least: float
) -> None:
    """Of a gain of 4, what GELU reads reaches farther below zero than above it, so its result is narrower."""
    graph = encoder(attributes=attributes, gain=gain)
    made = quantize(graph, frames(graph), scheme(name)).graph
    quantized = FoldQuantization().run(made)
    assert not remaining(quantized)
    assert "gelu" in {node.operator.mnemonic for node in quantized.nodes}
    assert decibels(graph, quantized, frames(graph)) > least
