"""FuseNormalizations."""

import numpy as np
import pytest
from tinsmith_fusion import FuseNormalizations
from tinsmith_ir import Pipeline
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import LayerNorm, RmsNorm
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.testing import random_inputs

_EPSILON = 0.01
_CONSTANTS = f"""
const %eps: f32[] = [{_EPSILON}]
const %two: f32[] = [2.0]
const %one: f32[1] = [1.0]
const %half: f32[] = [0.5]
const %minus_half: f32[] = [-0.5]
const %g: f32[4] = [1.0, -0.5, 3.0, 0.25]
const %b: f32[1,1,4] = [0.5, 1.0, -2.0, 0.0]
const %column: f32[3,1] = [1.0, 2.0, 3.0]
const %row: f32[4] = [0.01, 0.01, 0.01, 0.02]
"""
X, M = "f32[2,3,4]", "f32[2,3,1]"


def graph(*lines: str, outputs: str = "output %y") -> Graph:
    body = "\n".join(lines)
    return parse_graph(f'graph 2 "g" {{\ninput %x: {X}\n{_CONSTANTS}\n{body}\n{outputs}\n}}')


_MEAN = f"%m: {M} = mean(%x) {{axes=[2], keep_dims=true}}"
_REST = (_MEAN, f"%c: {X} = sub(%x, %m)")
_SPREAD = (f"%s: {X} = square(%c)", f"%v: {M} = mean(%s) {{axes=[2], keep_dims=true}}")
_RAISED = f"%e: {M} = add(%v, %eps)"
_BEGIN = (*_REST, *_SPREAD, _RAISED)
_ROOT = f"%d: {M} = sqrt(%e)"
_INVERSE = f"%i: {M} = rsqrt(%e)"
_QUOTIENT = f"%n: {X} = div(%c, %d)"
_GAIN = f"%p: {X} = mul(%n, %g)"
_OFFSET = f"%y: {X} = add(%p, %b)"
_PRODUCTS = (f"%n: {X} = mul(%c, %i)", _GAIN, _OFFSET)

_LAYER_NORMS = {
    "exporters": (*_BEGIN, _ROOT, _QUOTIENT, _GAIN, _OFFSET),
    "power": (
        *_REST,
        f"%s: {X} = pow(%c, %two)",
        f"%v: {M} = mean(%s) {{axes=[2], keep_dims=true}}",
        f"%e: {M} = add(%eps, %v)",
        f"%d: {M} = pow(%e, %half)",
        _QUOTIENT,
        f"%p: {X} = mul(%g, %n)",
        f"%y: {X} = add(%b, %p)",
    ),
    "importers": (*_BEGIN, _INVERSE, *_PRODUCTS),
    "reciprocal": (*_BEGIN, _ROOT, f"%i: {M} = div(%one, %d)", *_PRODUCTS),
    "inverse_power": (*_BEGIN, f"%i: {M} = pow(%e, %minus_half)", *_PRODUCTS),
    "product_of_itself": (
        *_REST,
        f"%s: {X} = mul(%c, %c)",
        _SPREAD[1],
        _RAISED,
        _ROOT,
        _QUOTIENT,
        _GAIN,
        _OFFSET,
    ),
    "two_differences": (
        *_REST,
        f"%m2: {M} = mean(%x) {{axes=[2], keep_dims=true}}",
        f"%c2: {X} = sub(%x, %m2)",
        f"%s: {X} = square(%c2)",
        *_BEGIN[3:],
        _ROOT,
        _QUOTIENT,
        _GAIN,
        _OFFSET,
    ),
    "gain_in_the_inverse": (
        *_BEGIN,
        _INVERSE,
        f"%k: {X} = mul(%i, %g)",
        f"%p: {X} = mul(%c, %k)",
        _OFFSET,
    ),
    "moved": (
        _MEAN,
        f"%s: {X} = squared_difference(%x, %m)",
        _SPREAD[1],
        _RAISED,
        _INVERSE,
        f"%k: {X} = mul(%i, %g)",
        f"%p: {X} = mul(%x, %k)",
        f"%q: {X} = mul(%m, %k)",
        f"%o: {X} = sub(%b, %q)",
        f"%y: {X} = add(%p, %o)",
    ),
}
_SQUARES = (f"%s: {X} = square(%x)", *_BEGIN[3:])
_RMS_NORMS = {
    "importers": (*_SQUARES, _INVERSE, f"%n: {X} = mul(%x, %i)", f"%y: {X} = mul(%n, %g)"),
    "quotient": (*_SQUARES, _ROOT, f"%n: {X} = div(%x, %d)", f"%y: {X} = mul(%g, %n)"),
    "gain_in_the_inverse": (
        *_SQUARES,
        _INVERSE,
        f"%k: {X} = mul(%i, %g)",
        f"%y: {X} = mul(%k, %x)",
    ),
}


def fused(before: Graph) -> Graph:
    """Held to the contract of the pass."""
    result = Pipeline([FuseNormalizations()]).run(before, random_inputs(before, seed=3))
    (record,) = result.records
    assert record.measured is not None
    assert record.measured < 1e-6
    return result.graph


@pytest.mark.parametrize("form", _LAYER_NORMS)
def test_parts_of_a_layer_norm_become_one_operator(form: str) -> None:
    after = fused(graph(*_LAYER_NORMS[form]))
    (node,) = after.nodes
    assert isinstance(node.operator, LayerNorm)
    assert np.float32(node.operator.epsilon) == np.float32(_EPSILON)
    assert [value.name for value in node.present_inputs] == ["x", "g", "b_row"]


@pytest.mark.parametrize("form", _RMS_NORMS)
def test_parts_of_a_root_mean_square_norm_become_one_operator(form: str) -> None:
    (node,) = fused(graph(*_RMS_NORMS[form])).nodes
    assert isinstance(node.operator, RmsNorm)
    assert [value.name for value in node.present_inputs] == ["x", "g"]


@pytest.mark.parametrize(
    ("behind", "operands"),
    [
        ((), ["x"]),
        ((f"%z: {X} = mul(%y, %two)",), ["x", "two_row"]),
        ((f"%z: {X} = add(%y, %b)",), ["x", None, "b_row"]),
    ],
)
def test_gamma_and_beta_need_not_be_there(behind: tuple[str, ...], operands: list[str]) -> None:
    lines = (*_BEGIN, _ROOT, f"%y: {X} = div(%c, %d)", *behind)
    (node,) = fused(graph(*lines, outputs=f"output %{'z' if behind else 'y'}")).nodes
    assert [value and value.name for value in node.inputs][: len(operands)] == operands


def test_what_lies_in_front_of_a_clamp_keeps_it() -> None:
    lines = (*_LAYER_NORMS["exporters"][:-1], f"%y: {X} = add(%p, %b) {{activation=relu}}")
    assert [node.operator.mnemonic for node in fused(graph(*lines)).nodes] == ["layer_norm", "add"]


@pytest.mark.parametrize("shape", [(8,), (5, 8), (1, 2, 3, 4, 8)])
def test_rows_may_be_of_any_rank(shape: tuple[int, ...]) -> None:
    x = f"f32{list(shape)}"
    m = f"f32{[*shape[:-1], 1]}"
    axis = len(shape) - 1
    before = parse_graph(f"""graph 2 "g" {{
      input %x: {x}
      const %eps: f32[1] = [0.01]
      %m: {m} = mean(%x) {{axes=[{axis}], keep_dims=true}}
      %c: {x} = sub(%x, %m)
      %s: {x} = square(%c)
      %v: {m} = mean(%s) {{axes=[{axis}], keep_dims=true}}
      %e: {m} = add(%v, %eps)
      %i: {m} = rsqrt(%e)
      %y: {x} = mul(%c, %i)
      output %y
    }}""")
    (node,) = fused(before).nodes
    assert isinstance(node.operator, LayerNorm)


def replaced(form: str, old: str, new: str) -> tuple[str, ...]:
    lines = _LAYER_NORMS[form]
    changed = tuple(line.replace(old, new) for line in lines)
    assert changed != lines
    return changed


@pytest.mark.parametrize(
    "lines",
    [
        tuple(
            line.replace("axes=[2]", "axes=[1]").replace(M, "f32[2,1,4]")
            for line in _LAYER_NORMS["exporters"]
        ),
        tuple(
            line.replace("axes=[2]", "axes=[1,2]").replace(M, "f32[2,1,1]")
            for line in _LAYER_NORMS["exporters"]
        ),
        (
            *_BEGIN[:-1],
            f"%e: {X} = add(%v, %row)",
            f"%d: {X} = sqrt(%e)",
            *_LAYER_NORMS["exporters"][6:],
        ),
        replaced("exporters", "add(%v, %eps)", "sub(%v, %eps)"),
        replaced("exporters", "add(%v, %eps)", "add(%v, %minus_half)"),
        replaced("exporters", "add(%v, %eps)", "add(%v, %eps) {activation=relu6}"),
        replaced("exporters", "square(%c)", "abs(%c)"),
        replaced("power", "pow(%c, %two)", "pow(%c, %one)"),
        replaced("power", "pow(%e, %half)", "pow(%e, %one)"),
        replaced("reciprocal", "div(%one, %d)", "div(%two, %d)"),
        replaced("exporters", "div(%c, %d)", "div(%x, %d)"),
        replaced("moved", "mul(%m, %k)", "mul(%x, %k)"),
    ],
    ids=[
        "axis",
        "axes",
        "epsilons",
        "difference",
        "below_zero",
        "clamp",
        "magnitudes",
        "first_power",
        "no_root",
        "two_by_root",
        "not_centred",
        "not_the_mean",
    ],
)
def test_what_is_another_function_stays(lines: tuple[str, ...]) -> None:
    before = graph(*lines)
    assert FuseNormalizations().run(before) is before


@pytest.mark.parametrize("value", ["m", "c", "s", "v", "e", "d"])
def test_what_something_else_reads_stays(value: str) -> None:
    outputs = f"output %y\noutput %{value}"
    after = FuseNormalizations().run(graph(*_LAYER_NORMS["exporters"], outputs=outputs))
    assert not any(isinstance(node.operator, LayerNorm) for node in after.nodes)
    read = f"%z: {M if value in 'mved' else X} = abs(%{value})"
    after = FuseNormalizations().run(
        graph(*_LAYER_NORMS["exporters"], read, outputs="output %y\noutput %z")
    )
    assert not any(isinstance(node.operator, LayerNorm) for node in after.nodes)


@pytest.mark.parametrize(
    ("line", "name"),
    [(f"%y: {X} = mul(%n, %column)", "y"), (f"%y: {X} = mul(%n, %x)", "y")],
    ids=["column", "computed"],
)
def test_a_factor_that_is_no_constant_row_stays_behind(line: str, name: str) -> None:
    after = fused(graph(*_BEGIN, _ROOT, _QUOTIENT, line, outputs=f"output %{name}"))
    assert [node.operator.mnemonic for node in after.nodes] == ["layer_norm", "mul"]


def test_a_factor_is_not_taken_from_what_others_read() -> None:
    lines = (*_BEGIN, _ROOT, _QUOTIENT, f"%y: {X} = mul(%n, %g)", f"%z: {X} = abs(%n)")
    after = fused(graph(*lines, outputs="output %y\noutput %z"))
    assert [node.operator.mnemonic for node in after.nodes] == ["layer_norm", "mul", "abs"]


def test_a_norm_of_integers_stays() -> None:
    x, m = "i8[2,4]<0.1, 0>", "i8[2,1]<0.1, 0>"
    before = parse_graph(f"""graph 2 "g" {{
      input %x: {x}
      const %eps: i8[1]<0.001, 0> = [10]
      %s: {x} = mul(%x, %x)
      %v: {m} = mean(%s) {{axes=[1], keep_dims=true}}
      %e: {m} = add(%v, %eps)
      %i: {m} = rsqrt(%e)
      %y: {x} = mul(%x, %i)
      output %y
    }}""")
    assert FuseNormalizations().run(before) is before
