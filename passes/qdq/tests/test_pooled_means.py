"""Means over whole maps, which are average pools where nothing is rescaled."""

import numpy as np
import pytest
from tinsmith_ir import Graph, parse_graph
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.operators import AveragePool2D
from tinsmith_ir.testing import random_inputs
from tinsmith_qdq import FoldQuantization

_X = "<0.0625, -127>"
"""Of a power of two, so that float32 has no error of its own."""


def _graph(axes: str, real: str, result: str = _X) -> Graph:
    keeps = "true" if real.count(",") == 3 else "false"
    return parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,4,4,2]{_X}
      %a: f32[1,4,4,2] = dequantize(%x)
      %m: f32{real} = mean(%a) {{axes={axes}, keep_dims={keeps}}}
      %y: i8{real}{result} = quantize(%m) {{halves_to_even=true}}
      output %y
    }}""")


@pytest.mark.parametrize(
    ("axes", "real", "mnemonics"),
    [
        ("[1,2]", "[1,1,1,2]", ["average_pool2d", "reshape"]),
        ("[1,2]", "[1,2]", ["average_pool2d", "reshape"]),
        ("[2,3]", "[1,4,1,1]", ["transpose", "average_pool2d", "reshape"]),
        ("[2,3]", "[1,4]", ["transpose", "average_pool2d", "reshape"]),
        ("[1,3]", "[1,1,4,1]", ["mean"]),
    ],
)
def test_a_mean_over_a_map_is_a_pool(axes: str, real: str, mnemonics: list[str]) -> None:
    before = _graph(axes, real)
    after = FoldQuantization().run(before)
    assert [node.operator.mnemonic for node in after.nodes] == mnemonics
    given = random_inputs(before, seed=5)
    one, other = (evaluate_graph(each, given)["y"].astype(np.int64) for each in (before, after))
    most = 0 if "average_pool2d" in mnemonics else 1  # a mean's halves go up
    assert int(np.abs(one - other).max()) <= most


@pytest.mark.parametrize(
    ("window", "padding", "to_even"),
    [("2,2", "0,0,0,0", True), ("3,3", "0,0,0,0", False), ("3,3", "1,1,1,1", True)],
)
def test_halves_of_pools_go_to_even_where_there_are_halves(
    window: str, padding: str, to_even: bool
) -> None:
    size = 5 - int(window[0]) + 2 * int(padding[0])
    before = parse_graph(f"""graph 2 "g" {{
      input %x: i8[2,4,4,5]{_X}
      %a: f32[2,4,4,5] = dequantize(%x)
      %p: f32[2,{size},{size},5] = average_pool2d(%a) {{window=[{window}], padding=[{padding}]}}
      %y: i8[2,{size},{size},5]{_X} = quantize(%p) {{halves_to_even=true}}
      output %y
    }}""")
    after = FoldQuantization().run(before)
    (node,) = after.nodes
    assert isinstance(node.operator, AveragePool2D)
    assert node.operator.halves_to_even is to_even
    given = random_inputs(before, seed=6)
    one, other = (evaluate_graph(each, given)["y"] for each in (before, after))
    np.testing.assert_array_equal(one, other)


def test_a_mean_of_another_scale_stays_one() -> None:
    after = FoldQuantization().run(_graph("[1,2]", "[1,2]", "<0.04, -128>"))
    assert [node.operator.mnemonic for node in after.nodes] == ["mean"]


@pytest.mark.parametrize(("bias", "scale"), [("1e-3", 1e-9), ("2.0", 1e-8)])
def test_weights_of_zero_have_a_scale_whose_bias_fits(bias: str, scale: float) -> None:
    """A bias that fits leaves the scale as it is."""
    body = f"""
      input %x: i8[1,2]<0.5, 0>
      const %w: i8[2,2]<1.0, 0> = [0, 0, 3, 4]
      const %scales: f32[2,1] = [{scale}, 0.25]
      const %bias: f32[2] = [{bias}, 1.0]
      %a: f32[1,2] = dequantize(%x)
      %d: f32[2,2] = dequantize(%w)
      %v: f32[2,2] = mul(%d, %scales)
      %r: f32[1,2] = fully_connected(%a, %v, %bias)
      %y: i8[1,2]<0.5, 0> = quantize(%r) {{halves_to_even=true}}
      output %y"""
    (node,) = FoldQuantization().run(parse_graph('graph 2 "g" {' + body + "}")).nodes
    quantization = node.present_inputs[1].type.quantization
    assert quantization is not None
    fits = float(bias) / (0.5 * scale) < 2**31
    assert (quantization.scales[0] == float(np.float32(scale))) == fits
