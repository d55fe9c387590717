"""FuseCurves."""

import math

import numpy as np
import pytest
from tinsmith_fusion import FuseCurves
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.operators import Gelu, HardSwish
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.testing import random_inputs

_NUMBERS = f"""
const %three: f32[] = [3.0]
const %six: f32[] = [6.0]
const %sixth: f32[1] = [{np.float32(1 / 6)}]
const %half: f32[] = [0.5]
const %one: f32[] = [1.0]
const %root: f32[] = [{np.float32(math.sqrt(2))}]
"""


def graph(*lines: str) -> str:
    body = "\n".join(lines)
    return f'graph 2 "g" {{\ninput %x: f32[2,5]\n{_NUMBERS}\n{body}\noutput %y\n}}'


_RAISED = ("%a: f32[2,5] = add(%x, %three)", "%r: f32[2,5] = relu6(%a)")
_HARD_SWISHES = {
    "product_by_six": (*_RAISED, "%p: f32[2,5] = mul(%x, %r)", "%y: f32[2,5] = div(%p, %six)"),
    "product_by_sixth": (*_RAISED, "%p: f32[2,5] = mul(%r, %x)", "%y: f32[2,5] = mul(%p, %sixth)"),
    "gate_by_six": (*_RAISED, "%p: f32[2,5] = div(%r, %six)", "%y: f32[2,5] = mul(%x, %p)"),
    "gate_by_sixth": (*_RAISED, "%p: f32[2,5] = mul(%sixth, %r)", "%y: f32[2,5] = mul(%p, %x)"),
    "clamped_sum": (
        "%r: f32[2,5] = add(%three, %x) {activation=relu6}",
        "%p: f32[2,5] = mul(%x, %r)",
        "%y: f32[2,5] = div(%p, %six)",
    ),
    "hard_sigmoid": (
        "%p: f32[2,5] = mul(%x, %sixth)",
        "%a: f32[2,5] = add(%p, %half)",
        "%r: f32[2,5] = relu_0_to_1(%a)",
        "%y: f32[2,5] = mul(%x, %r)",
    ),
}
_GATE = (
    "%d: f32[2,5] = div(%x, %root)",
    "%e: f32[2,5] = erf(%d)",
    "%r: f32[2,5] = add(%e, %one)",
)
_GELUS = {
    "product_by_half": (*_GATE, "%p: f32[2,5] = mul(%x, %r)", "%y: f32[2,5] = mul(%p, %half)"),
    "half_by_gate": (*_GATE, "%p: f32[2,5] = mul(%x, %half)", "%y: f32[2,5] = mul(%p, %r)"),
}


@pytest.mark.parametrize("form", [*_HARD_SWISHES, *_GELUS])
def test_parts_of_a_curve_become_one_operator(form: str) -> None:
    before = parse_graph(graph(*{**_HARD_SWISHES, **_GELUS}[form]))
    after = FuseCurves().run(before)
    assert [node.operator for node in after.nodes] == [
        HardSwish() if form in _HARD_SWISHES else Gelu()
    ]
    given = random_inputs(before, seed=3)
    one, other = (
        np.asarray(evaluate_graph(each, given)["y"], np.float32) for each in (before, after)
    )
    np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "lines",
    [
        (*_RAISED, "%p: f32[2,5] = mul(%x, %r)", "%y: f32[2,5] = div(%p, %three)"),
        (*_RAISED, "%p: f32[2,5] = mul(%a, %r)", "%y: f32[2,5] = div(%p, %six)"),
        (*_RAISED, "%p: f32[2,5] = mul(%x, %r)", "%y: f32[2,5] = div(%six, %p)"),
        (*_RAISED, "%p: f32[2,5] = mul(%x, %r) {activation=relu}", "%y: f32[2,5] = div(%p, %six)"),
        (
            "%a: f32[2,5] = add(%x, %half)",
            "%r: f32[2,5] = relu6(%a)",
            "%p: f32[2,5] = mul(%x, %r)",
            "%y: f32[2,5] = div(%p, %six)",
        ),
        (*_GATE, "%p: f32[2,5] = mul(%d, %r)", "%y: f32[2,5] = mul(%p, %half)"),
        (*_GATE, "%y: f32[2,5] = mul(%x, %r)"),
    ],
    ids=["number", "operand", "divided", "clamp", "raised", "other_error", "no_half"],
)
def test_what_is_another_function_stays(lines: tuple[str, ...]) -> None:
    before = parse_graph(graph(*lines))
    assert FuseCurves().run(before) is before


def test_a_curve_of_integers_stays() -> None:
    lines = (
        "input %x: i8[4]<0.1, 0>",
        "const %three: i8[1]<0.03125, 0> = [96]",
        "%r: i8[4]<0.05, -128> = add(%x, %three) {activation=relu6}",
        "%p: i8[4]<0.1, 0> = mul(%x, %r)",
        "const %sixth: i8[1]<0.0013123359, 0> = [127]",
        "%y: i8[4]<0.1, 0> = mul(%p, %sixth)",
        "output %y",
    )
    before = parse_graph('graph 2 "g" {\n' + "\n".join(lines) + "\n}")
    assert FuseCurves().run(before) is before
