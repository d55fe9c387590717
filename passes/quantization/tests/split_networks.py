"""Float networks of random numbers whose channels may be split."""

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import Graph, parse_graph

Array = NDArray[np.generic]
Factors = dict[int, float]


def numbers(random: np.random.Generator, *shape: int, factors: Factors | None = None) -> str:
    """Of a shape, as text. factors: of indices of the last axis."""
    found = random.normal(size=shape)
    for index, factor in (factors or {}).items():
        found[..., index] *= factor
    return str([float(number) for number in found.round(4).reshape(-1)])


def convolutions(random: np.random.Generator, activation: str = "relu") -> Graph:
    """Two families: one through a depthwise convolution with a sum over it, one through a pool and a reshape."""
    return parse_graph(f"""graph 2 "g" {{
      input %x: f32[1,6,6,3]
      const %a: f32[8,3,3,3] = {numbers(random, 8, 3, 3, 3)}
      const %ab: f32[8] = {numbers(random, 8)}
      const %d: f32[1,3,3,8] = {numbers(random, 1, 3, 3, 8)}
      const %db: f32[8] = {numbers(random, 8)}
      const %c: f32[8,1,1,8] = {numbers(random, 8, 1, 1, 8)}
      const %k: f32[1,1,1,8] = {numbers(random, 1, 1, 1, 8)}
      const %e: f32[5,1,1,8] = {numbers(random, 5, 1, 1, 8)}
      const %eb: f32[5] = {numbers(random, 5)}
      const %f: f32[4,20] = {numbers(random, 4, 20)}
      %1: f32[1,4,4,8] = conv2d(%x, %a, %ab) {{activation={activation}}}
      %2: f32[1,4,4,8] = depthwise_conv2d(%1, %d, %db) {{padding=[1,1,1,1], activation={activation}}}
      %3: f32[1,4,4,8] = conv2d(%2, %c)
      %4: f32[1,4,4,8] = add(%3, %1) {{activation={activation}}}
      %5: f32[1,4,4,8] = add(%4, %k)
      %6: f32[1,4,4,5] = conv2d(%5, %e, %eb) {{activation={activation}}}
      %7: f32[1,2,2,5] = max_pool2d(%6) {{window=[2,2], stride=[2,2]}}
      %8: f32[1,20] = reshape(%7) {{shape=[1,20]}}
      %9: f32[1,4] = fully_connected(%8, %f)
      output %9
    }}""")


def gated(random: np.random.Generator, outliers: Factors | None = None) -> Graph:
    """A gated layer behind a norm, as in a transformer. outliers: factors of channels of the norm, whose weights in
    turn are as much smaller.
    """
    given = outliers or {}
    read = {index: 1 / factor for index, factor in given.items()}
    return parse_graph(f"""graph 2 "g" {{
      input %x: f32[4,16]
      const %g: f32[16] = {numbers(random, 16, factors=given)}
      const %b: f32[16] = {numbers(random, 16)}
      const %u: f32[12,16] = {numbers(random, 12, 16, factors=read)}
      const %v: f32[12,16] = {numbers(random, 12, 16, factors=read)}
      const %vb: f32[12] = {numbers(random, 12)}
      const %w: f32[16,12] = {numbers(random, 16, 12)}
      %1: f32[4,16] = layer_norm(%x, %g, %b)
      %2: f32[4,12] = fully_connected(%1, %u) {{keep_dims=true}}
      %3: f32[4,12] = fully_connected(%1, %v, %vb) {{keep_dims=true}}
      %4: f32[4,12] = logistic(%2)
      %5: f32[4,12] = mul(%2, %4)
      %6: f32[4,12] = mul(%5, %3)
      %7: f32[4,16] = fully_connected(%6, %w) {{keep_dims=true}}
      %8: f32[4,16] = add(%7, %x)
      output %8
    }}""")


def two_layers(random: np.random.Generator, activation: str = "relu", **factors: Factors) -> Graph:
    """Of 16 channels between two convolutions, and a third that gives the output.

    factors: `given`, of the first layer's results, and `read`, of the weights that read each.
    """
    given, read = factors.get("given", {}), factors.get("read", {})
    rows = np.array([given.get(index, 1.0) for index in range(16)])
    first = random.normal(size=(16, 3, 3, 4)) * rows[:, None, None, None]
    text = str([float(number) for number in first.round(4).reshape(-1)])
    return parse_graph(f"""graph 2 "g" {{
      input %x: f32[1,6,6,4]
      const %a: f32[16,3,3,4] = {text}
      const %ab: f32[16] = {numbers(random, 16)}
      const %c: f32[12,1,1,16] = {numbers(random, 12, 1, 1, 16, factors=read)}
      const %e: f32[6,1,1,12] = {numbers(random, 6, 1, 1, 12)}
      %1: f32[1,4,4,16] = conv2d(%x, %a, %ab) {{activation={activation}}}
      %2: f32[1,4,4,12] = conv2d(%1, %c)
      %3: f32[1,4,4,6] = conv2d(%2, %e)
      output %3
    }}""")


def samples(graph: Graph, count: int = 8) -> list[dict[str, Array]]:
    """Random numbers for the only input."""
    random = np.random.default_rng(2)
    (value,) = graph.inputs
    shape = value.type.shape
    return [{value.name: random.normal(size=shape).astype(np.float32)} for _ in range(count)]
