"""The checker refuses plans that are changed by hand."""

from dataclasses import replace

import pytest
from tinsmith_tiling import (
    Layer,
    Memory,
    Plan,
    Problem,
    Staging,
    Tensor,
    TilingError,
    Way,
    check,
    solve,
)

X = Staging("x", 16, 2, 40)
Y = Staging("y", 16, 2, 40)

PROBLEM = Problem(
    (Memory("L1", 160, 8), Memory("L2", 256)),
    (Tensor("x", 30, (1,)), Tensor("y", 30, (0, 1)), Tensor("z", 30, (0,))),
    (
        Layer("a", ("x",), ("y",), (Way("w", 100, 4, (X,), (Y,), tiles=2),)),
        Layer(
            "b",
            ("y",),
            ("z",),
            (
                Way("w", 100, 0, (Y,), (), 20, 1, 30, tiles=2),
                Way("far", 100, 0, (Y,), (), 20, 1, 90, needs_far=frozenset({"y"})),
                Way("near", 90, 0, (Y,), (), 64, 1, 90, needs_near=frozenset({"y"})),
            ),
        ),
    ),
)
PLAN = solve(PROBLEM)


def changed(**offsets: int) -> Plan:
    return replace(PLAN, offsets={**PLAN.offsets, **offsets})


def test_the_plan_of_the_solver_is_accepted() -> None:
    assert PLAN.homes == {"x": 1, "y": 0, "z": 0}
    assert PLAN.prefetched == (0, 1)
    assert PLAN.layer_cycles == (20 + 100, 100)
    check(PROBLEM, PLAN)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (replace(PLAN, ways=(0,)), "expected 2 ways, prefetches and cycles, got 1"),
        (replace(PLAN, ways=(0, 3)), "layer b: expected a way below 3, got 3"),
        (replace(PLAN, ways=(0, -1)), "expected a way below 3, got -1"),
        (replace(PLAN, ways=(0, 1)), "layer b, way far: expected y far, got it near"),
        (replace(PLAN, ways=(0, 2), homes={**PLAN.homes, "y": 1}), "way near: expected y near"),
        (
            replace(PLAN, homes={**PLAN.homes, "z": 1}),
            r"tensor z: expected a home of \(0,\), got 1",
        ),
        (replace(PLAN, homes={"x": 1, "y": 0}), "a home for each tensor and nothing else"),
        (
            replace(PLAN, prefetched=(1, 1)),
            "layer a, way w: expected constants that are fetched one or two layers ahead",
        ),
        (replace(PLAN, prefetched=(0, 0)), "layer b: expected 130 cycles, got 100"),
        (replace(PLAN, layer_cycles=(120, 99)), "layer b: expected 100 cycles, got 99"),
        (replace(PLAN, bound=PLAN.cycles + 1), "are below the bound"),
        (replace(PLAN, homes={**PLAN.homes, "y": 1}), "no offset|ends at|share"),
        (changed(x=-8), "block x at -8: expected a multiple of 4"),
        (changed(y=PLAN.offsets["y"] + 4), "expected a multiple of 8"),
        (changed(x=228), "block x ends at 258, behind L2 of 256 B"),
        (changed(z=PLAN.offsets["y"]), "layer b: y at .* share bytes of L1"),
        (changed(**{"b.constants": PLAN.offsets["a.scratch"]}), "layer a: .* share bytes"),
        (changed(ghost=0), "block ghost has an offset, but there is no such block"),
    ],
)
def test_a_changed_plan_is_refused(plan: Plan, message: str) -> None:
    with pytest.raises(TilingError, match=message):
        check(PROBLEM, plan)


def test_a_missing_offset_is_refused() -> None:
    offsets = {name: at for name, at in PLAN.offsets.items() if name != "a.scratch"}
    with pytest.raises(TilingError, match=r"block a\.scratch has no offset in L1"):
        check(PROBLEM, replace(PLAN, offsets=offsets))
