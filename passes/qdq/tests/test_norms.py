"""FoldQuantization of layer norms and norms by the root of the mean square."""

import numpy as np
import pytest
from tinsmith_ir import Graph, Pipeline, parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.operators import LayerNorm, RmsNorm
from tinsmith_ir.testing import random_inputs
from tinsmith_qdq import FoldQuantization, remaining

GAMMA = "const %g: f32[4] = [1.0, -0.5, 3.0, 0.0]"
BETA = "const %b: f32[4] = [0.5, 100.0, -3.0, 0.0]"
DEQUANTIZED = """const %gi: i8[4]<0.5, 1> = [3, 0, 7, 1]
%g: f32[4] = dequantize(%gi)
const %bi: i16[1,4]<0.001, 0> = [500, 1000, -3000, 0]
%br: f32[1,4] = dequantize(%bi)
%b: f32[4] = reshape(%br) {shape=[4]}"""


def norm(
    apply: str, before: str = "", x: str = "i8[2,3,4]<0.05, 3>", y: str = "i8[2,3,4]<0.03, -2>"
) -> Graph:
    """A norm of float32 between integers."""
    dtype = y.split("[")[0]
    return parse_graph(f"""graph 2 "g" {{
      input %x: {x}
      {before}
      %a: f32[2,3,4] = dequantize(%x)
      %r: f32[2,3,4] = {apply}
      %y: {y} = quantize(%r) {{dtype={dtype}, halves_to_even=true}}
      output %y
    }}""")


@pytest.mark.parametrize(
    ("apply", "before"),
    [
        ("layer_norm(%a)", ""),
        ("layer_norm(%a, %g) {epsilon=0.01}", GAMMA),
        ("layer_norm(%a, none, %b)", BETA),
        ("layer_norm(%a, %g, %b)", f"{GAMMA} {BETA}"),
        ("layer_norm(%a, %g, %b)", DEQUANTIZED),
        ("rms_norm(%a)", ""),
        ("rms_norm(%a, %g) {epsilon=1e-6}", GAMMA),
    ],
)
@pytest.mark.parametrize("x", ["i8[2,3,4]<0.05, 3>", "i16[2,3,4]<0.0001, 0>"])
@pytest.mark.parametrize("y", ["i8[2,3,4]<0.03, -2>", "i16[2,3,4]<0.0001, 0>"])
def test_a_norm_between_integers_is_one_of_integers(
    apply: str, before: str, x: str, y: str
) -> None:
    given = norm(apply, before, x, y)
    for seed in range(3):
        inputs = random_inputs(given, seed=seed)
        after = Pipeline([FoldQuantization()]).run(given, inputs).graph  # measures a step
        (node,) = after.nodes
        assert isinstance(node.operator, LayerNorm | RmsNorm)
        assert not remaining(after)
        assert all(value.type.dtype is not DType.FLOAT32 for value in node.present_inputs)
        (wanted,) = evaluate_graph(given, inputs).values()
        (found,) = evaluate_graph(after, inputs).values()
        assert int(np.abs(found.astype(np.int64) - wanted.astype(np.int64)).max()) <= 1


@pytest.mark.parametrize(
    ("apply", "before", "reason"),
    [
        ("layer_norm(%a, %g)", "input %g: f32[4]", "operand 'g' is computed"),
        (
            "layer_norm(%a, %g)",
            "const %g: f32[4] = [1.0, 1.0, 1e12, 1.0]",
            "expected a scale of the result",
        ),
        (
            "layer_norm(%e)",
            "input %c: f32[2,3,4] %e: f32[2,3,4] = exp(%c)",
            "computed by exp in float32",
        ),
    ],
)
def test_what_stays_float_says_why(apply: str, before: str, reason: str) -> None:
    given = norm(apply, before)
    after = FoldQuantization().run(given)
    assert any(reason in each.reason for each in remaining(after))
