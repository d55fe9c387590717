"""The activations of the five MLPerf Tiny networks, in bytes of int8, in the order of their files.

Reshapes are left out: they share the bytes of their operand.
"""

from collections.abc import Callable

import pytest
from tinsmith_allocation import Block, Plan, Status, check_plan, plan_exact, plan_greedy

HALF_MAP = 48 * 48 * 8
CHAINS = {
    "kws": [49 * 10, *[25 * 5 * 64] * 9, 64, 12, 12],
    "vww": [
        96 * 96 * 3,
        *[HALF_MAP] * 2,
        2 * HALF_MAP,
        24 * 24 * 16,
        *[24 * 24 * 32] * 3,
        12 * 12 * 32,
        *[12 * 12 * 64] * 3,
        6 * 6 * 64,
        *[6 * 6 * 128] * 11,
        3 * 3 * 128,
        *[3 * 3 * 256] * 3,
        256,
        2,
        2,
    ],
    "ad": [640, *[128] * 4, 8, *[128] * 4, 640],
    "sww": [30 * 40, 28 * 40, 28 * 128, *[24 * 128] * 2, *[15 * 128] * 2, 128, 32, 3, 3],
}
EXPECTED_BYTES = {"kws": 16000, "vww": 55296, "ad": 768, "sww": 6656}


def chain(sizes: list[int]) -> list[Block]:
    """Tensor i is written by step i - 1 and read by step i; offsets are multiples of 16."""
    return [Block(f"t{index}", size, index - 1, index, 16) for index, size in enumerate(sizes)]


def residual_network() -> list[Block]:
    """The image classifier: three stages of two convolutions around which a sum leads."""
    first, second, third = 32 * 32 * 16, 16 * 16 * 32, 8 * 8 * 64
    return [
        Block("image", 32 * 32 * 3, -1, 0, 16),
        Block("conv", first, 0, 3, 16),
        Block("conv_1", first, 1, 2, 16),
        Block("conv_2", first, 2, 3, 16),
        Block("add", first, 3, 6, 16),
        Block("conv_3", second, 4, 5, 16),
        Block("conv_4", second, 5, 7, 16),
        Block("conv_5", second, 6, 7, 16),
        Block("add_1", second, 7, 10, 16),
        Block("conv_6", third, 8, 9, 16),
        Block("conv_7", third, 9, 11, 16),
        Block("conv_8", third, 10, 11, 16),
        Block("add_2", third, 11, 12, 16),
        Block("pool", 64, 12, 13, 16),
        Block("dense", 10, 13, 14, 16),
        Block("softmax", 10, 14, 15, 16),
    ]


@pytest.mark.parametrize("planner", [plan_greedy, plan_exact])
@pytest.mark.parametrize("name", sorted(CHAINS))
def test_chains_are_planned_with_proof(name: str, planner: Callable[..., Plan]) -> None:
    plan = planner(chain(CHAINS[name]))
    check_plan(plan)
    assert (plan.arena_bytes, plan.status) == (EXPECTED_BYTES[name], Status.OPTIMAL)


@pytest.mark.parametrize("planner", [plan_greedy, plan_exact])
def test_residual_network_is_planned_with_proof(planner: Callable[..., Plan]) -> None:
    plan = planner(residual_network())
    check_plan(plan)
    assert (plan.arena_bytes, plan.status) == (49152, Status.OPTIMAL)
