"""Sums and products that are rounded once: their numbers, and which kernels compute them."""

import pytest
from tinsmith_cmsis_nn import backend
from tinsmith_cmsis_nn.weighted import arranged_product, arranged_sum
from tinsmith_ir.parameter_records import MulParameters, WeightedSumParameters
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import lower
from tinsmith_reference import backend as reference
from tinsmith_target import target

M4 = target("cortex-m4")
ONCE = Rounding.NEAREST


def test_a_sum_by_hand() -> None:
    # (lhs - 1) * 0.5 + (rhs + 2) * 0.25 + 3, of real = multiplier * 2**-31
    p = WeightedSumParameters(-1, 2, 1 << 30, 1 << 29, 0, 3, -128, 127, ONCE)
    assert arranged_sum(p, subtracts=False, swapped=False) == {
        "lhs_high": 1 << 14,
        "lhs_low": 0,
        "rhs_high": 1 << 13,
        "rhs_low": 0,
        "start_high": (3 << 15) + (1 << 14),
        "start_low": 0,
        "right": 15,
    }


def test_what_is_subtracted_has_a_negative_multiplier() -> None:
    p = WeightedSumParameters(0, 0, 1 << 30, (1 << 30) + 5, 0, 0, -128, 127, ONCE)
    numbers = arranged_sum(p, subtracts=True, swapped=False)
    assert (numbers["rhs_high"], numbers["rhs_low"]) == (-(1 << 14) - 1, (1 << 16) - 5)
    turned = arranged_sum(p, subtracts=True, swapped=True)
    assert (turned["lhs_high"], turned["lhs_low"]) == (-(1 << 14) - 1, (1 << 16) - 5)
    assert (turned["rhs_high"], turned["rhs_low"]) == (1 << 14, 0)


def test_narrow_multipliers_become_wide() -> None:
    wide = WeightedSumParameters(4, -7, 192 << 23, 100 << 23, -2, 9, -128, 127, ONCE)
    narrow = WeightedSumParameters(4, -7, 192, 100, 21, 9, -128, 127, ONCE)
    assert arranged_sum(wide, subtracts=False, swapped=False) == arranged_sum(
        narrow, subtracts=False, swapped=False
    )


def test_a_product_by_hand() -> None:
    # of a scale of 1.5: to the left by two bits, by 0.75 and by one to the right
    p = MulParameters(-4, 5, 6, 3 << 29, 1, -128, 127, ONCE)
    assert arranged_product(p, swapped=False) == {
        "lhs_unit": 8,
        "lhs_start": -32,
        "rhs_offset": 5,
        "multiplier": 3 << 29,
        "right": 1,
        "half": 13,
    }
    turned = arranged_product(p, swapped=True)
    assert (turned["lhs_start"], turned["rhs_offset"]) == (40, -4)


@pytest.mark.parametrize(
    ("operator", "result", "kernel", "reason"),
    [
        ("add", 0.5, "tinsmith_weighted_sum_s8", ""),
        ("sub", 0.5, "tinsmith_weighted_sum_s8", ""),
        ("mul", 0.5, "tinsmith_product_s8", ""),
        ("add", 140.0, "tinsmith_add_s8_nearest", "from 2**-8 to 2**15 times the result's"),
        ("sub", 1e-5, "tinsmith_sub_s8_nearest", "from 2**-8 to 2**15 times the result's"),
        ("mul", 1e-5, "tinsmith_mul_s8_nearest", "from 2**-23 to 2**13 times the result's"),
    ],
)
def test_scales_far_from_the_results_go_to_the_reference_kernels(
    operator: str, result: float, kernel: str, reason: str
) -> None:
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: i8[2,4]<0.5, 3>
      input %y: i8[2,4]<0.25, -2>
      %z: i8[2,4]<{result}, 1> = {operator}(%x, %y) {{rounding=nearest}}
      output %z
    }}""")
    (call,) = lower(graph, M4, (*backend().kernels(M4), *reference().kernels(M4))).calls
    assert call.kernel == kernel
    assert reason in call.reason


@pytest.mark.parametrize(("operator", "name"), [("sub", "weighted_sum"), ("mul", "product")])
def test_operands_that_repeat(operator: str, name: str) -> None:
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: i8[4]<0.5, 3>
      input %y: i8[2,4]<0.25, -2>
      %z: i8[2,4]<0.5, 1> = {operator}(%x, %y) {{rounding=nearest}}
      output %z
    }}""")
    (call,) = lower(graph, M4, backend().kernels(M4)).calls
    assert call.kernel == f"tinsmith_{name}_broadcast_s8"
