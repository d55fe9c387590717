"""Rotary embeddings and SiLU: of integers alone, and how far these are from the real numbers."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import Graph, evaluate_graph, parse_graph
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_qdq import FoldQuantization, remaining
from tinsmith_quantization import Scheme, quantize, scheme

Reals = NDArray[np.float64]

_POSITIONS, _HALF = 6, 4
_ANGLES = np.arange(_POSITIONS)[:, None] * 100.0 ** (-np.arange(_HALF) / _HALF)[None]


def _listed(array: Reals) -> str:
    return "[" + ", ".join(str(float(np.float32(number))) for number in array.ravel()) + "]"


def _halves() -> str:
    """As ONNX's RotaryEmbedding is imported: each half of the result from both halves of x."""
    return f"""graph 2 "halves" {{
      input %x: f32[1,2,6,8]
      const %cos: f32[1,1,6,4] = {_listed(np.cos(_ANGLES))}
      const %sin: f32[1,1,6,4] = {_listed(np.sin(_ANGLES))}
      %a: f32[1,2,6,4] = slice(%x) {{begin=[0,0,0,0], shape=[1,2,6,4]}}
      %b: f32[1,2,6,4] = slice(%x) {{begin=[0,0,0,4], shape=[1,2,6,4]}}
      %ac: f32[1,2,6,4] = mul(%a, %cos)
      %bs: f32[1,2,6,4] = mul(%b, %sin)
      %first: f32[1,2,6,4] = sub(%ac, %bs)
      %as: f32[1,2,6,4] = mul(%a, %sin)
      %bc: f32[1,2,6,4] = mul(%b, %cos)
      %second: f32[1,2,6,4] = add(%as, %bc)
      %y: f32[1,2,6,8] = concat(%first, %second) {{axis=3}}
      output %y
    }}"""


def _rotate_half() -> str:
    """As modules of PyTorch write it: x * cos + rotate_half(x) * sin."""
    return f"""graph 2 "rotate_half" {{
      input %x: f32[1,2,6,8]
      const %cos: f32[1,1,6,8] = {_listed(np.tile(np.cos(_ANGLES), 2))}
      const %sin: f32[1,1,6,8] = {_listed(np.tile(np.sin(_ANGLES), 2))}
      %a: f32[1,2,6,4] = slice(%x) {{begin=[0,0,0,0], shape=[1,2,6,4]}}
      %b: f32[1,2,6,4] = slice(%x) {{begin=[0,0,0,4], shape=[1,2,6,4]}}
      %minus: f32[1,2,6,4] = neg(%b)
      %turned: f32[1,2,6,8] = concat(%minus, %a) {{axis=3}}
      %xc: f32[1,2,6,8] = mul(%x, %cos)
      %ts: f32[1,2,6,8] = mul(%turned, %sin)
      %y: f32[1,2,6,8] = add(%xc, %ts)
      output %y
    }}"""


def _made(graph: Graph, chosen: Scheme) -> tuple[Graph, list[NDArray[np.float32]]]:
    random = np.random.default_rng(5)
    shape = graph.inputs[0].type.shape
    drawn = [random.uniform(-3, 3, shape).astype(np.float32) for _ in range(8)]
    return FoldQuantization().run(quantize(graph, [{"x": x} for x in drawn], chosen).graph), drawn


def _quantization(type_: TensorType) -> Quantization:
    assert type_.quantization is not None
    return type_.quantization


def _scale_of(graph: Graph, name: str) -> float:
    return _quantization(graph.values[name].type).scale


def _distance(graph: Graph, quantized: Graph, x: NDArray[np.float32]) -> float:
    """The largest between integers and what the float network gives for the same numbers, in steps of the result."""
    source, result = quantized.inputs[0].type, quantized.outputs[0].type
    step, zero = _quantization(source).scale, _quantization(source).zero_point
    low, high = source.dtype.integer_range
    integers = np.clip(np.rint(x / step) + zero, low, high).astype(source.dtype.numpy)
    real = (step * (integers.astype(np.float64) - zero)).astype(np.float32)
    (wanted,) = evaluate_graph(graph, [real]).values()
    (found,) = evaluate_graph(quantized, [integers]).values()
    scale, zero = _quantization(result).scale, _quantization(result).zero_point
    clamped = np.clip(wanted.astype(np.float64) / scale + zero, *result.dtype.integer_range)
    return float(np.abs(found.astype(np.float64) - clamped).max())


def _bound(quantized: Graph, products: str) -> float:
    """Steps of the result: half of one, of each product, and what halves of steps of cos and sin are of x."""
    tables = [value.type for value in quantized.values.values() if "_integers" in value.name]
    widest = max(_quantization(type_).scale for type_ in tables if type_.shape[1] == 1)
    steps = max(_scale_of(quantized, name) for name in products.split())
    return 0.501 + (steps + widest * 3.0 * 1.01) / _quantization(quantized.outputs[0].type).scale


@pytest.mark.parametrize("name", ["int8", "int16x8"])
@pytest.mark.parametrize(
    ("text", "products"), [(_halves(), "ac bs as bc"), (_rotate_half(), "xc ts")]
)
def test_rotary_embeddings_are_integers_as_near_as_said(
    text: str, products: str, name: str
) -> None:
    graph = parse_graph(text)
    chosen = replace(scheme(name), method="minmax")
    quantized, drawn = _made(graph, chosen)
    assert not remaining(quantized)
    bound = _bound(quantized, products)
    assert bound < 2.8
    farthest = max(_distance(graph, quantized, x) for x in drawn)
    assert 0.5 < farthest <= bound


def test_silu_is_one_table_within_half_a_step() -> None:
    graph = parse_graph("""graph 2 "silu" {
      input %x: f32[1,256]
      %gate: f32[1,256] = logistic(%x)
      %y: f32[1,256] = mul(%x, %gate)
      output %y
    }""")
    ramp = np.linspace(-6, 6, 256).astype(np.float32)[np.newaxis]
    for width in (0.1, 0.5, 1.0, 2.0):
        x = ramp * np.float32(width)
        chosen = Scheme(method="minmax")
        quantized = FoldQuantization().run(quantize(graph, [{"x": x}], chosen).graph)
        assert [node.operator.mnemonic for node in quantized.nodes] == ["lookup"]
        assert _distance(graph, quantized, x) <= 0.501


def test_silu_of_16_bits_is_a_curve_and_a_product() -> None:
    graph = parse_graph("""graph 2 "silu" {
      input %x: f32[1,256]
      %gate: f32[1,256] = logistic(%x)
      %y: f32[1,256] = mul(%x, %gate)
      output %y
    }""")
    x = np.linspace(-6, 6, 256).astype(np.float32)[np.newaxis]
    quantized = FoldQuantization().run(quantize(graph, [{"x": x}], scheme("int16x8")).graph)
    assert [node.operator.mnemonic for node in quantized.nodes] == ["logistic", "mul"]
    # The curve's 2 steps of 2**-15 times 6, in steps of 6 / 32767, and half a step of the product.
    assert _distance(graph, quantized, x) <= 2.6
