"""Small networks with ternary weights as text, and what the pass makes of a network."""

import json

import numpy as np
from tinsmith_diana.analog import AnalogMapping, MapAnalog
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.verify import verify_graph


def ternary(*shape: int, seed: int = 0) -> str:
    """Weights as text."""
    values = np.random.default_rng(seed).integers(-1, 2, shape)
    return json.dumps(values.reshape(-1).tolist())


def mapped(graph: Graph, pass_: MapAnalog | None = None) -> tuple[Graph, AnalogMapping]:
    """The graph behind the pass, valid, and what the pass says of it."""
    outcome = (pass_ or MapAnalog()).run_in_detail(graph)
    verify_graph(outcome.ir)
    assert isinstance(outcome.facts, AnalogMapping)
    assert outcome.warnings == outcome.facts.lines
    return outcome.ir, outcome.facts


def mnemonics(graph: Graph) -> list[str]:
    return [node.operator.mnemonic for node in graph.nodes]


def one_layer(
    *,
    weights: str = "",
    shape: str = "8,3,3,16",
    x: str = "i8[1,6,6,16]<0.05, 0>",
    y: str = "i8[1,6,6,8]<0.5, 0>",
    attributes: str = "padding=[1,1,1,1]",
) -> Graph:
    """A convolution of 3x3 with ternary weights, or what differs from it."""
    sizes = [int(size) for size in shape.split(",")]
    return parse_graph(f"""graph 2 "g" {{
      input %x: {x}
      const %w: i2[{shape}]<0.1, 0> = {weights or ternary(*sizes)}
      const %b: i32[{sizes[0]}]<0.005, 0> = {json.dumps([40 * k for k in range(sizes[0])])}
      %y: {y} = conv2d(%x, %w, %b) {{{attributes}}}
      output %y
    }}""")


def two_layers(*, a: str = "i8[1,6,6,16]<0.25, -128>") -> Graph:
    """A convolution with ReLU, whose result has that type, and one of pixels that reads it."""
    return parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,6,6,16]<0.05, 4>
      const %w: i2[16,3,3,16]<0.1, 0> = {ternary(16, 3, 3, 16)}
      const %v: i2[8,1,1,16]<0.1, 0> = {ternary(8, 1, 1, 16, seed=2)}
      %a: {a} = conv2d(%x, %w) {{padding=[1,1,1,1], activation=relu}}
      %y: i8[1,6,6,8]<0.5, 5> = conv2d(%a, %v)
      output %y
    }}""")
