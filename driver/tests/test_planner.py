"""The benchmark of orders and plans: its networks, its rows, its bounds; no time is asserted."""

import pytest
from tinsmith_driver.benchmarks import run
from tinsmith_driver.benchmarks.order_graphs import FAMILIES, residual
from tinsmith_driver.benchmarks.planner import (
    OrderRow,
    PlanRow,
    given_peak,
    order_misses,
    order_row,
    plan_misses,
)
from tinsmith_ir import UsageError


@pytest.mark.parametrize("family", FAMILIES)
def test_a_network_has_about_as_many_calls_as_asked_for_and_is_always_the_same(family: str) -> None:
    make = FAMILIES[family]
    for operators in (50, 100):
        calls = make(operators, 1).calls
        assert operators - 10 <= len(calls) < operators + 60
        assert calls == make(operators, 1).calls != make(operators, 2).calls or family == "unet"
    made = set(make(50, 1).inputs)
    for call in make(50, 1).calls:
        assert made.issuperset(name for name in call.inputs if name)
        made.update(call.outputs)


def test_the_peak_of_the_given_order_by_hand() -> None:
    program = residual(3, 0)
    sizes = {buffer.name: buffer.size_bytes for buffer in program.buffers}
    assert [call.inputs for call in program.calls] == [("x",), ("t0",), ("t1", "x")]
    live = [sizes["x"] + sizes["t0"], sum(sizes.values()) - sizes["t2"]]
    live.append(sizes["x"] + sizes["t1"] + sizes["t2"])
    assert given_peak(program) == max(live)


def test_a_row_says_how_many_orders_are_proven() -> None:
    row = order_row("darts", 50, 2)
    assert (row.networks, row.optimal, row.gap) == (2, 2, 0.0)
    assert 0 < row.saved < 1


def test_bounds_that_do_not_hold_are_told() -> None:
    rows = [OrderRow(family, 50, 5, 4, 0.1, 0.0, 1.0) for family in ("nasnet", "unstructured")]
    assert list(order_misses(rows)) == ["nasnet of 50: 4 of 5 orders proven"]
    plans = [PlanRow(name, 9, None, 9, "optimal", 6.0, "-") for name in ("kws", "chain")]
    assert list(plan_misses(plans)) == ["kws: 6.0 s > 5 s"]


def test_it_plans_for_one_target() -> None:
    with pytest.raises(UsageError, match="plans for cortex-m4 alone"):
        run("planner", None, "host", None)
